// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/prometheus.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "monitor/publish/families.h"
#include "monitor/publish/figure_name.h"
#include "monitor/publish/fresh.h"

namespace mpm::monitor {
namespace {

using namespace families;

constexpr std::array kCaptureStates{CaptureState::opening, CaptureState::live, CaptureState::stale,
                                    CaptureState::waiting, CaptureState::ended};

double number(std::uint64_t value) { return static_cast<double>(value); }
double seconds(std::int64_t ms) { return static_cast<double>(ms) / 1000; }
double flag(bool value) { return value ? 1 : 0; }

void addRecord(Exposition& out, const RecordStatus& record) {
  out.add(kRecordFault, {}, flag(!record.fault.empty()));
  out.add(kRecordWritten, {}, number(record.written));
  out.add(kRecordLost, {}, number(record.lost));
  out.add(kRecordWaiting, {}, number(record.waiting));
  out.add(kRecordBytes, {}, static_cast<double>(record.bytes));
  out.add(kRecordFree, {}, static_cast<double>(record.freeBytes));
  if (record.daysToFull) out.add(kRecordUntilFull, {}, *record.daysToFull * 86400);
}

void addMqtt(Exposition& out, const MqttStatus& mqtt) {
  out.add(kMqttConnected, {}, flag(mqtt.connected));
  out.add(kMqttMessages, {}, number(mqtt.messages));
  out.add(kMqttBytes, {}, number(mqtt.bytes));
  out.add(kMqttWaiting, {}, number(mqtt.waiting));
  out.add(kMqttLost, {}, number(mqtt.lost));
}

void addCapture(Exposition& out, const PublishedSource& source) {
  const CaptureStatus& capture = source.capture;
  const auto add = [&](const Family& family, double value) {
    out.add(family, {{"source", source.name}}, value);
  };
  out.add(kSourceInfo, {{"source", source.name}, {"address", source.shown}}, 1);
  for (const CaptureState state : kCaptureStates) {
    out.add(kCaptureState, {{"source", source.name}, {"state", nameOf(state)}},
            flag(capture.state == state));
  }
  add(kCaptureRate, capture.fps);
  if (capture.msSinceFrame >= 0) {
    add(kSinceFrame, seconds(capture.msSinceFrame));
    add(kWidth, capture.size.width);
    add(kHeight, capture.size.height);
  }
  add(kFramesRead, number(capture.frames));
  add(kFramesDropped, number(capture.drops));
  add(kFrames, number(source.frames));
  add(kReconnects, number(capture.reconnects));
  add(kAbandoned, number(capture.abandoned));
  add(kFrozen, number(capture.frozen));
}

void addLightAndRules(Exposition& out, const PublishedSource& source) {
  for (std::size_t i = 0; i < kLightStates; ++i) {
    const Exposition::Labels labels{{"source", source.name},
                                    {"state", std::string(nameOf(kAllLightStates[i]))}};
    if (hasFreshFigures(source))
      out.add(kLightState, labels, flag(source.latest->light == kAllLightStates[i]));
    out.add(kLightFrames, labels, number(source.lightFrames[i]));
  }
  for (const auto& [rule, holds] : source.rules) {
    out.add(kRuleHolding, {{"source", source.name}, {"rule", rule}}, flag(holds));
  }
}

void addFigure(Exposition& out, const std::string& source, const FigureName& name, double value) {
  const std::string& part = name.part;
  const auto add = [&](const Family& family) { out.add(family, {{"source", source}}, value); };
  const auto addPart = [&](const Family& family, std::string_view label, double scaled) {
    out.add(family, {{"source", source}, {label, part}}, scaled);
  };
  switch (name.kind) {
    case FigureKind::rows:
      return addPart(kLiveRows, "stage", value);
    case FigureKind::similarity:
      return addPart(kSimilarity, "stage", value);
    case FigureKind::mergedShare:
      return add(kMergedRatio);
    case FigureKind::confidence:
      return add(kConfidence);
    case FigureKind::area:
      return addPart(kArea, "class", value);
    case FigureKind::zoneArea:
      return out.add(kZoneArea, {{"source", source}, {"zone", name.zone}, {"class", part}}, value);
    case FigureKind::luma:
      return add(kLuma);
    case FigureKind::saturation:
      return add(kSaturation);
    case FigureKind::step:
      return addPart(kStep, "step", value / 1000);
    case FigureKind::frameAge:
      return out.add(kFrameAge, {{"source", source}}, value / 1000);
    case FigureKind::perFrame:
      return;  // told as totals of the capture
    case FigureKind::other:
      return addPart(kFigure, "name", value);
  }
}

}  // namespace

std::string prometheusText(const PublishedState& state) {
  Exposition out;
  out.add(kBuildInfo, {{"version", state.version}, {"model", state.model}}, 1);
  out.add(kUp, {}, seconds(state.upMs));
  out.add(kHealthy, {}, flag(healthOf(state).healthy));
  if (state.record) addRecord(out, *state.record);
  if (state.mqtt) addMqtt(out, *state.mqtt);
  for (const PublishedSource& source : state.sources) {
    addCapture(out, source);
    addLightAndRules(out, source);
    if (!hasFreshFigures(source)) continue;
    const std::vector<double>& values = source.latest->values;
    const std::size_t count = std::min(source.metrics.size(), values.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (!std::isnan(values[i]))
        addFigure(out, source.name, splitFigureName(source.metrics[i]), values[i]);
    }
  }
  return out.text();
}

}  // namespace mpm::monitor
