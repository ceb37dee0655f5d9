// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/actions.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "monitor/record/iso_time.h"

namespace mpm::monitor {
namespace {

// With a point, whatever the locale.
std::string shortNumber(const std::optional<double>& value) {
  if (!value) return {};
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), *value, std::chars_format::general, 6);
  return {text.data(), end.ptr};
}

}  // namespace

Actions::Actions(std::vector<std::string> sourceNames, Commands& commands, MqttPublisher* mqtt)
    : sourceNames_(std::move(sourceNames)), commands_(commands), mqtt_(mqtt) {}

void Actions::onFiring(std::size_t source, const Rule& rule, const Firing& firing,
                       const FrameResultPtr& /*newest*/) {
  const std::string& name = sourceNames_.at(source);
  if (!rule.command.empty()) {
    commands_.run(rule.command, {{"rule", rule.name},
                                 {"source", name},
                                 {"value", shortNumber(firing.value)},
                                 {"time", isoUtc(firing.at.utcMs)},
                                 {"state", firing.began ? "began" : "ended"}});
  }
  if (rule.publish && mqtt_ != nullptr) {
    mqtt_->publish(name, Event{firing.at, "rule", rule.name, firing.text, firing.value});
  }
}

}  // namespace mpm::monitor
