// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <utility>

#include "monitor/publish/published.h"

namespace mpm::monitor {

inline constexpr std::int64_t kSampleUtcMs = 1772384709250;  // 2026-03-01T17:05:09.250Z

/// A live source with a figure of each kind, one of them unknown.
inline PublishedSource sampleSource(const std::string& name = "north") {
  PublishedSource source;
  source.name = name;
  source.shown = "rtsp://***@camera.example/" + name;
  source.latest.emplace();
  source.latest->taken.utcMs = kSampleUtcMs;
  source.latest->light = LightState::dusk;
  const std::pair<const char*, double> figures[] = {
      {"rows.0", 1024},
      {"rows.1", 700},
      {"merged_share", 0.31640625},
      {"similarity.1", 0.9375},
      {"confidence", 0.875},
      {"area.car", 0.125},
      {"area.tree", std::numeric_limits<double>::quiet_NaN()},
      {"zone.gate.area.car", 0.5},
      {"luma", 0.25},
      {"saturation", 0.0625},
      {"camera_faults", 1},
      {"ms.prepare", 2.5},
      {"ms.network", 40},
      {"ms.labels", 1.5},
      {"frame_age_ms", 62.5},
      {"drops", 3},
      {"reconnects", 0},
      {"fresh_rows", 256},
      {"fresh_share", 0.25},
      {"memory_agreement", 0.9921875},
      {"memory_age", 31},
      {"gcc", 0.375},
      {"zone.gate.gcc", 0.4375},
      {"m2.car", 12.5},
      {"zone.gate.m2.car", 6.25},
      {"flicker", 0.015625}};
  for (const auto& [metric, value] : figures) {
    source.metrics.push_back(MetricName::parse(metric));
    source.latest->values.push_back(value);
  }
  source.capture.state = CaptureState::live;
  source.capture.frames = 1000;
  source.capture.drops = 250;
  source.capture.reconnects = 2;
  source.capture.abandoned = 1;
  source.capture.msSinceFrame = 40;
  source.capture.fps = 25;
  source.capture.size = {640, 360};
  source.frames = 750;
  source.lightFrames = {500, 200, 50, 0, 0, 0};
  source.rules = {{"car at the gate", true}, {"dark", false}};
  return source;
}

inline PublishedState sampleState() {
  PublishedState state;
  state.version = "1.2.3";
  state.model = "street.onnx";
  state.upMs = 86400500;
  state.tokensRefused = 3;
  state.record.emplace();
  state.record->written = 12345;
  state.record->lost = 6;
  state.record->waiting = 7;
  state.record->bytes = 4096000;
  state.record->freeBytes = 8192000000;
  state.record->daysToFull = 41.5;
  state.mqtt.emplace();
  state.mqtt->connected = true;
  state.mqtt->messages = 63;
  state.mqtt->bytes = 66000;
  state.mqtt->waiting = 4;
  state.mqtt->lost = 5;
  state.commands = Commands::Status{9, 2, 1, "The command 'true' ended with status 1."};
  state.sources = {sampleSource()};
  return state;
}

}  // namespace mpm::monitor
