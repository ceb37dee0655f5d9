// SPDX-License-Identifier: Apache-2.0
// Somebody who keeps choosing other models and other sources: what of them stays in memory.
#include <QElapsedTimer>
#include <QStringList>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>

#include "app_bench.h"
#include "models/street/street_model.h"
#include "watched_window.h"

namespace mpm::bench {
namespace {

constexpr double kGoalMb = 50;
constexpr int kSettleMs = 5000, kLookMs = 300, kMostMs = 60000, kReports = 8;

// Until the one before is gone and the new one has shown something.
void switchTo(WatchedWindow& watched, const std::function<void(gui::Session&)>& choose) {
  const std::weak_ptr<monitor::Engine> old = watched.engine();
  choose(watched.window().session());
  if (!runUntil(
          [&] {
            const auto engine = watched.engine();
            return old.expired() && engine && engine->latest(0);
          },
          kMostMs))
    throw std::runtime_error("nothing was seen in a minute after a switch");
}

}  // namespace

void benchSwitching(Report& report, double minutes) {
  const QString street = QString::fromStdString(streetModel());
  const QStringList models{street, QStringLiteral(MPM_TEST_MODELS "/segmenter_mask.onnx"), street,
                           QStringLiteral(MPM_TEST_MODELS "/upernet.onnx"),
                           QStringLiteral(MPM_TEST_MODELS "/refused_cnn.onnx")};
  const QStringList sources{QStringLiteral("scene:?clock=600x&size=640x480"),
                            QStringLiteral("scene:?clock=600x&size=1280x720&seed=2"),
                            QStringLiteral("scene:?clock=600x&size=320x240&seed=3")};
  WatchedWindow watched(sources[0], false);
  watched.changeViewsEvery(1000);
  runFor(kSettleMs);
  const double first = residentMb();
  double most = first;
  std::printf("at the start: %.1f MB\n", first);
  std::fflush(stdout);
  QElapsedTimer since;
  since.start();
  int switches = 0, reports = 0;
  const auto share = [&] { return static_cast<double>(since.elapsed()) / (minutes * 60'000); };
  while (share() < 1) {
    ++switches;
    switchTo(watched, [&](gui::Session& watch) {
      switches % 2 == 0 ? watch.openModel(models[switches / 2 % models.size()])
                        : watch.openSource(sources[switches / 2 % sources.size()]);
    });
    runFor(kLookMs);
    most = std::max(most, residentMb());
    if (share() * kReports < reports + 1) continue;
    ++reports;
    std::printf("after %4d switches: %.1f MB\n", switches, residentMb());
    std::fflush(stdout);
  }
  // As it began, so that what models and pictures of other sizes take counts on neither side.
  switchTo(watched, [&](gui::Session& watch) { watch.openModel(street); });
  switchTo(watched, [&](gui::Session& watch) { watch.openSource(sources[0]); });
  runFor(kSettleMs);
  char what[96];
  std::snprintf(what, sizeof what, "memory after %d switches of model or source in %.3g minutes",
                switches, minutes);
  report.rows.push_back(below(what, "50 MB above the start", residentMb() - first, kGoalMb, "MB"));
  report.rows.push_back(
      below("the most in between", "50 MB above the start", most - first, kGoalMb, "MB"));
}

}  // namespace mpm::bench
