// SPDX-License-Identifier: Apache-2.0
// Hours of a drawn street through the whole app: each frame of them, as fast as they can be had.
#include <QElapsedTimer>
#include <algorithm>
#include <cstdio>

#include "app_bench.h"
#include "watched_window.h"

namespace mpm::bench {
namespace {

constexpr double kGoalMb = 5;
constexpr double kFramesPerHour = 36000;  // of a scene: 10 a second
constexpr double kWarmUpHours = 0.5;      // by then every ring of seconds is full, each view shown
// By then what goes by the clock and not by frames, as a record's looks, its checkpoints and its
// retention do, has come round several times.
constexpr int kWarmUpMs = 320000;
constexpr int kSamples = 64;

}  // namespace

void benchMemory(Report& report, double hours) {
  // A network of two small blocks stands in: its frames are as large on the screen.
  WatchedWindow watched(QStringLiteral("scene:?clock=3x&hour=0&size=160x120"), true,
                        QStringLiteral(MPM_TEST_MODELS "/segmenter_mask.onnx"));
  watched.changeViewsEvery(250);
  const auto framesAfter = [&](double hour) {
    return runUntil(
        [&] { return static_cast<double>(watched.engine()->frames(0)) >= hour * kFramesPerHour; },
        3600000);
  };
  QElapsedTimer began;
  began.start();
  framesAfter(kWarmUpHours);
  runUntil([&] { return began.elapsed() >= kWarmUpMs; }, 2 * kWarmUpMs);
  const double warmUp = static_cast<double>(watched.engine()->frames(0)) / kFramesPerHour;
  const int shownBefore = watched.framesShown();
  const double first = residentMb();
  double most = first, last = first;
  for (int i = 1; i <= kSamples; ++i) {
    framesAfter(warmUp + hours * i / kSamples);
    last = residentMb();
    most = std::max(most, last);
    if (i % 8 == 0) {
      std::printf("after %5.2f hours: %.1f MB\n", warmUp + hours * i / kSamples, last);
      std::fflush(stdout);
    }
  }
  std::printf("%llu frames, %d of them shown, views and layouts in turn\n\n",
              static_cast<unsigned long long>(watched.engine()->frames(0)),
              watched.framesShown() - shownBefore);
  char what[96];
  std::snprintf(what, sizeof what, "memory after %.3g hours of frames, beside %.3g", warmUp + hours,
                warmUp);
  report.rows.push_back(below(what, "5 MB", last - first, kGoalMb, "MB"));
  report.rows.push_back(below("the most in between", "5 MB", most - first, kGoalMb, "MB"));
}

}  // namespace mpm::bench
