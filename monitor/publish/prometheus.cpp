// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/pages.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "monitor/publish/exposition.h"

namespace mpm::monitor {
namespace {

// docs/fleet.md has a table of all names.
Family gauge(const char* name, const char* help) { return {name, FamilyKind::gauge, help}; }
Family counter(const char* name, const char* help) { return {name, FamilyKind::counter, help}; }

constexpr std::array kCaptureStates{CaptureState::opening, CaptureState::live, CaptureState::stale,
                                    CaptureState::waiting, CaptureState::ended};

double number(std::uint64_t value) { return static_cast<double>(value); }
double seconds(std::int64_t ms) { return static_cast<double>(ms) / 1000; }
double flag(bool value) { return value ? 1 : 0; }

void addRecord(Exposition& out, const RecordStatus& record) {
  out.add(
      gauge("mpm_record_fault",
            "1 while the record cannot be written, or was just found damaged, replaced or gone"),
      {}, flag(!record.fault.empty()));
  out.add(gauge("mpm_record_backup_fault", "1 where the last backup of the record failed"), {},
          flag(!record.backupFault.empty()));
  out.add(counter("mpm_record_written_total", "Rows written into the record that can be read"), {},
          number(record.written));
  out.add(counter("mpm_record_lost_total",
                  "Rows given up before they could be written, or lost with a damaged record"),
          {}, number(record.lost));
  out.add(gauge("mpm_record_waiting", "Rows that wait to be written into the record"), {},
          number(record.waiting));
  out.add(gauge("mpm_record_bytes",
                "Size of the database, its snapshots, backups and damaged records set aside"),
          {}, static_cast<double>(record.bytes));
  out.add(gauge("mpm_record_disk_free_bytes", "Bytes free on the record's disk"), {},
          static_cast<double>(record.freeBytes));
  if (record.daysToFull)
    out.add(gauge("mpm_record_until_full_seconds",
                  "Time until the disk is full, at the pace of the last day"),
            {}, *record.daysToFull * 86400);
}

void addMqtt(Exposition& out, const MqttStatus& mqtt) {
  out.add(gauge("mpm_mqtt_connected", "1 while the broker is connected"), {}, flag(mqtt.connected));
  out.add(counter("mpm_mqtt_messages_total", "Messages handed to the broker"), {},
          number(mqtt.messages));
  out.add(counter("mpm_mqtt_bytes_total", "Size of the topics and contents handed to the broker"),
          {}, number(mqtt.bytes));
  out.add(gauge("mpm_mqtt_events_waiting", "Events that the broker has not acknowledged"), {},
          number(mqtt.waiting));
  out.add(counter("mpm_mqtt_events_lost_total",
                  "Events given up because too many waited for the broker"),
          {}, number(mqtt.lost));
}

void addCommands(Exposition& out, const Commands::Status& commands) {
  out.add(counter("mpm_commands_started_total", "Commands of rules that were started"), {},
          number(commands.begun));
  out.add(counter("mpm_commands_failed_total",
                  "Commands of rules that could not be started, failed or took too long"),
          {}, number(commands.failed));
  out.add(counter("mpm_commands_refused_total",
                  "Commands not started because too many waited or the monitor ended"),
          {}, number(commands.refused));
}

void addCapture(Exposition& out, const PublishedSource& source) {
  const CaptureStatus& capture = source.capture;
  const auto add = [&](const Family& family, double value) {
    out.add(family, {{"source", source.name}}, value);
  };
  out.add(gauge("mpm_source_info", "1; the source's address without secrets is a label"),
          {{"source", source.name}, {"address", source.shown}}, 1);
  for (const CaptureState state : kCaptureStates) {
    out.add(gauge("mpm_capture_state", "1 for the state that the source is in, 0 for the others"),
            {{"source", source.name}, {"state", nameOf(state)}}, flag(capture.state == state));
  }
  add(gauge("mpm_capture_frames_per_second", "Frames read in the last seconds"), capture.fps);
  if (capture.msSinceFrame >= 0) {
    add(gauge("mpm_since_frame_seconds", "Time since the newest frame was read"),
        seconds(capture.msSinceFrame));
    add(gauge("mpm_picture_width_pixels", "Width of the newest frame"), capture.size.width);
    add(gauge("mpm_picture_height_pixels", "Height of the newest frame"), capture.size.height);
  }
  add(counter("mpm_frames_read_total", "Frames read"), number(capture.frames));
  add(counter("mpm_frames_dropped_total",
              "Frames read that were not segmented because newer ones came"),
      number(capture.drops));
  add(counter("mpm_frames_total", "Frames segmented"), number(source.frames));
  add(gauge("mpm_model_fault", "1 while the model fails on the frames of the source"),
      flag(!source.netFault.empty()));
  add(counter("mpm_reconnects_total", "How often the source was opened again"),
      number(capture.reconnects));
  add(counter("mpm_readers_abandoned_total", "Readers that did not return and were given up"),
      number(capture.abandoned));
  add(gauge("mpm_frozen_frames", "Frames in a row that were identical to the one before"),
      number(capture.frozen));
}

void addLightAndRules(Exposition& out, const PublishedSource& source) {
  for (std::size_t i = 0; i < kLightStates; ++i) {
    const Exposition::Labels labels{{"source", source.name},
                                    {"state", std::string(nameOf(kAllLightStates[i]))}};
    if (source.hasFreshFigures())
      out.add(gauge("mpm_light_state", "1 for the light that the newest frame was seen in"), labels,
              flag(source.latest->light == kAllLightStates[i]));
    out.add(counter("mpm_light_frames_total", "Frames segmented in each light"), labels,
            number(source.lightFrames[i]));
  }
  for (const PublishedRule& rule : source.rules) {
    out.add(gauge("mpm_rule_holding", "1 while the rule holds"),
            {{"source", source.name}, {"rule", rule.name}}, flag(rule.holds));
  }
}

// How a figure is told. `part`: the label that its name's part stands under.
struct FigureFamily {
  MetricKind kind;
  const char *name = nullptr, *help = nullptr;
  const char* part = nullptr;
  const char *zoneName = nullptr, *zoneHelp = nullptr;  // where figures of zones are another family
};

constexpr std::array<FigureFamily, static_cast<std::size_t>(MetricKind::other) + 1> kFigures{{
    {MetricKind::liveRows},
    {MetricKind::rows, "mpm_live_rows",
     "Live rows before all merges (stage 0), after the first (1), ...", "stage"},
    {MetricKind::mergedShare, "mpm_merged_ratio",
     "Share of the image tokens that no longer stand for themselves"},
    {MetricKind::similarity, "mpm_merge_similarity_ratio",
     "Mean best cosine similarity at each merge", "stage"},
    {MetricKind::confidence, "mpm_confidence_ratio", "Mean confidence of the labels"},
    {MetricKind::flicker, "mpm_flicker_ratio",
     "Share of the pixels that stand still whose label changed since the frame before"},
    {MetricKind::area, "mpm_area_ratio", "A class's share of the picture", "class",
     "mpm_zone_area_ratio", "A class's share of a zone"},
    {MetricKind::luma, "mpm_luma_ratio", "Mean brightness, 0 black to 1 white"},
    {MetricKind::saturation, "mpm_saturation_ratio", "Mean saturation, 0 (no colour) to 1"},
    {MetricKind::cameraFaults, "mpm_camera_faults",
     "Number of camera faults that hold now: moved, covered, blurred, ..."},
    {MetricKind::step, "mpm_step_seconds", "What each step of the frame took", "step"},
    {MetricKind::frameAge, "mpm_frame_age_seconds", "From reading the frame to its labels"},
    {MetricKind::drops},  // told as totals of the capture
    {MetricKind::reconnects},
    {MetricKind::freshRows, "mpm_fresh_rows",
     "Patches that were computed, where there is a scene memory"},
    {MetricKind::freshShare, "mpm_fresh_ratio", "Share of all patches that were computed"},
    {MetricKind::memoryAgreement, "mpm_memory_agreement_ratio",
     "Share of remembered patches to which a full frame gave the same label"},
    {MetricKind::memoryAge, "mpm_memory_age_frames", "Frames since the oldest patch was computed"},
    {MetricKind::gcc, "mpm_greenness_ratio", "Green's share of red, green and blue in the picture",
     nullptr, "mpm_zone_greenness_ratio", "Green's share of red, green and blue in a zone"},
    {MetricKind::squareMetres, "mpm_ground_square_metres", "A class's area on the ground", "class",
     "mpm_zone_ground_square_metres", "A class's area on the ground within a zone"},
    {MetricKind::other},
}};

constexpr bool areInOrder() {
  for (std::size_t i = 0; i < kFigures.size(); ++i)
    if (kFigures[i].kind != static_cast<MetricKind>(i)) return false;
  return true;
}
static_assert(areInOrder());

void addFigure(Exposition& out, const std::string& source, const MetricName& name, double value) {
  const FigureFamily& family = kFigures[static_cast<std::size_t>(name.kind)];
  if (name.kind == MetricKind::drops || name.kind == MetricKind::reconnects) return;
  if (family.name == nullptr)
    return out.add(gauge("mpm_figure", "Figures that have no metric of their own"),
                   {{"source", source}, {"name", name.text()}}, value);
  if (name.kind == MetricKind::step || name.kind == MetricKind::frameAge) value /= 1000;
  const bool isOfZone = family.zoneName != nullptr && !name.zone.empty();
  Exposition::Labels labels{{"source", source}};
  if (isOfZone) labels.emplace_back("zone", name.zone);
  if (family.part != nullptr) labels.emplace_back(family.part, name.part);
  out.add(isOfZone ? gauge(family.zoneName, family.zoneHelp) : gauge(family.name, family.help),
          labels, value);
}

}  // namespace

std::string prometheusText(const PublishedState& state) {
  Exposition out;
  out.add(gauge("mpm_build_info", "1; the version and the model are labels"),
          {{"version", state.version}, {"model", state.model}}, 1);
  out.add(gauge("mpm_up_seconds", "Time since the program started"), {}, seconds(state.upMs));
  out.add(gauge("mpm_healthy",
                "1 while each source gives frames or has ended, they are labelled, and the record "
                "has no fault"),
          {}, flag(healthOf(state).healthy));
  if (state.record) addRecord(out, *state.record);
  if (state.mqtt) addMqtt(out, *state.mqtt);
  if (state.commands) addCommands(out, *state.commands);
  if (state.tokensRefused)
    out.add(
        counter("mpm_http_tokens_refused_total", "Requests without the token, or with a wrong one"),
        {}, number(*state.tokensRefused));
  for (const PublishedSource& source : state.sources) {
    addCapture(out, source);
    addLightAndRules(out, source);
    if (!source.hasFreshFigures()) continue;
    const std::vector<double>& values = source.latest->values;
    const std::size_t count = std::min(source.metrics.size(), values.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (!std::isnan(values[i])) addFigure(out, source.name, source.metrics[i], values[i]);
    }
  }
  return out.text();
}

}  // namespace mpm::monitor
