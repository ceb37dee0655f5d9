// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <thread>
#include <vector>

#include "monitor/engine/engine.h"
#include "mpm/tune.h"

namespace mpm::gui {

/// Measures schedules on frames that were seen, while the engine holds still: what runs beside a
/// measurement is measured too.
class Tuner : public QObject {
  Q_OBJECT

 public:
  explicit Tuner(QObject* parent = nullptr);
  ~Tuner() override;

  struct Task {
    std::shared_ptr<monitor::Engine> engine;
    QString model, precision, device;
    std::vector<cv::Mat> frames;
  };
  void begin(Task task);
  void cancel();
  bool isRunning() const { return running_; }

 signals:
  void progressed(double share);
  void ended(std::shared_ptr<const Tuning> tuning, const QString& fault);  ///< null: cancelled, or
                                                                           ///< why not

 private:
  std::shared_ptr<const Tuning> measure(const Task& task);
  void finish(std::shared_ptr<const Tuning> tuning, const QString& fault);

  std::atomic<bool> cancelled_{false};
  bool running_ = false;
  std::thread thread_;
};

}  // namespace mpm::gui
