// SPDX-License-Identifier: Apache-2.0
// What the window shows of the engine: each newest frame, and how things stand.
#include <QCoreApplication>
#include <QEvent>
#include <QFileInfo>
#include <QLocale>
#include <QLoggingCategory>
#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <utility>

#include "gui/app/main_window.h"
#include "monitor/service/clip_writer.h"
#include "segment/pictures.h"

namespace mpm::gui {
namespace {

constexpr qint64 kKeepEveryMs = 1000;  // a picture for tuning
constexpr std::size_t kKept = 8;
constexpr std::int64_t kStaleMs = 2000;  // from here on a picture is no longer called live

// Silent but with QT_LOGGING_RULES="mpm.start.info=true": whoever measures the start reads it.
Q_LOGGING_CATEGORY(startLog, "mpm.start", QtWarningMsg)

// Areas of classes as the metrics have them.
std::vector<double> areasOf(const monitor::Engine& engine, const monitor::FrameResult& result) {
  std::vector<double> areas;
  const auto& names = engine.metrics(0).names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].starts_with("area.")) areas.push_back(result.figures.values[i]);
  }
  return areas;
}

// What the engine says of a fault, as a sentence of its own.
QString asSentence(const std::string& fault) {
  QString sentence = QString::fromStdString(fault);
  if (sentence.isEmpty()) return sentence;
  sentence[0] = sentence[0].toUpper();
  return sentence.endsWith(QLatin1Char('.')) ? sentence : sentence + QLatin1Char('.');
}

QEvent::Type paintedEvent() {
  static const auto type = static_cast<QEvent::Type>(QEvent::registerEventType());
  return type;
}

}  // namespace

void MainWindow::opened() {
  const auto engine = live_.engine();
  settings_.live = live_.options();
  settings_.recentSources = withRecentSource(settings_.recentSources, settings_.live.source);
  settings_.recentModels = withRecent(settings_.recentModels, settings_.live.model);
  classes_.setClasses(engine->classes(), engine->palette());
  legend_->classModel()->clearAreas();
  deck_->setZones(settings_.live.book.zones);
  deck_->setResult(nullptr);
  dayNight_->setEngine(engine, settings_.live.record, sourceName(settings_.live.source));
  tune_->clear();
  performance_->begin();
  tune_->setEnabled(engine->blocks() > 0);
  schedule_->setEnabled(engine->blocks() > 0);
  schedule_->setText(blocksText(engine->schedule()));
  engine->setCompare(compare_->isChecked());
  engine->setFilter(nightFilter(dayNight_->night()));
  engine->pause(pause_->isChecked());
  lastPictures_.clear();
  setWindowTitle(
      tr("%1 - MPM Monitor").arg(QString::fromStdString(engine->source(0).address.shown)));
  if (engine->blocks() == 0) {
    say(tr("%1 runs, but cannot merge: %2.")
            .arg(QFileInfo(settings_.live.model).fileName(),
                 QString::fromStdString(engine->reason())));
  } else if (const QString fault = live_.computing().fault; !fault.isEmpty()) {
    say(tr("%1; the processor computes.").arg(fault));
  } else {
    say({});
  }
}

void MainWindow::failed(const QString& sentence) {
  settings_.live = live_.engine() ? live_.options() : settings_.live;
  deck_->setZones(settings_.live.book.zones);
  say(sentence, true);
  if (!live_.engine()) deck_->setEmptyText(sentence);
}

void MainWindow::showNewest() {
  showing_.start();
  const auto engine = live_.engine();
  const monitor::FrameResultPtr result = live_.newest();
  if (!engine || !result) return;
  deck_->setLive();
  deck_->setResult(result);
  legend_->classModel()->addAreas(areasOf(*engine, *result), result->readyMs);
  if (compare_->isChecked()) showAgreement(*result);
  if (clipWriter_ != nullptr) {
    clipWriter_->add(
        drawOverlay(result->frame.picture, result->segmentation.labels, engine->palette()));
  }
  if (result->readyMs - keptMs_ >= kKeepEveryMs) {
    keptMs_ = result->readyMs;
    lastPictures_.push_back(result->frame.picture);
    if (lastPictures_.size() > kKept) lastPictures_.pop_front();
  }
  // Nearly all of it is painting, which Qt does at this priority, in turn: this comes behind it.
  QCoreApplication::postEvent(this, new QEvent(paintedEvent()), Qt::LowEventPriority);
}

bool MainWindow::event(QEvent* event) {
  if (event->type() == QEvent::Paint && !std::exchange(windowShown_, true)) {
    qCInfo(startLog, "window shown");
  }
  if (event->type() != paintedEvent()) return QMainWindow::event(event);
  if (!std::exchange(frameShown_, true)) qCInfo(startLog, "first frame shown");
  guiMs_ = static_cast<double>(showing_.nsecsElapsed()) / 1e6;
  return true;
}

void MainWindow::showAgreement(const monitor::FrameResult& result) {
  if (!result.full) return;
  const cv::Mat same = result.full->labels == result.segmentation.labels;
  const double agreement =
      static_cast<double>(cv::countNonZero(same)) / static_cast<double>(same.total()) * 100;
  const QLocale locale;
  agreement_->setText(tr("%1 % of pixels agree; merged %2 ms, full %3 ms")
                          .arg(locale.toString(agreement, 'f', 1),
                               locale.toString(result.segmentation.times.networkMs, 'f', 1),
                               locale.toString(result.full->times.networkMs, 'f', 1)));
}

void MainWindow::lookAround() {
  const auto engine = live_.engine();
  if (!engine) return;
  showState(*engine);
  performance_->showFigures(*engine, engine->latest(0), guiMs_);
  QString fault = QString::fromStdString(engine->fault());
  if (fault.isEmpty()) fault = live_.recordFault();
  fault_->setText(fault);
  fault_->setVisible(!fault.isEmpty());
}

void MainWindow::showState(const monitor::Engine& engine) {
  const monitor::CaptureStatus status = engine.capture(0);
  using monitor::CaptureState;
  const QLocale locale;
  QString text, reason;
  switch (status.state) {
    case CaptureState::opening:
      text = tr("Opening");
      break;
    case CaptureState::live:
      text = tr("Live");
      break;
    case CaptureState::stale:
      text = tr("No new picture");
      reason = tr("The source is open, but sends nothing.");
      break;
    case CaptureState::waiting:
      text = tr("Lost");
      reason = tr("%1 Next try in %2 s.")
                   .arg(asSentence(status.fault))
                   .arg(locale.toString((status.msToNextTry + 999) / 1000));
      break;
    case CaptureState::ended:
      text = tr("At its end");
      break;
  }
  if (pause_->isChecked()) text = tr("Paused");
  if (tune_->isRunning()) text = tr("Measuring");
  stateText_->setText(text);
  if (tune_->isRunning()) return;
  // Of what is shown, not of what the camera gave: a net that fails makes a picture old as well.
  const monitor::FrameResultPtr newest = engine.latest(0);
  const std::int64_t ageMs =
      newest ? monitor::systemClock().now().steadyMs - newest->frame.taken.steadyMs : -1;
  double networkMs = newest ? newest->segmentation.times.networkMs : 0;
  if (newest && newest->full) networkMs += newest->full->times.networkMs;
  const double allowedMs = kStaleMs + 3 * networkMs;
  const bool stands = status.state == CaptureState::ended || pause_->isChecked();
  if (reason.isEmpty()) reason = asSentence(engine.fault());
  if (!stands && static_cast<double>(ageMs) > allowedMs) {
    if (status.state == CaptureState::live && reason.isEmpty()) {
      reason = tr("The source sends pictures, but the model is still busy with an earlier one.");
    }
    deck_->setStale(ageMs, reason.isEmpty() ? text : reason);
  } else if (!newest) {
    deck_->setEmptyText(reason.isEmpty() ? tr("%1 ...").arg(text) : reason);
  }
}

}  // namespace mpm::gui
