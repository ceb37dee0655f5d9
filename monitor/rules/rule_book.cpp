// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <utility>

#include "monitor/rules/rules.h"
#include "monitor/rules/toml_reader.h"
#include "monitor/rules/words.h"
#include "segment/toml_guard.h"

namespace mpm::monitor {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 22;

class BookReader {
 public:
  BookReader(const std::string& toml, std::string file) : file_(std::move(file)) {
    if (const auto fault = segment::guardToml(toml)) {
      throw std::runtime_error(file_ + ":" + std::to_string(fault->line) + ": " + fault->sentence);
    }
    try {
      root_ = toml::parse(toml, file_);
    } catch (const toml::parse_error& error) {
      refuseAt(file_, error.source(), std::string(error.description()));
    }
  }

  RuleBook read() {
    TomlReader(file_, root_, "this file").refuseOtherKeys({"rule", "zone"});
    RuleBook book;
    // Zones first: rules refer to them, wherever in the file they stand.
    for (const toml::table* table : tables("zone")) book.zones.push_back(zone(*table));
    for (const toml::table* table : tables("rule")) book.rules.push_back(rule(*table, book.zones));
    return book;
  }

 private:
  std::vector<const toml::table*> tables(const std::string& key) const {
    const toml::node* node = root_.get(key);
    if (node == nullptr) return {};
    const std::string right = "; [[" + key + "]] begins each " + key;
    const toml::array* list = node->as_array();
    if (list == nullptr) {
      refuseAt(file_, node->source(), key + " is " + kindOf(*node) + right);
    }
    std::vector<const toml::table*> found;
    for (const toml::node& entry : *list) {
      if (!entry.is_table()) {
        refuseAt(file_, entry.source(), key + " holds " + kindOf(entry) + right);
      }
      found.push_back(entry.as_table());
    }
    return found;
  }

  // What [[rule]] and [[zone]] have in common. Names are compared as `as` gives them.
  struct Kind {
    std::string what;
    std::vector<std::string> keys;
    std::string (*as)(std::string_view);
    std::map<std::string, std::pair<std::string, toml::source_region>> names;
  };

  static std::string newName(TomlReader& reader, Kind& kind) {
    const auto name = reader.text("name");
    if (name) reader.setSubject(kind.what + " '" + *name + "'");
    reader.refuseOtherKeys(kind.keys);
    if (!name) reader.refuseKey("name", "it has no name; add name = \"...\"");
    const auto [there, isNew] =
        kind.names.try_emplace(kind.as(*name), *name, reader.placeOf("name"));
    if (isNew) return *name;
    const auto& [earlier, place] = there->second;
    const std::string line = std::to_string(place.begin.line);
    reader.refuseKey("name", earlier == *name
                                 ? "line " + line + " has that name already; each needs its own"
                                 : "it cannot be told from '" + earlier + "' in line " + line +
                                       ", since both are '" + there->first + "' in metrics");
  }

  Zone zone(const toml::table& table) {
    TomlReader reader(file_, table, "a zone");
    Zone zone;
    zone.name = newName(reader, zoneKind_);
    const auto corners = reader.points("corners");
    if (!corners) {
      reader.refuseKey("corners",
                       "it has no corners; give it three or more points, such as "
                       "corners = [[0, 0.5], [1, 0.5], [0.5, 1]]");
    }
    for (const auto& [x, y] : *corners) zone.corners.emplace_back(x, y);
    try {
      checkZones({zone});
    } catch (const std::invalid_argument& fault) {
      refuseAt(file_, reader.placeOf("corners"), fault.what());
    }
    return zone;
  }

  Rule rule(const toml::table& table, const std::vector<Zone>& zones) {
    TomlReader reader(file_, table, "a rule");
    Rule rule;
    rule.name = newName(reader, ruleKind_);
    rule.metric = reader.text("metric").value_or("");
    rule.above = reader.number("above");
    rule.below = reader.number("below");
    rule.hysteresis = reader.number("hysteresis").value_or(0);
    rule.light = states(reader, "light");
    rule.stale = reader.flag("stale").value_or(false);
    rule.dwellMs = reader.secondsAsMs("dwell_s").value_or(0);
    rule.quietAfterLightMs = reader.secondsAsMs("quiet_after_light_s").value_or(0);
    rule.during = states(reader, "during");
    rule.snapshot = reader.flag("snapshot").value_or(rule.snapshot);
    rule.clip = reader.flag("clip").value_or(rule.clip);
    rule.publish = reader.flag("publish").value_or(rule.publish);
    rule.command = reader.texts("command", false).value_or(std::vector<std::string>{});
    if (const auto fault = faultOf(rule)) reader.refuseKey(fault->key, fault->sentence);
    if (const auto fault = zoneFaultOf(rule, zones)) reader.refuseKey(fault->key, fault->sentence);
    return rule;
  }

  static std::vector<LightState> states(const TomlReader& reader, const std::string& key) {
    std::vector<LightState> found;
    for (const std::string& word : reader.texts(key, true).value_or(std::vector<std::string>{})) {
      const auto state = lightStateOf(word);
      if (!state) {
        std::vector<std::string> all;
        for (const LightState known : kAllLightStates) all.emplace_back(nameOf(known));
        reader.refuseKey(key, key + " holds '" + word +
                                  "', which is not a light state; there are " + listed(all));
      }
      found.push_back(*state);
    }
    return found;
  }

  std::string file_;
  toml::table root_;
  Kind ruleKind_{"rule",
                 {"name", "metric", "above", "below", "hysteresis", "light", "stale", "dwell_s",
                  "quiet_after_light_s", "during", "snapshot", "clip", "publish", "command"},
                 [](std::string_view name) { return std::string(name); },
                 {}};
  // Two zones that are the same in metrics would be one there.
  Kind zoneKind_{"zone", {"name", "corners"}, metricPart, {}};
};

}  // namespace

RuleBook parseRules(const std::string& toml, const std::string& name) {
  return BookReader(toml, name).read();
}

RuleBook readRules(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string toml(kMostBytes + 1, '\0');
  file.read(toml.data(), static_cast<std::streamsize>(toml.size()));
  if (!file.is_open() || file.bad()) {
    throw std::runtime_error("the rules file " + path + " cannot be read: " + std::strerror(errno));
  }
  toml.resize(static_cast<std::size_t>(file.gcount()));
  if (toml.size() > kMostBytes) {
    throw std::runtime_error("the rules file " + path + " is larger than 4 MiB; no rules file is");
  }
  return parseRules(toml, path);
}

}  // namespace mpm::monitor
