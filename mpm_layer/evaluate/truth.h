// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

/// Class names of public data sets, in the order of their numbers.
namespace mpm::evaluate {

/// True classes of a picture.
struct Truth {
  cv::Mat classes;             ///< CV_16U; LabelRule::kIgnored where a pixel does not count
  std::optional<int> outside;  ///< a number that stands for no class, where the picture has one
};

/// Maps the numbers of a label picture to a class, to nothing that counts, or to nothing at all.
class LabelRule {
 public:
  static constexpr std::uint16_t kIgnored = 0xFFFF;

  /// Maps no number to anything.
  LabelRule() : meanings_(1 << 16, kOutside) {}
  /// Maps number k to class k, except `ignored`, which does not count.
  static LabelRule plain(std::size_t classes, int ignored);
  /// Maps number k to class k - 1; 0 and `ignored` do not count.
  static LabelRule reducedZero(std::size_t classes, int ignored);
  /// Maps Cityscapes' numbers (gtFine_labelIds): 19 are classes; the others, up to 33 and 255, do
  /// not count.
  static LabelRule cityscapesIds();

  /// Converts `numbers`, CV_16U.
  Truth truthOf(const cv::Mat& numbers) const;

 private:
  static constexpr std::uint16_t kOutside = 0xFFFE;

  void set(int number, std::uint16_t meaning);

  std::vector<std::uint16_t> meanings_;  // of each number
};

/// Marks the pixels within `distance` of an edge between two classes, on both sides: CV_8U, 255
/// there and 0 elsewhere. An edge runs between two pixels of different classes, one above or next
/// to the other. These two are within 1, and a step in one of eight directions adds one (the
/// chessboard distance, as in Boundary IoU, Cheng et al. 2021). Ignored pixels make no edges, since
/// nobody knows where an unlabelled class ends. `truth` is CV_16U with LabelRule's classes;
/// `distance` is at least 1.
cv::Mat nearEdges(const cv::Mat& truth, int distance);

std::vector<std::string> ade20kClasses();         ///< 150; label 1 is the first
std::vector<std::string> cityscapesClasses();     ///< 19, in the order of the train ids
std::vector<std::string> pascalContextClasses();  ///< 60; label 0, background, is the first

/// Layout of a data set, and how models are measured on it.
enum class Format { ade20k, cityscapes, pascalContext, folder };

/// Protocol of published figures: frames resized to a short side, and sliding windows.
struct Protocol {
  bool slides = false;
  int shortSide = 0, window = 0;  ///< in pixels
};

std::string nameOf(Format format);  ///< "ade20k", "cityscapes", "pascal-context", "folder"
/// Throws std::invalid_argument if there is no such format.
Format formatNamed(const std::string& name);
Protocol protocolOf(Format format);

/// Returns the stride of windows with this shorter side: 32 pixels less, so that they overlap.
/// rstrudel/segmenter's segm.eval.miou and mmsegmentation's Segmenter configurations do the same.
/// Windows of 64 pixels or less do not overlap.
inline int strideOf(int window) {
  constexpr int kOverlap = 32, kSmallWindow = 64;
  return window > kSmallWindow ? window - kOverlap : window;
}

/// Options for the classes of a data set.
struct ClassOptions {
  int classes = 0;  ///< of Pascal Context: 59 or 60. 0: as many as the model has
  // Options of a folder:
  int ignored = 255;        ///< the number that does not count
  bool reduceZero = false;  ///< number 0 does not count either, and the others are one less
};

/// Classes of a data set, and the rule for its label pictures.
struct Classes {
  std::vector<std::string> names;
  LabelRule rule;
};

/// Rejects names that are the model's in another order, since numbers would mean other classes.
/// `names` are those of `what`. Throws std::runtime_error, in one sentence.
void checkOrder(const std::string& what, const std::vector<std::string>& names,
                const std::vector<std::string>& modelNames);

/// Returns the classes of a data set in `root`, for a model with `modelNames`. A folder's names
/// come from root/classes.txt, one a line up to a tab, or from the model. `hasTrainIds` says
/// whether Cityscapes' labels are class numbers or its own. Throws std::runtime_error, in one
/// sentence, if the model has another number or order of classes. Throws std::invalid_argument if
/// options do not fit the format.
Classes classesOf(Format format, const std::string& root, bool hasTrainIds,
                  const ClassOptions& options, const std::vector<std::string>& modelNames);

}  // namespace mpm::evaluate
