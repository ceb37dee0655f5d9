// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QString>
#include <QWidget>
#include <string>
#include <vector>

#include "gui/app/session.h"
#include "gui/app/settings.h"
#include "gui/canvas/inspection.h"
#include "gui/canvas/painting.h"
#include "gui/canvas/view_state.h"
#include "monitor/engine/frame_result.h"

class QBoxLayout;
class QStackedLayout;

namespace mpm::gui {

class FrameView;
class PictureView;
class SplitView;

/// Shows the newest frame in linked views with the same zoom, pan and inspected token.
class ViewDeck : public QWidget {
  Q_OBJECT

 public:
  explicit ViewDeck(Session& session);

  /// Sets the layout; a split line ends drawing zones, for which it has no room.
  void setLayoutKind(DeckLayout layout);

  /// Returns the chosen layout: while zones are drawn, two views replace a split line.
  DeckLayout layoutKind() const { return layout_; }
  /// Shows it in the third of four views, in the second of two, and right of the line.
  void showKind(ViewKind kind);

  ViewKind kind() const { return chosen_; }

  /// Returns the visible layout's minimum: two views need less height than four.
  QSize minimumSizeHint() const override;

  void setResult(const monitor::FrameResultPtr& result);
  void setEmptyText(const QString& text);
  void setStage(int stage);  ///< 0: behind all merges
  void setOpacity(double opacity);
  void setOutlines(bool outlines);
  void setZoneEditing(bool editing);

  /// Releases the pinned token; returns false if there is none.
  bool letGo();

  /// Returns the kinds of the views that can be chosen: the four, then the two.
  std::vector<ViewKind> kinds() const;
  /// Restores what kinds() returned; does nothing if the count differs.
  void setKinds(const std::vector<ViewKind>& kinds);

  void fit() { state_.fit(); }
  void takeFocus();

  /// Returns the chosen view at the frame's resolution; null without a frame.
  QImage exported();

 signals:
  void inspected(const mpm::gui::Inspection& inspection);
  void inspectionEnded();
  void zoneEditingLeft();  ///< by Escape
  void kindChanged(mpm::gui::ViewKind kind);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  static constexpr int kGap = 4;
  DeckLayout shownLayout() const;
  void follow();
  void showHowItStands(const Liveness& stands);
  void keepPicture();
  void dropDraft();
  void showLayout();
  std::vector<PictureView*> shown() const;
  FrameView* add(ViewKind kind);
  void offerKinds(FrameView& view, QPoint place);
  void turnPair();
  void link(PictureView* view);
  void passResult();

  ViewState state_;
  Session& session_;
  QString drawnOn_;                   // the source's address
  std::vector<std::string> classes_;  // of its engine
  DeckLayout layout_ = DeckLayout::grid;
  bool drawsZones_ = false;
  ViewKind chosen_ = ViewKind::mergeMap;
  monitor::FrameResultPtr result_, compared_;  // compared_: the newest with unmerged labels, alike
  QStackedLayout* stack_;
  int roomFor_ = 0;  // what is seen of it, once panels can give it room: Qt lays out while it turns
  QBoxLayout* pairLayout_ = nullptr;
  std::vector<FrameView*> grid_, pair_;
  FrameView* named_;
  SplitView* split_;
  std::vector<FrameView*> frames_;  // all but split_
  std::vector<PictureView*> all_;
};

}  // namespace mpm::gui
