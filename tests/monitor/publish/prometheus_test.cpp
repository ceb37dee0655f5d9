// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "monitor/publish/pages.h"
#include "monitor/publish/prometheus_reader.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

TEST(Prometheus, EachValueHasItsNameLabelsAndUnit) {
  using Labels = std::map<std::string, std::string>;
  const struct {
    const char* name;
    Labels labels;
    double value;
  } ofSource[] = {{"mpm_live_rows", {{"stage", "0"}}, 1024},
                  {"mpm_live_rows", {{"stage", "1"}}, 700},
                  {"mpm_merged_ratio", {}, 0.31640625},
                  {"mpm_merge_similarity_ratio", {{"stage", "1"}}, 0.9375},
                  {"mpm_confidence_ratio", {}, 0.875},
                  {"mpm_flicker_ratio", {}, 0.015625},
                  {"mpm_area_ratio", {{"class", "car"}}, 0.125},
                  {"mpm_zone_area_ratio", {{"zone", "gate"}, {"class", "car"}}, 0.5},
                  {"mpm_luma_ratio", {}, 0.25},
                  {"mpm_saturation_ratio", {}, 0.0625},
                  {"mpm_camera_faults", {}, 1},
                  {"mpm_step_seconds", {{"step", "network"}}, 0.04},
                  {"mpm_frame_age_seconds", {}, 0.0625},
                  {"mpm_light_state", {{"state", "dusk"}}, 1},
                  {"mpm_light_state", {{"state", "no_signal"}}, 0},
                  {"mpm_light_frames_total", {{"state", "day"}}, 500},
                  {"mpm_frames_total", {}, 750},
                  {"mpm_frames_read_total", {}, 1000},
                  {"mpm_frames_dropped_total", {}, 250},
                  {"mpm_reconnects_total", {}, 2},
                  {"mpm_readers_abandoned_total", {}, 1},
                  {"mpm_capture_state", {{"state", "live"}}, 1},
                  {"mpm_capture_state", {{"state", "waiting"}}, 0},
                  {"mpm_capture_frames_per_second", {}, 25},
                  {"mpm_since_frame_seconds", {}, 0.04},
                  {"mpm_picture_width_pixels", {}, 640},
                  {"mpm_rule_holding", {{"rule", "car at the gate"}}, 1},
                  {"mpm_rule_holding", {{"rule", "dark"}}, 0},
                  {"mpm_source_info", {{"address", "rtsp://***@camera.example/north"}}, 1}},
    ofProgram[] = {{"mpm_build_info", {{"version", "1.2.3"}, {"model", "street.onnx"}}, 1},
                   {"mpm_up_seconds", {}, 86400.5},
                   {"mpm_healthy", {}, 1},
                   {"mpm_record_fault", {}, 0},
                   {"mpm_record_backup_fault", {}, 0},
                   {"mpm_record_written_total", {}, 12345},
                   {"mpm_record_lost_total", {}, 6},
                   {"mpm_record_waiting", {}, 7},
                   {"mpm_record_bytes", {}, 4096000},
                   {"mpm_record_disk_free_bytes", {}, 8192000000},
                   {"mpm_record_until_full_seconds", {}, 41.5 * 86400},
                   {"mpm_commands_started_total", {}, 9},
                   {"mpm_commands_failed_total", {}, 2},
                   {"mpm_commands_refused_total", {}, 1},
                   {"mpm_mqtt_connected", {}, 1},
                   {"mpm_mqtt_messages_total", {}, 63},
                   {"mpm_mqtt_bytes_total", {}, 66000},
                   {"mpm_mqtt_events_waiting", {}, 4},
                   {"mpm_mqtt_events_lost_total", {}, 5}};
  const auto families = readExposition(prometheusText(sampleState()));
  for (const auto& each : ofProgram)
    EXPECT_EQ(sampleOf(families, each.name, each.labels), each.value) << each.name;
  for (auto each : ofSource) {
    each.labels["source"] = "north";
    EXPECT_EQ(sampleOf(families, each.name, each.labels), each.value) << each.name;
  }
  for (const auto& [name, family] : families) {
    EXPECT_TRUE(name.starts_with("mpm_"));
    EXPECT_EQ(name.ends_with("_total"), family.type == "counter") << name;
    EXPECT_FALSE(family.help.empty()) << name;
  }
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
  EXPECT_EQ(readExposition(prometheusText(sampleState())).at("mpm_area_ratio").samples.size(),
            1u);  // area.tree is NaN
  for (const auto& each : cases) {
    PublishedState state = sampleState();
    each.change(state);
    const auto families = readExposition(prometheusText(state));
    for (const char* name : each.out) EXPECT_EQ(families.count(name), 0u) << name;
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
  const auto families = readExposition(prometheusText(state));
  EXPECT_EQ(families.at("mpm_live_rows").samples.size(), 4u);
  EXPECT_EQ(sampleOf(families, "mpm_rule_holding", {{"source", "south"}, {"rule", evil}}), 1);
  EXPECT_EQ(sampleOf(families, "mpm_rule_holding", {{"source", "south"}, {"rule", "\xEF\xBF\xBD"}}),
            1);
  EXPECT_EQ(sampleOf(families, "mpm_area_ratio", {{"source", "south"}, {"class", "Bäume"}}), 0.125);
  EXPECT_EQ(sampleOf(families, "mpm_figure", {{"source", "south"}, {"name", "speed.mean"}}), 0.875);
  EXPECT_EQ(sampleOf(families, "mpm_merged_ratio", {{"source", "north"}}), 1.0 / 3);
  EXPECT_TRUE(std::isinf(sampleOf(families, "mpm_confidence_ratio", {{"source", "north"}})));
}

}  // namespace
}  // namespace mpm::monitor
