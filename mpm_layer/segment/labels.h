// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace mpm::segment {

/// Scores of `classes` at each place of a grid, as a network leaves them: a row of scores for
/// each live token, or a plane for each class.
struct ScoreGrid {
  enum class Layout { rows, planes };
  const float* scores = nullptr;
  Layout layout = Layout::rows;
  const std::int32_t* map = nullptr;  ///< of rows: each place's row; null: place n has row n
};

/// Where a window lies along an axis of the picture, in its pixels, as real numbers: the places of
/// a grid share it out evenly. A pixel's centre lies in it from `begin` on and before `end`.
struct Span {
  double begin = 0, end = 0;

  bool holds(double centre) const { return centre >= begin && centre < end; }
  /// Of a pixel's centre among `places`, the first one's centre being 0.
  double position(double centre, int places) const {
    return (centre - begin) / (end - begin) * places - 0.5;
  }
};

/// The scores of a picture: windows in columns and rows, whose grids are of one size. Every
/// pixel's centre lies in at least one window; where it lies in several, the mean counts.
struct Scores {
  int classes = 0;
  int gridWidth = 0, gridHeight = 0;
  std::vector<Span> across, down;  ///< of the columns and the rows of windows
  std::vector<ScoreGrid> grids;    ///< row by row of windows
};

/// Where labels and confidences go: width x height, without gaps.
struct LabelImage {
  int width = 0, height = 0;
  std::uint8_t* labels8 = nullptr;    ///< up to 256 classes
  std::uint16_t* labels16 = nullptr;  ///< instead, for more of them
  float* confidence = nullptr;        ///< or null
};

/// Labels each pixel with its best class, the lowest one of equal ones, and says the softmax
/// probability of that class. A pixel's scores are interpolated bilinearly between the places of
/// each window that it lies in, half-pixel centres, edges clamped: what resizing every plane of
/// scores and then looking for the largest gives.
///
/// A class that is not finite at one of the places that a pixel lies between does not count there,
/// and adds nothing to the others' probabilities. Where none counts the label is 0 and the
/// confidence 0. (Numbers beyond 1e37 need not count as finite.)
void labelReference(const Scores& scores, const LabelImage& image);

/// The same, a hundred times as fast; planes of scores at the picture's size never exist. Labels
/// may differ where two classes are as close as float32 rounds; confidences by kConfidenceError.
/// Its scratch memory is kept. See docs/segmentation.md.
class Labeller {
 public:
  /// What rounding and leaving out classes of no weight add up to, at most.
  static constexpr double kConfidenceError = 2e-4;

  Labeller();
  Labeller(Labeller&&) noexcept;
  Labeller& operator=(Labeller&&) noexcept;
  ~Labeller();

  /// `changed`: of one window, the places whose scores are others than those that `image` was
  /// labelled by; pixels between others stay as they are. Null: all did.
  void label(const Scores& scores, const LabelImage& image, const std::uint8_t* changed = nullptr);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm::segment
