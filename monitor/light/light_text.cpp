// SPDX-License-Identifier: Apache-2.0
// The options of a light meter as text.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "monitor/light/light_meter.h"

namespace mpm::monitor {
namespace {

struct Key {
  const char* name;
  double LightOptions::*value;
  double unit;  // of the word, in those of the option
  const char* help;
};

constexpr double kSeconds = 1000;
constexpr std::array kKeys{
    Key{"day", &LightOptions::dayLuma, 1, "brightness from which it is day"},
    Key{"night", &LightOptions::nightLuma, 1, "brightness up to which it is night"},
    Key{"infrared", &LightOptions::infraredSaturation, 1, "colour up to which it is infrared"},
    Key{"blank", &LightOptions::blankContrast, 1, "contrast up to which it is no signal"},
    Key{"black", &LightOptions::blankLuma, 1, "brightness up to which it is no signal"},
    Key{"margin", &LightOptions::margin, 1,
        "how much further a value must go to leave a state than to stay"},
    Key{"smoothing", &LightOptions::smoothingMs, kSeconds, "seconds"},
    Key{"dwell", &LightOptions::dwellMs, kSeconds, "seconds that another state must last"}};

std::string numberOf(const LightOptions& options, const Key& key) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(),
                                 options.*key.value / key.unit, std::chars_format::general, 6);
  return {text.data(), end.ptr};
}

std::string keyNames() {
  std::string names;
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (i > 0) names += i + 1 == kKeys.size() ? " and " : ", ";
    names += kKeys[i].name;
  }
  return names;
}

// Seconds, up to a day; all else is a share.
void set(LightOptions& options, const Key& key, std::string_view word) {
  const bool isTime = key.unit == kSeconds;
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const double most = isTime ? 86400 : 1;
  if (error != std::errc() || end != word.data() + word.size() || !(number >= 0) ||
      !(number <= most)) {
    throw std::invalid_argument(
        std::string(key.name) + "=" + std::string(word) + " is not allowed: " + key.name +
        (isTime ? " takes seconds from 0 to 86400" : " takes a level from 0 to 1") + ", as in " +
        key.name + "=" + numberOf(LightOptions{}, key));
  }
  options.*key.value = number * key.unit;
}

}  // namespace

LightOptions parseLight(const std::string& text) {
  LightOptions options;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const auto key = std::find_if(kKeys.begin(), kKeys.end(),
                                  [&](const Key& known) { return known.name == name; });
    if (equals == std::string::npos || key == kKeys.end()) {
      throw std::invalid_argument((part.empty() ? "an empty part" : part) +
                                  " is not understood: write KEY=VALUE with one of the keys " +
                                  keyNames());
    }
    set(options, *key, std::string_view(part).substr(equals + 1));
  }
  if (options.nightLuma >= options.dayLuma) {
    const auto known = [&](std::size_t i) {
      return kKeys[i].name + ("=" + numberOf(options, kKeys[i]));
    };
    throw std::invalid_argument(known(1) + " and " + known(0) +
                                " contradict each other: night must be less than day");
  }
  return options;
}

std::string lightText(const LightOptions& options) {
  std::string text;
  for (const Key& key : kKeys) {
    if (!text.empty()) text += ',';
    text += key.name + ("=" + numberOf(options, key));
  }
  return text;
}

std::string lightHelp() {
  std::string text;
  for (const Key& key : kKeys) {
    if (!text.empty()) text += '\n';
    text += "  " + (key.name + ("=" + numberOf(LightOptions{}, key))) + ": " + key.help;
  }
  return text;
}

}  // namespace mpm::monitor
