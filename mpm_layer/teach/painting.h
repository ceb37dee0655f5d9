// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

namespace mpm::teach {

/// Number of pixels of a class.
struct Share {
  int classNumber = 0;
  float pixels = 0;
};

/// A painted part of a patch. Its scores are interpolated bilinearly from those of the grid, with
/// half-pixel centres and clamped edges. Shares say what it shows.
struct Cell {
  std::array<std::int32_t, 4> places{};
  std::array<float, 4> weights{};
  std::uint32_t begin = 0, end = 0;  ///< of Painting::shares
};

/// Annotation of a frame, on a grid of patches cut into kFineness x kFineness cells. Cells are
/// finer than patches, since scores are interpolated between them. They are coarser than pixels,
/// which say little more and take long.
struct Painting {
  static constexpr int kFineness = 4;

  std::vector<Cell> cells;  ///< those with paint, row by row
  std::vector<Share> shares;
};

/// Reads `labels`, CV_16U: numbers below `classes` are paint, others are not. A pixel counts in the
/// cell of its centre.
Painting paintingOf(const cv::Mat& labels, const cv::Size& grid, int classes);

}  // namespace mpm::teach
