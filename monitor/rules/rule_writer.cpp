// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/rules/rules.h"
#include "monitor/rules/words.h"

namespace mpm::monitor {
namespace {

// Without a point it is a whole number of TOML's, which has none of more than 63 bits.
std::string tomlNumber(double number) {
  const std::string text = numberText(number);
  const bool isWhole = text.find_first_of(".e") == std::string::npos;
  return isWhole && std::abs(number) >= 0x1p63 ? text + ".0" : text;
}

std::string secondsText(std::int64_t ms) { return tomlNumber(static_cast<double>(ms) / 1000); }

// A basic string: what TOML wants written otherwise is written as \\uXXXX.
std::string quoted(std::string_view text) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string made = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      made += '\\';
      made += c;
    } else if (byte < 32 || byte == 127) {
      made += "\\u00";
      made += kDigits[byte / 16];
      made += kDigits[byte % 16];
    } else {
      made += c;
    }
  }
  return made + '"';
}

std::string listText(const std::vector<std::string>& entries) {
  std::string made = "[";
  for (const std::string& entry : entries) made += (made.size() > 1 ? ", " : "") + entry;
  return made + "]";
}

std::string statesText(const std::vector<LightState>& states) {
  std::vector<std::string> names;
  for (const LightState state : states) names.push_back(quoted(nameOf(state)));
  return listText(names);
}

void line(std::string& toml, std::string_view key, const std::string& value) {
  toml += key;
  toml += " = " + value + "\n";
}

template <typename Points>
std::string pointsText(const Points& points) {
  std::vector<std::string> texts;
  for (const cv::Point2d& point : points) {
    texts.push_back(listText({tomlNumber(point.x), tomlNumber(point.y)}));
  }
  return listText(texts);
}

void writeZone(std::string& toml, const Zone& zone) {
  toml += "\n[[zone]]\n";
  line(toml, "name", quoted(zone.name));
  line(toml, "corners", pointsText(zone.corners));
  if (zone.onGround) line(toml, "ground", "true");
}

void writeRule(std::string& toml, const Rule& rule) {
  const Rule usual;
  toml += "\n[[rule]]\n";
  line(toml, "name", quoted(rule.name));
  if (!rule.metric.empty()) line(toml, "metric", quoted(rule.metric));
  if (rule.above) line(toml, "above", tomlNumber(*rule.above));
  if (rule.below) line(toml, "below", tomlNumber(*rule.below));
  if (rule.hysteresis != usual.hysteresis) line(toml, "hysteresis", tomlNumber(rule.hysteresis));
  if (!rule.light.empty()) line(toml, "light", statesText(rule.light));
  if (rule.stale) line(toml, "stale", "true");
  if (rule.dwellMs != usual.dwellMs) line(toml, "dwell_s", secondsText(rule.dwellMs));
  if (rule.quietAfterLightMs != usual.quietAfterLightMs) {
    line(toml, "quiet_after_light_s", secondsText(rule.quietAfterLightMs));
  }
  if (!rule.during.empty()) line(toml, "during", statesText(rule.during));
  if (rule.snapshot != usual.snapshot) line(toml, "snapshot", rule.snapshot ? "true" : "false");
  if (rule.clip != usual.clip) line(toml, "clip", rule.clip ? "true" : "false");
  if (rule.publish != usual.publish) line(toml, "publish", rule.publish ? "true" : "false");
  std::vector<std::string> words;
  for (const std::string& word : rule.command) words.push_back(quoted(word));
  if (!words.empty()) line(toml, "command", listText(words));
}

}  // namespace

std::string rulesToml(const RuleBook& book) {
  std::string toml = "# Rules and zones; monitor/rules/example.toml explains each key.\n";
  // What stands in no table stands in front of all of them.
  if (book.greenness) line(toml, "greenness", "true");
  if (book.followCamera) line(toml, "follow_camera", "true");
  if (book.ground) {
    toml += "\n[ground]\n";
    line(toml, "points", pointsText(book.ground->points));
    line(toml, "metres", pointsText(book.ground->metres));
  }
  for (const Zone& zone : book.zones) writeZone(toml, zone);
  for (const Rule& rule : book.rules) writeRule(toml, rule);
  return toml;
}

}  // namespace mpm::monitor
