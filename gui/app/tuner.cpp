// SPDX-License-Identifier: Apache-2.0
#include "gui/app/tuner.h"

#include <QMetaObject>
#include <exception>
#include <utility>

namespace mpm::gui {

Tuner::Tuner(QObject* parent) : QObject(parent) {}

Tuner::~Tuner() {
  cancelled_ = true;
  if (thread_.joinable()) thread_.join();
}

void Tuner::begin(Task task) {
  if (running_) return;
  if (thread_.joinable()) thread_.join();
  running_ = true;
  cancelled_ = false;
  thread_ = std::thread([this, task = std::move(task)]() mutable {
    std::shared_ptr<const Tuning> tuning;
    QString fault;
    try {
      // In the engine's thread, so that its net rests.
      std::future<void> done =
          task.engine->withNetwork([&](monitor::Network&) { tuning = measure(task); });
      done.get();
    } catch (const TuneStopped&) {
    } catch (const std::future_error&) {
      fault = tr("The source or the model was changed while it was measured.");
    } catch (const std::exception& failure) {
      fault = QString::fromUtf8(failure.what());
    }
    task.engine.reset();
    QMetaObject::invokeMethod(this, [this, tuning, fault] { finish(tuning, fault); });
  });
}

std::shared_ptr<const Tuning> Tuner::measure(const Task& task) {
  SegmenterOptions options;
  options.read.precision = task.precision.toStdString();
  options.read.device = task.device.toStdString();
  options.confidence = false;
  Segmenter segmenter(task.model.toStdString(), options);
  TuneOptions tune;
  tune.looks = 1;
  tune.close = 10;
  tune.rounds = 9;
  tune.progress = [this](double share) {
    emit progressed(share);
    return !cancelled_;
  };
  return std::make_shared<const Tuning>(tuneSchedules(segmenter, task.frames, tune));
}

void Tuner::cancel() { cancelled_ = true; }

void Tuner::finish(std::shared_ptr<const Tuning> tuning, const QString& fault) {
  running_ = false;
  emit ended(std::move(tuning), fault);
}

}  // namespace mpm::gui
