// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>

#include "gui/app/engine_series.h"
#include "gui/canvas/class_settings.h"
#include "gui/plot/time_plot.h"
#include "monitor/statistics/comparison.h"

namespace mpm::gui {

/// Shows how much of the picture each class covers, over today: a curve for each of the largest
/// that the legend shows, in the class's colour. What is hidden in the legend is hidden here, too,
/// so that small ones can be seen.
class SharesPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SharesPanel(ClassSettings* classes, QWidget* parent = nullptr);

  ~SharesPanel() override;

  /// As DayNightPanel::setEngine.
  void setEngine(std::shared_ptr<monitor::Engine> engine, const QString& record,
                 const QString& source, const monitor::PastRun& run, std::size_t index = 0);
  void setComing(bool coming) { plot_->setComing(coming); }
  TimePlot* plot() const { return plot_; }

 private:
  class Percent;
  void choose();
  void followTime();

  ClassSettings* classes_;
  TimePlot* plot_;
  EngineSeries series_;
  std::unique_ptr<Percent> percent_;
  std::shared_ptr<monitor::Engine> engine_;
  std::size_t source_ = 0;
  qint64 span_ = 0;  // that was set here
  QTimer later_;
};

}  // namespace mpm::gui
