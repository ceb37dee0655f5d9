// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStackedLayout>
#include <QTabWidget>
#include <QWidget>
#include <vector>

#include "gui/canvas/class_settings.h"
#include "gui/canvas/frame_view.h"
#include "gui/canvas/split_view.h"
#include "gui/canvas/view_state.h"

namespace mpm::gui {

/// How the views stand in the window.
enum class DeckLayout {
  grid,  ///< four at once
  pair,  ///< two beside each other
  tabs,  ///< one, the others behind it
  split  ///< camera and another on one picture, with a line between them
};
constexpr int kDeckLayouts = 4;

/// The views of the newest frame: linked, so that zoom, pan and what is looked at are the same in
/// all of them.
class ViewDeck : public QWidget {
  Q_OBJECT

 public:
  explicit ViewDeck(ClassSettings* classes, QWidget* parent = nullptr);

  void setLayoutKind(DeckLayout layout);
  DeckLayout layoutKind() const { return layout_; }
  /// In tabs: goes there. Else the first view that can be chosen shows it.
  void showKind(ViewKind kind);
  ViewKind kind() const { return chosen_; }

  void setResult(const monitor::FrameResultPtr& result);
  void setStale(qint64 ageMs, const QString& reason);
  void setLive();
  void setEmptyText(const QString& text);

  void setStage(int stage);  ///< 0: behind all merges
  void setOpacity(double opacity);
  void setOutlines(bool outlines);
  void setZones(const std::vector<monitor::Zone>& zones);
  void setZoneEditing(bool editing);
  void fit() { state_.fit(); }

  /// The view that is chosen, at the picture's own resolution; null without a picture.
  QImage exported();

 signals:
  void inspected(const mpm::gui::Inspection& inspection);
  void inspectionEnded();
  void zonesChanged(const std::vector<mpm::monitor::Zone>& zones);
  void kindChanged(mpm::gui::ViewKind kind);

 private:
  std::vector<PictureView*> shown() const;  ///< in the layout that is seen
  template <typename Act>
  void forEachFrameView(Act act);
  template <typename Change>
  void changeSplit(Change change);
  void setSplitKinds();
  FrameView* add(ViewKind kind);
  void passResult();

  ViewState state_;
  ClassSettings* classes_;
  DeckLayout layout_ = DeckLayout::grid;
  ViewKind chosen_ = ViewKind::mergeMap;
  monitor::FrameResultPtr result_;
  QStackedLayout* stack_;
  QTabWidget* tabs_;
  std::vector<FrameView*> grid_, pair_, tabViews_;
  SplitView* split_;
};

}  // namespace mpm::gui
