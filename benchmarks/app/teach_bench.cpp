// SPDX-License-Identifier: Apache-2.0
// Teaching beside the live view: how late the GUI's thread is meanwhile, and how long it takes.
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "app_bench.h"
#include "gui/teach/teach_window.h"
#include "gui/teach/teach_worker.h"
#include "models/street/street_model.h"
#include "watched_window.h"

namespace mpm::bench {
namespace {

constexpr double kLateGoalMs = 50, kTeachGoalS = 60;
constexpr int kFrames = 10, kFrameEveryMs = 1500, kStrokeEveryMs = 500, kMostMs = 600000;

// As the model that runs labels it: what is painted does not matter to how long it takes.
void paintNewest(gui::TeachWindow& teach, const monitor::Engine& engine) {
  teach.takeFrame();
  const cv::Mat labels = engine.latest(0)->segmentation.labels.clone();
  teach.canvas()->edit([&](cv::Mat& painting) { labels.copyTo(painting); });
}

}  // namespace

void benchTeach(Report& report, TimedApplication& app) {
  WatchedWindow watched(QStringLiteral("scene:?clock=600x&size=640x480"), false);
  const QTemporaryDir folder;
  gui::TeachHost host;
  host.newest = [&watched] { return watched.engine()->latest(0); };
  host.engine = [&watched] { return watched.engine(); };
  host.backbone = [] { return gui::Backbone{QString::fromStdString(streetModel()), {}, {}}; };
  gui::TeachWindow teach(host);
  teach.openProject(folder.path());
  teach.show();
  for (const std::string& name : watched.engine()->classes()) {
    teach.classes()->addClass(teach.project()->freshColour());
    teach.classes()->item(teach.classes()->count() - 1)->setText(QString::fromStdString(name));
  }
  for (int frame = 0; frame < kFrames; ++frame) {
    paintNewest(teach, *watched.engine());
    runFor(kFrameEveryMs);  // a quarter of an hour, there
  }
  QTimer strokes;  // somebody goes on painting
  QObject::connect(&strokes, &QTimer::timeout, [&teach, number = 0]() mutable {
    const int value = ++number % 5;
    teach.canvas()->edit([value](cv::Mat& labels) { labels.rowRange(200, 220).setTo(value); });
  });
  strokes.start(kStrokeEveryMs);
  QElapsedTimer since;
  const int before = watched.framesShown();
  std::vector<double> late;
  app.watch(true);
  {
    const Lateness lateness;
    since.start();
    teach.teach();
    runUntil([&] { return !teach.worker().isTeaching(); }, kMostMs);
    late = lateness.ms();
  }
  app.watch(false);
  const double seconds = static_cast<double>(since.elapsed()) / 1000;
  if (!teach.worker().hasTaught()) throw std::runtime_error(teach.lesson()->told().toStdString());
  report.rows.push_back(
      below("teaching from ten frames beside the live view", "60 s", seconds, kTeachGoalS, "s"));
  report.rows.push_back(below("an event's lateness meanwhile, the largest", "50 ms",
                              *std::max_element(late.begin(), late.end()), kLateGoalMs, "ms"));
  addHandlers(report, app);
  const double fps = (watched.framesShown() - before) / seconds;
  report.rows.push_back({"frames shown a second meanwhile", "5", fps, 5, "1/s", fps / 5, 1, true});
}

}  // namespace mpm::bench
