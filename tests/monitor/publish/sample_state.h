// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

#include "monitor/publish/published.h"

namespace mpm::monitor {

inline constexpr std::int64_t kSampleUtcMs = 1772384709250;  // 2026-03-01T17:05:09.250Z

/// A live source with a figure of each kind, one of them unknown.
inline PublishedSource sampleSource(const std::string& name = "north") {
  PublishedSource source;
  source.name = name;
  source.shown = "rtsp://***@camera.example/" + name;
  for (const char* metric :
       {"rows.0",        "rows.1",     "merged_share",       "similarity.1", "confidence",
        "area.car",      "area.tree",  "zone.gate.area.car", "luma",         "saturation",
        "camera_faults", "ms.prepare", "ms.network",         "ms.labels",    "frame_age_ms",
        "drops",         "reconnects", "fresh_rows",         "fresh_share",  "memory_agreement",
        "memory_age",    "gcc",        "zone.gate.gcc",      "m2.car",       "zone.gate.m2.car",
        "flicker"}) {
    source.metrics.push_back(MetricName::parse(metric));
  }
  Figures figures;
  figures.taken.utcMs = kSampleUtcMs;
  figures.light = LightState::dusk;
  figures.values = {1024,
                    700,
                    0.31640625,
                    0.9375,
                    0.875,
                    0.125,
                    std::numeric_limits<double>::quiet_NaN(),
                    0.5,
                    0.25,
                    0.0625,
                    1,
                    2.5,
                    40,
                    1.5,
                    62.5,
                    3,
                    0,
                    256,
                    0.25,
                    0.9921875,
                    31,
                    0.375,
                    0.4375,
                    12.5,
                    6.25,
                    0.015625};
  source.latest = figures;
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
  RecordStatus record;
  record.written = 12345;
  record.lost = 6;
  record.waiting = 7;
  record.bytes = 4096000;
  record.freeBytes = 8192000000;
  record.daysToFull = 41.5;
  state.record = record;
  MqttStatus mqtt;
  mqtt.connected = true;
  mqtt.messages = 63;
  mqtt.bytes = 66000;
  mqtt.waiting = 4;
  mqtt.lost = 5;
  state.mqtt = mqtt;
  state.commands = Commands::Status{9, 2, 1, "The command 'true' ended with status 1."};
  state.sources = {sampleSource()};
  return state;
}

}  // namespace mpm::monitor
