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

std::optional<double> valueOf(const monitor::Engine& engine, const monitor::FrameResult& result,
                              const char* metric) {
  const std::optional<std::size_t> place = engine.metrics().find(metric);
  if (!place || std::isnan(result.known.values[*place])) return std::nullopt;
  return result.known.values[*place];
}

std::string sourceStatus(const monitor::Engine& engine) {
  const monitor::CaptureStatus capture = engine.capture();
  std::string text = engine.source().name + " ";
  const monitor::FrameResultPtr result = engine.latest();
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
  const auto rows = valueOf(engine, *result, "live_rows");
  const auto before = valueOf(engine, *result, "rows.0");
  if (rows && before)
    text += " " + numberText(*rows, 0) + " of " + numberText(*before, 0) + " rows";
  if (const auto fresh = valueOf(engine, *result, "fresh_share"))
    text += ", " + numberText(*fresh * 100, 0) + "% computed";
  if (const auto ms = valueOf(engine, *result, "ms.network")) text += ", " + msText(*ms);
  text += ", " + numberText(capture.fps, 1) + " fps";
  if (const auto age = valueOf(engine, *result, "frame_age_ms")) {
    text += ", age " + numberText(*age, 0) + " ms";
  }
  if (capture.drops > 0) text += ", " + std::to_string(capture.drops) + " dropped";
  return text;
}

}  // namespace

std::string statusLine(const monitor::Engines& engines, std::size_t width) {
  std::string line, fault;
  for (const auto& engine : engines) {
    line += (line.empty() ? "" : " | ") + sourceStatus(*engine);
    if (fault.empty()) fault = engine->fault();
  }
  if (!fault.empty()) line += " | " + fault;
  if (width > 0 && line.size() > width) line.resize(width);
  return line;
}

WatchLog::WatchLog(std::ostream& out, bool redraws) : out_(out), redraws_(redraws) {}

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

void WatchLog::onEvent(const std::string& source, const monitor::Event& event) {
  if (event.kind == "record") {
    if (!isSaid(event.text, recordEvent_, recordFault_)) say("the record: " + event.text);
    return;
  }
  write(monitor::isoUtc(event.at.utcMs) + " " + source + ": " + event.text);
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

void addRows(const monitor::Engine& engine, std::vector<std::vector<std::string>>& rows) {
  engine.readStatistics([&](const monitor::Statistics& statistics) {
    for (const monitor::LightState light : monitor::kAllLightStates) {
      const std::uint64_t frames = statistics.frames(light);
      if (frames == 0) continue;
      rows.push_back({engine.source().name, std::string(monitor::nameOf(light)),
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

std::string summaryTable(const monitor::Engines& engines) {
  std::vector<std::vector<std::string>> rows{{"source", "light", "frames", "live rows", "merged %",
                                              "computed %", "confidence %", "network ms",
                                              "largest classes"}};
  for (const auto& engine : engines) addRows(*engine, rows);
  return rows.size() > 1 ? tableText(rows, "llrrrrrrl") : "no frame came\n";
}

std::string summaryJson(const monitor::Engines& engines) {
  nlohmann::json sources = nlohmann::json::array();
  for (const auto& engine : engines) {
    const monitor::CaptureStatus capture = engine->capture();
    nlohmann::json source{{"name", engine->source().name},
                          {"address", engine->source().address.shown},
                          {"frames", engine->frames()},
                          {"drops", capture.drops},
                          {"reconnects", capture.reconnects}};
    engine->readStatistics(
        [&](const monitor::Statistics& statistics) { source["light"] = lightJson(statistics); });
    sources.push_back(std::move(source));
  }
  return jsonText(nlohmann::json{{"sources", sources}});
}

}  // namespace mpm::cli
