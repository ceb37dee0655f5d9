// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QWidget>
#include <memory>

#include "gui/app/tuner.h"
#include "gui/plot/pareto_plot.h"

namespace mpm::gui {

/// Which schedule pays on this machine and this scene.
class TunePanel : public QWidget {
  Q_OBJECT

 public:
  explicit TunePanel(QWidget* parent = nullptr);

  ParetoPlot* plot() const { return plot_; }
  bool isRunning() const { return tuner_.isRunning(); }
  void begin(Tuner::Task task);
  void cancel() { tuner_.cancel(); }
  void clear();  ///< another model: what was measured no longer holds

 signals:
  void wanted();  ///< somebody pressed the button: begin() is expected, with frames
  void scheduleChosen(const QString& blocks);

 private:
  void ended(const std::shared_ptr<const Tuning>& tuning, const QString& fault);

  Tuner tuner_;
  QPushButton* button_;
  QProgressBar* progress_;
  QLabel* told_;
  ParetoPlot* plot_;
};

}  // namespace mpm::gui
