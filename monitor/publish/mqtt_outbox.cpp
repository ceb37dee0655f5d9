// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/mqtt_outbox.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "monitor/publish/mqtt_messages.h"

namespace mpm::monitor {

MqttOutbox::MqttOutbox(const MqttOptions& options)
    : prefix_(options.prefix),
      discoveryPrefix_(options.discoveryPrefix),
      mostWaiting_(std::max<std::size_t>(options.mostWaiting, 1)) {
  retained_[prefix_ + "/status"] = {prefix_ + "/status", "online", 1, true};
}

void MqttOutbox::put(const PublishedState& state) {
  std::vector<std::string> payloads;
  for (const PublishedSource& source : state.sources) payloads.push_back(stateJson(source));
  const std::lock_guard lock(mutex_);  // of all at once: one that is not known is an old one
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    const PublishedSource& source = state.sources[i];
    SourceState& known = states_[source.name];
    known.payload = std::move(payloads[i]);
    known.isTold = false;
    if (!discoveryPrefix_.empty()) announce(state, source, known);
  }
  mayContradict_ = true;
  contradict();
}

void MqttOutbox::retain(MqttMessage message) {
  const std::string topic = message.topic;
  const auto known = retained_.find(topic);
  if (known != retained_.end() && known->second.payload == message.payload) return;
  retained_[topic] = std::move(message);
  announcements_.push_back(topic);
}

/// Only what is new: names seldom change, states every second. What is no more is taken back with
/// an empty message.
void MqttOutbox::announce(const PublishedState& state, const PublishedSource& source,
                          SourceState& known) {
  std::vector<std::pair<std::string, bool>> rules;
  for (const PublishedRule& rule : source.rules) {
    if (rule.toBroker) rules.emplace_back(rule.name, rule.stale);
  }
  if (known.metrics == source.metrics && known.rules == rules && !known.configs.empty()) return;
  known.metrics = source.metrics;
  known.rules = std::move(rules);
  std::set<std::string> configs;
  for (MqttMessage& message : discoveryMessages(discoveryPrefix_, prefix_, state, source)) {
    configs.insert(message.topic);
    retain(std::move(message));
  }
  for (const std::string& topic : known.configs) {
    if (configs.count(topic) == 0) retain({topic, "", 1, true});
  }
  known.configs = std::move(configs);
}

void MqttOutbox::put(const std::string& source, const Event& event) {
  MqttMessage message{prefix_ + '/' + source + "/event", eventJson(source, event), 1, false};
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(message));
  trim();
}

void MqttOutbox::trim() {
  while (events_.size() > mostWaiting_) {
    events_.pop_front();
    ++lost_;
  }
}

void MqttOutbox::heard(const std::string& topic, bool wasKept) {
  if (topic.size() > kLongestHeard) return;
  const std::lock_guard lock(mutex_);
  if (!topic.starts_with(prefix_ + '/')) {  // of Home Assistant: asked for below
    if (wasKept && retained_.count(topic) == 0 && retained_.size() < kMostHeard)
      retain({topic, "", 1, true});
  } else if (wasKept) {
    if (kept_.size() < kMostHeard) kept_.insert(topic);
  } else {
    kept_.erase(topic);
  }
}

std::optional<std::vector<std::string>> MqttOutbox::takeBackStates() {
  const std::lock_guard lock(mutex_);
  if (states_.empty()) return std::nullopt;
  std::vector<std::string> filters;
  for (const std::string& topic : std::exchange(kept_, {})) {
    const std::size_t begin = prefix_.size() + 1, end = topic.rfind('/');
    if (end <= begin) continue;
    const std::string source = topic.substr(begin, end - begin);
    if (states_.count(source) > 0) continue;
    retain({topic, "", 0, true});
    if (!discoveryPrefix_.empty()) {
      filters.push_back(discoveryFilter(discoveryPrefix_, prefix_, source));
    }
  }
  for (const auto& [source, state] : states_) {
    if (!state.configs.empty()) {
      filters.push_back(discoveryFilter(discoveryPrefix_, prefix_, source));
    }
  }
  return filters;
}

void MqttOutbox::begin() {
  const std::lock_guard lock(mutex_);
  kept_.clear();
  std::deque<MqttMessage> again;
  for (auto& [id, parcel] : handed_) {
    if (parcel.isEvent) again.push_back(std::move(parcel.message));
  }
  handed_.clear();
  events_.insert(events_.begin(), std::make_move_iterator(again.begin()),
                 std::make_move_iterator(again.end()));
  trim();
  announcements_.clear();
  const std::string status = prefix_ + "/status";
  announcements_.push_back(status);
  for (const auto& [topic, message] : retained_) {
    if (topic != status) announcements_.push_back(topic);
  }
  for (auto& [name, state] : states_) state.isTold = false;
}

void MqttOutbox::tellOnline() {
  const std::lock_guard lock(mutex_);
  isContradicted_ = true;
  contradict();
}

void MqttOutbox::contradict() {
  if (!isContradicted_ || !mayContradict_) return;
  isContradicted_ = mayContradict_ = false;
  announcements_.push_front(prefix_ + "/status");
}

std::optional<MqttOutbox::Parcel> MqttOutbox::next(bool withStates) {
  const std::lock_guard lock(mutex_);
  if (handed_.size() < kMostHanded) {
    if (!announcements_.empty()) {
      Parcel parcel{retained_.at(announcements_.front()), false};
      announcements_.pop_front();
      return parcel;
    }
    if (!events_.empty()) {
      Parcel parcel{std::move(events_.front()), true};
      events_.pop_front();
      return parcel;
    }
  }
  if (!withStates) return std::nullopt;
  for (auto& [name, state] : states_) {
    if (state.isTold) continue;
    state.isTold = true;
    return Parcel{{prefix_ + '/' + name + "/state", state.payload, 0, true}, false};
  }
  return std::nullopt;
}

void MqttOutbox::handed(int id, Parcel parcel) {
  const std::lock_guard lock(mutex_);
  if (parcel.message.qos > 0) handed_[id] = std::move(parcel);
}

void MqttOutbox::refused(const Parcel& parcel) {
  const std::lock_guard lock(mutex_);
  if (parcel.isEvent) ++lost_;
}

void MqttOutbox::putBack(Parcel parcel) {
  const std::lock_guard lock(mutex_);
  if (parcel.isEvent) events_.push_front(std::move(parcel.message));
}

void MqttOutbox::acknowledged(int id) {
  const std::lock_guard lock(mutex_);
  handed_.erase(id);
}

std::size_t MqttOutbox::untoldEvents() const {
  const std::lock_guard lock(mutex_);
  const auto handed = std::count_if(handed_.begin(), handed_.end(),
                                    [](const auto& entry) { return entry.second.isEvent; });
  return events_.size() + static_cast<std::size_t>(handed);
}

std::uint64_t MqttOutbox::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

}  // namespace mpm::monitor
