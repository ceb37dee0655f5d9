// SPDX-License-Identifier: Apache-2.0
#include "cli/watch_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "cli/wording.h"

namespace mpm::cli {

namespace {

std::optional<double> valueOf(const monitor::Engine& engine, std::size_t source,
                              const monitor::FrameResult& result, const char* metric) {
  const std::optional<std::size_t> place = engine.metrics(source).find(metric);
  if (!place || std::isnan(result.known.values[*place])) return std::nullopt;
  return result.known.values[*place];
}

std::string sourceStatus(const monitor::Engine& engine, std::size_t index) {
  const monitor::CaptureStatus capture = engine.capture(index);
  std::string text = engine.source(index).name + " ";
  const monitor::FrameResultPtr result = engine.latest(index);
  if (capture.state != monitor::CaptureState::live &&
      capture.state != monitor::CaptureState::ended) {
    text += monitor::nameOf(capture.state);
    if (capture.state == monitor::CaptureState::waiting) {
      text += ", next try in " + numberText(static_cast<double>(capture.msToNextTry) / 1000, 0) +
              " s: " + capture.fault;
    }
    return text;
  }
  if (!result) return text + "no frame yet";
  text += std::string(monitor::nameOf(result->light.state));
  const auto rows = valueOf(engine, index, *result, "live_rows");
  const auto before = valueOf(engine, index, *result, "rows.0");
  if (rows && before)
    text += " " + numberText(*rows, 0) + " of " + numberText(*before, 0) + " rows";
  if (const auto fresh = valueOf(engine, index, *result, "fresh_share"))
    text += ", " + numberText(*fresh * 100, 0) + "% computed";
  if (const auto ms = valueOf(engine, index, *result, "ms.network")) text += ", " + msText(*ms);
  text += ", " + numberText(capture.fps, 1) + " fps";
  if (const auto age = valueOf(engine, index, *result, "frame_age_ms")) {
    text += ", age " + numberText(*age, 0) + " ms";
  }
  if (capture.drops > 0) text += ", " + std::to_string(capture.drops) + " dropped";
  return text;
}

}  // namespace

std::string statusLine(const monitor::Engine& engine, std::size_t width) {
  std::string line;
  for (std::size_t i = 0; i < engine.sources(); ++i) {
    if (i > 0) line += " | ";
    line += sourceStatus(engine, i);
  }
  if (const std::string fault = engine.fault(); !fault.empty()) line += " | " + fault;
  if (width > 0 && line.size() > width) line.resize(width);
  return line;
}

WatchLog::WatchLog(std::vector<std::string> sourceNames, std::ostream& out, bool redraws)
    : sourceNames_(std::move(sourceNames)), out_(out), redraws_(redraws) {}

WatchLog::~WatchLog() {
  if (!status_.empty()) out_ << "\r\x1b[K" << std::flush;
}

void WatchLog::write(const std::string& line) {
  const std::lock_guard lock(mutex_);
  out_.clear();  // what could not be written, to a full disk for example, is not the end of the log
  if (!status_.empty()) out_ << "\r\x1b[K";
  out_ << line << '\n' << status_ << std::flush;
}

// Tells whether the other source of this message was first.
bool WatchLog::isSaid(const std::string& text, std::string& here, const std::string& there) {
  const std::lock_guard lock(mutex_);
  here = text;
  return text == there;
}

void WatchLog::sayOfRecord(const std::string& fault) {
  if (fault.empty()) {
    say("the record is being written again");
    const std::lock_guard lock(mutex_);
    recordEvent_.clear();
    recordFault_.clear();
  } else if (!isSaid(fault, recordFault_, recordEvent_)) {
    say("the record: " + fault);
  }
}

void WatchLog::onEvent(std::size_t source, const monitor::Event& event) {
  if (event.kind == "record") {
    if (!isSaid(event.text, recordEvent_, recordFault_)) say("the record: " + event.text);
    return;
  }
  write(monitor::isoUtc(event.at.utcMs) + " " + sourceNames_.at(source) + ": " + event.text);
}

void WatchLog::say(const std::string& sentence) {
  write(monitor::isoUtc(monitor::systemClock().now().utcMs) + " " + sentence);
}

void WatchLog::showStatus(const std::string& line) {
  if (!redraws_) return;
  const std::lock_guard lock(mutex_);
  status_ = line;
  out_ << "\r\x1b[K" << status_ << std::flush;
}

namespace {

std::string meanText(const monitor::Statistics& statistics, const char* metric,
                     monitor::LightState light, double scale, int digits) {
  const auto place = statistics.metrics().find(metric);
  if (!place) return "-";
  const monitor::Running& running = statistics.of(*place, light).running;
  if (running.count() == 0) return "-";
  std::string text = numberText(running.mean() * scale, digits);
  if (running.count() > 1) text += " +- " + numberText(running.deviation() * scale, digits);
  return text;
}

// Lists the largest classes by their mean shares of the picture: "road 41%, sky 22%, car 9%".
std::string classesText(const monitor::Statistics& statistics, monitor::LightState light) {
  constexpr std::size_t kNamed = 3;
  constexpr double kLeast = 0.005;
  std::vector<std::pair<double, std::string>> shares;
  const std::vector<monitor::MetricName>& metrics = statistics.metrics().parsed();
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const monitor::Running& running = statistics.of(i, light).running;
    const bool isOfPicture =
        metrics[i].kind == monitor::MetricKind::area && metrics[i].zone.empty();
    if (isOfPicture && running.count() > 0 && running.mean() >= kLeast)
      shares.emplace_back(running.mean(), metrics[i].part);
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, shares.size()); ++i)
    text += (i > 0 ? ", " : "") + shares[i].second + " " + shareText(shares[i].first, 0);
  return text.empty() ? "-" : text;
}

void addRows(const monitor::Engine& engine, std::size_t source,
             std::vector<std::vector<std::string>>& rows) {
  engine.readStatistics(source, [&](const monitor::Statistics& statistics) {
    for (const monitor::LightState light : monitor::kAllLightStates) {
      const std::uint64_t frames = statistics.frames(light);
      if (frames == 0) continue;
      rows.push_back({engine.source(source).name, std::string(monitor::nameOf(light)),
                      std::to_string(frames), meanText(statistics, "live_rows", light, 1, 1),
                      meanText(statistics, "merged_share", light, 100, 1),
                      meanText(statistics, "fresh_share", light, 100, 1),
                      meanText(statistics, "confidence", light, 100, 1),
                      meanText(statistics, "ms.network", light, 1, 1),
                      classesText(statistics, light)});
    }
  });
}

nlohmann::json distributionJson(const monitor::Distribution& distribution) {
  const monitor::Running& running = distribution.running;
  nlohmann::json json{{"count", running.count()},
                      {"mean", running.mean()},
                      {"min", running.smallest()},
                      {"max", running.largest()}};
  if (running.count() > 1) json["deviation"] = running.deviation();
  for (const auto& [name, share] : {std::pair{"p5", 0.05}, {"median", 0.5}, {"p95", 0.95}}) {
    json[name] = distribution.sketch.quantile(share);
  }
  return json;
}

nlohmann::json lightJson(const monitor::Statistics& statistics) {
  nlohmann::json lights = nlohmann::json::object();
  for (const monitor::LightState light : monitor::kAllLightStates) {
    const std::uint64_t frames = statistics.frames(light);
    if (frames == 0) continue;
    nlohmann::json metrics = nlohmann::json::object();
    for (std::size_t i = 0; i < statistics.metrics().size(); ++i) {
      const monitor::Distribution& distribution = statistics.of(i, light);
      if (distribution.running.count() == 0) continue;
      metrics[statistics.metrics().names()[i]] = distributionJson(distribution);
    }
    lights[std::string(monitor::nameOf(light))] = {{"frames", frames}, {"metrics", metrics}};
  }
  return lights;
}

}  // namespace

std::string summaryTable(const monitor::Engine& engine) {
  std::vector<std::vector<std::string>> rows{{"source", "light", "frames", "live rows", "merged %",
                                              "computed %", "confidence %", "network ms",
                                              "largest classes"}};
  for (std::size_t i = 0; i < engine.sources(); ++i) addRows(engine, i, rows);
  return rows.size() > 1 ? tableText(rows, "llrrrrrrl") : "no frame came\n";
}

std::string summaryJson(const monitor::Engine& engine) {
  nlohmann::json sources = nlohmann::json::array();
  for (std::size_t i = 0; i < engine.sources(); ++i) {
    const monitor::CaptureStatus capture = engine.capture(i);
    nlohmann::json source{{"name", engine.source(i).name},
                          {"address", engine.source(i).address.shown},
                          {"frames", engine.frames(i)},
                          {"drops", capture.drops},
                          {"reconnects", capture.reconnects}};
    engine.readStatistics(
        i, [&](const monitor::Statistics& statistics) { source["light"] = lightJson(statistics); });
    sources.push_back(std::move(source));
  }
  return jsonText(nlohmann::json{{"sources", sources}});
}

}  // namespace mpm::cli
