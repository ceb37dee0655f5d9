// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "processor/float_buffer.h"

/// The arithmetic of a cell: a block of pixels whose scores are bilinear between four corners.
/// Corners are numbered 0 above left, 1 above right, 2 below left, 3 below right.
namespace mpm::segment {

constexpr int kCellWidth = 32, kCellHeight = 16;  ///< in pixels, at most
constexpr std::size_t kCellPadding = 16;          ///< floats behind arrays that vectors may touch

struct Cell {
  const float* corners[4] = {};  ///< rows of scores
  std::size_t classes = 0;
  // Of the pixels: weights from the left corners to the right ones, with kCellPadding more that
  // may be read, and from the upper ones to the lower ones; how these change from one to the next.
  const float *across = nullptr, *down = nullptr;
  float stepAcross = 0, stepDown = 0;
  int width = 0, height = 0;
};

/// Classes of a cell, side by side: their scores at the corners. Behind the last one stands
/// memory that may be touched.
struct ClassList {
  std::size_t count = 0;
  float* corners[4] = {};
  std::int32_t* classes = nullptr;  ///< ascending
};

/// Which classes have to be looked at, pixel by pixel.
struct Survivors {
  /// That can be the best of a pixel. A class is out where its best corner is worse than another
  /// class's worst one, since no pixel lies outside its corners. Usually one to five are left.
  ClassList winners;
  /// Whose exps count: those left out add up to less than kLightest of any pixel's sum. Filled
  /// where asked for.
  ClassList heavy;
  float peaks[4] = {};  ///< the largest score at each corner; where asked for
};

/// exp(-10). Each class that is left out has less than its part of it: kLightest / classes.
constexpr float kLightest = 4.5e-5F;

/// Finds them; classes that are not finite at a corner are not among them. `best` is scratch
/// memory for as many floats as there are classes, and kCellPadding.
void findSurvivors(const Cell& cell, bool wantHeavy, float* best, Survivors& survivors);

/// What pixels of a row of a cell are, while it is worked on.
struct CellRow {
  float best[kCellWidth + kCellPadding] = {};  ///< the label's score
  std::int32_t labels[kCellWidth + kCellPadding] = {};
  float sums[kCellWidth + kCellPadding] = {};  ///< of exp(score - peak) over all classes
};

/// Labels and best scores of row `y`. `lines` is scratch memory for 2 floats for each winner, and
/// kCellPadding for each of the two.
void labelCellRow(const Cell& cell, const ClassList& winners, int y, float* lines, CellRow& row);

/// The sum over the heavy classes of exp(score - peak) at each pixel, the peak being interpolated
/// between the corners' peaks. From one pixel to the next an exp changes by a factor that is the
/// same along a row, and that factor from row to row by another one: four exps for each class
/// and cell, and a product for each pixel. start() once, then next() row by row.
class CellSums {
 public:
  /// False where scores span so much that the products would leave float32 (40 and more between
  /// a class and the peak at a corner): then sumCellRow is the way.
  bool start(const Cell& cell, const Survivors& survivors);
  void next(const Cell& cell, CellRow& row);

 private:
  std::size_t count_ = 0;           // of the classes, rounded up to whole vectors
  processor::FloatBuffer factors_;  // value, factor across, both ones' factor down
};

/// The same for one row with an exp for each class and pixel: exp(score - best).
void sumCellRow(const Cell& cell, const ClassList& heavy, int y, float* lines, CellRow& row);

/// Probabilities of the labels of row `y` from `row`: exp(best - peak) / sum; the peaks null:
/// 1 / sum.
void confidenceOfRow(const Cell& cell, const float* peaks, int y, CellRow& row, float* confidence);

}  // namespace mpm::segment
