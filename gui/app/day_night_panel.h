// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>

#include "gui/app/engine_series.h"
#include "gui/plot/histogram_plot.h"
#include "gui/plot/time_plot.h"
#include "monitor/engine/engine.h"

namespace mpm::gui {

/// The paper's night, for any source.
struct NightSettings {
  bool on = false;
  double luminosity = 0.25;  ///< what is left of the light: 0.01 to 1
  double noise = 0.5;        ///< 0: none to 1: strong
};

/// For Engine::setFilter; empty where it is off.
std::function<cv::Mat(const cv::Mat&)> nightFilter(const NightSettings& settings);

/// Tokens over time in front of the light, their distributions, the sentence on day and night, and
/// a night for sources that have none.
class DayNightPanel : public QWidget {
  Q_OBJECT

 public:
  explicit DayNightPanel(QWidget* parent = nullptr);

  void setEngine(std::shared_ptr<monitor::Engine> engine, const QString& record,
                 const QString& name);
  const NightSettings& night() const { return night_; }
  void setNight(const NightSettings& night);
  TimePlot* tokens() const { return tokens_; }
  HistogramPlot* distributions() const { return distributions_; }
  QString sentence() const { return sentence_->text(); }
  void refresh();  ///< sentence and distributions, which follow once a second

 signals:
  void nightChanged(const mpm::gui::NightSettings& night);

 private:
  QWidget* spanButtons();
  QWidget* nightBox();
  void nightMoved();

  std::shared_ptr<monitor::Engine> engine_;
  EngineSeries series_;
  QLabel* sentence_;
  TimePlot* tokens_;
  HistogramPlot* distributions_;
  QCheckBox* nightOn_ = nullptr;
  QSlider *luminosity_ = nullptr, *noise_ = nullptr;
  NightSettings night_;
  QTimer timer_;
};

}  // namespace mpm::gui
