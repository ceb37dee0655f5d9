// SPDX-License-Identifier: Apache-2.0
// What is told: the first page, health, metrics for Prometheus, messages and addresses of MQTT; and
// whether docs/fleet.md, docs/metrics.md and the dashboard speak of that.
#include "monitor/publish/published.h"

#include <bitset>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/folder.h"
#include "digest/sha256.h"
#include "in_project.h"
#include "monitor/publish/child_process.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/publish/sample_state.h"
#include "monitor/says.h"

namespace mpm::monitor {
namespace {

std::string indexPage(const PublishedState& state, const std::string& token = "") {
  return pageAt("/", token, {[&] { return state; }, nullptr}).text;
}

/// Of hexadecimal digits.
std::string base64(const std::string& hex) {
  constexpr const char* kSigns = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits, text;
  for (const char digit : hex)
    bits += std::bitset<4>(std::stoul(std::string(1, digit), nullptr, 16)).to_string();
  while (bits.size() % 6 != 0) bits += '0';
  for (std::size_t i = 0; i < bits.size(); i += 6)
    text += kSigns[std::bitset<6>(bits, i, 6).to_ulong()];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

/// What a page's policy has to name for what stands between these tags.
std::string sourceOf(const std::string& page, const std::string& tag) {
  const std::string open = '<' + tag + '>';
  const std::size_t begin = page.find(open) + open.size(), end = page.find("</" + tag, begin);
  return "'sha256-" + base64(digest::sha256Of(page.substr(begin, end - begin))) + "'";
}

TEST(IndexPage, LinksCarryTheToken) {
  PublishedState state = sampleState();
  state.sources.push_back(sampleSource("south"));
  const std::string page = indexPage(state, "a&b\"c");
  for (const char* link : {"href=\"/metrics", "href=\"/healthz", "data-from=\"/picture/north.jpg",
                           "data-from=\"/picture/south.jpg"})
    EXPECT_TRUE(has(page, std::string(link) + "?token=a%26b%22c\"")) << link;
  EXPECT_FALSE(has(indexPage(state), "token="));
}

TEST(IndexPage, WhatIsShownIsEscapedAndNothingElseRuns) {
  PublishedState state = sampleState();
  state.model = "<script>alert(1)</script>";
  state.sources[0].capture.fault = "\"&'";
  const std::string page = indexPage(state);
  EXPECT_FALSE(has(page, "<script>alert"));
  EXPECT_TRUE(has(page, "&lt;script&gt;alert(1)"));
  EXPECT_TRUE(has(page, "&quot;&amp;&#39;"));
  EXPECT_TRUE(has(page, "default-src 'none'"));
  EXPECT_TRUE(has(page, "style-src " + sourceOf(page, "style"))) << sourceOf(page, "style");
  EXPECT_TRUE(has(page, "script-src " + sourceOf(page, "script"))) << sourceOf(page, "script");
}

TEST(Health, SaysWhatIsWrong) {
  const auto capture = [](CaptureState is, auto CaptureStatus::*ms, int value, const char* fault) {
    return [=](PublishedState& state) {
      state.sources[0].capture.state = is;
      state.sources[0].capture.*ms = value;
      state.sources[0].capture.fault = fault;
    };
  };
  const auto since = &CaptureStatus::msSinceFrame, next = &CaptureStatus::msToNextTry;
  const struct {
    std::function<void(PublishedState&)> change;
    bool healthy;
    const char* text;
  } cases[] = {
      {[](auto&) {}, true, "north: ok\nmodel: ok\nrecord: ok\n"},
      {capture(CaptureState::ended, since, 40, ""), true, "north: ok\nmodel: ok\nrecord: ok\n"},
      {capture(CaptureState::opening, since, 40, ""), false, "north: opening\nmodel: ok\n"},
      {capture(CaptureState::stale, since, 7400, ""), false, "north: no new frame for 7 s\n"},
      {capture(CaptureState::waiting, next, 12000, "the camera does not answer"), false,
       "north: not available, next try in 12 s: the camera does not answer\nmodel: ok\n"},
      {[](auto& state) { state.record.reset(); }, true, "north: ok\nmodel: ok\n"},
      {[](auto& state) { state.sources[0].netFault = "the net is out of order"; }, false,
       "north: the model fails on its frames: the net is out of order\nmodel: ok\n"},
      {[](auto& state) { state.netStillMs = 75400; }, false,
       "model: has been working on one frame for 75 s\n"},
      {[](auto& state) { state.record->backupFault = "the disk is full"; }, false,
       "record: ok\nbackup: the disk is full\n"},
      {[](auto& state) { state.record->fault = "the disk is full:\nno space"; }, false,
       "record: the disk is full: no space\n"}};
  for (const auto& each : cases) {
    PublishedState state = sampleState();
    each.change(state);
    EXPECT_TRUE(has(healthOf(state).text, each.text));
    EXPECT_EQ(bool(has(healthOf(state).text, "record")), state.record.has_value());
    EXPECT_EQ(healthOf(state).healthy, each.healthy) << each.text;
  }
}

// With "@" for the source "north".
constexpr const char* kSamples = R"(
mpm_build_info{version="1.2.3",model="street.onnx"} 1 | mpm_up_seconds 86400.5 | mpm_healthy 1
mpm_record_fault 0 | mpm_record_backup_fault 0 | mpm_record_written_total 12345
mpm_record_lost_total 6 | mpm_record_waiting 7 | mpm_record_bytes 4096000
mpm_record_disk_free_bytes 8.192e+09 | mpm_record_until_full_seconds 3585600
mpm_mqtt_connected 1 | mpm_mqtt_messages_total 63 | mpm_mqtt_bytes_total 66000
mpm_mqtt_events_waiting 4 | mpm_mqtt_events_lost_total 5 | mpm_commands_started_total 9
mpm_commands_failed_total 2 | mpm_commands_refused_total 1
mpm_source_info{@,address="rtsp://***@camera.example/north"} 1
mpm_capture_state{@,state="live"} 1 | mpm_capture_state{@,state="waiting"} 0
mpm_capture_frames_per_second{@} 25 | mpm_since_frame_seconds{@} 0.04
mpm_picture_width_pixels{@} 640 | mpm_frames_read_total{@} 1000
mpm_frames_dropped_total{@} 250 | mpm_frames_total{@} 750 | mpm_reconnects_total{@} 2
mpm_readers_abandoned_total{@} 1 | mpm_light_state{@,state="dusk"} 1
mpm_light_state{@,state="no_signal"} 0 | mpm_light_frames_total{@,state="day"} 500
mpm_rule_holding{@,rule="car at the gate"} 1 | mpm_rule_holding{@,rule="dark"} 0
mpm_live_rows{@,stage="0"} 1024 | mpm_live_rows{@,stage="1"} 700
mpm_merged_ratio{@} 0.31640625 | mpm_merge_similarity_ratio{@,stage="1"} 0.9375
mpm_confidence_ratio{@} 0.875 | mpm_flicker_ratio{@} 0.015625
mpm_area_ratio{@,class="car"} 0.125 | mpm_zone_area_ratio{@,zone="gate",class="car"} 0.5
mpm_luma_ratio{@} 0.25 | mpm_saturation_ratio{@} 0.0625 | mpm_camera_faults{@} 1
mpm_step_seconds{@,step="network"} 0.04 | mpm_frame_age_seconds{@} 0.0625
)";

// Promtool says whether the format is that of Prometheus.
TEST(Prometheus, EachValueHasItsNameLabelsAndUnit) {
  const std::string text = prometheusText(sampleState());
  std::string samples = kSamples;
  for (std::size_t at = samples.find('@'); at != samples.npos; at = samples.find('@', at + 1))
    if (samples[at - 1] == '{') samples.replace(at, 1, "source=\"north\"");
  for (std::size_t at = samples.find(" | "); at != samples.npos; at = samples.find(" | "))
    samples.replace(at, 3, "\n");
  std::istringstream lines(samples);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.empty() || has(text, "\n" + line + "\n")) << line;
}

TEST(Prometheus, WhatIsNotKnownNowIsLeftOut) {
  const struct {
    std::function<void(PublishedState&)> change;
    std::vector<const char*> out;
  } cases[] = {
      {[](auto& state) { state.mqtt.reset(); }, {"mpm_mqtt_connected"}},
      {[](auto& state) { state.record->daysToFull.reset(); }, {"mpm_record_until_full_seconds"}},
      {[](auto& state) { state.record.reset(); }, {"mpm_record_fault", "mpm_record_bytes"}},
      {[](auto& state) { state.sources[0].latest.reset(); }, {"mpm_live_rows", "mpm_light_state"}},
      {[](auto& state) { state.sources[0].capture = {}; },
       {"mpm_since_frame_seconds", "mpm_picture_width_pixels"}},
      {[](auto& state) { state.sources[0].capture.msSinceFrame = 61000; },
       {"mpm_area_ratio", "mpm_light_state"}},
      {[](auto& state) { state.sources[0].latestAgeMs = 60001; },
       {"mpm_area_ratio", "mpm_light_state"}},
      {[](auto& state) { state.sources[0].latest->values.resize(2); }, {"mpm_merged_ratio"}},
      {[](auto& state) { state.sources.clear(); }, {"mpm_frames_total"}}};
  EXPECT_FALSE(has(prometheusText(sampleState()), "class=\"tree\"")) << "it is NaN";
  for (const auto& each : cases) {
    PublishedState state = sampleState();
    each.change(state);
    for (const char* name : each.out)
      EXPECT_FALSE(has(prometheusText(state), std::string("\n") + name));
  }
}

TEST(Prometheus, StrangeNamesAndNumbersComeBackAsTheyWere) {
  const std::string evil = "quote \" back\\slash\nline}e,f=\"g Bäume \\n";
  PublishedState state = sampleState();
  state.sources.push_back(sampleSource("south"));
  state.sources[1].rules = {{evil, true}, {evil, false}, {"\xE4", true}};
  state.sources[1].metrics[5] = MetricName::parse("area.Bäume");
  state.sources[1].metrics[4] = MetricName::parse("speed.mean");
  state.sources[0].latest->values[2] = 1.0 / 3;
  state.sources[0].latest->values[4] = -std::numeric_limits<double>::infinity();
  const std::string text = prometheusText(state);
  for (const char* line :
       {R"(mpm_rule_holding{source="south",rule="quote \" back\\slash\nline}e,f=\"g Bäume \\n"} 1)",
        "mpm_rule_holding{source=\"south\",rule=\"\xEF\xBF\xBD\"} 1",
        "mpm_area_ratio{source=\"south\",class=\"Bäume\"} 0.125",
        "mpm_figure{source=\"south\",name=\"speed.mean\"} 0.875",
        "mpm_merged_ratio{source=\"north\"} 0.3333333333333333",
        "mpm_confidence_ratio{source=\"north\"} -Inf"})
    EXPECT_TRUE(has(text, "\n" + std::string(line) + "\n"));
  EXPECT_EQ(text.find("rule=\"quote"), text.rfind("rule=\"quote")) << "no series twice";
}

using nlohmann::json;

TEST(MqttMessages, AStateHoldsFiguresLightRowsAndCapture) {
  PublishedSource source = sampleSource();
  source.rules.push_back({"untold", true, false});
  const json state = json::parse(stateJson(source));
  const std::pair<const char*, json> expected[] = {
      {"/source", "north"},
      {"/address", "rtsp://***@camera.example/north"},
      {"/time", "2026-03-01T17:05:09.250Z"},
      {"/fresh", true},
      {"/model_fault", ""},
      {"/light", "dusk"},
      {"/rows", {1024, 700}},
      {"/figures/area.car", 0.125},
      {"/figures/zone.gate.area.car", 0.5},
      {"/figures/area.tree", nullptr},
      {"/capture/state", "live"},
      {"/capture/fps", 25},
      {"/capture/dropped", 250},
      {"/capture/since_frame_ms", 40},
      {"/frames", 750},
      {"/light_frames/dusk", 200},
      {"/rules", {{"car at the gate", true}, {"dark", false}}}};
  for (const auto& [path, value] : expected)
    EXPECT_EQ(state.at(json::json_pointer(path)), value) << path;
  EXPECT_EQ(state["figures"].count("rows.0"), 0u);
  EXPECT_EQ(state["figures"].count("drops"), 0u);
}

TEST(MqttMessages, FiguresHaveSixDigits) {
  PublishedSource source = sampleSource();
  source.latest->values[2] = 1.0 / 3;
  source.latest->values[4] = 1234567.0;
  source.latest->values[5] = 1e-9;
  source.latest->values[8] = INFINITY;
  const std::string text = stateJson(source);
  for (const char* part : {"\"merged_share\":0.333333,", "\"confidence\":1234570,",
                           "\"area.car\":1e-09,", "\"luma\":null,"})
    EXPECT_TRUE(has(text, part));
}

TEST(MqttMessages, OldFiguresAreNotFresh) {
  PublishedSource old = sampleSource(), silent = sampleSource(), none = sampleSource();
  const auto at = [](const PublishedSource& source) { return json::parse(stateJson(source)); };
  old.netFault = "no memory";
  old.latestAgeMs = 60000;
  EXPECT_EQ(at(old)["model_fault"], "no memory");
  EXPECT_EQ(at(old)["fresh"], true);
  old.latestAgeMs = silent.capture.msSinceFrame = 60001;
  none.latest.reset();
  none.capture = {};
  for (const PublishedSource& source : {old, silent, none}) EXPECT_EQ(at(source)["fresh"], false);
  EXPECT_EQ(at(none).count("figures"), 0u);
  EXPECT_TRUE(at(none)["capture"]["since_frame_ms"].is_null());
}

TEST(MqttMessages, AnEventHoldsWhatHappened) {
  Event event{
      {0, kSampleUtcMs, 0, false}, "rule", "car at the gate", "A car \xFF is at the gate.", 0.25};
  EXPECT_EQ(json::parse(eventJson("north", event)),
            json({{"source", "north"},
                  {"time", "2026-03-01T17:05:09.250Z"},
                  {"utc_ms", kSampleUtcMs},
                  {"synchronised", false},
                  {"kind", "rule"},
                  {"name", "car at the gate"},
                  {"text", "A car \xEF\xBF\xBD is at the gate."},
                  {"value", 0.25}}));
  event.value.reset();
  EXPECT_TRUE(json::parse(eventJson("north", event))["value"].is_null());
}

const std::string kNode = "mpm_site-2fgate--north";
const std::string kSensor = "homeassistant/sensor/" + kNode + '/';
const std::string kBinary = "homeassistant/binary_sensor/" + kNode + '/';

std::map<std::string, json> configsOf(const PublishedSource& source) {
  std::map<std::string, json> configs;
  for (const MqttMessage& message :
       discoveryMessages("homeassistant", "site/gate", sampleState(), source)) {
    EXPECT_EQ(message.qos, 1);
    EXPECT_TRUE(message.retain);
    EXPECT_TRUE(configs.emplace(message.topic, json::parse(message.payload)).second)
        << message.topic;
  }
  return configs;
}

TEST(MqttDiscovery, EachEntityHoldsWhatHomeAssistantAsksFor) {
  const auto configs = configsOf(sampleSource());
  std::set<std::string> topics, ids;
  for (const auto& [topic, config] : configs) {
    topics.insert(topic);
    EXPECT_TRUE(ids.insert(config["unique_id"]).second) << config["unique_id"];
    EXPECT_EQ(config["state_topic"], "site/gate/north/state");
    EXPECT_EQ(config["availability"][0]["topic"], "site/gate/status");
    EXPECT_EQ(config["availability"][1]["topic"], "site/gate/north/state");
    EXPECT_EQ(config["availability_mode"], "all");
    EXPECT_EQ(config["device"]["identifiers"], json::array({kNode}));
    EXPECT_EQ(config["device"]["sw_version"], "1.2.3");
    EXPECT_NE(config["value_template"].get<std::string>().find("value_json."), std::string::npos);
    const bool isArea = topic.find("/area") != std::string::npos;
    EXPECT_EQ(config.value("enabled_by_default", true), !isArea) << topic;
  }
  EXPECT_EQ(topics,
            (std::set<std::string>{
                kBinary + "camera_faults/config", kSensor + "live_rows/config",
                kSensor + "merged_share/config", kSensor + "light/config", kSensor + "fps/config",
                kSensor + "frame_age_ms/config", kSensor + "area-2ecar/config",
                kSensor + "area-2etree/config", kSensor + "fresh_share/config",
                kSensor + "memory_agreement/config", kBinary + "rule_car-20at-20the-20gate/config",
                kBinary + "rule_dark/config"}));
  EXPECT_EQ(configs.at(kSensor + "light/config")["options"],
            json({"day", "dusk", "night", "infrared", "no_signal", "transition", "unknown"}));
  EXPECT_EQ(configs.at(kSensor + "merged_share/config")["value_template"],
            "{% set x = value_json.figures['merged_share'] | default(none) %}"
            "{{ none if x is none else (x * 100) | round(2) }}");
}

TEST(MqttDiscovery, RulesKeepTheirNamesApart) {
  PublishedSource source = sampleSource();
  source.rules = {{"lost", true, true, true},
                  {"untold", true, false},
                  {"it's \\ dark"},
                  {"a b"},
                  {"a-20b"},
                  {"ä"},
                  {"a_b"}};
  const auto configs = configsOf(source);  // which sees that no topic is there twice
  // A rule about silence is there while no frame comes.
  EXPECT_EQ(configs.at(kBinary + "rule_lost/config")["availability"],
            json::array({{{"topic", "site/gate/status"}}}));
  EXPECT_EQ(configs.count(kBinary + "rule_untold/config"), 0u);
  EXPECT_EQ(configs.at(kBinary + "rule_it-27s-20-5c-20dark/config")["value_template"],
            "{{ 'ON' if value_json.rules['it\\'s \\\\ dark'] else 'OFF' }}");
}

TEST(MqttAddress, EachPartIsRead) {
  const struct {
    const char *address, *host;
    int port;
    bool tls;
    const char *prefix, *user, *password;
  } cases[] = {
      {"mqtt://broker", "broker", 0, false, "mpm", "", ""},
      {"mqtts://gate:s3cret@broker.example:8884/site/gate1", "broker.example", 8884, true,
       "site/gate1", "gate", "s3cret"},
      {"mqtt://gate@[fe80::1]:1884/", "fe80::1", 1884, false, "mpm", "gate", ""},
      {"mqtt://a%40b:p%2Fa%3as%25@host", "host", 0, false, "mpm", "a@b", "p/a:s%"},
      {"mqtt://u:a:b@host", "host", 0, false, "mpm", "u", "a:b"},
      {"mqtt://u:a@b@host", "host", 0, false, "mpm", "u", "a@b"},
  };
  for (const auto& each : cases) {
    const MqttOptions options = parseMqttAddress(each.address);
    EXPECT_EQ(options.host, each.host);
    EXPECT_EQ(options.port, each.port) << each.address;
    EXPECT_EQ(options.tls, each.tls) << each.address;
    EXPECT_EQ(options.prefix, each.prefix);
    EXPECT_EQ(options.user, each.user);
    EXPECT_EQ(options.password, each.password);
  }
}

TEST(MqttAddress, WhatIsWrongIsSaidWithoutAnyPartOfIt) {
  std::vector<std::string> all{"",
                               "s3cret",
                               "http://u:s3cret@host",
                               "mqtt:/u:s3cret@host",
                               "mqtt://",
                               "mqtt://host:s3cret",
                               "mqtt://:s3cret@host",
                               "mqtt://u%ff:s3cret@host"};
  for (const char* behind :
       {"@",         "@:1883",      "@host:0",  "@host:65536", "@host:",     "@host:18x",
        "/@host",    "%@host",      "%4@host",  "%g0@host",    "?@host",     "@host/a?b=c",
        "@host/a/#", "@host/a/+/b", "@host//a", "@host/a/",    "@host/$SYS", "@host/a%00b",
        "@host/%ff", "%00@host",    "@ho st",   "@[::1",       "@[::1]1883"})
    all.push_back(std::string("mqtt://u:s3cret") + behind);
  for (const std::string& bad : all) {
    const std::string said = refusal([&] { parseMqttAddress(bad); });
    EXPECT_TRUE(has(said, "mqtt://")) << bad;
    for (const char* part : {"s3", "cret"}) EXPECT_FALSE(has(said, part));
  }
}

TEST(MqttAddress, OptionsMadeByHandAreCheckedAsWell) {
  using Change = std::function<void(MqttOptions&)>;
  for (const auto& [isGood, change] :
       {std::pair<bool, Change>{true, [](auto& options) { options.discoveryPrefix = ""; }},
        {false, [](auto& options) { options.host = ""; }},
        {false, [](auto& options) { options.discoveryPrefix = "home/#"; }},
        {false, [](auto& options) { options.caFile = "ca.crt"; }},
        {false, [](auto& options) { options.prefix = ""; }}}) {
    MqttOptions options;
    options.host = "broker";
    change(options);
    EXPECT_EQ(refusal([&] { checkMqttOptions(options); }).empty(), isGood);
  }
}

const std::string kDocs = test::inProject("docs");

/// Labels of each name that a text mentions, of NAME{a="b",c=~"$d"}; once for each mention.
std::multimap<std::string, std::set<std::string>> mentionsIn(const std::string& text) {
  static const std::regex mention(R"(\b(mpm_[a-z0-9_]+)(\{[^}]*\})?)"), label(R"(([a-z_]+)[=!])");
  std::multimap<std::string, std::set<std::string>> mentions;
  for (std::sregex_iterator at(text.begin(), text.end(), mention), end; at != end; ++at) {
    const std::string matchers = (*at)[2];
    std::set<std::string> labels;
    for (std::sregex_iterator one(matchers.begin(), matchers.end(), label); one != end; ++one)
      labels.insert((*one)[1]);
    mentions.emplace((*at)[1], labels);
  }
  return mentions;
}

/// Labels of each name that is told of a source with everything.
std::map<std::string, std::set<std::string>> toldNames() {
  PublishedState state = sampleState();
  state.sources[0].metrics.push_back(MetricName::parse("of a later version"));
  state.sources[0].latest->values.push_back(1);
  std::map<std::string, std::set<std::string>> names;
  for (const auto& [name, labels] : mentionsIn(prometheusText(state)))
    names[name].insert(labels.begin(), labels.end());
  return names;
}

/// What stands between backquotes.
std::vector<std::string> codeIn(const std::string& text) {
  std::vector<std::string> code;
  std::istringstream parts(text);
  bool isCode = false;
  for (std::string part; std::getline(parts, part, '`'); isCode = !isCode) {
    if (isCode) code.push_back(part);
  }
  return code;
}

TEST(FleetDocs, TheTablesNameEveryMetricAndNoOther) {
  const std::string text = readText(kDocs + "/fleet.md") + readText(kDocs + "/metrics.md");
  ASSERT_FALSE(text.empty());
  const auto told = toldNames();
  std::set<std::string> documented;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `mpm_")) continue;
    std::istringstream cells(line.substr(1));
    std::string nameCell, labelCell;
    std::getline(std::getline(cells, nameCell, '|'), labelCell, '|');
    const auto labels = codeIn(labelCell);
    for (const std::string& name : codeIn(nameCell)) {
      EXPECT_TRUE(documented.insert(name).second) << name;
      ASSERT_EQ(told.count(name), 1u) << name;
      EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()), told.at(name)) << name;
    }
  }
  for (const auto& [name, labels] : told) EXPECT_EQ(documented.count(name), 1u) << name;
  for (const auto& [name, labels] : mentionsIn(text)) EXPECT_EQ(told.count(name), 1u) << name;
}

/// Whether names and labels are such that are told; instance and job are Prometheus' own.
void expectTold(const std::string& expression) {
  const auto told = toldNames();
  for (const auto& [name, labels] : mentionsIn(expression)) {
    ASSERT_EQ(told.count(name), 1u) << name;
    for (const std::string& label : labels)
      EXPECT_TRUE(label == "instance" || label == "job" || told.at(name).contains(label))
          << label << " in " << expression;
  }
}

/// Queries of the dashboard's panels, in PromQL with Grafana's variables.
std::vector<std::string> panelQueries() {
  std::vector<std::string> queries;
  const json dashboard = json::parse(readText(kDocs + "/fleet/grafana.json"));
  for (const json& panel : dashboard.at("panels")) {
    if (panel.at("type") == "row") continue;
    for (const json& target : panel.at("targets")) queries.push_back(target.at("expr"));
  }
  return queries;
}

TEST(FleetDocs, TheDashboardAndTheAlertsAskForWhatIsTold) {
  std::vector<std::string> expressions = panelQueries();
  ASSERT_GT(expressions.size(), 20u);
  const json dashboard = json::parse(readText(kDocs + "/fleet/grafana.json"));
  const json& variables = dashboard.at("templating").at("list");
  ASSERT_EQ(variables.size(), 3u);
  for (const json& variable : variables) expressions.push_back(variable.at("definition"));
  expressions.push_back(readText(kDocs + "/fleet/alerts.yml"));
  EXPECT_GT(mentionsIn(expressions.back()).size(), 4u);
  for (const std::string& expression : expressions) {
    EXPECT_FALSE(mentionsIn(expression).empty()) << expression;
    expectTold(expression);
  }
}

TEST(FleetDocs, TheDashboardHasWhatGrafanaNeedsToImportIt) {
  const json dashboard = json::parse(readText(kDocs + "/fleet/grafana.json"));
  EXPECT_EQ(dashboard["__inputs"][0]["type"], "datasource");
  EXPECT_TRUE(dashboard["id"].is_null());
  EXPECT_FALSE(dashboard["title"].get<std::string>().empty());
  EXPECT_GE(dashboard["schemaVersion"].get<int>(), 30);
  std::set<int> ids;
  for (const json& panel : dashboard["panels"]) {
    EXPECT_TRUE(ids.insert(panel["id"].get<int>()).second);
    const json& place = panel["gridPos"];
    EXPECT_LE(place["x"].get<int>() + place["w"].get<int>(), 24) << panel["title"];
    if (panel["type"] == "row") continue;
    EXPECT_EQ(panel["datasource"]["uid"], "${DS_PROMETHEUS}") << panel["title"];
    EXPECT_FALSE(panel["targets"].empty()) << panel["title"];
  }
}

TEST(FleetDocs, TheExampleOfAStateHasTheKeysOfAState) {
  const std::string text = readText(kDocs + "/fleet.md");
  const std::size_t begin = text.find("```json\n{\"source\"");
  ASSERT_NE(begin, std::string::npos);
  const json example = json::parse(text.substr(begin + 8, text.find("```", begin + 8) - begin - 8));
  const json state = json::parse(stateJson(sampleSource()));
  for (const auto& [key, value] : state.items()) EXPECT_TRUE(example.contains(key)) << key;
  for (const auto& [key, value] : example.items()) EXPECT_TRUE(state.contains(key)) << key;
  for (const auto& [key, value] : state["capture"].items())
    EXPECT_TRUE(example["capture"].contains(key)) << key;
}

TEST(FleetDocs, PromtoolAcceptsMetricsQueriesAndExamples) {
  const std::string promtool = findProgram("promtool");
  if (promtool.empty()) GTEST_SKIP() << "promtool is not installed";
  const test::Folder folder;
  const std::string log = folder.at("log"), fleet = kDocs + "/fleet/";
  PublishedState state = sampleState();
  state.sources[0].rules = {{"a \"b\" \\c\nd Bäume {}=,", true}};
  json rules;
  for (const std::string& query : panelQueries()) {
    const std::string plain = std::regex_replace(query, std::regex(R"(\$__rate_interval)"), "1m");
    rules.push_back({{"record", "panel:" + std::to_string(rules.size())}, {"expr", plain}});
  }
  const std::string panels = folder.write(
      "panels.json", json({{"groups", {{{"name", "panels"}, {"rules", rules}}}}}).dump());
  EXPECT_EQ(runProgram({promtool, "check", "metrics"}, log,
                       folder.write("metrics", prometheusText(state))),
            0)
      << readText(log);
  // The token's file is the user's.
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"config", "--syntax-only", fleet + "prometheus.yml"},
        {"rules", fleet + "alerts.yml"},
        {"rules", panels}}) {
    std::vector<std::string> command{promtool, "check"};
    command.insert(command.end(), words.begin(), words.end());
    EXPECT_EQ(runProgram(command, log), 0) << readText(log);
  }
}

}  // namespace
}  // namespace mpm::monitor
