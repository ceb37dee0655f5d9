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

/// A frame to learn from and to be judged by, with scaled features. Its true classes are CV_16U,
/// evaluate::LabelRule's.
struct Judged {
  Example example;
  cv::Mat truth;
};

/// Returns the best class of each pixel, CV_8U, from scores [places x classes] on a grid, resized
/// bilinearly. `sure` receives the mean of its probability.
cv::Mat labelsOf(const cv::Mat& scores, const cv::Size& grid, const cv::Size& size,
                 double* sure = nullptr);

/// Results of heads on frames that they did not learn from.
struct Judgement {
  evaluate::Confusion confusion;
  std::vector<double> sure;  ///< of each frame: see labelsOf
};

/// Returns a frame's part. Neighbours, which look alike, are in different parts.
inline std::size_t partOf(std::size_t frame, std::size_t parts) { return frame % parts; }
/// Returns 0 for too few frames. With many, two thirds teach about as much as four fifths.
std::size_t partsOf(std::size_t frames);

/// Returns a certainty that nearly all frames like these reach: a little less than the least. Heads
/// that did not learn from a frame must have judged it. Returns std::nullopt for less than
/// kLeastJudged.
constexpr std::size_t kLeastJudged = 3;
std::optional<double> usuallySure(const std::vector<double>& sure);

/// Returns bytes that tell a manner from others in the key of a result.
std::string bytesOf(const Manner& manner);

/// Trains heads in one manner on all parts but one, for each part.
class CrossValidation {
 public:
  /// `key` identifies the frames and their annotations. Earlier results are found under it, and new
  /// ones are kept there.
  CrossValidation(const std::vector<Judged>& frames, const cv::Size& grid, int classes,
                  Curvature& curvature, const Kept& kept, std::string key);

  /// Reports to `learned` how many of the partsOf(frames) heads are trained, with a fraction for
  /// the current one. A later call starts where the previous one ended.
  Judgement judge(const Manner& manner, const std::function<void(double heads)>& learned);

  /// Returns the IoU of classes in a confusion from judge(). A class needs at least two parts, or
  /// no head can learn it and be judged by it; others get NaN.
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

/// Describes the annotations before training: how many frames and which share of the painted pixels
/// show each class. IoUs are NaN.
Lesson lessonOf(const std::vector<std::string>& classes, const std::vector<Judged>& frames);

/// Adds which class needs another frame. `confusion` comes from frames that were held out, as do
/// the lesson's IoUs. It is std::nullopt for a single frame, which judges nothing.
void advise(const std::optional<evaluate::Confusion>& confusion, Lesson& lesson);

}  // namespace mpm::teach
