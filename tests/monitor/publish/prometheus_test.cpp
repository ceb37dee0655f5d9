// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/pages.h"

#include <gtest/gtest.h>

#include "monitor/publish/prometheus_reader.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

TEST(Prometheus, EachFigureHasItsNameLabelsAndUnit) {
  const auto families = readExposition(prometheusText(sampleState()));
  const auto value = [&](const std::string& name, std::map<std::string, std::string> labels = {}) {
    labels["source"] = "north";
    return sampleOf(families, name, labels);
  };
  EXPECT_EQ(value("mpm_live_rows", {{"stage", "0"}}), 1024);
  EXPECT_EQ(value("mpm_live_rows", {{"stage", "1"}}), 700);
  EXPECT_EQ(value("mpm_merged_ratio"), 0.31640625);
  EXPECT_EQ(value("mpm_merge_similarity_ratio", {{"stage", "1"}}), 0.9375);
  EXPECT_EQ(value("mpm_confidence_ratio"), 0.875);
  EXPECT_EQ(value("mpm_flicker_ratio"), 0.015625);
  EXPECT_EQ(value("mpm_area_ratio", {{"class", "car"}}), 0.125);
  EXPECT_EQ(value("mpm_zone_area_ratio", {{"zone", "gate"}, {"class", "car"}}), 0.5);
  EXPECT_EQ(value("mpm_luma_ratio"), 0.25);
  EXPECT_EQ(value("mpm_saturation_ratio"), 0.0625);
  EXPECT_EQ(value("mpm_camera_faults"), 1);
  EXPECT_EQ(value("mpm_step_seconds", {{"step", "network"}}), 0.04);
  EXPECT_EQ(value("mpm_frame_age_seconds"), 0.0625);
  EXPECT_EQ(value("mpm_light_state", {{"state", "dusk"}}), 1);
  EXPECT_EQ(value("mpm_light_state", {{"state", "no_signal"}}), 0);
  EXPECT_EQ(value("mpm_light_frames_total", {{"state", "day"}}), 500);
  EXPECT_EQ(value("mpm_frames_total"), 750);
  EXPECT_EQ(value("mpm_frames_read_total"), 1000);
  EXPECT_EQ(value("mpm_frames_dropped_total"), 250);
  EXPECT_EQ(value("mpm_reconnects_total"), 2);
  EXPECT_EQ(value("mpm_readers_abandoned_total"), 1);
  EXPECT_EQ(value("mpm_capture_state", {{"state", "live"}}), 1);
  EXPECT_EQ(value("mpm_capture_state", {{"state", "waiting"}}), 0);
  EXPECT_EQ(value("mpm_capture_frames_per_second"), 25);
  EXPECT_EQ(value("mpm_since_frame_seconds"), 0.04);
  EXPECT_EQ(value("mpm_picture_width_pixels"), 640);
  EXPECT_EQ(value("mpm_rule_holding", {{"rule", "car at the gate"}}), 1);
  EXPECT_EQ(value("mpm_rule_holding", {{"rule", "dark"}}), 0);
  EXPECT_EQ(value("mpm_source_info", {{"address", "rtsp://***@camera.example/north"}}), 1);
}

TEST(Prometheus, ABackupThatFailedIsTold) {
  PublishedState state = sampleState();
  state.record->backupFault = "the disk is full";
  const auto families = readExposition(prometheusText(state));
  EXPECT_EQ(sampleOf(families, "mpm_record_backup_fault", {}), 1);
  EXPECT_EQ(sampleOf(families, "mpm_record_fault", {}), 0);
}

TEST(Prometheus, TheProgramAndItsRecordAreTold) {
  const auto families = readExposition(prometheusText(sampleState()));
  EXPECT_EQ(sampleOf(families, "mpm_build_info", {{"version", "1.2.3"}, {"model", "street.onnx"}}),
            1);
  EXPECT_EQ(sampleOf(families, "mpm_up_seconds", {}), 86400.5);
  EXPECT_EQ(sampleOf(families, "mpm_healthy", {}), 1);
  EXPECT_EQ(sampleOf(families, "mpm_record_fault", {}), 0);
  EXPECT_EQ(sampleOf(families, "mpm_record_backup_fault", {}), 0);
  EXPECT_EQ(sampleOf(families, "mpm_record_written_total", {}), 12345);
  EXPECT_EQ(sampleOf(families, "mpm_record_lost_total", {}), 6);
  EXPECT_EQ(sampleOf(families, "mpm_record_waiting", {}), 7);
  EXPECT_EQ(sampleOf(families, "mpm_record_bytes", {}), 4096000);
  EXPECT_EQ(sampleOf(families, "mpm_record_disk_free_bytes", {}), 8192000000);
  EXPECT_EQ(sampleOf(families, "mpm_record_until_full_seconds", {}), 41.5 * 86400);
  EXPECT_EQ(sampleOf(families, "mpm_commands_started_total", {}), 9);
  EXPECT_EQ(sampleOf(families, "mpm_commands_failed_total", {}), 2);
  EXPECT_EQ(sampleOf(families, "mpm_commands_refused_total", {}), 1);
}

TEST(Prometheus, WhatTheBrokerGotIsTold) {
  PublishedState state = sampleState();
  const auto families = readExposition(prometheusText(state));
  EXPECT_EQ(sampleOf(families, "mpm_mqtt_connected", {}), 1);
  EXPECT_EQ(sampleOf(families, "mpm_mqtt_messages_total", {}), 63);
  EXPECT_EQ(sampleOf(families, "mpm_mqtt_bytes_total", {}), 66000);
  EXPECT_EQ(sampleOf(families, "mpm_mqtt_events_waiting", {}), 4);
  EXPECT_EQ(sampleOf(families, "mpm_mqtt_events_lost_total", {}), 5);
  state.mqtt->connected = false;
  EXPECT_EQ(sampleOf(readExposition(prometheusText(state)), "mpm_mqtt_connected", {}), 0);
  state.mqtt.reset();
  for (const auto& [name, family] : readExposition(prometheusText(state)))
    EXPECT_FALSE(name.starts_with("mpm_mqtt")) << name;
}

TEST(Prometheus, WhatIsNotKnownIsLeftOut) {
  PublishedState state = sampleState();
  auto families = readExposition(prometheusText(state));
  EXPECT_EQ(families.at("mpm_area_ratio").samples.size(), 1u);  // area.tree is NaN

  state.record->daysToFull.reset();
  EXPECT_EQ(readExposition(prometheusText(state)).count("mpm_record_until_full_seconds"), 0u);
  state.record.reset();
  state.sources[0].latest.reset();
  state.sources[0].capture = {};
  families = readExposition(prometheusText(state));
  for (const auto& [name, family] : families) EXPECT_FALSE(name.starts_with("mpm_record")) << name;
  for (const std::string name : {"mpm_live_rows", "mpm_area_ratio", "mpm_light_state",
                                 "mpm_since_frame_seconds", "mpm_picture_width_pixels"}) {
    EXPECT_EQ(families.count(name), 0u) << name;
  }
  EXPECT_EQ(sampleOf(families, "mpm_capture_state", {{"source", "north"}, {"state", "opening"}}),
            1);
  state.sources.clear();
  EXPECT_NO_THROW(readExposition(prometheusText(state)));
}

TEST(Prometheus, OldFiguresAreNotToldAsNewOnes) {
  PublishedState state = sampleState();
  state.sources[0].capture.state = CaptureState::waiting;
  state.sources[0].capture.msSinceFrame = 61000;
  const auto families = readExposition(prometheusText(state));
  EXPECT_EQ(families.count("mpm_area_ratio"), 0u);
  EXPECT_EQ(families.count("mpm_light_state"), 0u);
  EXPECT_EQ(sampleOf(families, "mpm_frames_total", {{"source", "north"}}), 750);
  EXPECT_EQ(sampleOf(families, "mpm_since_frame_seconds", {{"source", "north"}}), 61);
}

TEST(Prometheus, FiguresFromBeforeTheModelFailedAreNotTold) {
  PublishedState state = sampleState();
  state.sources[0].latestAgeMs = 60001;
  const auto families = readExposition(prometheusText(state));
  EXPECT_EQ(families.count("mpm_area_ratio"), 0u);
  EXPECT_EQ(families.count("mpm_light_state"), 0u);
}

TEST(Prometheus, SourcesShareFamiliesAndStrangeNamesComeBack) {
  PublishedState state = sampleState();
  state.sources.push_back(sampleSource("south"));
  state.sources[1].rules = {{"quote \" back\\slash\nline", true},
                            {"quote \" back\\slash\nline", false}};
  state.sources[1].metrics[5] = MetricName::parse("area.Bäume");
  state.sources[1].metrics[4] = MetricName::parse("speed.mean");
  const auto families = readExposition(prometheusText(state));
  EXPECT_EQ(families.at("mpm_live_rows").samples.size(), 4u);
  EXPECT_EQ(sampleOf(families, "mpm_rule_holding",
                     {{"source", "south"}, {"rule", "quote \" back\\slash\nline"}}),
            1);
  EXPECT_EQ(sampleOf(families, "mpm_area_ratio", {{"source", "south"}, {"class", "Bäume"}}), 0.125);
  EXPECT_EQ(sampleOf(families, "mpm_figure", {{"source", "south"}, {"name", "speed.mean"}}), 0.875);
}

TEST(Prometheus, FewerValuesThanNamesAreNotReadBeyond) {
  PublishedState state = sampleState();
  state.sources[0].latest->values.resize(2);
  EXPECT_EQ(readExposition(prometheusText(state)).count("mpm_merged_ratio"), 0u);
}

TEST(Prometheus, NamesFollowTheConventions) {
  for (const auto& [name, family] : readExposition(prometheusText(sampleState()))) {
    EXPECT_TRUE(name.starts_with("mpm_"));
    EXPECT_EQ(name.ends_with("_total"), family.type == "counter") << name;
    EXPECT_FALSE(family.help.empty()) << name;
  }
}

}  // namespace
}  // namespace mpm::monitor
