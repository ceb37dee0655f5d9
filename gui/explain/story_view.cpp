// SPDX-License-Identifier: Apache-2.0
#include "gui/explain/story_view.h"

#include <QImage>
#include <QLineF>
#include <QLocale>
#include <QPainter>
#include <QVector>
#include <algorithm>
#include <cstddef>
#include <utility>

#include "gui/canvas/captions.h"
#include "gui/canvas/inspection.h"
#include "gui/canvas/painting.h"
#include "gui/canvas/pictures.h"
#include "gui/explain/merge_story.h"

namespace mpm::gui {
StoryView::StoryView(QWidget* parent) : QWidget(parent) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(tr("The frozen frame"));
}

void StoryView::setStory(std::shared_ptr<const MergeStory> story, const QString& reason) {
  story_ = std::move(story);
  reason_ = reason;
  base_ = over_ = {};
  collectColours();
  show(Scene::patches);
}

void StoryView::show(Scene scene) {
  scene_ = scene;
  update();
}

void StoryView::showPatches() { show(Scene::patches); }
void StoryView::showDifference() { show(Scene::difference); }

void StoryView::showMerge(std::size_t merge, double progress) {
  merge_ = merge;
  progress_ = std::clamp(progress, 0.0, 1.0);
  show(Scene::merge);
}

void StoryView::showHeat(std::vector<double> shares) {
  shares_ = std::move(shares);
  show(Scene::heat);
}

// Collects the merge map's colours: means over the patches of each token.
void StoryView::collectColours() {
  colours_.clear();
  if (!story_ || story_->grid.empty()) return;
  const monitor::FrameResult& frame = *story_->frame;
  const cv::Mat means =
      placeMeans(frame.frame.picture, story_->grid, gridAreaOf(frame.segmentation));
  for (std::size_t merge = 0; merge < story_->merges.size(); ++merge) {
    colours_.push_back(
        tokenColours(means, *mapBehind(frame.segmentation, static_cast<int>(merge) + 1)));
  }
}

ViewGeometry StoryView::geometry() const {
  return {QSizeF(size()), story_->frame->frame.picture.size(), 1, {0.5, 0.5}};
}

const QPixmap& StoryView::painted(KeptPainting& kept, ViewKind kind, int stage, bool grey) {
  Painting painting;
  painting.kind = kind;
  painting.stage = stage;
  painting.grey = grey;
  painting.gridArea = gridAreaOf(story_->frame->segmentation);
  return kept.of(story_->frame, painting, classes_, geometry(), size(), devicePixelRatioF(),
                 palette().color(QPalette::Window));
}

void StoryView::drawGrid(QPainter& painter) const {
  const ViewGeometry shown = geometry();
  const QRectF area = shown.toView(gridAreaOf(story_->frame->segmentation));
  QVector<QLineF> lines;
  for (int x = 0; x <= story_->grid.width; ++x) {
    const double at = area.x() + area.width() * x / story_->grid.width;
    lines << QLineF(at, area.top(), at, area.bottom());
  }
  for (int y = 0; y <= story_->grid.height; ++y) {
    const double at = area.y() + area.height() * y / story_->grid.height;
    lines << QLineF(area.left(), at, area.right(), at);
  }
  painter.setPen(QPen(QColor(255, 255, 255, 110), 1));
  painter.drawLines(lines);
}

void StoryView::drawPairs(QPainter& painter) const {
  const ViewGeometry shown = geometry();
  const QRectF area = gridAreaOf(story_->frame->segmentation);
  const MergeScene& scene = story_->merges[merge_];
  std::vector<LegendItem> items;
  bool low = false;  // where a legend would cover them
  const auto mark = [&](const std::optional<TokenPair>& pair, LinkKind kind, QRgb colour,
                        const QString& words) {
    if (!pair) return;
    for (const int place : pair->places)
      low = low || 4 * (place / story_->grid.width) >= 3 * story_->grid.height;
    drawLinks(painter, shown, {story_->grid, pair->places.front(), pair->places}, {}, area, kind);
    items.push_back({words.arg(QLocale().toString(pair->similarity, 'f', 3)),
                     LegendItem::Mark::colour, colour});
  };
  mark(scene.mostAlike, LinkKind::pinned, kMostAlikeColour, tr("most alike: %1"));
  mark(scene.leastAlike, LinkKind::hovered, kLeastAlikeColour, tr("least alike: %1"));
  drawLegend(painter, rect(), items, low ? Qt::TopEdge : Qt::BottomEdge,
             shown.toView(QRectF(0, 0, 1, 1)));
}

void StoryView::drawMerge(QPainter& painter) {
  const int stage = static_cast<int>(merge_) + 1;
  const bool isFirst = merge_ == 0;
  MergeMove move{story_->merges[merge_], story_->grid, gridAreaOf(story_->frame->segmentation),
                 colours_[merge_]};
  if (!isFirst) move.from = &colours_[merge_ - 1];
  move.before = painted(base_, isFirst ? ViewKind::camera : ViewKind::mergeMap, stage - 1);
  move.behind = painted(over_, ViewKind::mergeMap, stage);
  drawMove(painter, geometry(), move, progress_);
  drawPairs(painter);
}

void StoryView::drawHeat(QPainter& painter) const {
  const cv::Size grid = story_->grid;
  const ViewGeometry shown = geometry();
  const QRectF picture = shown.toView(QRectF(0, 0, 1, 1));
  if (shares_.size() == static_cast<std::size_t>(grid.area())) {
    QImage cells(grid.width, grid.height, QImage::Format_RGB32);
    for (int place = 0; place < grid.area(); ++place) {
      cells.setPixel(place % grid.width, place / grid.width,
                     colourAt(valueScale(), shares_[static_cast<std::size_t>(place)]));
    }
    painter.save();
    painter.setClipRect(picture);
    painter.setOpacity(0.75);
    painter.drawImage(shown.toView(gridAreaOf(story_->frame->segmentation)), cells);
    painter.restore();
  }
  drawLegend(painter, rect(),
             {{tr("never"), LegendItem::Mark::valueScale, 0, tr("in every frame")}}, Qt::BottomEdge,
             picture);
}

void StoryView::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setFont(captionFont(font(), size()));
  painter.fillRect(rect(), palette().window());
  if (!story_) return drawNotice(painter, rect(), reason_, {});
  if (scene_ == Scene::patches) {
    painter.drawPixmap(0, 0, painted(base_, ViewKind::camera, 0));
    if (!story_->grid.empty()) drawGrid(painter);
  } else if (scene_ == Scene::merge) {
    drawMerge(painter);
  } else if (scene_ == Scene::difference) {
    painter.drawPixmap(0, 0, painted(base_, ViewKind::difference, 0));
    Painting painting;
    painting.kind = ViewKind::difference;
    drawLegend(painter, rect(), legendOf(*story_->frame, painting, story_->same, 0), Qt::BottomEdge,
               geometry().toView(QRectF(0, 0, 1, 1)));
  } else {
    painter.drawPixmap(0, 0, painted(base_, ViewKind::camera, 0, true));
    drawHeat(painter);
  }
}

}  // namespace mpm::gui
