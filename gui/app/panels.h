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

/// Lies above the pictures. Letters grow with its window, which is read from farther away then.
class Strip : public QWidget {
 public:
  explicit Strip(int height);
  /// As high as suits a window of that height: as it was made in one of 800 pixels, and no higher
  /// than twice that.
  void suit(int windowHeight);

 private:
  int height_;
  double points_;
};

/// The point at a glance: how many tokens merging saves, how much of the picture is computed, how
/// much time that saves, how many labels stay the same, and how nights compare with days. Time and
/// labels are of frames that were segmented with full tokens as well, of the schedule that runs,
/// with a memory or without one as now. Each line shows what its figure says, as it was before.
Strip* newGlanceStrip(Session& session);

/// Three tiles in words: what is there, how live it is, and whether the model knows the place.
Strip* newHeadline(Session& session);

/// Covers its window and asks what that is for, with three pictures of what the camera sees right
/// now, as each face would show it.
QWidget* newFirstPage(Session& session, QWidget* window, std::function<void(Face)> chosen);

/// Lies across the picture where something is to be done: the model does not know the place, in
/// Watch, or none could be opened. Closed by hand it stays closed for this model and source.
QWidget* newBanner(Session& session);

/// How much of the picture each class covers, over today: a curve for each of the largest that the
/// legend shows, in the class's colour. What is hidden in the legend is hidden here, too, so that
/// small ones can be seen.
QWidget* newSharesPanel(Session& session);

/// Tokens over time in front of the light, their distributions, the sentence on day and night, and
/// a night for sources that have none.
QWidget* newDayNightPanel(Session& session);

/// The paper's night, for any source.
struct NightSettings {
  bool on = false;
  double luminosity = 0.25;  ///< what is left of the light: 0.01 to 1
  double noise = 0.5;        ///< 0: none to 1: strong
};
/// For Engine::setFilter; empty where it is off.
std::function<cv::Mat(const cv::Mat&)> nightFilter(const NightSettings& settings);

/// How fast it is, and what a frame's time goes to, to be read from across the room.
QWidget* newPerformancePanel(Session& session);

/// Which schedule pays on this machine and this scene: measured on frames that were seen, without
/// a scene memory, in turn with the engine, whose picture goes on meanwhile.
QWidget* newTunePanel(Session& session);
/// As it measures what runs there.
SegmenterOptions tuneOptions(const Live& live);

}  // namespace mpm::gui
