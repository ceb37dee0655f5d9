// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpm/export.h"
#include "mpm/net.h"

/// Experimental: teaches classes of your own for a fixed camera. A linear head on patch tokens
/// learns from a few annotated frames. It is written as an ordinary segmentation model.
namespace mpm {

/// Label of a pixel that is not annotated.
inline constexpr int kUnpainted = 255;

struct TeachOptions {
  ReadOptions read;                  ///< only inputSize, device, precision and check count
  std::vector<std::string> classes;  ///< names: 2 to 255 of them
  std::vector<cv::Vec3b> palette;    ///< BGR, one for each class; empty: distinct colours
  /// Number of the backbone's depths that a head takes tokens of. 1: the last block's. Up to 4:
  /// also those of blocks spread over the half before it. 0: 4 if they find much more on held-out
  /// frames than 1 does.
  int depths = 0;
  /// Called with the share of teach() that is done, from 0 to 1. Returns whether to go on.
  std::function<bool(double share)> progress;
  /// Folder for computed features, with no other files in it; its parent has to exist. Teaching
  /// that was stopped resumes from it, and teaching again computes only new frames. Results are
  /// bit-identical with it and without. Files that cannot be read or written there are recomputed;
  /// at most 512 MB are kept. Empty: nothing is kept.
  std::string keep;
};

/// Thrown when TeachOptions::progress returns false.
struct TeachStopped : std::runtime_error {
  TeachStopped() : std::runtime_error("teaching was stopped") {}
};

/// Says what was taught about a class.
struct TaughtClass {
  std::string name;
  int frames = 0;    ///< in which it is painted
  double share = 0;  ///< of the painted pixels
  double iou = 0;    ///< on held-out frames; NaN if it cannot be judged
};

/// Says what would make the result better, for programs that word it themselves.
struct Advice {
  enum class Kind {
    oneFrame,   ///< only one frame is painted: nothing can be judged
    unpainted,  ///< `name` is painted nowhere
    once,       ///< `name` is painted on only one frame, so it cannot be judged
    tooSeldom,  ///< `name` is painted on too few frames to be judged
    weak,       ///< `name` is found poorly
    mixed       ///< `share` of `name` is mistaken for `other`
  };
  Kind kind = Kind::oneFrame;
  std::string name{}, other{};
  double share = 0;

  MPM_API std::string sentence() const;  ///< in English
};

/// Says what was learned, and how well it does on held-out frames. Each frame is judged, at its
/// annotated pixels, by heads that were learned from other frames. The weight decay is chosen by
/// the same judgement, which is therefore slightly optimistic.
struct Lesson {
  std::vector<TaughtClass> classes;
  int frames = 0;
  int kept = 0;                   ///< how many of them were computed before: TeachOptions::keep
  double meanIou = 0;             ///< of the classes that have one; NaN if none has
  double pixelAccuracy = 0;       ///< share of painted pixels that get the right class; or NaN
  double decay = 0, balance = 0;  ///< what was chosen: see docs/teach.md
  int depths = 1;                 ///< as many as the head takes tokens of
  /// Tells whether the place in the picture counts. It does if that finds much more on held-out
  /// frames; what was taught then holds for this view alone.
  bool knowsPlaces = false;
  std::vector<Advice> advice;  ///< which class needs another frame, and why
};

class MPM_API Teacher {
 public:
  /// Reads a model without its head. Throws std::runtime_error if no patch tokens are recognised in
  /// it, std::invalid_argument if the options make no sense.
  Teacher(const std::string& backbone, const TeachOptions& options);
  Teacher(Teacher&&) noexcept;
  Teacher& operator=(Teacher&&) noexcept;
  ~Teacher();

  /// Adds a frame as Segmenter::segment takes it, and its annotation: CV_8U or CV_16U of the same
  /// size, with class numbers or kUnpainted. All frames have one size. Throws std::invalid_argument
  /// on anything else, and adds nothing. A frame with no annotated pixels is not an error and
  /// teaches nothing. Throws std::logic_error after teach().
  void add(const cv::Mat& frame, const cv::Mat& labels);

  /// Learns, once, from everything that was added. The same frames in the same order give the same
  /// result. Throws std::runtime_error if fewer than two classes are annotated.
  Lesson teach();

  /// Returns how unsure the head is of a frame: 1 minus the likeliest class's probability, as a
  /// mean over the patches. The frame to annotate next is the one with the most doubt. Throws
  /// std::logic_error if nothing was taught yet.
  double doubt(const cv::Mat& frame);

  /// Labels a frame after teaching: CV_8U of its size, with the unmerged labels of the written
  /// model. A pixel is kUnpainted if its likeliest class has a probability below `least`. Throws
  /// std::logic_error if nothing was taught yet.
  cv::Mat labels(const cv::Mat& frame, double least = 0);

  /// Writes backbone and head: one picture in, scores [B, classes, H, W] out, at the input's size.
  /// The file appears complete or not at all. Throws std::logic_error if nothing was taught yet.
  void write(const std::string& path) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm
