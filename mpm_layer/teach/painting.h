// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

namespace mpm::teach {

/// So many pixels of a class.
struct Share {
  int classNumber = 0;
  float pixels = 0;
};

/// A part of a patch in which something is painted: which scores of the grid make its own,
/// bilinearly (half-pixel centres, edges clamped), and what it shows.
struct Cell {
  std::array<std::int32_t, 4> places{};
  std::array<float, 4> weights{};
  std::uint32_t begin = 0, end = 0;  ///< of Painting::shares
};

/// What is painted on a frame, on a grid of patches that are cut in kFineness x kFineness cells:
/// finer than patches, since scores are interpolated between them, and coarser than pixels, which
/// say little more and take long.
struct Painting {
  static constexpr int kFineness = 4;

  std::vector<Cell> cells;  ///< those with paint, row by row
  std::vector<Share> shares;
};

/// `labels`: CV_16U, numbers below `classes`; any other is no paint. A pixel counts in the cell
/// that its centre lies in.
Painting paintingOf(const cv::Mat& labels, const cv::Size& grid, int classes);

}  // namespace mpm::teach
