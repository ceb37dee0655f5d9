// SPDX-License-Identifier: Apache-2.0
// The panels that only show: each knows a session, from which it hears of frames, events and of
// what the others ask for. The window puts them together; a face is a choice of them.
#pragma once

#include <QWidget>
#include <functional>
#include <opencv2/core.hpp>

#include "gui/app/session.h"
#include "mpm/segmenter.h"

namespace mpm::gui {

/// Lies above the views. Its letters grow with the window, which is then read from farther away.
class Strip : public QWidget {
 public:
  explicit Strip(int height);
  /// Sets a height that suits the window's: as designed for 800 pixels, and at most twice that.
  void suit(int windowHeight);

 private:
  int height_;
  double points_;
};

/// Shows the main figures: tokens that merging saves, share that is computed, time saved, label
/// agreement, and nights compared with days. Time and labels come from frames that also ran
/// unmerged, with the current schedule and memory. Each line shows the figure's history.
Strip* newGlanceStrip(Session& session);

/// Shows in words what is there, how live it is, and whether the model knows the scene.
Strip* newHeadline(Session& session);

/// Covers its window and asks for its purpose, with the camera's current frame as each of the three
/// faces would show it.
QWidget* newFirstPage(Session& session, QWidget* window, std::function<void(Face)> chosen);

/// Lies across the view if something has to be done: the model does not know the scene, in Watch,
/// or none could be opened. Once closed by hand it stays closed for this model and source.
QWidget* newBanner(Session& session);

/// Plots how much of the frame each class covers today: a curve in the class's colour for each of
/// the largest in the legend. Classes hidden in the legend are hidden here as well, so that small
/// ones can be seen.
QWidget* newSharesPanel(Session& session);

/// Shows tokens over time on the light, their distributions, the sentence on day and night, and a
/// simulated night for sources that have none.
QWidget* newDayNightPanel(Session& session);

/// Settings of the paper's simulated night, for any source.
struct NightSettings {
  bool on = false;
  double luminosity = 0.25;  ///< what is left of the light: 0.01 to 1
  double noise = 0.5;        ///< 0: none to 1: strong
};
/// Returns the filter for Engine::setFilter; empty if the night is off.
std::function<cv::Mat(const cv::Mat&)> nightFilter(const NightSettings& settings);

/// Shows the frame rate and the parts of a frame's time, large enough to be read across the room.
QWidget* newPerformancePanel(Session& session);

/// Shows which schedule pays on this machine and scene. It is measured on recent frames without a
/// scene memory, alternately with the engine, which goes on meanwhile.
QWidget* newTunePanel(Session& session);
/// Returns options to measure with, as the session runs.
SegmenterOptions tuneOptions(const Live& live);

}  // namespace mpm::gui
