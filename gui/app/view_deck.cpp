// SPDX-License-Identifier: Apache-2.0
#include "gui/app/view_deck.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <algorithm>

namespace mpm::gui {
namespace {

constexpr int kGap = 4;

}  // namespace

ViewDeck::ViewDeck(ClassSettings* classes, QWidget* parent)
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
  auto* pairLayout = new QHBoxLayout(pair);
  pairLayout->setContentsMargins(0, 0, 0, 0);
  pairLayout->setSpacing(kGap);
  for (const ViewKind kind : {ViewKind::segmentation, ViewKind::mergeMap}) {
    pair_.push_back(add(kind));
    pairLayout->addWidget(pair_.back());
  }
  for (int kind = 0; kind < kViewKinds; ++kind) {
    tabViews_.push_back(add(static_cast<ViewKind>(kind)));
    tabs_->addTab(tabViews_.back(), titleOf(static_cast<ViewKind>(kind)));
  }
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Views"));
  split_->setViewState(&state_);
  split_->setClasses(classes_);
  connect(split_, &PictureView::inspected, this, &ViewDeck::inspected);
  connect(split_, &PictureView::inspectionEnded, this, &ViewDeck::inspectionEnded);
  connect(tabs_, &QTabWidget::currentChanged, this, [this](int tab) {
    chosen_ = static_cast<ViewKind>(tab);
    passResult();
    emit kindChanged(chosen_);
  });
  for (QWidget* page : {grid, pair, static_cast<QWidget*>(tabs_), static_cast<QWidget*>(split_)}) {
    stack_->addWidget(page);
  }
  showKind(ViewKind::mergeMap);
}

FrameView* ViewDeck::add(ViewKind kind) {
  auto* view = new FrameView(kind);
  view->setViewState(&state_);
  view->setClasses(classes_);
  connect(view, &PictureView::inspected, this, &ViewDeck::inspected);
  connect(view, &PictureView::inspectionEnded, this, &ViewDeck::inspectionEnded);
  connect(view, &FrameView::zonesChanged, this, &ViewDeck::zonesChanged);
  return view;
}

template <typename Act>
void ViewDeck::forEachFrameView(Act act) {
  for (const auto* views : {&grid_, &pair_, &tabViews_}) {
    for (FrameView* view : *views) act(*view);
  }
}

std::vector<PictureView*> ViewDeck::shown() const {
  switch (layout_) {
    case DeckLayout::grid:
      return {grid_.begin(), grid_.end()};
    case DeckLayout::pair:
      return {pair_.begin(), pair_.end()};
    case DeckLayout::tabs:
      return {tabViews_[static_cast<std::size_t>(tabs_->currentIndex())]};
    case DeckLayout::split:
      break;
  }
  return {split_};
}

void ViewDeck::setLayoutKind(DeckLayout layout) {
  layout_ = layout;
  stack_->setCurrentIndex(static_cast<int>(layout));
  passResult();
}

void ViewDeck::showKind(ViewKind kind) {
  const bool other = kind != chosen_;
  chosen_ = kind;
  {
    const QSignalBlocker quiet(tabs_);
    tabs_->setCurrentIndex(static_cast<int>(kind));
  }
  grid_[2]->setKind(kind);
  pair_[1]->setKind(kind);
  setSplitKinds();
  passResult();
  if (other) emit kindChanged(kind);
}

template <typename Change>
void ViewDeck::changeSplit(Change change) {
  Painting left = split_->left(), right = split_->right();
  change(left);
  change(right);
  split_->setLeft(left);
  split_->setRight(right);
}

void ViewDeck::setSplitKinds() {
  Painting left = split_->left(), right = split_->right();
  left.kind = chosen_ == ViewKind::camera ? ViewKind::segmentation : ViewKind::camera;
  right.kind = chosen_;
  split_->setLeft(left);
  split_->setRight(right);
}

void ViewDeck::passResult() {
  if (!result_) return;
  for (PictureView* view : shown()) view->setResult(result_);
}

void ViewDeck::setResult(const monitor::FrameResultPtr& result) {
  result_ = result;
  if (result_) {
    passResult();
    return;
  }
  forEachFrameView([](FrameView& view) { view.setResult(nullptr); });
  split_->setResult(nullptr);
}

void ViewDeck::setStale(qint64 ageMs, const QString& reason) {
  for (PictureView* view : shown()) view->setStale(ageMs, reason);
}

void ViewDeck::setLive() {
  forEachFrameView([](FrameView& view) { view.setLive(); });
  split_->setLive();
}

void ViewDeck::setEmptyText(const QString& text) {
  forEachFrameView([&](FrameView& view) { view.setEmptyText(text); });
  split_->setEmptyText(text);
}

void ViewDeck::setStage(int stage) {
  forEachFrameView([&](FrameView& view) { view.setStage(stage); });
  changeSplit([&](Painting& painting) { painting.stage = stage; });
}

void ViewDeck::setOpacity(double opacity) {
  forEachFrameView([&](FrameView& view) { view.setOpacity(opacity); });
  changeSplit([&](Painting& painting) { painting.opacity = opacity; });
}

void ViewDeck::setOutlines(bool outlines) {
  forEachFrameView([&](FrameView& view) { view.setOutlines(outlines); });
  changeSplit([&](Painting& painting) { painting.outlines = outlines; });
}

void ViewDeck::setZones(const std::vector<monitor::Zone>& zones) {
  forEachFrameView([&](FrameView& view) { view.setZones(zones); });
  split_->setZones(zones);
}

void ViewDeck::setZoneEditing(bool editing) {
  if (editing && layout_ == DeckLayout::split) setLayoutKind(DeckLayout::tabs);
  forEachFrameView([&](FrameView& view) { view.setZoneEditing(editing); });
}

QImage ViewDeck::exported() {
  PictureView* view = shown().front();
  for (PictureView* candidate : shown()) {
    const auto* frameView = qobject_cast<FrameView*>(candidate);
    if (frameView != nullptr && frameView->kind() == chosen_) view = candidate;
  }
  return view->exported();
}

}  // namespace mpm::gui
