// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gui/canvas/class_settings.h"
#include "gui/canvas/frame_view.h"
#include "gui/canvas/view_state.h"

namespace mpm::gui {

/// How the views stand in the window.
enum class DeckLayout {
  grid,   ///< four at once
  pair,   ///< two beside each other, or one above the other
  tabs,   ///< one, the others behind it
  split,  ///< camera and another on one picture, with a line between them
  named   ///< the labels alone, with names on them; no menu offers it
};
constexpr int kDeckLayouts = 4;  // that a menu offers

/// The views of the newest frame: linked, so that zoom, pan and what is looked at are the same in
/// all of them.
class ViewDeck : public QWidget {
  Q_OBJECT

 public:
  explicit ViewDeck(ClassSettings* classes, QWidget* parent = nullptr)
      : QWidget(parent),
        classes_(classes),
        stack_(new QStackedLayout(this)),
        tabs_(new QTabWidget),
        split_(new SplitView) {
    auto* grid = new QWidget;
    auto* gridLayout = new QGridLayout(grid);
    gridLayout->setContentsMargins(0, 0, 0, 0);
    gridLayout->setSpacing(kGap);
    for (const ViewKind kind :
         {ViewKind::camera, ViewKind::segmentation, ViewKind::mergeMap, ViewKind::confidence}) {
      grid_.push_back(add(kind));
      const int place = static_cast<int>(grid_.size()) - 1;
      gridLayout->addWidget(grid_.back(), place / 2, place % 2);
    }
    auto* pair = new QWidget;
    pairLayout_ = new QBoxLayout(QBoxLayout::LeftToRight, pair);
    pairLayout_->setContentsMargins(0, 0, 0, 0);
    pairLayout_->setSpacing(kGap);
    for (const ViewKind kind : {ViewKind::segmentation, ViewKind::mergeMap}) {
      pair_.push_back(add(kind));
      pairLayout_->addWidget(pair_.back());
    }
    for (int kind = 0; kind < kViewKinds; ++kind) {
      tabViews_.push_back(add(static_cast<ViewKind>(kind)));
      tabs_->addTab(tabViews_.back(), titleOf(static_cast<ViewKind>(kind)));
    }
    tabs_->setDocumentMode(true);
    tabs_->setAccessibleName(tr("Views"));
    link(split_);
    connect(tabs_, &QTabWidget::currentChanged, this, [this](int tab) {
      chosen_ = static_cast<ViewKind>(tab);
      showInSplit();
      passResult();
      emit kindChanged(chosen_);
    });
    named_ = add(ViewKind::segmentation);
    named_->setTitled(false);
    named_->setNamed(true);
    for (QWidget* page : {grid, pair, static_cast<QWidget*>(tabs_), static_cast<QWidget*>(split_),
                          static_cast<QWidget*>(named_)}) {
      stack_->addWidget(page);
    }
    showKind(ViewKind::mergeMap);
  }

  /// A split line ends drawing zones, for which it has no room.
  void setLayoutKind(DeckLayout layout) {
    layout_ = layout;
    const bool leaves = drawsZones_ && layout == DeckLayout::split;
    if (leaves) setZoneEditing(false);
    showLayout();
    if (leaves) emit zoneEditingLeft();
  }

  /// That was chosen: while zones are drawn, tabs stand in place of a split line.
  DeckLayout layoutKind() const { return layout_; }
  /// In tabs: goes there. Else the first view that can be chosen shows it.
  void showKind(ViewKind kind) {
    const bool other = kind != chosen_;
    chosen_ = kind;
    {
      const QSignalBlocker quiet(tabs_);
      tabs_->setCurrentIndex(static_cast<int>(kind));
    }
    grid_[2]->setKind(kind);
    pair_[1]->setKind(kind);
    showInSplit();
    passResult();
    if (other) emit kindChanged(kind);
  }

  ViewKind kind() const { return chosen_; }

  /// As high as the layout that is seen needs: two views have less than four.
  QSize minimumSizeHint() const override {
    return {QWidget::minimumSizeHint().width(),
            stack_->widget(roomFor_)->minimumSizeHint().height()};
  }

  void setResult(const monitor::FrameResultPtr& result) {
    result_ = result;
    if (!result_ || result_->full) compared_ = result_;
    if (compared_ && !computedAlike(*result_, *compared_)) compared_.reset();
    turnPair();
    passResult();
  }

  void setStale(qint64 ageMs, const QString& reason) {
    for (PictureView* view : shown()) view->setStale(ageMs, reason);
  }

  void setLive() {
    for (PictureView* view : all_) view->setLive();
  }

  void setEmptyText(const QString& text) {
    for (PictureView* view : all_) view->setEmptyText(text);
  }

  /// 0: behind all merges
  void setStage(int stage) {
    for (PictureView* view : all_) view->setStage(stage);
  }

  void setOpacity(double opacity) {
    for (PictureView* view : all_) view->setOpacity(opacity);
  }

  void setOutlines(bool outlines) {
    for (PictureView* view : all_) view->setOutlines(outlines);
  }

  void setZones(const std::vector<monitor::Zone>& zones) {
    for (PictureView* view : all_) view->setZones(zones);
  }

  void setLitZones(const std::vector<std::string>& names) {
    for (PictureView* view : all_) view->setLitZones(names);
  }

  void setZoneEditing(bool editing) {
    drawsZones_ = editing;
    for (FrameView* view : frames_) view->setZoneEditing(editing);
    showLayout();
  }

  /// Of another source: whether a zone was begun, which is gone now.
  bool forgetDraft() {
    bool begun = false;
    for (FrameView* view : frames_) begun = view->forgetDraft() || begun;
    return begun;
  }

  /// Lets the token go that was clicked; false: none was.
  bool letGo() {
    const bool pinned = state_.pinned().has_value();
    state_.setPinned(std::nullopt);
    return pinned;
  }

  /// Views say so.
  void setPaused(bool paused) {
    for (PictureView* view : all_) view->setPaused(paused);
  }

  /// What each view shows that can be chosen one by one: the four, then the two.
  std::vector<ViewKind> kinds() const {
    std::vector<ViewKind> kinds;
    for (const auto* views : {&grid_, &pair_})
      for (const FrameView* view : *views) kinds.push_back(view->kind());
    return kinds;
  }
  /// As kinds() gave them; nothing where they are not as many.
  void setKinds(const std::vector<ViewKind>& kinds) {
    if (kinds.size() != grid_.size() + pair_.size()) return;
    auto kind = kinds.begin();
    for (const auto* views : {&grid_, &pair_})
      for (FrameView* view : *views) view->setKind(*kind++);
    passResult();
  }

  void fit() { state_.fit(); }
  void takeFocus() { shown().front()->setFocus(); }

  /// The view that is chosen, at the picture's own resolution; null without a picture.
  QImage exported() {
    PictureView* view = shown().front();
    for (PictureView* candidate : shown()) {
      const auto* frameView = qobject_cast<FrameView*>(candidate);
      if (frameView != nullptr && frameView->kind() == chosen_) view = candidate;
    }
    return view->exported();
  }

 signals:
  void inspected(const mpm::gui::Inspection& inspection);
  void inspectionEnded();
  void zonesChanged(const std::vector<mpm::monitor::Zone>& zones);
  void draftDropped();     ///< a zone that was begun, with too few corners to be one
  void zoneEditingLeft();  ///< by Escape
  void kindChanged(mpm::gui::ViewKind kind);

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QWidget::resizeEvent(event);
    turnPair();
  }

 private:
  static constexpr int kGap = 4;
  DeckLayout shownLayout() const {
    return drawsZones_ && layout_ == DeckLayout::split ? DeckLayout::tabs : layout_;
  }

  // What is chosen, beside the camera.
  void showInSplit() {
    const bool isCamera = chosen_ == ViewKind::camera;
    split_->setKinds(isCamera ? ViewKind::segmentation : ViewKind::camera, chosen_);
  }

  void showLayout() {
    stack_->setCurrentIndex(static_cast<int>(shownLayout()));
    roomFor_ = stack_->currentIndex();
    updateGeometry();
    passResult();
  }

  // In the layout that is seen.
  std::vector<PictureView*> shown() const {
    switch (shownLayout()) {
      case DeckLayout::grid:
        return {grid_.begin(), grid_.end()};
      case DeckLayout::pair:
        return {pair_.begin(), pair_.end()};
      case DeckLayout::tabs:
        return {tabViews_[static_cast<std::size_t>(tabs_->currentIndex())]};
      case DeckLayout::named:
        return {named_};
      case DeckLayout::split:
        break;
    }
    return {split_};
  }

  FrameView* add(ViewKind kind) {
    auto* view = new FrameView(kind);
    frames_.push_back(view);
    link(view);
    connect(view, &FrameView::zonesChanged, this, &ViewDeck::zonesChanged);
    connect(view, &FrameView::draftDropped, this, &ViewDeck::draftDropped);
    connect(view, &FrameView::zoneEditingLeft, this, [this] {
      setZoneEditing(false);
      emit zoneEditingLeft();
    });
    connect(view, &PictureView::titleClicked, this,
            [this, view](QPoint place) { offerKinds(*view, place); });
    return view;
  }

  // What else a view can show, below its title.
  void offerKinds(FrameView& view, QPoint place) {
    QMenu menu;
    for (int i = 0; i < kViewKinds; ++i) {
      const auto kind = static_cast<ViewKind>(i);
      QAction* action = menu.addAction(titleOf(kind));
      action->setCheckable(true);
      action->setChecked(kind == view.kind());
    }
    const QAction* chosen = menu.exec(place);
    if (chosen == nullptr) return;
    const auto kind = static_cast<ViewKind>(menu.actions().indexOf(chosen));
    if (&view == grid_[2] || &view == pair_[1] || shownLayout() == DeckLayout::tabs)
      return showKind(kind);
    view.setKind(kind);
    passResult();
  }

  // Beside each other or one above the other, whichever makes the pictures larger.
  void turnPair() {
    if (!result_ || result_->frame.picture.empty()) return;
    const double aspect = static_cast<double>(result_->frame.picture.cols) /
                          static_cast<double>(result_->frame.picture.rows);
    const auto heightIn = [&](double width, double height) {
      return std::min(height, width / aspect);
    };
    const bool beside = heightIn(width() / 2.0, height()) >= heightIn(width(), height() / 2.0);
    pairLayout_->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  }

  void link(PictureView* view) {
    all_.push_back(view);
    view->setViewState(&state_);
    view->setClasses(classes_);
    connect(view, &PictureView::inspected, this, &ViewDeck::inspected);
    connect(view, &PictureView::inspectionEnded, this, &ViewDeck::inspectionEnded);
  }

  // Views that nobody sees have none: each would keep a frame, of megabytes, for as long as it
  // stays hidden. One that is seen again knows the newest comparison.
  void passResult() {
    const std::vector<PictureView*> seen = shown();
    for (PictureView* view : all_) {
      const bool isSeen = std::find(seen.begin(), seen.end(), view) != seen.end();
      if (isSeen && !view->result()) view->setResult(compared_);
      view->setResult(isSeen ? result_ : nullptr);
    }
  }

  ViewState state_;
  ClassSettings* classes_;
  DeckLayout layout_ = DeckLayout::grid;
  bool drawsZones_ = false;
  ViewKind chosen_ = ViewKind::mergeMap;
  monitor::FrameResultPtr result_, compared_;  // compared_: the newest with full tokens, alike
  QStackedLayout* stack_;
  int roomFor_ = 0;  // what is seen of it, once panels can give it room: Qt lays out while it turns
  QBoxLayout* pairLayout_ = nullptr;
  QTabWidget* tabs_;
  std::vector<FrameView*> grid_, pair_, tabViews_;
  FrameView* named_;
  SplitView* split_;
  std::vector<FrameView*> frames_;  // all but split_
  std::vector<PictureView*> all_;
};

}  // namespace mpm::gui
