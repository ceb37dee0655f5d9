// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QObject>
#include <QProgressBar>
#include <QPushButton>
#include <QString>
#include <QWidget>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <thread>
#include <vector>

#include "gui/app/live.h"
#include "gui/plot/pareto_plot.h"
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

/// Which schedule pays on this machine and this scene.
class TunePanel : public QWidget {
  Q_OBJECT

 public:
  explicit TunePanel(QWidget* parent = nullptr);

  ParetoPlot* plot() const { return plot_; }
  bool isRunning() const { return tuner_.isRunning(); }
  void keep(const monitor::FrameResult& result);  ///< now and then one, to measure with
  void begin(const Live& live);                   ///< nothing without an engine
  void cancel() { tuner_.cancel(); }
  void clear();  ///< another engine: what was seen and measured no longer holds

 signals:
  void wanted();  ///< somebody pressed the button: begin() is expected
  void scheduleChosen(const QString& blocks);

 private:
  void ended(const std::shared_ptr<const Tuning>& tuning, const QString& fault);

  Tuner tuner_;
  QPushButton* button_;
  QProgressBar* progress_;
  QLabel* told_;
  ParetoPlot* plot_;
  std::deque<cv::Mat> frames_;  // the last ones
  qint64 keptMs_ = 0;
};

}  // namespace mpm::gui
