// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <opencv2/core/version.hpp>
#include <vector>

#include "cli/table.h"
#include "cli/tune_report.h"

namespace mpm::cli {
namespace {

// Agreement is rounded down: 99.996% is not all of it.
std::string agreementText(double agreement) {
  return numberText(std::floor(agreement * 10000 + 1e-6) / 100, 2) + "%";
}

std::string speedText(const TunedSchedule& one) { return "x " + numberText(1 / one.ratio, 2); }

std::string rowsText(const std::vector<double>& rows) {
  std::string text;
  for (const double count : rows) text += (text.empty() ? "" : " > ") + numberText(count, 0);
  return text;
}

std::vector<const TunedSchedule*> frontOf(const Tuning& tuning) {
  std::vector<const TunedSchedule*> front = {&tuning.full};
  for (const TunedSchedule& one : tuning.schedules) {
    if (one.onFront) front.push_back(&one);
  }
  std::sort(front.begin() + 1, front.end(),
            [](const auto* a, const auto* b) { return a->ms > b->ms; });
  return front;
}

std::string frontTable(const TuneReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"merge before", "a frame", "fps", "speed-up", "agreement", "live rows", ""}};
  const TunedSchedule* pick = pickOf(report);
  for (const TunedSchedule* one : frontOf(report.tuning)) {
    rows.push_back({one->schedule.empty() ? "(full tokens)" : scheduleName(one->schedule),
                    msText(one->ms), numberText(1000 / one->ms, 1), speedText(*one),
                    agreementText(one->agreement), rowsText(one->rows),
                    one == pick ? "<- pick" : ""});
  }
  return tableText(rows, "lrrrrll");
}

std::string figuresOf(const TunedSchedule& one) {
  return msText(one.ms) + ", " + numberText(1000 / one.ms, 1) + " frames a second, " +
         agreementText(one.agreement) + " agreement";
}

std::string nameInSentence(const TunedSchedule& one) {
  return one.schedule.empty() ? "full tokens" : "merge before " + scheduleName(one.schedule);
}

const TunedSchedule& fastest(const Tuning& tuning) {
  const TunedSchedule* best = &tuning.full;
  for (const TunedSchedule& one : tuning.schedules) {
    if (one.close && one.ms < best->ms) best = &one;
  }
  return *best;
}

std::string pickLine(const TuneReport& report) {
  const TuneGoal& goal = report.goal;
  const TunedSchedule* pick = pickOf(report);
  if (pick == nullptr) {
    const TunedSchedule& best = fastest(report.tuning);
    return "No pick: nothing reaches " + numberText(*goal.targetFps, 1) +
           " frames a second; the fastest is " + nameInSentence(best) + ", " + figuresOf(best) +
           ".\n";
  }
  const std::string percent = numberText(goal.minAgreement * 100, 2) + "%";
  const std::string rate =
      goal.targetFps ? numberText(*goal.targetFps, 1) + " frames a second" : "";
  std::string reason = goal.targetFps ? "the highest agreement at " + rate + " or more"
                                      : "the fastest that keeps " + percent;
  if (pick->schedule.empty())
    reason = goal.targetFps ? "they reach " + rate : "no surely faster schedule keeps " + percent;
  return "Pick: " + nameInSentence(*pick) + ", " + figuresOf(*pick) + ": " + reason + ".\n";
}

std::string paysLine(const TuneReport& report) {
  if (report.tuning.pays) return "";
  const TunedSchedule& best = fastest(report.tuning);
  std::string line =
      "Merging does not pay with this model on this machine: no schedule is surely more than 3%\n"
      "faster than full tokens";
  if (best.schedule.empty()) return line + ".\n";
  line += " (the fastest, before " + scheduleName(best.schedule) + ", takes " +
          numberText(best.ratio, 2) + " of their time" +
          (best.ratio < 0.97 ? ", but frames differ too much to be sure)" : ")");
  return line + ".\n";
}

}  // namespace

const TunedSchedule* pickOf(const TuneReport& report) {
  if (report.goal.targetFps) return bestThatReaches(report.tuning, *report.goal.targetFps);
  return &fastestThatAgrees(report.tuning, report.goal.minAgreement);
}

std::string scheduleName(const std::vector<int>& schedule) {
  std::string name;
  for (const int block : schedule) name += (name.empty() ? "" : ",") + std::to_string(block);
  return name.empty() ? "full tokens" : name;
}

std::string tuneTable(const TuneReport& report) {
  const auto close = std::count_if(report.tuning.schedules.begin(), report.tuning.schedules.end(),
                                   [](const TunedSchedule& one) { return one.close; });
  return report.model + " in " + report.precision + "\n" + nameOf(report.machine) + ", " +
         std::to_string(report.threads) + (report.threads == 1 ? " thread" : " threads") +
         ", OpenCV " CV_VERSION ", " + std::to_string(report.frames) +
         (report.frames == 1 ? " frame; " : " frames; ") +
         std::to_string(report.tuning.schedules.size()) + " schedules looked at, " +
         std::to_string(close) + " measured closely\n\n" + frontTable(report) + '\n' +
         pickLine(report) + paysLine(report);
}

}  // namespace mpm::cli
