// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "cli/chart/chart.h"
#include "cli/table.h"
#include "cli/tune_report.h"

namespace mpm::cli {
namespace {

// Wide enough that points do not stand on the frame.
Range widened(double low, double high, double least) {
  const double margin = std::max(0.06 * (high - low), least);
  return {low - margin, high + margin};
}

// What was measured closely decides what is shown; what was left behind may lie outside.
void chooseRanges(const Tuning& tuning, Chart& chart) {
  double fastest = tuning.full.ms, slowest = tuning.full.ms, lowest = 1;
  for (const TunedSchedule& one : tuning.schedules) {
    if (!one.close) continue;
    fastest = std::min(fastest, one.ms);
    slowest = std::max(slowest, one.ms);
    lowest = std::min(lowest, one.agreement);
  }
  chart.x = widened(fastest, slowest, 0.02 * slowest);
  chart.y = widened(100 * lowest, 100, 0.02);
}

Mark markOf(const TunedSchedule& one, const TunedSchedule* pick) {
  if (&one == pick) return Mark::chosen;
  if (one.onFront) return Mark::front;
  return one.close ? Mark::plain : Mark::faint;
}

std::string labelOf(const TunedSchedule& one, const TunedSchedule* pick) {
  if (!one.close) return "";
  std::string label = scheduleName(one.schedule);
  if (&one == pick) {
    label += ": " + msText(one.ms) + ", " + numberText(100 * one.agreement, 2) + "%";
  }
  return label;
}

}  // namespace

cv::Mat tunePicture(const TuneReport& report) {
  const Tuning& tuning = report.tuning;
  const TunedSchedule* pick = pickOf(report);
  Chart chart;
  chart.title = "Schedules of " + std::filesystem::path(report.model).filename().string();
  chart.subtitle = nameOf(report.machine) + ", " + std::to_string(report.threads) +
                   (report.threads == 1 ? " thread, " : " threads, ") + report.precision + ", " +
                   std::to_string(report.frames) + (report.frames == 1 ? " frame" : " frames");
  chart.xTitle = "milliseconds a frame";
  chart.yTitle = "% of pixels labelled as by full tokens";
  chart.topTitle = "frames a second";
  chart.topFrom = 1000;
  chooseRanges(tuning, chart);
  if (report.goal.targetFps) {
    chart.upright = 1000 / *report.goal.targetFps;
    chart.uprightLabel = numberText(*report.goal.targetFps, 1) + " frames a second";
  } else {
    chart.rule = 100 * report.goal.minAgreement;
    chart.ruleLabel = numberText(chart.rule, 2) + "% agreement";
  }
  for (const TunedSchedule& one : tuning.schedules) {
    chart.points.push_back({one.ms, 100 * one.agreement, markOf(one, pick), labelOf(one, pick)});
  }
  chart.points.push_back(
      {tuning.full.ms, 100, markOf(tuning.full, pick), labelOf(tuning.full, pick)});
  chart.frontWords = "on the front: merge before these blocks";
  chart.plainWords = "measured closely";
  chart.faintWords = "looked at";
  if (pick != nullptr) chart.chosenWords = "pick";
  return drawChart(chart);
}

}  // namespace mpm::cli
