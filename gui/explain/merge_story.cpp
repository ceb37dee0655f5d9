// SPDX-License-Identifier: Apache-2.0
#include "gui/explain/merge_story.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "gui/canvas/painting.h"
#include "mpm/tune.h"

namespace mpm::gui {
namespace {

int countRows(const cv::Mat& map) {
  std::vector<char> live(map.total(), 0);
  for (std::size_t i = 0; i < map.total(); ++i)
    live[static_cast<std::size_t>(map.ptr<int>()[i])] = 1;
  return static_cast<int>(std::count(live.begin(), live.end(), char{1}));
}

// Maps each row after a merge to the rows that it joins.
std::map<int, std::vector<int>> joined(const cv::Mat& before, const cv::Mat& behind) {
  std::map<int, std::vector<int>> rows;
  for (std::size_t i = 0; i < before.total(); ++i) {
    std::vector<int>& from = rows[behind.ptr<int>()[i]];
    const int row = before.ptr<int>()[i];
    if (std::find(from.begin(), from.end(), row) == from.end()) from.push_back(row);
  }
  return rows;
}

// Returns NaN if it had no partner, or similarities were not kept.
double similarityOf(const cv::Mat* similarity, const cv::Mat& before, int row) {
  for (std::size_t i = 0; similarity && i < before.total(); ++i) {
    if (before.ptr<int>()[i] == row) return static_cast<double>(similarity->ptr<float>()[i]);
  }
  return std::nan("");
}

std::vector<int> placesOf(const cv::Mat& map, int row) {
  std::vector<int> places;
  for (std::size_t i = 0; i < map.total(); ++i)
    if (map.ptr<int>()[i] == row) places.push_back(static_cast<int>(i));
  return places;
}

// `standing` holds the tokens' positions by row, first before the merge, then after it.
MergeScene sceneOf(const cv::Mat& before, const cv::Mat& behind, const cv::Mat* similarity,
                   std::vector<QPointF>& standing) {
  MergeScene scene;
  scene.before = countRows(before);
  scene.behind = countRows(behind);
  scene.tokens.resize(before.total());
  std::vector<QPointF> next(before.total());
  for (const auto& [row, from] : joined(before, behind)) {
    QPointF mean;
    for (const int one : from)
      mean += standing[static_cast<std::size_t>(one)] / static_cast<double>(from.size());
    next[static_cast<std::size_t>(row)] = mean;
    for (const int one : from) {
      const auto index = static_cast<std::size_t>(one);
      scene.tokens[index] = {one, row, standing[index], mean, from.size() > 1};
    }
    const double alike = similarityOf(similarity, before, from.front());
    if (from.size() < 2 || !std::isfinite(alike)) continue;
    const TokenPair pair{placesOf(behind, row), alike};
    if (!scene.mostAlike || alike > scene.mostAlike->similarity) scene.mostAlike = pair;
    if (!scene.leastAlike || alike < scene.leastAlike->similarity) scene.leastAlike = pair;
  }
  standing = std::move(next);
  return scene;
}

// Returns the middle of each patch.
std::vector<QPointF> standingAlone(cv::Size grid) {
  std::vector<QPointF> standing;
  for (int place = 0; place < grid.area(); ++place)
    standing.push_back(placeArea(place, grid, {0, 0, 1, 1}).center());
  return standing;
}

std::vector<MergeScene> scenesOf(const monitor::FrameResult& frame, cv::Size grid) {
  const Segmentation& found = frame.segmentation;
  std::vector<QPointF> standing = standingAlone(grid);
  std::vector<MergeScene> scenes;
  cv::Mat before = everyPlaceAlone(grid);
  for (std::size_t i = 0; i < std::min(found.stages.size(), frame.schedule.size()); ++i) {
    const int stage = static_cast<int>(i) + 1;
    const cv::Mat* behind = mapBehind(found, stage);
    if (!behind || behind->size() != grid) break;
    const cv::Mat* similarity = similarityBefore(found, stage);
    if (similarity && similarity->size() != grid) similarity = nullptr;
    scenes.push_back(sceneOf(before, *behind, similarity, standing));
    scenes.back().block = frame.schedule[i];
    before = *behind;
  }
  return scenes;
}

template <typename Label>
void countSwaps(const cv::Mat& full, const cv::Mat& merged,
                std::map<std::pair<int, int>, int>& counts) {
  for (int y = 0; y < full.rows; ++y) {
    const auto *one = full.ptr<Label>(y), *other = merged.ptr<Label>(y);
    for (int x = 0; x < full.cols; ++x)
      if (one[x] != other[x]) ++counts[{one[x], other[x]}];
  }
}

std::vector<LabelSwap> swapsOf(const cv::Mat& full, const cv::Mat& merged) {
  std::map<std::pair<int, int>, int> counts;
  if (full.size() == merged.size() && full.type() == merged.type()) {
    if (full.type() == CV_8U) countSwaps<std::uint8_t>(full, merged, counts);
    if (full.type() == CV_16U) countSwaps<std::uint16_t>(full, merged, counts);
  }
  std::vector<LabelSwap> swaps;
  for (const auto& [labels, count] : counts)
    swaps.push_back({labels.first, labels.second, count / static_cast<double>(full.total())});
  std::stable_sort(swaps.begin(), swaps.end(),
                   [](const LabelSwap& a, const LabelSwap& b) { return a.share > b.share; });
  return swaps;
}

constexpr double kMoved = 0.75;  // of the progress: then the colours of places come

// Converts from the grid's (0, 0) to (1, 1) to the frame's.
QPointF onPicture(QPointF place, const QRectF& area) {
  return {area.x() + place.x() * area.width(), area.y() + place.y() * area.height()};
}

void drawTokens(QPainter& painter, const ViewGeometry& geometry, const MergeMove& move,
                double moved) {
  const QSizeF size = geometry.toView(placeArea(0, move.grid, move.gridArea)).size();
  const double ratio = move.before.devicePixelRatio();
  for (const bool paired : {false, true}) {
    for (const MergeScene::Token& token : move.scene.tokens) {
      if (token.row < 0 || token.paired != paired) continue;
      const QPointF at = token.from + (token.to - token.from) * moved;
      QRectF tile(QPointF(), size);
      tile.moveCenter(geometry.toView(onPicture(at, move.gridArea)));
      // Fills a larger rectangle as the rim: lines around all tiles would take most of the time.
      if (paired) painter.fillRect(tile.adjusted(-1, -1, 1, 1), QColor(255, 255, 255, 150));
      if (move.from) {
        painter.fillRect(tile, QColor((*move.from)[static_cast<std::size_t>(token.row)]));
      } else {  // the patch itself, which fades into the mean
        QRectF patch = tile;
        patch.moveCenter(geometry.toView(onPicture(token.from, move.gridArea)));
        painter.drawPixmap(tile, move.before, QRectF(patch.topLeft() * ratio, size * ratio));
      }
      QColor mean(move.to[static_cast<std::size_t>(token.becomes)]);
      mean.setAlphaF(static_cast<float>(moved));
      painter.fillRect(tile, mean);
    }
  }
}

}  // namespace

cv::Mat everyPlaceAlone(cv::Size grid) {
  cv::Mat map(grid, CV_32S);
  for (int place = 0; place < grid.area(); ++place) map.ptr<int>()[place] = place;
  return map;
}

MergeScene sceneOfAll(const cv::Mat& map) {
  std::vector<QPointF> standing = standingAlone(map.size());
  return sceneOf(everyPlaceAlone(map.size()), map, nullptr, standing);
}

MergeStory tellStory(monitor::FrameResultPtr frame) {
  MergeStory story;
  const Segmentation& found = frame->segmentation;
  if (const cv::Mat* map = mapBehind(found, 0)) {
    story.grid = map->size();
    story.merges = scenesOf(*frame, story.grid);
  }
  if (frame->full) {
    story.same = agreementOf(frame->full->labels, found.labels);
    story.swaps = swapsOf(frame->full->labels, found.labels);
  }
  story.frame = std::move(frame);
  return story;
}

void drawMove(QPainter& painter, const ViewGeometry& geometry, const MergeMove& move,
              double progress) {
  painter.drawPixmap(0, 0, progress >= 1 ? move.behind : move.before);
  if (progress <= 0 || progress >= 1) return;
  const double share = std::min(1.0, progress / kMoved);
  constexpr double kDark = 0.85, kSoon = 5;
  painter.fillRect(
      geometry.toView(QRectF(0, 0, 1, 1)),
      QColor::fromRgbF(0, 0, 0, static_cast<float>(kDark * std::min(1.0, kSoon * share))));
  drawTokens(painter, geometry, move, share * share * (3 - 2 * share));
  if (progress <= kMoved) return;
  painter.setOpacity((progress - kMoved) / (1 - kMoved));
  painter.drawPixmap(0, 0, move.behind);
  painter.setOpacity(1);
}

}  // namespace mpm::gui
