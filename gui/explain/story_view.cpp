// SPDX-License-Identifier: Apache-2.0
#include "gui/explain/story_view.h"

#include <QtWidgets>
#include <algorithm>
#include <cstddef>
#include <utility>

#include "gui/canvas/base_picture.h"
#include "gui/canvas/captions.h"
#include "gui/canvas/colour_scale.h"
#include "gui/canvas/frame_painter.h"
#include "gui/canvas/picture_marks.h"
#include "gui/canvas/token_groups.h"

namespace mpm::gui {
namespace {

constexpr double kMoved = 0.75;  // of the progress: then the colours of places come

QPointF between(QPointF from, QPointF to, double share) { return from + (to - from) * share; }

// From the grid's (0, 0) to (1, 1) to the picture's.
QPointF onPicture(QPointF place, const QRectF& area) {
  return {area.x() + place.x() * area.width(), area.y() + place.y() * area.height()};
}

}  // namespace

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

// The merge map's colours: means of the places that a token stands for.
void StoryView::collectColours() {
  colours_.clear();
  if (!story_ || story_->grid.empty()) return;
  const monitor::FrameResult& frame = *story_->frame;
  BasePicture base;
  const cv::Mat& means =
      base.placeMeans(frame.frame.picture, story_->grid, gridAreaOf(frame.segmentation));
  const std::size_t places = means.total();
  for (std::size_t stage = 0; stage <= story_->merges.size(); ++stage) {
    std::vector<cv::Vec4i> sums(places);
    for (std::size_t i = 0; i < places; ++i) {
      const cv::Mat* map = mapBehind(frame.segmentation, static_cast<int>(stage));
      const std::size_t row = stage == 0 ? i : static_cast<std::size_t>(map->ptr<int>()[i]);
      const uchar* mean = means.ptr<uchar>() + 4 * i;
      sums[row] += cv::Vec4i(mean[0], mean[1], mean[2], 1);
    }
    std::vector<QRgb>& colours = colours_.emplace_back(places);
    for (std::size_t row = 0; row < places; ++row) {
      const cv::Vec4i& sum = sums[row];
      if (sum[3] > 0) colours[row] = qRgb(sum[2] / sum[3], sum[1] / sum[3], sum[0] / sum[3]);
    }
  }
}

ViewGeometry StoryView::geometry() const {
  return {QSizeF(size()), story_->frame->frame.picture.size(), 1, {0.5, 0.5}};
}

const QPixmap& StoryView::painted(Kept& kept, ViewKind kind, int stage, bool grey) {
  Painting painting;
  painting.kind = kind;
  painting.stage = stage;
  painting.grey = grey;
  painting.gridArea = gridAreaOf(story_->frame->segmentation);
  const double ratio = devicePixelRatioF();
  if (kept.painting == painting && kept.size == size() && kept.ratio == ratio) return kept.pixmap;
  kept = {painting, size(), ratio, QPixmap(size() * ratio)};
  kept.pixmap.setDevicePixelRatio(ratio);
  kept.pixmap.fill(palette().color(QPalette::Window));
  QPainter painter(&kept.pixmap);
  PaintedView view;
  view.draw(painter, story_->frame, painting, classes_, geometry(), rect(), ratio);
  return kept.pixmap;
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

void StoryView::drawTokens(QPainter& painter, const QPixmap& before, double moved) const {
  const ViewGeometry shown = geometry();
  const QRectF area = gridAreaOf(story_->frame->segmentation);
  const QRectF cell = shown.toView(placeArea(0, story_->grid, area));
  const double ratio = before.devicePixelRatio();
  const std::vector<QRgb>&from = colours_[merge_], &to = colours_[merge_ + 1];
  for (const bool paired : {false, true}) {
    for (const MergeScene::Token& token : story_->merges[merge_].tokens) {
      if (token.row < 0 || token.paired != paired) continue;
      QRectF tile(QPointF(), cell.size());
      tile.moveCenter(shown.toView(onPicture(between(token.from, token.to, moved), area)));
      if (merge_ == 0) {  // the patch itself, which fades into the mean
        QRectF patch = tile;
        patch.moveCenter(shown.toView(onPicture(token.from, area)));
        painter.drawPixmap(tile, before, QRectF(patch.topLeft() * ratio, patch.size() * ratio));
      } else {
        painter.fillRect(tile, QColor(from[static_cast<std::size_t>(token.row)]));
      }
      QColor mean(to[static_cast<std::size_t>(token.becomes)]);
      mean.setAlphaF(static_cast<float>(moved));
      painter.fillRect(tile, mean);
      if (!paired) continue;
      painter.setPen(QPen(QColor(255, 255, 255, 150), 1));
      painter.drawRect(tile);
    }
  }
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
  if (progress_ >= 1) {
    painter.drawPixmap(0, 0, painted(over_, ViewKind::mergeMap, stage));
    return drawPairs(painter);
  }
  const QPixmap& before =
      painted(base_, merge_ == 0 ? ViewKind::camera : ViewKind::mergeMap, stage - 1);
  painter.drawPixmap(0, 0, before);
  if (progress_ > 0) {
    const double share = std::min(1.0, progress_ / kMoved);
    constexpr double kDark = 0.85, kSoon = 5;
    painter.fillRect(
        geometry().toView(QRectF(0, 0, 1, 1)),
        QColor::fromRgbF(0, 0, 0, static_cast<float>(kDark * std::min(1.0, kSoon * share))));
    drawTokens(painter, before, share * share * (3 - 2 * share));
  }
  if (progress_ > kMoved) {
    painter.setOpacity((progress_ - kMoved) / (1 - kMoved));
    painter.drawPixmap(0, 0, painted(over_, ViewKind::mergeMap, stage));
    painter.setOpacity(1);
  }
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
