// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "processor/float_buffer.h"
#include "segment/axis.h"
#include "segment/cell.h"
#include "segment/labels.h"

namespace mpm::segment {

/// Rows of scores for the corners of cells, taken one after the other along a strip. Planes are
/// transposed into rows, one grid row at a time. Where a cell lies in several windows, it gets
/// their mean.
class Corners {
 public:
  void start(const Scores& scores, const Axis& across, const Axis& down);
  /// Finds the corners of the cell between these pieces. The rows are valid until the next call.
  void find(const Piece& across, const Piece& down, Cell& cell);

 private:
  const float* row(int window, std::int32_t y, std::int32_t x);
  const float* turned(int window, std::int32_t y);
  /// One window's part of the means: its index, its nodes' weights and its share.
  struct Part {
    int window = 0;
    const Source *across = nullptr, *down = nullptr;
    float nodesAcross[2] = {}, nodesDown[2] = {};
    float share = 0;
    bool isFirst = false;
  };
  void add(const Part& part);

  const Scores* scores_ = nullptr;
  const Axis *across_ = nullptr, *down_ = nullptr;
  processor::FloatBuffer means_;   // four rows
  processor::FloatBuffer turned_;  // two rows of each window's grid, a row of scores for each place
  std::vector<std::int32_t> turnedRows_;  // which ones they are
};

/// Adds share * (the bilinear value between four rows) to `mean`, or assigns it if isFirst.
void addBetween(const float* const corners[4], float across, float down, float share, bool isFirst,
                std::size_t classes, float* mean);

}  // namespace mpm::segment
