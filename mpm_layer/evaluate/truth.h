// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

/// What the classes of public data sets are called, in the order of their numbers.
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

std::vector<std::string> ade20kClasses();         ///< 150; label 1 is the first
std::vector<std::string> cityscapesClasses();     ///< 19, in the order of the train ids
std::vector<std::string> pascalContextClasses();  ///< 60; label 0, background, is the first

/// A layout of data sets, and how models are measured on it.
enum class Format { ade20k, cityscapes, pascalContext, folder };

/// What published figures are measured with: frames resized to a short side, windows that slide.
struct Protocol {
  bool slides = false;
  int shortSide = 0, window = 0;  ///< in pixels
};

std::string nameOf(Format format);  ///< "ade20k", "cityscapes", "pascal-context", "folder"
/// std::invalid_argument where there is no such format.
Format formatNamed(const std::string& name);
Protocol protocolOf(Format format);

/// From window to window, for windows with this shorter side: 32 pixels less than it, so that they
/// overlap, as rstrudel/segmenter's segm.eval.miou and mmsegmentation's Segmenter configurations
/// have it; small windows, of 64 pixels or less, don't overlap.
inline int strideOf(int window) {
  constexpr int kOverlap = 32, kSmallWindow = 64;
  return window > kSmallWindow ? window - kOverlap : window;
}

/// What of a data set's classes can be chosen.
struct ClassOptions {
  int classes = 0;  ///< of Pascal Context: 59 or 60. 0: as many as the model has
  // Of a folder:
  int ignored = 255;        ///< the number that does not count
  bool reduceZero = false;  ///< number 0 does not count either, and the others are one less
};

/// The classes of a data set, and how its label pictures stand for them.
struct Classes {
  std::vector<std::string> names;
  LabelRule rule;
};

/// Refuses names that are the model's in another order: numbers would mean other classes. `names`
/// are those of `what`. std::runtime_error, one sentence.
void checkOrder(const std::string& what, const std::vector<std::string>& names,
                const std::vector<std::string>& modelNames);

/// Of a data set in `root` and a model with `modelNames`. Of a folder the names are those of
/// root/classes.txt, one a line and nothing behind a tab, or else the model's. `hasTrainIds`: of
/// Cityscapes, whether labels are numbers of classes or Cityscapes' own. std::runtime_error, one
/// sentence, where the model has another number of classes, or the same in another order;
/// std::invalid_argument where options do not fit the format.
Classes classesOf(Format format, const std::string& root, bool hasTrainIds,
                  const ClassOptions& options, const std::vector<std::string>& modelNames);

}  // namespace mpm::evaluate
