// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/mqtt_messages.h"

#include <nlohmann/json.hpp>

namespace mpm::monitor {
namespace {

using Json = nlohmann::ordered_json;

/// A topic's part may have letters, digits and _ here; other bytes are "-" and two hexadecimal
/// digits, so that no two names become the same.
std::string topicPart(const std::string& name) {
  std::string part;
  for (const char c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    const auto byte = static_cast<unsigned char>(c);
    if (plain || c == '_') {
      part += c;
    } else {
      part += '-';
      part += "0123456789abcdef"[byte >> 4];
      part += "0123456789abcdef"[byte & 15];
    }
  }
  return part;
}

std::string nodeOf(const std::string& prefix, const std::string& source) {
  return "mpm_" + topicPart(prefix) + "--" + topicPart(source);
}

/// A text in a template's language.
std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string figureTemplate(const std::string& figure, double factor) {
  const std::string value = "value_json.figures[" + quoted(figure) + "]";
  const std::string scaled = factor == 100 ? "(x * 100) | round(2)" : "x / 1000";
  return "{% set x = " + value + " | default(none) %}{{ none if x is none else " + scaled + " }}";
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
    messages.push_back(
        {topic + "/config", config.dump(-1, ' ', false, Json::error_handler_t::replace), 1, true});
  }

  /// Also while no frame comes, which is what a rule may be about.
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
  const std::string metric = name.text();
  const Json measured{{"state_class", "measurement"}};
  Json share = measured;
  share["unit_of_measurement"] = "%";
  switch (name.kind) {
    case MetricKind::mergedShare:
      return discovery.add("sensor", metric, "Merged share", figureTemplate(metric, 100), share);
    case MetricKind::freshShare:
      return discovery.add("sensor", metric, "Computed", figureTemplate(metric, 100), share);
    case MetricKind::memoryAgreement:
      return discovery.add("sensor", metric, "Memory agreement", figureTemplate(metric, 100),
                           share);
    case MetricKind::frameAge: {
      Json age = measured;
      age.update({{"device_class", "duration"}, {"unit_of_measurement", "s"}});
      return discovery.add("sensor", metric, "Frame age", figureTemplate(metric, 0.001), age);
    }
    case MetricKind::cameraFaults:
      return discovery.add(
          "binary_sensor", metric, "Camera fault",
          "{{ 'ON' if value_json.figures['camera_faults'] | default(0) > 0 else 'OFF' }}",
          {{"device_class", "problem"}});
    case MetricKind::area:
      if (!name.zone.empty()) return;
      share["enabled_by_default"] = false;
      return discovery.add("sensor", metric, "Area " + name.part, figureTemplate(metric, 100),
                           share);
    default:
      return;
  }
}

}  // namespace

std::vector<MqttMessage> discoveryMessages(const std::string& discoveryPrefix,
                                           const std::string& prefix, const PublishedState& state,
                                           const PublishedSource& source) {
  Discovery discovery(discoveryPrefix, prefix, state, source);
  const Json measured{{"state_class", "measurement"}};
  discovery.add("sensor", "live_rows", "Live rows",
                "{{ value_json.rows | default([]) | last | default(none) }}", measured);
  Json options = Json::array();
  for (const LightState light : kAllLightStates) options.push_back(nameOf(light));
  discovery.add("sensor", "light", "Light", "{{ value_json.light | default(none) }}",
                {{"device_class", "enum"}, {"options", options}});
  Json rate = measured;
  rate["unit_of_measurement"] = "frames/s";
  discovery.add("sensor", "fps", "Frame rate", "{{ value_json.capture.fps }}", rate);
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
