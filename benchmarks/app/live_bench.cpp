// SPDX-License-Identifier: Apache-2.0
// The GUI's thread while the street model runs: how late it is, and what it takes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "app_bench.h"
#include "models/street/street_model.h"
#include "paired.h"
#include "processor_time.h"
#include "watched_window.h"

namespace mpm::bench {
namespace {

constexpr double kLateGoalMs = 50, kCostGoal = 0.08;
constexpr int kChangeEveryMs = 1000, kRounds = 5, kSettleMs = 3000, kCores = 2;

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void benchLateness(Report& report, TimedApplication& app, WatchedWindow& watched, int seconds) {
  watched.changeViewsEvery(kChangeEveryMs);
  app.watch(true);
  std::vector<double> late;
  {
    const Lateness lateness;
    runFor(seconds * 1000);
    late = lateness.ms();
  }
  app.watch(false);
  watched.changeViewsEvery(0);
  report.rows.push_back(
      below("an event's lateness, 99.9 of 100", "50 ms", quantile(late, 0.999), kLateGoalMs, "ms"));
  report.rows.push_back(
      below("an event's lateness, the largest", "50 ms", quantile(late, 1), kLateGoalMs, "ms"));
  addHandlers(report, app);
}

// A frame of the net on two cores that nothing else wants: half of what both together take.
double freeFrameMs(WatchedWindow& watched, const Schedule& schedule) {
  constexpr int kWarmUp = 3, kFrames = 12;
  const auto engine = watched.engine();
  const cv::Mat picture = engine->latest(0)->frame.picture;
  SegmenterOptions options;
  options.read.schedule = schedule;
  options.stages = true;
  const auto network = monitor::makeNetwork(streetModel(), options);
  engine->pause(true);
  runFor(kSettleMs);
  double before = 0;
  for (int i = -kWarmUp; i < kFrames; ++i) {
    if (i == 0) before = processMs();
    network->segment(picture);
  }
  const double ms = (processMs() - before) / kFrames / kCores;
  engine->pause(false);
  return ms;
}

// What Qt's own pool has used of a core: it scales pictures for the GUI's thread.
double qtPoolMs() {
  double ms = 0;
  std::error_code fault;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", fault)) {
    std::ifstream name(task.path() / "comm"), use(task.path() / "schedstat");
    std::string words;
    std::getline(name, words);
    double nanoseconds = 0;
    if (words.rfind("Thread (pooled", 0) == 0 && use >> nanoseconds) ms += nanoseconds / 1e6;
  }
  return ms;
}

// All that the GUI's thread and its helpers take of a core, whatever for, over frames that were
// painted. Of the processor on both sides, so that what others do counts on neither.
void benchCost(Report& report, WatchedWindow& watched, int seconds, const Schedule& schedule,
               const char* what) {
  watched.window().session().setSchedule(gui::blocksText(schedule));
  runFor(kSettleMs);
  std::vector<double> costs, frames, ratios;
  for (int round = 0; round < kRounds; ++round) {
    frames.push_back(freeFrameMs(watched, schedule));
    runFor(kSettleMs / 3);
    const int before = watched.framesShown();
    const double used = threadMs() + qtPoolMs();
    runFor(seconds * 1000 / kRounds);
    const double shown = std::max(1, watched.framesShown() - before);
    costs.push_back((threadMs() + qtPoolMs() - used) / shown);
    ratios.push_back(costs.back() / frames.back());
  }
  report.rows.push_back({std::string("the GUI for a frame shown, ") + what,
                         "a frame of the net on two free cores", median(costs), median(frames),
                         "ms", median(ratios), kCostGoal});
}

}  // namespace

void benchLive(Report& report, TimedApplication& app, int seconds) {
  WatchedWindow watched(QStringLiteral("scene:?clock=600x&size=640x480"), false);
  runFor(kSettleMs);
  benchLateness(report, app, watched, seconds);
  benchCost(report, watched, seconds / 2, {}, "full tokens");
  benchCost(report, watched, seconds / 2, {2, 5}, "merged before 2 and 5");
}

}  // namespace mpm::bench
