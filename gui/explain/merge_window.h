// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QTimer>
#include <future>
#include <memory>

#include "gui/canvas/class_settings.h"
#include "gui/explain/merge_heat.h"
#include "gui/explain/merge_story.h"
#include "monitor/engine/engine.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSlider;
class QVariantAnimation;

namespace mpm::gui {

class StoryView;

/// Explains merging on a still frame: its patches, each merge with moving pairs, the cost compared
/// with unmerged, and how often each patch merges. The frame is segmented twice for it, alternately
/// with the camera's.
///
/// Keys: arrows go from step to step, Home and End to the first and the last; Escape closes.
class MergeWindow : public QDialog {
  Q_OBJECT

 public:
  /// Both must outlive the window; `heat` may change meanwhile.
  MergeWindow(const MergeHeat& heat, const ClassSettings& classes, QWidget* parent);

  /// Begins with the source's newest frame, as soon as there is one.
  void begin(const std::shared_ptr<monitor::Engine>& engine);

  /// Sets the record's heat of earlier frames of the source, by schedule and grid.
  void setRecorded(std::vector<MergeHeat> recorded);

  const MergeStory* story() const { return story_.get(); }  ///< null: not yet
  int steps() const;
  int step() const { return step_; }
  void goTo(int step);

 private:
  void makeWords();
  void makeControls();
  void layOut();
  void connectControls();
  void connectKeys();
  void lookAround();  ///< several times a second
  void ask(monitor::Engine& engine, const monitor::FrameResult& newest);
  void take();
  void showNothing(const QString& reason);
  void showStep();
  void showMerge(int merge);
  void showPatchWords();
  void showCost();
  void showHeat();
  QString heatWords(const MergeHeat* heat, std::uint32_t frames) const;
  const MergeHeat* recorded() const;  ///< of what is told; null: nothing
  void play();
  void tell(const QString& title, const QString& words);

  const MergeHeat& heat_;
  std::vector<MergeHeat> recorded_;
  const ClassSettings& classes_;
  std::weak_ptr<monitor::Engine> engine_;  // a camera opens once
  std::shared_ptr<monitor::FrameResult> asked_;
  std::future<void> pending_;
  std::shared_ptr<const MergeStory> story_;
  bool wanted_ = false;
  int step_ = 0;

  QLabel *title_, *words_, *place_;
  StoryView* view_;
  QSlider *movement_, *hour_;
  QComboBox* light_;
  QPushButton *back_, *next_, *again_, *other_;
  QVariantAnimation* playing_;
  QTimer around_;
};

}  // namespace mpm::gui
