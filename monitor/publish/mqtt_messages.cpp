// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/mqtt_publisher.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "files/text.h"
#include "monitor/clock/clock.h"

namespace mpm::monitor {
namespace {

using Json = nlohmann::ordered_json;

/// Rounds to six digits: more than any value deserves, and a third of the bytes.
Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  double result = value;
  files::parseWhole(files::shortText(value), result);
  if (result == std::floor(result) && std::abs(result) < 1e15)
    return static_cast<std::int64_t>(result);
  return result;
}

/// Serialises texts with any bytes, so that the message still goes out.
std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
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
  json["time"] = isoUtc(source.latest->taken.utcMs);
  json["light"] = nameOf(source.latest->light);
  json["rows"] = std::move(rows);
  json["figures"] = std::move(figures);
}

/// Encodes a topic's part: letters, digits and _ stay, other bytes become "-" and two hexadecimal
/// digits. Different names thus stay different.
std::string topicPart(const std::string& name) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string part;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool isPlain =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    part += isPlain ? std::string(1, c) : std::string{'-', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return part;
}

std::string nodeOf(const std::string& prefix, const std::string& source) {
  return "mpm_" + topicPart(prefix) + "--" + topicPart(source);
}

/// Quotes a text in the language of Home Assistant's templates.
std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'') quoted += '\\';
    quoted += c == '\n' ? "\\n" : std::string(1, c);
  }
  return quoted + "'";
}

class Discovery {
 public:
  Discovery(const std::string& discoveryPrefix, const std::string& prefix,
            const PublishedState& state, const PublishedSource& source)
      : discoveryPrefix_(discoveryPrefix),
        stateTopic_(prefix + '/' + source.name + "/state"),
        node_(nodeOf(prefix, source.name)) {
    device_ = {{"identifiers", Json::array({node_})},
               {"name", "MPM " + source.name},
               {"manufacturer", "MPM for OpenCV DNN"},
               {"model", state.model},
               {"sw_version", state.version}};
    online_ = {{"topic", prefix + "/status"}};
    availability_ =
        Json::array({online_,
                     {{"topic", stateTopic_},
                      {"value_template", "{{ 'online' if value_json.fresh else 'offline' }}"}}});
  }

  void add(const std::string& component, const std::string& name, const std::string& shown,
           const std::string& valueTemplate, const Json& more) {
    const std::string part = topicPart(name);
    Json config{{"name", shown},
                {"unique_id", node_ + '_' + part},
                {"state_topic", stateTopic_},
                {"value_template", valueTemplate},
                {"availability", availability_},
                {"availability_mode", "all"},
                {"device", device_}};
    config.update(more);
    const std::string topic = discoveryPrefix_ + '/' + component + '/' + node_ + '/' + part;
    messages.push_back({topic + "/config", dumped(config), 1, true});
  }

  void addMeasured(const std::string& name, const std::string& shown,
                   const std::string& valueTemplate, Json more = Json::object()) {
    more["state_class"] = "measurement";
    add("sensor", name, shown, valueTemplate, more);
  }

  void addFigure(const MetricName& name, const std::string& shown, const char* scaled, Json more) {
    const std::string figure = "value_json.figures[" + quoted(name.text()) + "]";
    addMeasured(
        name.text(), shown,
        "{% set x = " + figure + " | default(none) %}{{ none if x is none else " + scaled + " }}",
        std::move(more));
  }

  /// Shows a rule about silence even while no frame arrives.
  void addRule(const PublishedRule& rule) {
    Json more = Json::object();
    if (rule.stale) more["availability"] = Json::array({online_});
    add("binary_sensor", "rule_" + rule.name, "Rule " + rule.name,
        "{{ 'ON' if value_json.rules[" + quoted(rule.name) + "] else 'OFF' }}", more);
  }

  std::vector<MqttMessage> messages;

 private:
  std::string discoveryPrefix_, stateTopic_, node_;
  Json device_, online_, availability_;
};

void addFigure(Discovery& discovery, const MetricName& name) {
  constexpr const char* kPercent = "(x * 100) | round(2)";
  const Json share{{"unit_of_measurement", "%"}};
  switch (name.kind) {
    case MetricKind::mergedShare:
      return discovery.addFigure(name, "Merged share", kPercent, share);
    case MetricKind::freshShare:
      return discovery.addFigure(name, "Computed", kPercent, share);
    case MetricKind::memoryAgreement:
      return discovery.addFigure(name, "Memory agreement", kPercent, share);
    case MetricKind::frameAge:
      return discovery.addFigure(name, "Frame age", "x / 1000",
                                 {{"device_class", "duration"}, {"unit_of_measurement", "s"}});
    case MetricKind::cameraFaults:
      return discovery.add(
          "binary_sensor", name.text(), "Camera fault",
          "{{ 'ON' if value_json.figures['camera_faults'] | default(0) > 0 else 'OFF' }}",
          {{"device_class", "problem"}});
    case MetricKind::area:
      if (!name.zone.empty()) return;
      return discovery.addFigure(name, "Area " + name.part, kPercent,
                                 {{"unit_of_measurement", "%"}, {"enabled_by_default", false}});
    default:
      return;
  }
}

}  // namespace

MqttMessage statusMessage(const std::string& prefix, bool isOnline) {
  return {prefix + "/status", isOnline ? "online" : "offline", 1, true};
}

std::string stateJson(const PublishedSource& source) {
  const CaptureStatus& capture = source.capture;
  Json json{
      {"source", source.name},
      {"address", source.shown},
      {"fresh", source.hasFreshFigures()},
      {"model_fault", source.netFault},
      {"frames", source.frames},
      {"capture",
       {{"state", nameOf(capture.state)},
        {"fault", capture.fault},
        {"fps", rounded(capture.fps)},
        {"since_frame_ms", capture.msSinceFrame < 0 ? Json(nullptr) : Json(capture.msSinceFrame)},
        {"width", capture.size.width},
        {"height", capture.size.height},
        {"frames_read", capture.frames},
        {"dropped", capture.drops},
        {"reconnects", capture.reconnects},
        {"abandoned", capture.abandoned},
        {"frozen", capture.frozen}}}};
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
                 {"time", isoUtc(event.at.utcMs)},
                 {"utc_ms", event.at.utcMs},
                 {"synchronised", event.at.synchronised},
                 {"kind", event.kind},
                 {"name", event.name},
                 {"text", event.text},
                 {"value", event.value ? rounded(*event.value) : Json(nullptr)}});
}

std::vector<MqttMessage> discoveryMessages(const std::string& discoveryPrefix,
                                           const std::string& prefix, const PublishedState& state,
                                           const PublishedSource& source) {
  Discovery discovery(discoveryPrefix, prefix, state, source);
  discovery.addMeasured("live_rows", "Live rows",
                        "{{ value_json.rows | default([]) | last | default(none) }}");
  Json options = Json::array();
  for (const LightState light : kAllLightStates) options.push_back(nameOf(light));
  discovery.add("sensor", "light", "Light", "{{ value_json.light | default(none) }}",
                {{"device_class", "enum"}, {"options", options}});
  discovery.addMeasured("fps", "Frame rate", "{{ value_json.capture.fps }}",
                        {{"unit_of_measurement", "frames/s"}});
  for (const MetricName& metric : source.metrics) addFigure(discovery, metric);
  for (const PublishedRule& rule : source.rules) {
    if (rule.toBroker) discovery.addRule(rule);
  }
  return std::move(discovery.messages);
}

std::string discoveryFilter(const std::string& discoveryPrefix, const std::string& prefix,
                            const std::string& source) {
  return discoveryPrefix + "/+/" + nodeOf(prefix, source) + "/+/config";
}

}  // namespace mpm::monitor
