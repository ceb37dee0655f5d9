// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QWidget>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "gui/app/report.h"
#include "gui/plot/figure_tile.h"
#include "gui/plot/step_plot.h"
#include "monitor/engine/engine.h"

namespace mpm::gui {

/// How fast it is, and what a frame's time goes to, to be read from across the room.
class PerformancePanel : public QWidget {
  Q_OBJECT

 public:
  explicit PerformancePanel(QWidget* parent = nullptr);

  void begin();  ///< with another engine: what was shown is forgotten

  /// About twice a second. `guiMs`: what the GUI took of the last frame.
  void showFigures(const monitor::Engine& engine, const monitor::FrameResultPtr& newest,
                   double guiMs);
  FigureTile* rate() const { return fps_; }     ///< frames a second that were segmented
  StepPlot* steps() const { return steps_; }    ///< a frame's
  StepPlot* layers() const { return layers_; }  ///< the network's

 private:
  void showRate(const monitor::CaptureStatus& capture);
  void showProcess();
  void showSteps(const Segmentation& found, double guiMs);
  void showLayers(const std::vector<NetworkStep>& steps, const Schedule& schedule);

  FigureTile *fps_, *age_, *rows_, *share_, *drops_, *memory_, *processor_;
  StepPlot *steps_, *layers_;
  std::array<double, 4> smoothed_{};
  bool smoothing_ = false;
  std::vector<NetworkStep> layersMs_;  // smoothed
  Schedule layersSchedule_;            // that they were smoothed with
  struct Taken {
    double seconds = 0;
    std::uint64_t frames = 0;
  };
  std::deque<Taken> taken_;  // from the camera, over the last seconds
  QElapsedTimer clock_, since_;
  ProcessUse before_;
};

}  // namespace mpm::gui
