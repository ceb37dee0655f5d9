// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/token_groups.h"

#include <algorithm>
#include <cstddef>

namespace mpm::gui {
namespace {

bool isMap(const cv::Mat& map) {
  if (map.empty() || map.dims != 2 || map.type() != CV_32S || !map.isContinuous()) return false;
  const auto places = static_cast<unsigned>(map.total());
  const int* rows = map.ptr<int>();
  return std::all_of(rows, rows + places,
                     [&](int row) { return static_cast<unsigned>(row) < places; });
}

const MergeStage* stageOf(const Segmentation& found, int stage) {
  if (found.stages.empty() || stage < 0) return nullptr;
  const auto index = static_cast<std::size_t>(stage == 0 ? found.stages.size() : stage);
  return index <= found.stages.size() ? &found.stages[index - 1] : nullptr;
}

}  // namespace

QRectF gridAreaOf(const Segmentation& found) {
  const cv::Rect2d& area = found.gridArea;
  return {area.x, area.y, area.width, area.height};
}

const cv::Mat* mapBehind(const Segmentation& found, int stage) {
  const MergeStage* kept = stageOf(found, stage);
  if (kept && isMap(kept->map)) return &kept->map;
  // The map in the end is that behind the last merge, whichever number that has.
  const int merges = static_cast<int>(found.rows.size()) - 1;
  const bool last = stage == 0 || stage == merges || (merges < 1 && stage == 1);
  return found.stages.empty() && last && isMap(found.mergeMap) ? &found.mergeMap : nullptr;
}

const cv::Mat* similarityBefore(const Segmentation& found, int stage) {
  const MergeStage* kept = stageOf(found, stage);
  const bool usable = kept && !kept->similarity.empty() && kept->similarity.dims == 2 &&
                      kept->similarity.type() == CV_32F && kept->similarity.isContinuous();
  return usable ? &kept->similarity : nullptr;
}

int mergesUpTo(const Segmentation& found, int stage) {
  if (stage > 0) return stage;
  const std::size_t behindRows = found.rows.empty() ? 0 : found.rows.size() - 1;
  return static_cast<int>(std::max<std::size_t>({found.stages.size(), behindRows, 1}));
}

void groupSizes(const cv::Mat& map, std::vector<int>& sizes) {
  const std::size_t places = map.total();
  const int* rows = map.ptr<int>();
  std::vector<int> counts(places, 0);
  for (std::size_t place = 0; place < places; ++place)
    ++counts[static_cast<std::size_t>(rows[place])];
  sizes.resize(places);
  for (std::size_t place = 0; place < places; ++place) {
    sizes[place] = counts[static_cast<std::size_t>(rows[place])];
  }
}

int placeAt(QPointF position, cv::Size grid, const QRectF& area) {
  if (grid.empty() || area.isEmpty()) return -1;
  const double x = (position.x() - area.x()) / area.width() * grid.width;
  const double y = (position.y() - area.y()) / area.height() * grid.height;
  if (!(x >= 0 && y >= 0 && x < grid.width && y < grid.height)) return -1;
  return static_cast<int>(y) * grid.width + static_cast<int>(x);
}

QRectF placeArea(int place, cv::Size grid, const QRectF& area) {
  const double width = area.width() / grid.width, height = area.height() / grid.height;
  return {area.x() + place % grid.width * width, area.y() + place / grid.width * height, width,
          height};
}

}  // namespace mpm::gui
