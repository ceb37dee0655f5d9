// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "files/text.h"
#include "monitor/publish/published.h"
#include "monitor/statistics/metrics.h"

namespace mpm::monitor {
namespace {

constexpr std::array kCaptureStates{CaptureState::opening, CaptureState::live, CaptureState::stale,
                                    CaptureState::waiting, CaptureState::ended};

double number(std::uint64_t value) { return static_cast<double>(value); }
double seconds(std::int64_t ms) { return static_cast<double>(ms) / 1000; }

std::string escaped(const std::string& label) {
  std::string escaped;
  for (const char c : validUtf8(label)) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? "\\n" : std::string(1, c);
  }
  return escaped;
}

std::string numberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return files::numberText(value);
}

/// Collects families in the order of their first sample, each with all its samples together.
class Exposition {
 public:
  using Labels = std::vector<std::pair<const char*, std::string>>;

  void gauge(const char* name, const char* help, double value, const Labels& labels = {}) {
    add(name, help, " gauge\n", value, labels);
  }
  void counter(const char* name, const char* help, double value, const Labels& labels = {}) {
    add(name, help, " counter\n", value, labels);
  }
  std::string text() const {
    std::string text;
    for (const std::string& family : families_) text += family;
    return text;
  }

 private:
  /// Skips a repeated sample, for example of a class that a model has twice, since Prometheus would
  /// reject the whole page.
  void add(const std::string& name, const char* help, const char* type, double value,
           const Labels& labels) {
    std::string series = name;
    for (const auto& [label, text] : labels) {
      series += (&label == &labels.front().first ? "{" : ",") + std::string(label) + "=\"" +
                escaped(text) + '"';
    }
    if (!labels.empty()) series += '}';
    if (!series_.insert(series).second) return;
    const auto [place, isNew] = places_.try_emplace(name, families_.size());
    if (isNew) families_.push_back("# HELP " + name + ' ' + help + "\n# TYPE " + name + type);
    families_[place->second] += series + ' ' + numberText(value) + '\n';
  }

  std::vector<std::string> families_;
  std::unordered_map<std::string, std::size_t> places_;  // by name
  std::unordered_set<std::string> series_;
};

void addRecord(Exposition& out, const RecordStatus& record) {
  out.gauge("mpm_record_fault",
            "1 while the record cannot be written, or was just found damaged, replaced or gone",
            !record.fault.empty());
  out.gauge("mpm_record_backup_fault", "1 where the last backup of the record failed",
            !record.backupFault.empty());
  out.counter(
      "mpm_record_written_total",
      "Rows written and snapshots kept in the record since the start, less those lost again",
      number(record.written));
  out.counter(
      "mpm_record_lost_total",
      "Rows and snapshots given up before they could be written, or lost with a record that was "
      "removed, replaced or damaged",
      number(record.lost));
  out.gauge("mpm_record_waiting", "Rows that wait to be written into the record",
            number(record.waiting));
  out.gauge("mpm_record_bytes",
            "Size of the database, its snapshots, backups and damaged records set aside",
            static_cast<double>(record.bytes));
  out.gauge("mpm_record_disk_free_bytes", "Bytes free on the record's disk",
            static_cast<double>(record.freeBytes));
  if (record.daysToFull)
    out.gauge("mpm_record_until_full_seconds",
              "Time until the disk is full, at the pace of the last day",
              *record.daysToFull * 86400);
}

void addMqtt(Exposition& out, const MqttStatus& mqtt) {
  out.gauge("mpm_mqtt_connected", "1 while the broker is connected", mqtt.connected);
  out.counter("mpm_mqtt_messages_total", "Messages handed to the broker", number(mqtt.messages));
  out.counter("mpm_mqtt_bytes_total", "Size of the topics and contents handed to the broker",
              number(mqtt.bytes));
  out.gauge("mpm_mqtt_events_waiting", "Events that the broker has not acknowledged",
            number(mqtt.waiting));
  out.counter("mpm_mqtt_events_lost_total",
              "Events given up because too many waited for the broker", number(mqtt.lost));
}

void addCommands(Exposition& out, const Commands::Status& commands) {
  out.counter("mpm_commands_started_total", "Commands of rules that were started",
              number(commands.begun));
  out.counter("mpm_commands_failed_total",
              "Commands of rules that could not be started, failed or took too long",
              number(commands.failed));
  out.counter("mpm_commands_refused_total",
              "Commands not started because too many waited or the monitor ended",
              number(commands.refused));
}

void addCapture(Exposition& out, const PublishedSource& source) {
  const CaptureStatus& capture = source.capture;
  const Exposition::Labels of{{"source", source.name}};
  out.gauge("mpm_source_info", "1; the source's address without secrets is a label", 1,
            {{"source", source.name}, {"address", source.shown}});
  for (const CaptureState state : kCaptureStates) {
    out.gauge("mpm_capture_state", "1 for the state that the source is in, 0 for the others",
              capture.state == state, {{"source", source.name}, {"state", nameOf(state)}});
  }
  out.gauge("mpm_capture_frames_per_second", "Frames read in the last seconds", capture.fps, of);
  if (capture.msSinceFrame >= 0) {
    out.gauge("mpm_since_frame_seconds", "Time since the newest frame was read",
              seconds(capture.msSinceFrame), of);
    out.gauge("mpm_picture_width_pixels", "Width of the newest frame", capture.size.width, of);
    out.gauge("mpm_picture_height_pixels", "Height of the newest frame", capture.size.height, of);
  }
  out.counter("mpm_frames_read_total", "Frames read", number(capture.frames), of);
  out.counter("mpm_frames_dropped_total",
              "Frames read that were not segmented because newer ones came", number(capture.drops),
              of);
  out.counter("mpm_frames_total", "Frames segmented", number(source.frames), of);
  out.gauge("mpm_model_fault", "1 while the model fails on the frames of the source",
            !source.netFault.empty(), of);
  out.counter("mpm_reconnects_total", "How often the source was opened again",
              number(capture.reconnects), of);
  out.counter("mpm_readers_abandoned_total", "Readers that did not return and were given up",
              number(capture.abandoned), of);
  out.gauge("mpm_frozen_frames", "Frames in a row that were identical to the one before",
            number(capture.frozen), of);
}

void addLightAndRules(Exposition& out, const PublishedSource& source) {
  for (std::size_t i = 0; i < kLightStates; ++i) {
    const Exposition::Labels labels{{"source", source.name},
                                    {"state", std::string(nameOf(kAllLightStates[i]))}};
    if (source.hasFreshFigures())
      out.gauge("mpm_light_state", "1 for the light that the newest frame was seen in",
                source.latest->light == kAllLightStates[i], labels);
    out.counter("mpm_light_frames_total", "Frames segmented in each light",
                number(source.lightFrames[i]), labels);
  }
  for (const PublishedRule& rule : source.rules) {
    out.gauge("mpm_rule_holding", "1 while the rule holds", rule.holds,
              {{"source", source.name}, {"rule", rule.name}});
  }
}

// How a value is published. `part` is the label for a part of its name.
struct FigureFamily {
  MetricKind kind;
  const char *name = nullptr, *help = nullptr;
  const char* part = nullptr;
  const char *zoneName = nullptr, *zoneHelp = nullptr;  // where figures of zones are another family
};

// Leaves out drops and reconnects, which are published as totals of the capture.
constexpr FigureFamily kFigures[] = {
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
};

void addFigure(Exposition& out, const std::string& source, const MetricName& name, double value) {
  if (name.kind == MetricKind::drops || name.kind == MetricKind::reconnects) return;
  const auto found =
      std::find_if(std::begin(kFigures), std::end(kFigures),
                   [&](const FigureFamily& family) { return family.kind == name.kind; });
  if (found == std::end(kFigures))
    return out.gauge("mpm_figure", "Figures that have no metric of their own", value,
                     {{"source", source}, {"name", name.text()}});
  if (name.kind == MetricKind::step || name.kind == MetricKind::frameAge) value /= 1000;
  const FigureFamily& family = *found;
  const bool isOfZone = family.zoneName != nullptr && !name.zone.empty();
  Exposition::Labels labels{{"source", source}};
  if (isOfZone) labels.emplace_back("zone", name.zone);
  if (family.part != nullptr) labels.emplace_back(family.part, name.part);
  out.gauge(isOfZone ? family.zoneName : family.name, isOfZone ? family.zoneHelp : family.help,
            value, labels);
}

}  // namespace

std::string prometheusText(const PublishedState& state) {
  Exposition out;
  out.gauge("mpm_build_info", "1; the version and the model are labels", 1,
            {{"version", state.version}, {"model", state.model}});
  out.gauge("mpm_up_seconds", "Time since the program started", seconds(state.upMs));
  out.gauge("mpm_healthy",
            "1 while each source gives frames or has ended, they are labelled, and the record "
            "has no fault",
            healthOf(state).healthy);
  if (state.record) addRecord(out, *state.record);
  if (state.mqtt) addMqtt(out, *state.mqtt);
  if (state.commands) addCommands(out, *state.commands);
  if (state.tokensRefused)
    out.counter("mpm_http_tokens_refused_total", "Requests without the token, or with a wrong one",
                number(*state.tokensRefused));
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
