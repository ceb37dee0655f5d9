// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "processor/float_buffer.h"

/// Computes a cell: a block of pixels with scores that are bilinear between four corners. Corners
/// are numbered 0 above left, 1 above right, 2 below left, 3 below right.
namespace mpm::segment {

constexpr int kCellWidth = 32, kCellHeight = 16;  ///< in pixels, at most
constexpr std::size_t kCellPadding = 16;          ///< floats behind arrays that vectors may touch

struct Cell {
  const float* corners[4] = {};  ///< rows of scores
  std::size_t classes = 0;
  // Weights of the pixels from left corners to right ones, with kCellPadding more that may be read,
  // and from upper corners to lower ones. The steps are their change from pixel to pixel.
  const float *across = nullptr, *down = nullptr;
  float stepAcross = 0, stepDown = 0;
  int width = 0, height = 0;
};

/// Scores of some classes at the corners of a cell, class after class. Memory past the last one may
/// be touched.
struct ClassList {
  std::size_t count = 0;
  float* corners[4] = {};
  std::int32_t* classes = nullptr;  ///< ascending
};

/// Classes that have to be evaluated pixel by pixel.
struct Survivors {
  /// Classes that can be the best of a pixel. A class whose best corner is worse than another's
  /// worst corner cannot, since no pixel lies outside its corners. Usually one to five are left.
  ClassList winners;
  /// Classes with exps that count; filled on request. The others add up to less than kLightest of
  /// any pixel's sum.
  ClassList heavy;
  float peaks[4] = {};  ///< the largest score at each corner; where asked for
};

/// exp(-10). A class that is left out has less than its part of it, kLightest / classes.
constexpr float kLightest = 4.5e-5F;

/// Finds the survivors, without classes that are not finite at a corner. `best` is scratch memory
/// for a float per class and kCellPadding.
void findSurvivors(const Cell& cell, bool wantHeavy, float* best, Survivors& survivors);

/// Results for one row of a cell's pixels while it is worked on.
struct CellRow {
  float best[kCellWidth + kCellPadding] = {};  ///< the label's score
  std::int32_t labels[kCellWidth + kCellPadding] = {};
  float sums[kCellWidth + kCellPadding] = {};  ///< of exp(score - peak) over all classes
};

/// Computes labels and best scores of row `y`. `lines` is scratch memory for two arrays, each with
/// a float per winner and kCellPadding.
void labelCellRow(const Cell& cell, const ClassList& winners, int y, float* lines, CellRow& row);

/// Sums exp(score - peak) over the heavy classes at each pixel, with the peak interpolated between
/// those of the corners. Along a row an exp changes by a constant factor, and that factor changes
/// by another one from row to row. That takes four exps per class and cell, and a product per
/// pixel. Call start() once, then next() for each row.
class CellSums {
 public:
  /// Returns false if the products would leave float32: where a class and the peak differ by about
  /// 40 or more at a corner. Use sumCellRow then.
  bool start(const Cell& cell, const Survivors& survivors);
  void next(const Cell& cell, CellRow& row);

 private:
  std::size_t count_ = 0;           // of the classes, rounded up to whole vectors
  processor::FloatBuffer factors_;  // value, factor across, both ones' factor down
};

/// Sums exp(score - best) of one row with an exp for each class and pixel.
void sumCellRow(const Cell& cell, const ClassList& heavy, int y, float* lines, CellRow& row);

/// Writes the probabilities of row `y`: exp(best - peak) / sum, or 1 / sum for null peaks.
void confidenceOfRow(const Cell& cell, const float* peaks, int y, CellRow& row, float* confidence);

}  // namespace mpm::segment
