// SPDX-License-Identifier: Apache-2.0
#include "cli/monitor_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/wording.h"

namespace mpm::cli {
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
                      meanText(statistics, "ms.network", light, 1, 1)});
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
                                              "computed %", "confidence %", "network ms"}};
  for (std::size_t i = 0; i < engine.sources(); ++i) addRows(engine, i, rows);
  return rows.size() > 1 ? tableText(rows, "llrrrrrr") : "no frame came\n";
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
  // A path may be of any bytes.
  return nlohmann::json{{"sources", sources}}.dump(2, ' ', false,
                                                   nlohmann::json::error_handler_t::replace) +
         "\n";
}

}  // namespace mpm::cli
