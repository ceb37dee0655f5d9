// SPDX-License-Identifier: Apache-2.0
#include "cli/bench.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <opencv2/core/version.hpp>

#include "cli/measure/machine.h"
#include "cli/wording.h"
#include "mpm/tune.h"

namespace mpm::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string peakLine(const BenchReport& report) {
  if (!report.peak) return "";
  std::string line = "oneDNN's peak at " + report.peakShape + ": " + numberText(*report.peak, 0) +
                     " GFLOP/s in fp32";
  if (report.peakBf16) line += ", " + numberText(*report.peakBf16, 0) + " in bf16";
  if (report.peakInt8) line += ", " + numberText(*report.peakInt8, 0) + " in int8";
  return line + '\n';
}

// Two digits behind the point: what counts is how far it is from 100.
std::string hundredthsText(double share) { return numberText(100 * share, 2) + "%"; }

// What nobody should take without looking: one sentence for each precision.
std::string brokenText(const BenchReport& report) {
  std::map<std::string, double> worst;
  for (const BenchReport::Row& row : report.rows) {
    if (!row.labels || *row.labels >= kEnoughLabels) continue;
    const auto [found, isNew] = worst.try_emplace(row.precision, *row.labels);
    if (!isNew) found->second = std::min(found->second, *row.labels);
  }
  std::string text;
  for (const auto& [precision, share] : worst) {
    text += precision + " differs from fp32's labels on " + hundredthsText(1 - share) +
            " of this picture, more than 0.5; compare on your own pictures before using it.\n";
  }
  return text;
}

std::string timesTable(const BenchReport& report) {
  Rows table = {{"", "precision", "median", "p95", "slowest", "time", "labels", "live rows"}};
  for (const BenchReport::Row& row : report.rows) {
    table.push_back({row.name, row.precision, msText(row.times.medianMs), msText(row.times.p95Ms),
                     "x " + numberText(row.times.slowestMs / row.times.medianMs, 2),
                     numberText(row.times.ratio, 3), row.labels ? hundredthsText(*row.labels) : "",
                     rowsText(row.rows)});
  }
  return tableText(table, "llrrrrrl");
}

std::string stepsTable(const BenchReport& report) {
  Rows table = {{"milliseconds in", "precision"}};
  table[0].insert(table[0].end(), kStepNames.begin(), kStepNames.end());
  for (const BenchReport::Row& row : report.rows) {
    table.push_back({row.name, row.precision});
    for (const double ms : row.steps) table.back().push_back(numberText(ms, ms < 9.995 ? 2 : 1));
  }
  return tableText(table, "llrrrrrr");
}

}  // namespace

std::string benchTable(const BenchReport& report) {
  std::string text =
      report.model + '\n' + nameOf(report.machine) + ", OpenCV " CV_VERSION "\n" +
      peakLine(report) + '\n' + timesTable(report) + '\n' + stepsTable(report) + '\n' +
      std::to_string(report.rounds) +
      " rounds, every configuration once in each. time: relative to " + report.rows[0].name +
      " in " + report.rows[0].precision +
      ", the\nmedian over rounds. slowest: the slowest frame over the median. labels: share that "
      "fp32 gives too.\n" +
      brokenText(report);
  if (!report.notMergeable.empty()) text += "The model cannot merge: " + report.notMergeable + '\n';
  if (!report.opencv.empty())
    text += "Without this library OpenCV " CV_VERSION " " + report.opencv + ".\n";
  return text;
}

namespace {

using Json = nlohmann::ordered_json;

Json config(const BenchReport::Row& row) {
  Json steps = Json::object();
  for (std::size_t i = 0; i < kStepNames.size(); ++i) steps[kStepNames[i]] = rounded(row.steps[i]);
  return {{"name", row.name},
          {"schedule", row.schedule.blocks()},
          {"precision", row.precision},
          {"device", row.device},
          {"median_ms", rounded(row.times.medianMs)},
          {"p95_ms", rounded(row.times.p95Ms)},
          {"ratio", rounded(row.times.ratio)},
          {"rows", row.rows},
          {"labels_as_fp32", row.labels ? Json(rounded(*row.labels, 6)) : Json()},
          {"steps_ms", steps}};
}

}  // namespace

std::string benchJson(const BenchReport& report) {
  Json machine = machineJson(report.machine);
  if (report.peakBf16) machine["gemm_peak_bf16_gflops"] = rounded(*report.peakBf16);
  if (report.peakInt8) machine["gemm_peak_int8_gflops"] = rounded(*report.peakInt8);
  if (!report.opencv.empty()) machine["opencv_layers"] = report.opencv;
  Json configs = Json::array();
  for (const BenchReport::Row& row : report.rows) configs.push_back(config(row));
  const Json json = {{"model", report.model},
                     {"machine", machine},
                     {"threads", report.machine.threads},
                     {"gemm_peak_gflops", report.peak ? Json(rounded(*report.peak)) : Json()},
                     {"configs", configs}};
  return jsonText(json);
}

}  // namespace mpm::cli
