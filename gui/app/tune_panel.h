// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <atomic>
#include <deque>
#include <memory>
#include <opencv2/core.hpp>
#include <thread>
#include <vector>

#include "gui/app/live.h"
#include "gui/plot/pareto_plot.h"
#include "monitor/engine/engine.h"
#include "mpm/tune.h"

namespace mpm::gui {

/// Which schedule pays on this machine and this scene: measured on frames that were seen, while the
/// engine holds still, since what runs beside a measurement is measured too.
class TunePanel : public QWidget {
  Q_OBJECT

 public:
  explicit TunePanel(QWidget* parent = nullptr);
  ~TunePanel() override;

  bool isRunning() const { return running_; }
  void keep(const monitor::FrameResult& result);  ///< now and then one, to measure with
  void begin(const Live& live);                   ///< nothing without an engine
  void cancel() { cancelled_ = true; }
  void clear();  ///< another engine: what was seen and measured no longer holds

 signals:
  void wanted();  ///< somebody pressed the button: begin() is expected
  void scheduleChosen(const QString& blocks);

 private:
  struct Task {
    std::shared_ptr<monitor::Engine> engine;
    QString model, precision, device;
    std::vector<cv::Mat> frames;
  };
  void measure(Task task);
  Tuning tuned(const Task& task);
  void ended(const std::shared_ptr<const Tuning>& tuning, const QString& fault);
  void showTuning(const Tuning& tuning);

  QPushButton* button_;
  QProgressBar* progress_;
  QLabel* told_;
  ParetoPlot* plot_;
  std::deque<cv::Mat> frames_;  // the last ones
  qint64 keptMs_ = 0;
  std::atomic<bool> cancelled_{false};
  bool running_ = false;
  std::thread thread_;
};

}  // namespace mpm::gui
