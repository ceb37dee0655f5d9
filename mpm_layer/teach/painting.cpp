// SPDX-License-Identifier: Apache-2.0
#include "teach/painting.h"

#include <cstddef>

#include "segment/taps.h"

namespace mpm::teach {
namespace {

// Returns which of `cells` the centre of each of `pixels` lies in.
std::vector<int> cellOfPixels(int pixels, int cells) {
  std::vector<int> cell(static_cast<std::size_t>(pixels));
  for (int i = 0; i < pixels; ++i) {
    cell[static_cast<std::size_t>(i)] =
        static_cast<int>((2 * static_cast<std::int64_t>(i) + 1) * cells / (2LL * pixels));
  }
  return cell;
}

}  // namespace

Painting paintingOf(const cv::Mat& labels, const cv::Size& grid, int classes) {
  const int width = grid.width * Painting::kFineness, height = grid.height * Painting::kFineness;
  segment::Taps across, down;
  across.assign(grid.width, width, 0, width);
  down.assign(grid.height, height, 0, height);
  const std::vector<int> column = cellOfPixels(labels.cols, width);
  const std::vector<int> row = cellOfPixels(labels.rows, height);
  Painting painting;
  cv::Mat counts(width, classes, CV_32S, cv::Scalar(0));  // of a row of cells
  const auto finish = [&](int y) {
    for (int x = 0; x < width; ++x) {
      Cell cell;
      cell.begin = static_cast<std::uint32_t>(painting.shares.size());
      for (int k = 0; k < classes; ++k) {
        const int pixels = counts.at<int>(x, k);
        if (pixels > 0) painting.shares.push_back({k, static_cast<float>(pixels)});
      }
      cell.end = static_cast<std::uint32_t>(painting.shares.size());
      if (cell.begin == cell.end) continue;
      const auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y);
      const int top = down.first[j] * grid.width, bottom = down.second[j] * grid.width;
      const float right = across.weight[i], low = down.weight[j];
      cell.places = {top + across.first[i], top + across.second[i], bottom + across.first[i],
                     bottom + across.second[i]};
      cell.weights = {(1 - low) * (1 - right), (1 - low) * right, low * (1 - right), low * right};
      painting.cells.push_back(cell);
    }
    counts.setTo(0);
  };
  for (int y = 0; y < labels.rows; ++y) {
    const auto* line = labels.ptr<std::uint16_t>(y);
    for (int x = 0; x < labels.cols; ++x) {
      if (line[x] < classes) ++counts.at<int>(column[static_cast<std::size_t>(x)], line[x]);
    }
    const int cellRow = row[static_cast<std::size_t>(y)];
    if (y + 1 == labels.rows || row[static_cast<std::size_t>(y) + 1] != cellRow) finish(cellRow);
  }
  return painting;
}

}  // namespace mpm::teach
