// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/bench_report.h"
#include "cli/measure/machine_json.h"

namespace mpm::cli {
namespace {

using Json = nlohmann::ordered_json;

Json config(const BenchReport::Row& row) {
  Json steps = Json::object();
  for (std::size_t i = 0; i < kSteps; ++i)
    steps[nameOf(static_cast<Step>(i))] = rounded(row.steps[i]);
  return {{"name", row.name},
          {"schedule", row.schedule},
          {"precision", row.precision},
          {"device", row.device},
          {"median_ms", rounded(row.times.medianMs)},
          {"p95_ms", rounded(row.times.p95Ms)},
          {"ratio", rounded(row.times.ratio)},
          {"rows", row.rows},
          {"steps_ms", steps}};
}

}  // namespace

std::string benchJson(const BenchReport& report) {
  Json machine = machineJson(report.machine);
  if (report.peakBf16) machine["gemm_peak_bf16_gflops"] = rounded(*report.peakBf16);
  if (!report.opencv.empty()) machine["opencv_layers"] = report.opencv;
  Json configs = Json::array();
  for (const BenchReport::Row& row : report.rows) configs.push_back(config(row));
  const Json json = {{"model", report.model},
                     {"machine", machine},
                     {"threads", report.threads},
                     {"gemm_peak_gflops", report.peak ? Json(rounded(*report.peak)) : Json()},
                     {"configs", configs}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace mpm::cli
