// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "monitor/publish/exposition.h"

/// Every name under which something is told to Prometheus; docs/fleet.md has the same table.
namespace mpm::monitor::families {

constexpr FamilyKind kGauge = FamilyKind::gauge, kCounter = FamilyKind::counter;

// The program.
inline constexpr Family kBuildInfo{"mpm_build_info", kGauge, "1; what runs, as labels"};
inline constexpr Family kUp{"mpm_up_seconds", kGauge, "Since the program's start"};
inline constexpr Family kHealthy{
    "mpm_healthy", kGauge, "1 where every source is live or ended and the record has no fault"};

// The record.
inline constexpr Family kRecordFault{"mpm_record_fault", kGauge,
                                     "1 while nothing can be written into the record"};
inline constexpr Family kRecordWritten{"mpm_record_written_total", kCounter,
                                       "What was written into the record"};
inline constexpr Family kRecordLost{"mpm_record_lost_total", kCounter,
                                    "What was given up before it could be written"};
inline constexpr Family kRecordWaiting{"mpm_record_waiting", kGauge,
                                       "What waits to be written into the record"};
inline constexpr Family kRecordBytes{"mpm_record_bytes", kGauge,
                                     "Size of the database and its snapshots"};
inline constexpr Family kRecordFree{"mpm_record_disk_free_bytes", kGauge,
                                    "Free on the record's disk"};
inline constexpr Family kRecordUntilFull{"mpm_record_until_full_seconds", kGauge,
                                         "Until the disk is full, at the pace of the last day"};

// The MQTT broker.
inline constexpr Family kMqttConnected{"mpm_mqtt_connected", kGauge, "1 while the broker hears"};
inline constexpr Family kMqttMessages{"mpm_mqtt_messages_total", kCounter,
                                      "Messages handed to the broker"};
inline constexpr Family kMqttBytes{"mpm_mqtt_bytes_total", kCounter, "Their topics and contents"};
inline constexpr Family kMqttWaiting{"mpm_mqtt_events_waiting", kGauge,
                                     "Events that the broker has not acknowledged"};
inline constexpr Family kMqttLost{"mpm_mqtt_events_lost_total", kCounter,
                                  "Events given up, since too many waited for the broker"};

// A source's capture.
inline constexpr Family kSourceInfo{"mpm_source_info", kGauge,
                                    "1; a source's address without secrets, as a label"};
inline constexpr Family kCaptureState{"mpm_capture_state", kGauge,
                                      "1 for the state that the source is in, 0 for the others"};
inline constexpr Family kCaptureRate{"mpm_capture_frames_per_second", kGauge,
                                     "Frames read in the last seconds"};
inline constexpr Family kSinceFrame{"mpm_since_frame_seconds", kGauge,
                                    "Since the newest frame was read"};
inline constexpr Family kWidth{"mpm_picture_width_pixels", kGauge, "Of the newest frame"};
inline constexpr Family kHeight{"mpm_picture_height_pixels", kGauge, "Of the newest frame"};
inline constexpr Family kFramesRead{"mpm_frames_read_total", kCounter, "Frames read"};
inline constexpr Family kFramesDropped{
    "mpm_frames_dropped_total", kCounter,
    "Frames read that were not segmented, since newer ones came"};
inline constexpr Family kFrames{"mpm_frames_total", kCounter, "Frames segmented"};
inline constexpr Family kReconnects{"mpm_reconnects_total", kCounter,
                                    "How often the source was opened again"};
inline constexpr Family kAbandoned{"mpm_readers_abandoned_total", kCounter,
                                   "Readers that did not return and were left behind"};
inline constexpr Family kFrozen{"mpm_frozen_frames", kGauge,
                                "Frames in a row that were the very same as the one before"};

// A source's light and rules.
inline constexpr Family kLightState{"mpm_light_state", kGauge,
                                    "1 for the light that the newest frame was seen in"};
inline constexpr Family kLightFrames{"mpm_light_frames_total", kCounter,
                                     "Frames segmented in each light"};
inline constexpr Family kRuleHolding{"mpm_rule_holding", kGauge, "1 while the rule holds"};

// The newest frame.
inline constexpr Family kLiveRows{"mpm_live_rows", kGauge,
                                  "Rows alive before all merges (stage 0), behind the first, ..."};
inline constexpr Family kMergedRatio{"mpm_merged_ratio", kGauge,
                                     "Image tokens that no longer stand for themselves"};
inline constexpr Family kSimilarity{"mpm_merge_similarity_ratio", kGauge,
                                    "Mean best cosine similarity at each merge"};
inline constexpr Family kConfidence{"mpm_confidence_ratio", kGauge,
                                    "Mean confidence of the labels"};
inline constexpr Family kArea{"mpm_area_ratio", kGauge, "A class's share of the picture"};
inline constexpr Family kZoneArea{"mpm_zone_area_ratio", kGauge, "A class's share of a zone"};
inline constexpr Family kLuma{"mpm_luma_ratio", kGauge, "Mean brightness, 0 black to 1 white"};
inline constexpr Family kSaturation{"mpm_saturation_ratio", kGauge,
                                    "Mean saturation, 0 without colour to 1"};
inline constexpr Family kStep{"mpm_step_seconds", kGauge, "What each step of the frame took"};
inline constexpr Family kFrameAge{"mpm_frame_age_seconds", kGauge,
                                  "From reading the frame to its labels"};
inline constexpr Family kFigure{"mpm_figure", kGauge, "Figures without a name of their own"};

}  // namespace mpm::monitor::families
