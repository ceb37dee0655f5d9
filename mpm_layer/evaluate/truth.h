// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

namespace mpm::evaluate {

/// A picture's true classes.
struct Truth {
  cv::Mat classes;             ///< CV_16U; LabelRule::kIgnored where a pixel does not count
  std::optional<int> outside;  ///< a number that stands for no class, where the picture has one
};

/// What the numbers in a label picture stand for: a class, nothing that counts, or nothing at all.
class LabelRule {
 public:
  static constexpr std::uint16_t kIgnored = 0xFFFF;

  /// No number stands for anything.
  LabelRule() : meanings_(1 << 16, kOutside) {}
  /// Number k is class k, and `ignored` does not count, whatever else it would be.
  static LabelRule plain(std::size_t classes, int ignored);
  /// Number k is class k - 1; 0 and `ignored` do not count.
  static LabelRule reducedZero(std::size_t classes, int ignored);
  /// Cityscapes' own numbers (gtFine_labelIds), of which 19 are classes and the others, up to 33
  /// and 255, do not count.
  static LabelRule cityscapesIds();

  /// `numbers`: CV_16U.
  Truth truthOf(const cv::Mat& numbers) const;

 private:
  static constexpr std::uint16_t kOutside = 0xFFFE;

  void set(int number, std::uint16_t meaning);

  std::vector<std::uint16_t> meanings_;  // of each number
};

/// The pixels within `distance` pixels of an edge between two classes, on both of its sides: CV_8U,
/// 255 there and 0 elsewhere. An edge runs between two pixels, one above or beside the other, of
/// different classes; these two are within 1, and every step in one of the eight directions is one
/// more (the chessboard distance, as in Boundary IoU, Cheng et al. 2021). Ignored pixels make no
/// edges: where a class meets what nobody labelled, nobody knows where it ends.
/// `truth`: CV_16U, LabelRule's classes. `distance` from 1 on.
cv::Mat nearEdges(const cv::Mat& truth, int distance);

}  // namespace mpm::evaluate
