// SPDX-License-Identifier: Apache-2.0
// Windows that stand beside the app's own, with something in them: days of a record, Teach, the
// models, and more cameras than one.
#pragma once

#include <QDateTime>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "gui/app/open_dialogs.h"
#include "gui/app/photographer.h"
#include "gui/days/days_window.h"
#include "gui/teach/teach_panels.h"
#include "gui/teach/teach_window.h"
#include "monitor/light/light_state.h"
#include "monitor/record/record.h"

namespace mpm::gui {

/// Returns frames and results of the street from noon to noon: one day of 48 s.
inline std::vector<monitor::FrameResultPtr> framesOfADay(MainWindow& window, int count) {
  constexpr int kDayMs = 48000;
  std::vector<monitor::FrameResultPtr> frames;
  for (int i = 0; i < count; ++i) {
    wait(kDayMs / count);
    frames.push_back(window.live().engine()->latest());
  }
  return frames;
}

/// Writes a record that repeats them up to the present.
inline void writeDays(const std::string& path, const std::vector<std::string>& metrics,
                      const std::vector<monitor::FrameResultPtr>& frames, int days) {
  constexpr std::int64_t kDayMs = 86'400'000;
  monitor::Record record(path);
  const auto count = static_cast<std::int64_t>(frames.size());
  const std::int64_t now = monitor::systemClock().now().utcMs, step = kDayMs / count;
  monitor::RunFacts facts;
  facts.source = "street";
  facts.model = "street.onnx";
  facts.metrics = metrics;
  facts.begun = {1, now - days * kDayMs, 0, true};
  const std::int64_t run = record.beginRun(facts);
  for (std::int64_t i = 0; i < days * count; ++i) {
    const monitor::FrameResult& shown = *frames[static_cast<std::size_t>(i % count)];
    const monitor::FrameResult& told = shown.merged ? *shown.merged : shown;
    monitor::Bucket bucket;
    bucket.era = 1;
    bucket.startUtcMs = (facts.begun.utcMs + i * step) / 60000 * 60000;
    bucket.frames[static_cast<std::size_t>(shown.light.state)] = 1;
    for (const double value : shown.known.values) {
      bucket.tallies.emplace_back();
      bucket.tallies.back().add(value);
    }
    for (int minute = 0; minute < step / 60000; ++minute, bucket.startUtcMs += 60000)
      record.write(run, {{monitor::Resolution::minute, bucket}});
    monitor::Snapshot snapshot;
    snapshot.taken = {1, facts.begun.utcMs + i * step, 0, true};
    snapshot.reason = monitor::kDayPicture;
    snapshot.picture = told.frame.picture;
    snapshot.labels = told.segmentation.labels;
    told.segmentation.mergeMap.convertTo(snapshot.mergeMap, CV_16U);
    QJsonObject figures;
    for (const char* name : {"live_rows", "rows.0", "merged_share"}) {
      const auto place = std::find(metrics.begin(), metrics.end(), name) - metrics.begin();
      figures[QLatin1String(name)] = told.known.values[static_cast<std::size_t>(place)];
    }
    const QJsonObject said{
        {"light", QString::fromStdString(std::string(monitor::nameOf(told.light.state)))},
        {"figures", figures}};
    snapshot.facts = QJsonDocument(said).toJson(QJsonDocument::Compact).toStdString();
    record.write(run, snapshot);
  }
  record.flush(kPatienceMs);
}

inline void takeDays(MainWindow& window, Photographer& photographer) {
  if (!photographer.wantsSome("days")) return;
  const QTemporaryDir folder;
  const QString path = folder.filePath("days.sqlite");
  const bool memory = window.live().options().memory;
  window.session().setMemory(false);  // tokens of each frame, of a day that takes a minute
  writeDays(path.toStdString(), window.live().engine()->metrics().names(), framesOfADay(window, 24),
            4);
  window.session().setMemory(memory);
  DaysWindow days;
  days.setRecord(path, "street", 4);
  days.resize(window.size());
  days.show();
  const auto shown = [&] {
    return days.shown(DaysWindow::kLeft) != nullptr && days.shown(DaysWindow::kRight) != nullptr;
  };
  waitUntil(shown, kPatienceMs);
  photographer.take("days", &days);
}

/// Paints them as the running net sees them, except near edges.
inline void paint(PaintProject& project, const std::vector<monitor::FrameResultPtr>& frames) {
  for (const monitor::FrameResultPtr& frame : frames) {
    const cv::Mat& found = frame->segmentation.labels;
    cv::Mat least, most, labels = found.clone();
    const cv::Mat brush = cv::getStructuringElement(cv::MORPH_ELLIPSE, {25, 25});
    cv::erode(found, least, brush);
    cv::dilate(found, most, brush);
    labels.setTo(kUnpainted, least != most);
    project.keep(project.take(frame->frame.picture, QDateTime::currentDateTime()), labels);
  }
}

inline void takeTeach(MainWindow& window, Photographer& photographer, const QString& folder) {
  if (!photographer.wantsSome("teach")) return;
  {
    PaintProject project(folder);
    std::vector<PaintClass> classes;
    const auto engine = window.live().engine();
    for (std::size_t i = 0; i < engine->classes().size(); ++i) {
      const cv::Vec3b& colour = engine->palette()[i];
      classes.push_back(
          {QString::fromStdString(engine->classes()[i]), QColor(colour[2], colour[1], colour[0])});
    }
    project.setClasses(classes);
    paint(project, framesOfADay(window, 4));
  }
  window.beside().openTeach();
  TeachWindow& teach = *window.beside().teach();
  teach.resize(window.size());
  photographer.take("teach", &teach);
  bool isTaught = false;
  QObject::connect(&teach.worker(), &TeachWorker::taught, &teach, [&] { isTaught = true; });
  teach.teach();
  wait(1500);
  photographer.take("teach-running", &teach);
  waitUntil([&] { return isTaught; }, 3 * kPatienceMs);
  wait(3000);  // the preview is of a thread of its own
  photographer.take("teach-taught", &teach);
  teach.close();
}

/// Call last: the wall stays watched.
inline void takeWall(MainWindow& window, Photographer& photographer, const QString& street) {
  if (!photographer.wantsSome("wall")) return;
  for (const char* more : {"&seed=2", "&seed=3&weather=snow", "&seed=4&weather=rain"}) {
    window.session().openBeside(street + more);
    photographer.live();
  }
  window.deck()->setLayoutKind(DeckLayout::grid);
  wait(8000);
  photographer.take("wall");
  for (const char* panel : {"DayNight", "Events", "Classes"}) photographer.raise(panel);
  photographer.raise("DayNight");
  photographer.take("wall-panels");
  if (!photographer.wants("wall-many") && !photographer.wants("wall-large")) return;
  for (const char* panel : {"DayNight", "Events", "Classes"})
    window.findChild<QDockWidget*>(panel)->hide();
  for (int seed = 5; seed <= 10; ++seed) {
    window.session().openBeside(street + "&seed=" + QString::number(seed));
    photographer.live();
  }
  wait(12000);
  photographer.take("wall-many");
  window.findChild<Wall*>()->enlarge(1);
  wait(2000);
  photographer.take("wall-large");
}

}  // namespace mpm::gui
