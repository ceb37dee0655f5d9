// SPDX-License-Identifier: Apache-2.0
// The GUI's thread while the street model runs: how late it is, what it takes, and whether the net
// waits for it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "app_bench.h"
#include "models/street/street_model.h"
#include "paired.h"
#include "processor_time.h"
#include "watched_window.h"

namespace mpm::bench {
namespace {

constexpr double kLateGoalMs = 50, kCostGoal = 0.08, kRateGoal = 0.95;
constexpr int kChangeEveryMs = 1000, kRounds = 5, kSettleMs = 3000, kCores = 2;
const QString kScene = QStringLiteral("scene:?clock=600x&size=640x480");

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void printHandlers(const TimedApplication& app, int frames) {
  std::vector<std::pair<std::string, Handled>> most(app.handled().begin(), app.handled().end());
  std::sort(most.begin(), most.end(),
            [](const auto& a, const auto& b) { return a.second.sumCpuMs > b.second.sumCpuMs; });
  std::printf(
      "the GUI's thread, %d frames shown; the longest from the event loop: %s, %.1f ms, of "
      "which it ran %.1f\n",
      frames, app.longest().c_str(), app.longestMs(), app.longestCpuMs());
  most.resize(std::min<std::size_t>(most.size(), 14));
  for (const auto& [name, of] : most) {
    std::printf("  %-48s %6d times, %7.3f ms a frame, longest %6.2f ms\n", name.c_str(), of.count,
                of.sumCpuMs / std::max(frames, 1), of.longestMs);
  }
  std::printf("\n");
}

void benchLateness(Report& report, TimedApplication& app, WatchedWindow& watched, int seconds) {
  watched.changeViewsEvery(kChangeEveryMs);
  const int before = watched.framesShown();
  app.watch(true);
  std::vector<double> late;
  {
    const Lateness lateness;
    runFor(seconds * 1000);
    late = lateness.ms();
  }
  app.watch(false);
  watched.changeViewsEvery(0);
  printHandlers(app, watched.framesShown() - before);
  report.rows.push_back(
      below("an event's lateness, 99.9 of 100", "50 ms", quantile(late, 0.999), kLateGoalMs, "ms"));
  report.rows.push_back(
      below("an event's lateness, the largest", "50 ms", quantile(late, 1), kLateGoalMs, "ms"));
  report.rows.push_back(below("the longest handler, of the processor", "50 ms", app.longestCpuMs(),
                              kLateGoalMs, "ms"));
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

// All that the GUI's thread and its helpers take of a core, whatever for, over frames that were
// painted. Of the processor on both sides, so that what others do counts on neither.
void benchCost(Report& report, WatchedWindow& watched, int seconds, const Schedule& schedule,
               const char* what) {
  watched.window().watch().setSchedule(gui::blocksText(schedule));
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

double framesPerSecond(monitor::Engine& engine, const std::function<void()>& meanwhile) {
  const std::uint64_t before = engine.frames(0);
  const double ms = elapsedMs(meanwhile);
  return static_cast<double>(engine.frames(0) - before) / ms * 1000;
}

std::unique_ptr<monitor::Engine> engineAlone() {
  monitor::EngineOptions options;
  monitor::NamedSource source;
  source.name = "street";
  source.address = monitor::parseSourceAddress(kScene.toStdString());
  options.sources = {source};
  options.capture.everyFrame = true;
  SegmenterOptions segmenter;
  segmenter.stages = true;
  return std::make_unique<monitor::Engine>(options, monitor::makeNetwork(streetModel(), segmenter),
                                           std::vector<monitor::EngineListener*>{});
}

}  // namespace

void benchLive(Report& report, TimedApplication& app, int seconds) {
  WatchedWindow watched(kScene, false);
  runFor(kSettleMs);
  benchLateness(report, app, watched, seconds);
  benchCost(report, watched, seconds / 2, {}, "full tokens");
  benchCost(report, watched, seconds / 2, {2, 5}, "merged before 2 and 5");
}

void benchWaiting(Report& report, int seconds) {
  WatchedWindow watched(kScene, true);
  const auto engine = watched.engine();
  const auto alone = engineAlone();
  const int ms = std::max(1, seconds) * 1000 / (3 * kRounds);
  const auto sleep = [ms] { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  std::vector<double> free, held, shown, heldRatio, shownRatio;
  for (int round = 0; round < kRounds; ++round) {
    engine->pause(true);
    alone->pause(false);
    runFor(500);
    free.push_back(framesPerSecond(*alone, sleep));
    alone->pause(true);
    engine->pause(false);
    runFor(500);
    held.push_back(framesPerSecond(*engine, sleep));
    runFor(500);
    shown.push_back(framesPerSecond(*engine, [ms] { runFor(ms); }));
    heldRatio.push_back(held.back() / free.back());
    shownRatio.push_back(shown.back() / free.back());
  }
  report.rows.push_back({"the net's frames while the GUI's thread is held up", "without a window",
                         median(held), median(free), "/s", median(heldRatio), kRateGoal, true});
  report.rows.push_back({"the net's frames with all views open", "without a window", median(shown),
                         median(free), "/s", median(shownRatio)});
}

}  // namespace mpm::bench
