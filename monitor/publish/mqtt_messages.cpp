// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/mqtt_messages.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace mpm::monitor {
namespace {

using Json = nlohmann::ordered_json;

/// Six digits: more than any figure is worth, and a third of the bytes.
Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6)
          .ptr;
  double result = value;
  std::from_chars(text.data(), end, result);
  if (result == std::floor(result) && std::abs(result) < 1e15)
    return static_cast<std::int64_t>(result);
  return result;
}

/// Texts of elsewhere may hold anything; the message still goes out.
std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json captureJson(const CaptureStatus& capture) {
  return {{"state", nameOf(capture.state)},
          {"fault", capture.fault},
          {"fps", rounded(capture.fps)},
          {"since_frame_ms", capture.msSinceFrame < 0 ? Json(nullptr) : Json(capture.msSinceFrame)},
          {"width", capture.size.width},
          {"height", capture.size.height},
          {"frames_read", capture.frames},
          {"dropped", capture.drops},
          {"reconnects", capture.reconnects},
          {"abandoned", capture.abandoned},
          {"frozen", capture.frozen}};
}

void addFigures(Json& json, const PublishedSource& source) {
  Json rows = Json::array(), figures = Json::object();
  const std::vector<double>& values = source.latest->values;
  for (std::size_t i = 0; i < std::min(source.metrics.size(), values.size()); ++i) {
    const MetricName& metric = source.metrics[i];
    if (metric.kind == MetricKind::rows) {
      rows.push_back(rounded(values[i]));
    } else if (metric.kind != MetricKind::drops && metric.kind != MetricKind::reconnects) {
      figures[metric.text()] = rounded(values[i]);
    }
  }
  json["time"] = utcText(source.latest->taken.utcMs);
  json["light"] = nameOf(source.latest->light);
  json["rows"] = std::move(rows);
  json["figures"] = std::move(figures);
}

}  // namespace

std::string stateJson(const PublishedSource& source) {
  Json json{{"source", source.name},
            {"address", source.shown},
            {"fresh", source.hasFreshFigures()},
            {"model_fault", source.netFault},
            {"frames", source.frames},
            {"capture", captureJson(source.capture)}};
  if (source.latest) addFigures(json, source);
  Json& lights = json["light_frames"] = Json::object();
  for (std::size_t i = 0; i < kLightStates; ++i)
    lights[std::string(nameOf(kAllLightStates[i]))] = source.lightFrames[i];
  Json& rules = json["rules"] = Json::object();
  for (const PublishedRule& rule : source.rules) {
    if (rule.toBroker) rules[rule.name] = rule.holds;
  }
  return dumped(json);
}

std::string eventJson(const std::string& source, const Event& event) {
  return dumped({{"source", source},
                 {"time", utcText(event.at.utcMs)},
                 {"utc_ms", event.at.utcMs},
                 {"synchronised", event.at.synchronised},
                 {"kind", event.kind},
                 {"name", event.name},
                 {"text", event.text},
                 {"value", event.value ? rounded(*event.value) : Json(nullptr)}});
}

std::string utcText(std::int64_t utcMs) {
  std::int64_t ms = utcMs % 1000;
  if (ms < 0) ms += 1000;
  const time_t seconds = static_cast<time_t>((utcMs - ms) / 1000);
  tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "";
  std::array<char, 32> text;
  if (strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts) == 0) return "";
  const std::string digits = std::to_string(1000 + ms);
  return std::string(text.data()) + '.' + digits.substr(1) + 'Z';
}

}  // namespace mpm::monitor
