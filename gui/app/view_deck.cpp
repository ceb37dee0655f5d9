// SPDX-License-Identifier: Apache-2.0
#include "gui/app/view_deck.h"

#include <QAction>
#include <QBoxLayout>
#include <QGridLayout>
#include <QMenu>
#include <QMetaObject>
#include <QStackedLayout>
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "gui/canvas/frame_view.h"

namespace mpm::gui {

ViewDeck::ViewDeck(Session& session)
    : session_(session), stack_(new QStackedLayout(this)), split_(new SplitView) {
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
  link(split_);
  named_ = add(ViewKind::segmentation);
  named_->setTitled(false);
  named_->setNamed(true);
  for (QWidget* page : {grid, pair, static_cast<QWidget*>(split_), static_cast<QWidget*>(named_)})
    stack_->addWidget(page);
  showKind(ViewKind::mergeMap);
  follow();
}

void ViewDeck::setLayoutKind(DeckLayout layout) {
  layout_ = layout;
  const bool leaves = drawsZones_ && layout == DeckLayout::split;
  if (leaves) setZoneEditing(false);
  showLayout();
  if (leaves) emit zoneEditingLeft();
}

void ViewDeck::showKind(ViewKind kind) {
  const bool other = kind != chosen_;
  chosen_ = kind;
  grid_[2]->setKind(kind);
  pair_[1]->setKind(kind);
  // The camera's view is its partner.
  split_->setKinds(kind == ViewKind::camera ? ViewKind::segmentation : ViewKind::camera, kind);
  passResult();
  if (other) emit kindChanged(kind);
}

QSize ViewDeck::minimumSizeHint() const {
  return {QWidget::minimumSizeHint().width(), stack_->widget(roomFor_)->minimumSizeHint().height()};
}

void ViewDeck::setResult(const monitor::FrameResultPtr& result) {
  result_ = result;
  if (!result_ || result_->full) compared_ = result_;
  if (compared_ && !computedAlike(*result_, *compared_)) compared_.reset();
  turnPair();
  passResult();
}

void ViewDeck::setEmptyText(const QString& text) {
  for (PictureView* view : all_) view->setEmptyText(text);
}

void ViewDeck::setStage(int stage) {
  for (PictureView* view : all_) view->setStage(stage);
}

void ViewDeck::setOpacity(double opacity) {
  for (PictureView* view : all_) view->setOpacity(opacity);
}

void ViewDeck::setOutlines(bool outlines) {
  for (PictureView* view : all_) view->setOutlines(outlines);
}

void ViewDeck::setZoneEditing(bool editing) {
  drawsZones_ = editing;
  for (FrameView* view : frames_) view->setZoneEditing(editing);
  showLayout();
}

bool ViewDeck::letGo() {
  const bool pinned = state_.pinned().has_value();
  state_.setPinned(std::nullopt);
  return pinned;
}

std::vector<ViewKind> ViewDeck::kinds() const {
  std::vector<ViewKind> kinds;
  for (const auto* views : {&grid_, &pair_})
    for (const FrameView* view : *views) kinds.push_back(view->kind());
  return kinds;
}

void ViewDeck::setKinds(const std::vector<ViewKind>& kinds) {
  if (kinds.size() != grid_.size() + pair_.size()) return;
  auto kind = kinds.begin();
  for (const auto* views : {&grid_, &pair_})
    for (FrameView* view : *views) view->setKind(*kind++);
  passResult();
}

QImage ViewDeck::exported() {
  PictureView* view = shown().front();
  for (PictureView* candidate : shown()) {
    const auto* frameView = qobject_cast<FrameView*>(candidate);
    if (frameView != nullptr && frameView->kind() == chosen_) view = candidate;
  }
  return view->exported();
}

void ViewDeck::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  turnPair();
}

DeckLayout ViewDeck::shownLayout() const {
  return drawsZones_ && layout_ == DeckLayout::split ? DeckLayout::pair : layout_;
}

void ViewDeck::follow() {
  connect(&session_, &Session::shownChanged, this, [this] {
    keepPicture();
    dropDraft();
  });
  connect(&session_, &Session::ended, this, [this](const QString& why) {
    setResult(nullptr);
    setEmptyText(why);
  });
  connect(&session_, &Session::frameShown, this, [this](const monitor::FrameResultPtr& newest) {
    for (PictureView* view : all_) view->setLive();
    setResult(newest);
  });
  connect(&session_, &Session::zonesSet, this, [this](const std::vector<monitor::Zone>& zones) {
    for (PictureView* view : all_) view->setZones(zones);
  });
  connect(&session_, &Session::pausedChanged, this, [this](bool paused) {
    for (PictureView* view : all_) view->setPaused(paused);
  });
  connect(&session_, &Session::looked, this, &ViewDeck::showHowItStands);
}

void ViewDeck::showHowItStands(const Liveness& stands) {
  if (const auto engine = session_.live().engine()) {
    const auto lit = litZones(*engine, session_.live().book(session_.live().shown()));
    for (PictureView* view : all_) view->setLitZones(lit);
  }
  if (!stands.hasPicture) setEmptyText(stands.instead());
  const auto oldMs = stands.hasPicture ? stands.oldMs : Liveness::between(result_, false).oldMs;
  if (!oldMs) {
    for (PictureView* view : all_) view->setLive();
    return;
  }
  for (PictureView* view : shown()) view->setStale(*oldMs, stands.why());
}

// A source that continues with another engine keeps its frame until that has a result, without
// labels if their classes differ.
void ViewDeck::keepPicture() {
  const auto engine = session_.live().engine();
  const auto classes = std::exchange(classes_, engine->classes());
  if (!result_ || session_.shownSource() != drawnOn_) return setResult(nullptr);
  if (classes == classes_) return;
  auto bare = std::make_shared<monitor::FrameResult>();
  bare->frame = result_->frame;
  bare->readyMs = result_->readyMs;
  compared_.reset();
  setResult(bare);
}

// A zone begun on another source's view does not belong here.
void ViewDeck::dropDraft() {
  const QString now = session_.shownSource();
  if (std::exchange(drawnOn_, now) == now) return;
  bool begun = false;
  for (FrameView* view : frames_) begun = view->forgetDraft() || begun;
  if (!begun) return;
  QMetaObject::invokeMethod(  // behind what the other source has to say
      this,
      [this] {
        emit session_.said(
            tr("The unfinished zone was discarded, because another source was opened."), true);
      },
      Qt::QueuedConnection);
}

void ViewDeck::takeFocus() { shown().front()->setFocus(); }

void ViewDeck::showLayout() {
  stack_->setCurrentIndex(static_cast<int>(shownLayout()));
  roomFor_ = stack_->currentIndex();
  updateGeometry();
  passResult();
}

// Returns the views of the visible layout.
std::vector<PictureView*> ViewDeck::shown() const {
  switch (shownLayout()) {
    case DeckLayout::grid:
      return {grid_.begin(), grid_.end()};
    case DeckLayout::pair:
      return {pair_.begin(), pair_.end()};
    case DeckLayout::named:
      return {named_};
    case DeckLayout::split:
      break;
  }
  return {split_};
}

FrameView* ViewDeck::add(ViewKind kind) {
  auto* view = new FrameView(kind);
  frames_.push_back(view);
  link(view);
  connect(view, &FrameView::zonesChanged, &session_, &Session::changeZones);
  connect(view, &FrameView::draftDropped, this, [this] {
    emit session_.said(tr("The unfinished zone was discarded: it had fewer than three corners."),
                       true);
  });
  connect(view, &FrameView::zoneEditingLeft, this, [this] {
    setZoneEditing(false);
    emit zoneEditingLeft();
  });
  connect(view, &PictureView::titleClicked, this,
          [this, view](QPoint place) { offerKinds(*view, place); });
  return view;
}

// Offers the other kinds of a view, below its title.
void ViewDeck::offerKinds(FrameView& view, QPoint place) {
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
  if (&view == grid_[2] || &view == pair_[1]) return showKind(kind);
  view.setKind(kind);
  passResult();
}

// Places the pair side by side or above each other, whichever makes them larger.
void ViewDeck::turnPair() {
  if (!result_ || result_->frame.picture.empty()) return;
  const double aspect = static_cast<double>(result_->frame.picture.cols) /
                        static_cast<double>(result_->frame.picture.rows);
  const auto heightIn = [&](double width, double height) {
    return std::min(height, width / aspect);
  };
  const bool beside = heightIn(width() / 2.0, height()) >= heightIn(width(), height() / 2.0);
  pairLayout_->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void ViewDeck::link(PictureView* view) {
  all_.push_back(view);
  view->setViewState(&state_);
  view->setClasses(&session_.classes());
  connect(view, &PictureView::inspected, this, &ViewDeck::inspected);
  connect(view, &PictureView::inspectionEnded, this, &ViewDeck::inspectionEnded);
}

// Hidden views get no result: each would keep a frame, of megabytes, while hidden. A view that
// appears again gets the newest comparison.
void ViewDeck::passResult() {
  const std::vector<PictureView*> seen = shown();
  for (PictureView* view : all_) {
    const bool isSeen = std::find(seen.begin(), seen.end(), view) != seen.end();
    if (isSeen && !view->result()) view->setResult(compared_);
    view->setResult(isSeen ? result_ : nullptr);
  }
}

}  // namespace mpm::gui
