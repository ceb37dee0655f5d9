// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "cli/measure/machine_json.h"
#include "cli/tune_report.h"

namespace mpm::cli {
namespace {

using Json = nlohmann::ordered_json;

Json entry(const TunedSchedule& one) {
  Json rows = Json::array();
  for (const double count : one.rows) rows.push_back(rounded(count));
  return {{"schedule", one.schedule},
          {"ms", rounded(one.ms)},
          {"fps", rounded(1000 / one.ms)},
          {"ratio", rounded(one.ratio)},
          {"agreement", one.agreement},
          {"rows", rows},
          {"runs", one.runs},
          {"close", one.close},
          {"front", one.onFront}};
}

}  // namespace

std::string tuneJson(const TuneReport& report) {
  Json schedules = Json::array();
  for (const TunedSchedule& one : report.tuning.schedules) schedules.push_back(entry(one));
  const TunedSchedule* pick = pickOf(report);
  const Json goal = report.goal.targetFps ? Json{{"target_fps", *report.goal.targetFps}}
                                          : Json{{"min_agreement", report.goal.minAgreement}};
  const Json json = {{"model", report.model},
                     {"machine", machineJson(report.machine)},
                     {"threads", report.threads},
                     {"precision", report.precision},
                     {"frames", report.frames},
                     {"full", entry(report.tuning.full)},
                     {"schedules", schedules},
                     {"pays", report.tuning.pays},
                     {"goal", goal},
                     {"pick", pick == nullptr ? Json() : Json(pick->schedule)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace mpm::cli
