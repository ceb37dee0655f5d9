// SPDX-License-Identifier: Apache-2.0
#include "monitor/engine/frame_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/core.hpp>
#include <utility>

namespace mpm::monitor {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Fixed indices, before the groups.
enum Place : std::size_t {
  kLiveRows,
  kMergedShare,
  kConfidence,
  kFlicker,
  kLuma,
  kSaturation,
  kCameraFault,
  kDrops,
  kReconnects,
  kFixed
};
// Indices in the group of times.
enum TimePlace : std::size_t { kPrepareMs, kNetworkMs, kLabelsMs, kFrameAgeMs };
// Indices in the group of a memory, if there can be one.
enum MemoryPlace : std::size_t { kFreshRows, kFreshShare, kAgreement, kMemoryAge };

// Averages the similarity; places without a partner are NaN and do not count.
double meanOf(const cv::Mat& similarity) {
  double sum = 0;
  int count = 0;
  for (int y = 0; y < similarity.rows; ++y) {
    const auto* row = similarity.ptr<float>(y);
    for (int x = 0; x < similarity.cols; ++x) {
      if (std::isnan(row[x])) continue;
      sum += row[x];
      ++count;
    }
  }
  return count > 0 ? sum / count : kUnknown;
}

// Adds a number to a name that metricPart makes equal to another one.
void addUnused(std::vector<std::string>& names, const std::string& wanted) {
  std::string name = wanted;
  for (int number = 2; std::find(names.begin(), names.end(), name) != names.end(); ++number) {
    name = wanted + "_" + std::to_string(number);
  }
  names.push_back(name);
}

}  // namespace

FrameMetrics::FrameMetrics(const std::vector<std::string>& classes, const RuleBook& book,
                           std::size_t merges, int specialRows, bool timed, bool remembers)
    : merges_(merges),
      specialRows_(specialRows),
      timed_(timed),
      remembers_(remembers),
      areas_(book.zones, static_cast<int>(classes.size())) {
  if (book.greenness) greenness_.emplace(book.zones);
  if (book.ground) ground_.emplace(*book.ground, book.zones, static_cast<int>(classes.size()));
  std::vector<MetricName> names;
  nameFrame(names);
  namePlaces(classes, book.zones, names);
  metrics_ = Metrics(names);
}

void FrameMetrics::nameFrame(std::vector<MetricName>& names) {
  using enum MetricKind;
  const auto add = [&](MetricKind kind, const std::string& part = "") {
    names.push_back({kind, "", part});
  };
  for (const MetricKind kind : {liveRows, mergedShare, confidence, flicker, luma, saturation,
                                cameraFaults, drops, reconnects})
    add(kind);
  rows_ = names.size();
  for (std::size_t stage = 0; stage <= merges_; ++stage) add(rows, std::to_string(stage));
  similarity_ = names.size();
  for (std::size_t stage = 1; stage <= merges_; ++stage) add(similarity, std::to_string(stage));
  times_ = names.size();
  for (const char* part : {"prepare", "network", "labels"}) add(step, part);
  add(frameAge);
  memory_ = names.size();
  if (!remembers_) return;
  for (const MetricKind kind : {freshRows, freshShare, memoryAgreement, memoryAge}) add(kind);
}

void FrameMetrics::namePlaces(const std::vector<std::string>& classes,
                              const std::vector<Zone>& zones, std::vector<MetricName>& names) {
  std::vector<std::string> parts, zoneParts;
  for (const std::string& name : classes) addUnused(parts, metricPart(name));
  for (const Zone& zone : zones) addUnused(zoneParts, metricPart(zone.name));
  const auto addClasses = [&](MetricKind kind, const std::string& zone) {
    for (const std::string& part : parts) names.push_back({kind, zone, part});
  };
  areasAt_ = names.size();
  addClasses(MetricKind::area, "");
  for (const std::string& zone : zoneParts) addClasses(MetricKind::area, zone);
  gccAt_ = names.size();
  if (greenness_) {
    names.push_back({MetricKind::gcc, "", ""});
    for (const std::string& zone : zoneParts) names.push_back({MetricKind::gcc, zone, ""});
  }
  groundAt_ = names.size();
  if (!ground_) return;
  addClasses(MetricKind::squareMetres, "");
  for (std::size_t i = 0; i < zones.size(); ++i)
    if (zones[i].onGround) addClasses(MetricKind::squareMetres, zoneParts[i]);
}

void FrameMetrics::putRows(const Segmentation& segmentation, std::vector<double>& values) const {
  const std::vector<int>& rows = segmentation.rows;
  if (rows.empty()) return;
  for (std::size_t stage = 0; stage < std::min(rows.size(), merges_ + 1); ++stage) {
    values[rows_ + stage] = rows[stage];
  }
  values[kLiveRows] = rows.back();
  const double special = static_cast<double>(specialRows_) * segmentation.windows;
  const double tokens = rows.front() - special;
  if (tokens > 0) values[kMergedShare] = 1 - (rows.back() - special) / tokens;
}

void FrameMetrics::putTimes(const SegmenterTimes& times, std::vector<double>& values) const {
  if (!timed_) return;
  values[times_ + kPrepareMs] = times.prepareMs;
  values[times_ + kNetworkMs] = times.networkMs;
  values[times_ + kLabelsMs] = times.labelsMs;
}

void FrameMetrics::putMemory(const MemoryReport& memory, std::vector<double>& values) const {
  values[memory_ + kFreshRows] = memory.fresh;
  values[memory_ + kFreshShare] = static_cast<double>(memory.fresh) / memory.rows;
  values[memory_ + kAgreement] = memory.agreement.value_or(kUnknown);
  values[memory_ + kMemoryAge] = memory.age;
}

Figures FrameMetrics::knownOf(const FrameResult& result, const Figures& before) const {
  Figures known = result.figures;
  if (before.values.empty()) return known;
  const auto take = [&](std::size_t place) { known.values[place] = before.values[place]; };
  if (!result.counted) {
    take(kLiveRows), take(kMergedShare);
    for (std::size_t place = rows_; place < times_; ++place) take(place);
  }
  const MemoryReport& memory = result.segmentation.memory;
  const bool isNew = memory.fresh == memory.rows;  // of nothing that it still remembers
  if (!memory.agreement && !isNew) take(memory_ + kAgreement);
  return known;
}

Figures FrameMetrics::measure(const FrameResult& result, const Since& since) {
  const Segmentation& segmentation = result.segmentation;
  Figures figures{result.frame.taken, result.light.state,
                  std::vector<double>(metrics_.size(), kUnknown)};
  std::vector<double>& values = figures.values;
  if (result.counted) putRows(segmentation, values);
  if (result.remembers) putMemory(segmentation.memory, values);
  putTimes(segmentation.times, values);
  const std::size_t stages =
      result.counted ? std::min(segmentation.stages.size(), merges_) : std::size_t{0};
  for (std::size_t stage = 0; stage < stages; ++stage) {
    values[similarity_ + stage] = meanOf(segmentation.stages[stage].similarity);
  }
  if (!segmentation.confidence.empty()) values[kConfidence] = cv::mean(segmentation.confidence)[0];
  values[kFlicker] = flickerOf(result);
  values[kLuma] = result.light.luma;
  values[kSaturation] = result.light.saturation;
  values[kCameraFault] = static_cast<double>(result.camera.count());
  values[kDrops] = since.drops;
  values[kReconnects] = since.reconnects;
  putPlaces(result, values);
  return figures;
}

// Compares only frames of one schedule, with memory or without: others differ by more than flicker.
double FrameMetrics::flickerOf(const FrameResult& result) {
  const cv::Mat& still = places_.look(result.frame.picture);
  const Way way{result.schedule.text(), result.filtered, result.remembers};
  const cv::Mat before = std::exchange(labels_, result.segmentation.labels);
  Flicker flicker;
  if (std::exchange(way_, way) == way) flicker.add(still, before, labels_);
  return flicker.share().value_or(kUnknown);
}

// Measures the requested metrics of picture, zones and ground.
void FrameMetrics::putPlaces(const FrameResult& result, std::vector<double>& values) {
  const auto put = [&](const std::vector<double>& found, std::size_t at) {
    std::copy(found.begin(), found.end(), values.begin() + static_cast<std::ptrdiff_t>(at));
  };
  const cv::Mat& labels = result.segmentation.labels;
  put(areas_.measure(labels), areasAt_);
  if (ground_) put(ground_->measure(labels), groundAt_);
  // Excludes infrared light, which has no colours.
  const bool hasColours = result.light.state != LightState::infrared &&
                          result.light.state != LightState::noSignal &&
                          result.frame.picture.type() == CV_8UC3;
  if (greenness_ && hasColours) put(greenness_->measure(result.frame.picture), gccAt_);
}

void FrameMetrics::place(const RuleBook& book) {
  areas_.place(book.zones);
  if (greenness_) greenness_->place(book.zones);
  if (ground_) ground_->place(*book.ground, book.zones);
}

void FrameMetrics::setFrameAge(Figures& figures, double ageMs) const {
  if (timed_) figures.values[times_ + kFrameAgeMs] = ageMs;
}

}  // namespace mpm::monitor
