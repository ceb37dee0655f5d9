// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/light/light_state.h"
#include "monitor/publish/mqtt_status.h"
#include "monitor/record/record.h"
#include "monitor/source/capture.h"
#include "monitor/statistics/metrics.h"

namespace mpm::monitor {

/// What the world is told of one source at one moment: a copy, made for publishing.
struct PublishedSource {
  std::string name;   ///< [A-Za-z0-9_-]+: a label, and a topic's part
  std::string shown;  ///< its address without secrets
  std::vector<std::string> metrics;
  std::optional<Figures> latest;  ///< of the newest frame
  CaptureStatus capture;
  std::uint64_t frames = 0;                               ///< segmented
  std::array<std::uint64_t, kLightStates> lightFrames{};  ///< of these in each state
  std::vector<std::pair<std::string, bool>> rules;        ///< name, whether it holds
};

struct PublishedState {
  std::string version, model;
  std::int64_t upMs = 0;
  std::optional<RecordStatus> record;
  std::optional<MqttStatus> mqtt;
  std::vector<PublishedSource> sources;
};

}  // namespace mpm::monitor
