// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <toml++/toml.h>
#include <utility>
#include <vector>

#include "files/text.h"
#include "monitor/rules/rules.h"
#include "monitor/rules/words.h"
#include "segment/toml_guard.h"

namespace mpm::monitor {
namespace {

constexpr double kLongestS = 366 * 86400.0;

bool hasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
}

// Reads a number. value<double>() fails for integers beyond 2^53.
double realOf(const toml::node& node) {
  const toml::value<std::int64_t>* whole = node.as_integer();
  return whole != nullptr ? static_cast<double>(whole->get()) : node.as_floating_point()->get();
}

[[noreturn]] void refuseAt(const std::string& file, const toml::source_region& where,
                           const std::string& sentence) {
  throw std::runtime_error(file + ":" + std::to_string(where.begin.line) + ": " + sentence);
}

// Names a value's kind for messages: "a string", "a number", ...
std::string kindOf(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list";
  if (node.is_string()) return "a string";
  if (node.is_number()) return "a number";
  return node.is_boolean() ? "true or false" : "a date or time";
}

// Reads one table's values by type. Reports a bad value with its place and the table's subject,
// such as "rule 'gate'".
class TomlReader {
 public:
  TomlReader(std::string file, const toml::table& table, std::string subject)
      : file_(std::move(file)), table_(table), subject_(std::move(subject)) {}

  void setSubject(std::string subject) { subject_ = std::move(subject); }

  void refuseOtherKeys(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : table_) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      const std::vector<std::string> meant = likeThese(key.str(), known, 1);
      refuse(key.source(), "there is no key '" + std::string(key.str()) + "'; " +
                               (meant.empty() ? "known keys: " + files::listed(known)
                                              : "did you mean '" + meant[0] + "'?"));
    }
  }

  // Reads a text that is not empty and has no control character.
  std::optional<std::string> text(const std::string& key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    auto found = node->value_exact<std::string>();
    if (!found) refuseKind(key, *node, "write a string, such as \"gate\"");
    if (found->empty()) refuse(node->source(), key + " is empty; write a string");
    if (hasControl(*found)) {
      refuse(node->source(), key + " contains a control character; write one line without any");
    }
    return found;
  }

  // Reads a finite number.
  std::optional<double> number(const std::string& key) const {
    const std::string right = "write a number, such as 0.25";
    const toml::node* node = numberNode(key, right);
    if (node == nullptr) return std::nullopt;
    const double found = realOf(*node);
    if (!std::isfinite(found)) refuse(node->source(), key + " is not finite; " + right);
    return found;
  }

  // Reads 0 to 366 days.
  std::optional<std::int64_t> secondsAsMs(const std::string& key) const {
    const std::string right = "write a number of seconds from 0 to 31622400 (366 days), such as 10";
    const toml::node* node = numberNode(key, right);
    if (node == nullptr) return std::nullopt;
    const double seconds = realOf(*node);
    if (!(seconds >= 0 && seconds <= kLongestS)) {
      refuse(node->source(), key + " is out of range; " + right);
    }
    return std::llround(seconds * 1000);
  }

  bool flag(const std::string& key, bool usual = false) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return usual;
    const auto found = node->value_exact<bool>();
    if (!found) refuseKind(key, *node, "write true or false");
    return *found;
  }

  // Reads a list of texts, or a single text if `orOne`.
  std::vector<std::string> texts(const std::string& key, bool orOne) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return {};
    const std::string right =
        orOne ? "write a string or a list of strings, such as [\"day\", \"dusk\"]"
              : "write a list of strings, such as [\"program\", \"argument\"]";
    if (orOne && node->is_string()) return {*text(key)};
    const toml::array* list = node->as_array();
    if (list == nullptr) refuseKind(key, *node, right);
    if (list->empty()) refuse(node->source(), key + " is an empty list; " + right);
    std::vector<std::string> found;
    for (const toml::node& entry : *list) {
      const auto word = entry.value_exact<std::string>();
      if (!word) refuse(entry.source(), key + " contains " + kindOf(entry) + "; " + right);
      found.push_back(*word);
    }
    return found;
  }

  std::vector<LightState> states(const std::string& key) const {
    std::vector<LightState> found;
    for (const std::string& word : texts(key, true)) {
      const auto state = lightStateOf(word);
      if (!state) {
        std::vector<std::string> all;
        for (const LightState known : kAllLightStates) all.emplace_back(nameOf(known));
        refuseKey(key, key + " contains '" + word +
                           "', which is not a light state; the states are " + files::listed(all));
      }
      found.push_back(*state);
    }
    return found;
  }

  // Reads a list of lists of two numbers; `right` says what to write.
  std::optional<std::vector<cv::Point2d>> points(const std::string& key,
                                                 const std::string& right) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    const toml::array* list = node->as_array();
    if (list == nullptr) refuseKind(key, *node, right);
    std::vector<cv::Point2d> found;
    for (const toml::node& entry : *list) {
      const toml::array* point = entry.as_array();
      const bool isPair = point != nullptr && point->size() == 2 && point->get(0)->is_number() &&
                          point->get(1)->is_number();
      if (!isPair) {
        refuse(entry.source(), key + " contains something that is not a point; " + right);
      }
      found.emplace_back(realOf(*point->get(0)), realOf(*point->get(1)));
    }
    return found;
  }

  // Reads the key's value by its type, if it exists.
  void take(const char* key, std::string& value) const { value = text(key).value_or(value); }
  void take(const char* key, std::optional<double>& value) const { value = number(key); }
  void take(const char* key, double& value) const { value = number(key).value_or(value); }
  void take(const char* key, bool& value) const { value = flag(key, value); }
  void take(const char* key, std::int64_t& ms) const { ms = secondsAsMs(key).value_or(ms); }
  void take(const char* key, std::vector<LightState>& value) const { value = states(key); }
  void take(const char* key, std::vector<std::string>& value) const { value = texts(key, false); }

  [[noreturn]] void refuse(const toml::source_region& where, const std::string& sentence) const {
    refuseAt(file_, where, subject_ + ": " + sentence);
  }
  // Reports an error at the key, or at the table without that key.
  [[noreturn]] void refuseKey(const std::string& key, const std::string& sentence) const {
    refuse(placeOf(key), sentence);
  }
  toml::source_region placeOf(const std::string& key) const {
    const auto found = table_.find(key);
    return found == table_.end() ? table_.source() : found->first.source();
  }

 private:
  const toml::node* numberNode(const std::string& key, const std::string& right) const {
    const toml::node* node = table_.get(key);
    if (node != nullptr && !node->is_number()) refuseKind(key, *node, right);
    return node;
  }
  [[noreturn]] void refuseKind(const std::string& key, const toml::node& node,
                               const std::string& right) const {
    refuse(node.source(), key + " is " + kindOf(node) + "; " + right);
  }

  std::string file_;
  const toml::table& table_;
  std::string subject_;
};

constexpr std::size_t kMostBytes = std::size_t{1} << 22;

// Passes the keys of a rule, in the order of reading and writing.
template <typename With>
void eachRuleKey(const With& with) {
  with("name", &Rule::name);
  with("metric", &Rule::metric);
  with("above", &Rule::above);
  with("below", &Rule::below);
  with("hysteresis", &Rule::hysteresis);
  with("light", &Rule::light);
  with("stale", &Rule::stale);
  with("dwell_s", &Rule::dwellMs);
  with("quiet_after_light_s", &Rule::quietAfterLightMs);
  with("during", &Rule::during);
  with("snapshot", &Rule::snapshot);
  with("clip", &Rule::clip);
  with("publish", &Rule::publish);
  with("notify", &Rule::notify);
  with("command", &Rule::command);
}

std::vector<std::string> ruleKeys() {
  std::vector<std::string> keys;
  eachRuleKey([&](const char* key, auto) { keys.emplace_back(key); });
  return keys;
}

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
    book.greenness = reader.flag("greenness");
    book.followCamera = reader.flag("follow_camera");
    book.ground = ground();
    // Reads zones before rules, which refer to them, wherever they are in the file.
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

  // Properties that [[rule]] and [[zone]] share. Names are compared in the form that `as` returns.
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
    return {points->at(0), points->at(1), points->at(2), points->at(3)};
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
    zone.corners = *corners;
    zone.onGround = reader.flag("ground");
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
    eachRuleKey([&](const char* key, auto value) { reader.take(key, rule.*value); });
    if (const auto fault = faultOf(rule)) reader.refuseKey(fault->key, fault->sentence);
    if (const auto fault = zoneFaultOf(rule, zones)) reader.refuseKey(fault->key, fault->sentence);
    return rule;
  }

  std::string file_;
  toml::table root_;
  Kind ruleKind_{"rule", ruleKeys(), [](std::string_view name) { return std::string(name); }, {}};
  // Zones with equal names in metrics would be one zone there.
  Kind zoneKind_{"zone", {"name", "corners", "ground"}, metricPart, {}};
};

void line(std::string& toml, std::string_view key, const std::string& value) {
  toml += key;
  toml += " = " + value + "\n";
}

// Formats a value for TOML. A number without a point is an integer there, limited to 63 bits; a
// basic string needs \\uXXXX for some characters.
std::string textOf(double number) {
  const std::string text = files::numberText(number);
  const bool isWhole = text.find_first_of(".e") == std::string::npos;
  return isWhole && std::abs(number) >= 0x1p63 ? text + ".0" : text;
}
std::string textOf(const std::optional<double>& number) { return textOf(number.value()); }
std::string textOf(std::int64_t ms) { return textOf(static_cast<double>(ms) / 1000); }
std::string textOf(bool flag) { return flag ? "true" : "false"; }
std::string textOf(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 32 || byte == 127) {
      made += cv::format("\\u%04x", byte);
    } else {
      if (c == '"' || c == '\\') made += '\\';
      made += c;
    }
  }
  return made + '"';
}
std::string textOf(LightState state) { return textOf(std::string(nameOf(state))); }
std::string textOf(const cv::Point2d& point) {
  return "[" + textOf(point.x) + ", " + textOf(point.y) + "]";
}
template <typename Entries>
std::string listText(const Entries& entries) {
  std::string made = "[";
  for (const auto& entry : entries) made += (made.size() > 1 ? ", " : "") + textOf(entry);
  return made + "]";
}
std::string textOf(const std::vector<LightState>& states) { return listText(states); }
std::string textOf(const std::vector<std::string>& words) { return listText(words); }

void writeZone(std::string& toml, const Zone& zone) {
  toml += "\n[[zone]]\n";
  line(toml, "name", textOf(zone.name));
  line(toml, "corners", listText(zone.corners));
  if (zone.onGround) line(toml, "ground", "true");
}

void writeRule(std::string& toml, const Rule& rule) {
  const Rule usual;
  toml += "\n[[rule]]\n";
  eachRuleKey([&](const char* key, auto value) {
    if (rule.*value != usual.*value) line(toml, key, textOf(rule.*value));
  });
}

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

std::string rulesToml(const RuleBook& book) {
  std::string toml = "# Rules and zones; monitor/rules/example.toml explains each key.\n";
  // Keys outside tables come before all tables.
  if (book.greenness) line(toml, "greenness", "true");
  if (book.followCamera) line(toml, "follow_camera", "true");
  if (book.ground) {
    toml += "\n[ground]\n";
    line(toml, "points", listText(book.ground->points));
    line(toml, "metres", listText(book.ground->metres));
  }
  for (const Zone& zone : book.zones) writeZone(toml, zone);
  for (const Rule& rule : book.rules) writeRule(toml, rule);
  return toml;
}

}  // namespace mpm::monitor
