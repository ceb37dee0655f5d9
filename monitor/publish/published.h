// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/light/light_state.h"
#include "monitor/record/record.h"
#include "monitor/rules/commands.h"
#include "monitor/source/capture.h"
#include "monitor/statistics/metrics.h"

namespace mpm::monitor {

struct MqttStatus {
  bool connected = false;
  std::uint64_t messages = 0, bytes = 0;  ///< handed to a broker
  std::uint64_t lost = 0;                 ///< events that were given up
  std::uint64_t waiting = 0;              ///< events that no broker acknowledged yet
  std::string fault;                      ///< why it is not connected; no secrets
};

/// Time for which a source's values are published as current, after its last frame and its last
/// values.
constexpr std::int64_t kFiguresLastMs = 60000;

struct PublishedRule {
  std::string name;
  bool holds = false;
  bool toBroker = true;  ///< Rule::publish
  bool stale = false;    ///< Rule::stale
};

/// Published state of one source at one moment: a copy.
struct PublishedSource {
  std::string name;   ///< [A-Za-z0-9_-]+: a label, and a topic's part
  std::string shown;  ///< its address without secrets
  std::vector<MetricName> metrics;
  std::optional<Figures> latest;  ///< of the newest frame: FrameResult::known
  CaptureStatus capture;
  std::string netFault;      ///< why the net fails on its frames now; empty: it does not
  std::uint64_t frames = 0;  ///< segmented
  std::array<std::uint64_t, kLightStates> lightFrames{};  ///< of these in each state
  std::vector<PublishedRule> rules;
  /// Age of `latest`, less the time that the source has to wait for its turn.
  std::int64_t latestAgeMs = 0;

  bool hasFreshFigures() const {
    return latest && latestAgeMs <= kFiguresLastMs && capture.msSinceFrame <= kFiguresLastMs;
  }
};

struct PublishedState {
  std::string version, model;
  std::int64_t upMs = 0;
  std::int64_t netStillMs = 0;  ///< for so long the net has been at one frame, or nobody at any
  std::optional<RecordStatus> record;
  std::optional<MqttStatus> mqtt;
  std::optional<Commands::Status> commands;
  std::optional<std::uint64_t> tokensRefused;  ///< requests without the right one, where it is
                                               ///< asked for
  std::vector<PublishedSource> sources;
};

}  // namespace mpm::monitor
