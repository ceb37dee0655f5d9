// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/actions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "files/text.h"

namespace mpm::monitor {
namespace {

constexpr std::int64_t kTellAgainMs = 60000;
constexpr const char* kRuleEvent = "rule";

const std::string& valueOf(const PlaceholderValues& values, std::string_view name) {
  return std::find_if(values.begin(), values.end(),
                      [&](const auto& value) { return value.first == name; })
      ->second;
}

}  // namespace

Actions::Actions(MqttPublisher* mqtt, Tell tell, Clock& clock, const CommandOptions& options)
    : mqtt_(mqtt),
      tell_(std::move(tell)),
      clock_(clock),
      commands_(options, [this](const CommandFailure& failure) { commandFailed(failure); }) {}

void Actions::onFiring(const std::string& source, const Rule& rule, const Firing& firing,
                       const FrameResultPtr& /*newest*/) {
  if (!rule.command.empty()) {
    commands_.run(rule.command, {{"rule", rule.name},
                                 {"source", source},
                                 {"value", firing.value ? files::shortText(*firing.value) : ""},
                                 {"time", isoUtc(firing.at.utcMs)},
                                 {"state", firing.began ? "began" : "ended"}});
  }
  if (rule.publish && mqtt_ != nullptr) {
    mqtt_->publish(source, Event{firing.at, kRuleEvent, rule.name, firing.text, firing.value});
  }
}

// Skips events of rules, which decide themselves whether they are published: onFiring.
void Actions::onEvent(const std::string& source, const Event& event) {
  if (mqtt_ == nullptr || event.kind == kRuleEvent) return;
  mqtt_->publish(source, event);
}

// Reports all remaining failures of commands, since there is no later chance.
void Actions::end() {
  commands_.end();
  std::map<std::pair<std::string, std::string>, Failures> failures;
  {
    const std::lock_guard lock(mutex_);
    failures.swap(failures_);
  }
  for (const auto& [of, failed] : failures) {
    if (failed.untold == 0) continue;
    tellCommand(of.first, of.second,
                std::to_string(failed.untold) +
                    (failed.untold == 1 ? " more command" : " more commands") +
                    " of this rule failed or did not start since the last report.");
  }
}

void Actions::tellCommand(const std::string& source, const std::string& rule,
                          const std::string& text) {
  const Event event{clock_.now(), "command", rule, text, std::nullopt};
  onEvent(source, event);
  tell_(source, event);
}

void Actions::commandFailed(const CommandFailure& failure) {
  const std::string& rule = valueOf(failure.values, "rule");
  const std::string& source = valueOf(failure.values, "source");
  const Moment now = clock_.now();
  std::string text = failure.fault;
  {
    const std::lock_guard lock(mutex_);
    const auto [place, isFirst] = failures_.try_emplace({source, rule});
    Failures& failures = place->second;
    if (!isFirst && now.steadyMs - failures.toldMs < kTellAgainMs) {
      ++failures.untold;
      return;
    }
    if (failures.untold > 0) {
      text += " " + std::to_string(failures.untold) + " more have failed since the last report.";
    }
    failures = {now.steadyMs, 0};
  }
  tellCommand(source, rule, text);
}

}  // namespace mpm::monitor
