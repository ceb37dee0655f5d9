// SPDX-License-Identifier: Apache-2.0
#include <array>
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
      refuseAt(file_, error.source(), segment::onOneLine(error.description()));
    }
  }

  RuleBook read() {
    const TomlReader reader(file_, root_, "this file");
    reader.refuseOtherKeys({"rule", "zone", "ground", "greenness", "follow_camera"});
    RuleBook book;
    book.greenness = reader.flag("greenness").value_or(false);
    book.followCamera = reader.flag("follow_camera").value_or(false);
    book.ground = ground();
    // Zones before rules, which refer to them, wherever in the file they stand.
    for (const toml::table* table : tables("zone")) book.zones.push_back(zone(*table, book.ground));
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
        refuseAt(file_, entry.source(), key + " contains " + kindOf(entry) + right);
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
                                 : "it cannot be distinguished from '" + earlier + "' in line " +
                                       line + ", since both are '" + there->first + "' in metrics");
  }

  static std::array<cv::Point2d, 4> fourPoints(const TomlReader& reader, const std::string& key,
                                               const std::string& right) {
    const auto points = reader.points(key, right);
    if (!points) reader.refuseKey(key, "it has no " + key + "; " + right);
    if (points->size() != 4) {
      reader.refuseKey(key, key + " has " + std::to_string(points->size()) +
                                " points; it needs 4, in order around an area of flat ground");
    }
    std::array<cv::Point2d, 4> four;
    for (std::size_t i = 0; i < 4; ++i) four[i] = {points->at(i).first, points->at(i).second};
    return four;
  }

  std::optional<Ground> ground() const {
    const toml::node* node = root_.get("ground");
    if (node == nullptr) return std::nullopt;
    if (!node->is_table())
      refuseAt(file_, node->source(), "ground is " + kindOf(*node) + "; [ground] begins it");
    const TomlReader reader(file_, *node->as_table(), "the ground");
    reader.refuseOtherKeys({"points", "metres"});
    Ground ground;
    ground.points = fourPoints(reader, "points",
                               "write four points [x, y] of the picture from 0 to 1, such as "
                               "[[0.1, 0.9], [0.9, 0.9], [0.7, 0.5], [0.3, 0.5]]");
    ground.metres = fourPoints(reader, "metres",
                               "write where these four are in metres, such as "
                               "[[0, 0], [6, 0], [6, 20], [0, 20]]");
    try {
      checkGround(ground);
    } catch (const std::invalid_argument& fault) {
      refuseAt(file_, reader.placeOf("points"), fault.what());
    }
    return ground;
  }

  Zone zone(const toml::table& table, const std::optional<Ground>& ground) {
    TomlReader reader(file_, table, "a zone");
    Zone zone;
    zone.name = newName(reader, zoneKind_);
    const auto corners = reader.points(
        "corners",
        "write a list of points [x, y] from 0 to 1, such as [[0, 0.5], [1, 0.5], [0.5, 1]]");
    if (!corners) {
      reader.refuseKey("corners",
                       "it has no corners; give it three or more points, such as "
                       "corners = [[0, 0.5], [1, 0.5], [0.5, 1]]");
    }
    for (const auto& [x, y] : *corners) zone.corners.emplace_back(x, y);
    zone.onGround = reader.flag("ground").value_or(false);
    if (zone.onGround && !ground) {
      reader.refuseKey(
          "ground",
          "its square metres cannot be computed without four points of the ground; add "
          "[ground] with points and metres");
    }
    try {
      checkZones({zone});
      if (zone.onGround) checkOnGround(zone, *ground);
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
        reader.refuseKey(key, key + " contains '" + word +
                                  "', which is not a light state; the states are " + listed(all));
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
  Kind zoneKind_{"zone", {"name", "corners", "ground"}, metricPart, {}};
};

}  // namespace

bool measuresAlike(const RuleBook& a, const RuleBook& b) {
  return a.zones == b.zones && a.ground == b.ground && a.greenness == b.greenness &&
         a.followCamera == b.followCamera;
}

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
    throw std::runtime_error("the rules file " + path +
                             " is larger than 4 MiB, the limit for a rules file");
  }
  return parseRules(toml, path);
}

}  // namespace mpm::monitor
