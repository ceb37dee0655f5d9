// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "monitor/publish/mqtt_messages.h"
#include "monitor/publish/mqtt_publisher.h"

namespace mpm::monitor {

/// What has to be told and was not yet: each source's latest state, the last events until the
/// broker acknowledges them, and what Home Assistant has to know. Bounded. From any threads.
class MqttOutbox {
 public:
  static constexpr std::size_t kMostHanded = 20;      ///< messages that wait for an acknowledgement
  static constexpr std::size_t kMostHeard = 10000;    ///< topics that the broker kept
  static constexpr std::size_t kLongestHeard = 1024;  ///< a longer one is none of ours

  struct Parcel {
    MqttMessage message;
    bool isEvent = false;
  };

  explicit MqttOutbox(const MqttOptions& options);

  void put(const PublishedState& state);
  void put(const std::string& source, const Event& event);

  /// A connection begins: what is retained is told again, since the broker may be a new one, and
  /// events that were not acknowledged go out once more.
  void begin();
  /// Once more, since somebody has told otherwise: at once, but no more often than states come.
  /// Somebody may tell so whenever this one says anything.
  void tellOnline();
  /// What comes next, if anything. States wait while `withStates` is false: a slow broker gets the
  /// latest one alone.
  std::optional<Parcel> next(bool withStates);
  void handed(int id, Parcel parcel);  ///< with the id that the broker will acknowledge
  void refused(const Parcel& parcel);  ///< it can never be sent
  void putBack(Parcel parcel);
  void acknowledged(int id);

  /// What the broker sends of the states under this prefix, and of what was asked for below. One
  /// that it kept and that nobody sends any more is of a source that had another name.
  void heard(const std::string& topic, bool wasKept);
  /// Takes back what was heard of such sources. The filters under which more of them stands, and
  /// under which Home Assistant may have been told of rules that the other sources had before.
  /// Nothing: it is not known yet which sources there are.
  std::optional<std::vector<std::string>> takeBackStates();

  std::size_t untoldEvents() const;  ///< and such that were not acknowledged
  std::uint64_t lost() const;

 private:
  struct SourceState {
    std::string payload;
    bool isTold = false;
    std::vector<MetricName> metrics;  // that Home Assistant was told of, as the rules
    std::vector<std::pair<std::string, bool>> rules;  // name, whether it is of silence
    std::set<std::string> configs;                    // under these topics
  };

  void retain(MqttMessage message);
  void announce(const PublishedState& state, const PublishedSource& source, SourceState& known);
  void trim();
  void contradict();

  const std::string prefix_, discoveryPrefix_;
  const std::size_t mostWaiting_;

  mutable std::mutex mutex_;
  std::deque<MqttMessage> events_;
  std::map<int, Parcel> handed_;
  std::map<std::string, SourceState> states_;
  std::map<std::string, MqttMessage> retained_;  // by topic: all that was announced
  std::deque<std::string> announcements_;        // topics of it that have to go out
  std::set<std::string> kept_;                   // topics of states that only the broker has
  std::uint64_t lost_ = 0;
  bool isContradicted_ = false, mayContradict_ = true;
};

}  // namespace mpm::monitor
