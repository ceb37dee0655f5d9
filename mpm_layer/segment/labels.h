// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace mpm::segment {

/// Scores of `classes` at each place of a grid, as a network returns them: a row of scores for each
/// live token, or a plane for each class.
struct ScoreGrid {
  enum class Layout { rows, planes };
  const float* scores = nullptr;
  Layout layout = Layout::rows;
  const std::int32_t* map = nullptr;  ///< of rows: each place's row; null: place n has row n
};

/// Position of a window along an axis of the picture, in real pixels. The places of a grid share it
/// evenly. A pixel's centre is in it from `begin` on and before `end`.
struct Span {
  double begin = 0, end = 0;

  bool holds(double centre) const { return centre >= begin && centre < end; }
  /// Returns where a pixel's centre lies among `places`, with the first one's centre at 0.
  double position(double centre, int places) const {
    return (centre - begin) / (end - begin) * places - 0.5;
  }
};

/// Scores of a picture: windows in columns and rows, with grids of one size. Every pixel's centre
/// lies in at least one window; where it lies in several, their mean counts.
struct Scores {
  int classes = 0;
  int gridWidth = 0, gridHeight = 0;
  std::vector<Span> across, down;  ///< of the columns and the rows of windows
  std::vector<ScoreGrid> grids;    ///< row by row of windows
};

/// Receives labels and confidences: width x height, without gaps.
struct LabelImage {
  int width = 0, height = 0;
  std::uint8_t* labels8 = nullptr;    ///< up to 256 classes
  std::uint16_t* labels16 = nullptr;  ///< instead, for more of them
  float* confidence = nullptr;        ///< or null
};

/// Labels each pixel with its best class, the lowest of equal ones, and writes that class's softmax
/// probability. A pixel's scores are interpolated bilinearly between the places of each of its
/// windows, with half-pixel centres and clamped edges. The result is that of resizing every plane
/// of scores and taking the largest.
///
/// A class does not count at a pixel if it is not finite at one of the places around it. It then
/// adds nothing to the others' probabilities. Where no class counts, label and confidence are 0.
/// (Numbers beyond 1e37 need not count as finite.)
void labelReference(const Scores& scores, const LabelImage& image);

/// Does the same about a hundred times as fast, without planes of scores at the picture's size.
/// Labels may differ where two classes are as close as float32 rounds, confidences by
/// kConfidenceError. Keeps its scratch memory. See docs/segmentation.md.
class Labeller {
 public:
  /// Bounds the error from rounding and from classes that are left out.
  static constexpr double kConfidenceError = 2e-4;

  Labeller();
  Labeller(Labeller&&) noexcept;
  Labeller& operator=(Labeller&&) noexcept;
  ~Labeller();

  /// Labels the pixels of `image`. `changed` marks places of the only window with new scores since
  /// `image` was labelled; pixels between other places stay. Null means all changed.
  void label(const Scores& scores, const LabelImage& image, const std::uint8_t* changed = nullptr);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm::segment
