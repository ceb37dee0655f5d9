// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluate/confusion.h"
#include "mpm/teach.h"
#include "teach/head.h"
#include "teach/kept.h"

namespace mpm::teach {

/// A frame to learn from and to be judged by: its features are scaled, and its true classes
/// CV_16U, evaluate::LabelRule's.
struct Judged {
  Example example;
  cv::Mat truth;
};

/// The best class of each pixel, CV_8U, of scores [places x classes] that stand on a grid and are
/// resized bilinearly. `sure`: gets the mean of its probability.
cv::Mat labelsOf(const cv::Mat& scores, const cv::Size& grid, const cv::Size& size,
                 double* sure = nullptr);

/// What heads make of frames that they did not learn from.
struct Judgement {
  evaluate::Confusion confusion;
  std::vector<double> sure;  ///< of each frame: see labelsOf
};

/// Which of so many parts a frame belongs to. Neighbours, which are alike, are in different ones.
inline std::size_t partOf(std::size_t frame, std::size_t parts) { return frame % parts; }
/// 0 where there are too few to judge any. Of many, two thirds teach about as much as four fifths.
std::size_t partsOf(std::size_t frames);

/// What nearly all frames like these are sure of, of which each was judged by heads that did not
/// learn from it: a little less than the least of them. Nothing where there are less than
/// kLeastJudged.
constexpr std::size_t kLeastJudged = 3;
std::optional<double> usuallySure(const std::vector<double>& sure);

/// What tells a manner from others in the key of what was computed in it.
std::string bytesOf(const Manner& manner);

/// Learns in one manner from all parts but one, for each of them.
class CrossValidation {
 public:
  /// `key`: what the frames and their paintings follow from; what was judged before is found under
  /// it, and what is judged is kept.
  CrossValidation(const std::vector<Judged>& frames, const cv::Size& grid, int classes,
                  Curvature& curvature, const Kept& kept, std::string key);

  /// `learned` is told again and again how many of partsOf(frames) heads there are, and what part
  /// of the next. A later call begins where the one before it ended.
  Judgement judge(const Manner& manner, const std::function<void(double heads)>& learned);

  /// Of a confusion that judge() gave: IoU of classes that stand in two parts at least, NaN of the
  /// others, which no head can have learned and be judged by.
  std::vector<double> iouOf(const evaluate::Confusion& confusion) const;

 private:
  bool unpackLast(std::string_view bytes, Judgement& judgement);
  std::string packedLast(const Judgement& judgement) const;
  void judgePart(std::size_t part, const Manner& manner, const std::function<void(double)>& learned,
                 Judgement& judgement);

  const std::vector<Judged>& frames_;
  cv::Size grid_;
  int classes_;
  std::size_t parts_;
  Curvature& curvature_;
  const Kept& kept_;
  std::string key_;                        // of all that was judged so far
  std::vector<std::vector<double>> last_;  // of each part
};

/// What frames are painted with, before anything was learned: how many frames and which share of
/// the painted pixels show each class. IoUs are NaN.
Lesson lessonOf(const std::vector<std::string>& classes, const std::vector<Judged>& frames);

/// Adds which class needs another frame. `confusion`: what was taken for what in frames that were
/// kept back; the lesson's IoUs are those of it. Nothing: there is one frame, which judges nothing.
void advise(const std::optional<evaluate::Confusion>& confusion, Lesson& lesson);

}  // namespace mpm::teach
