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

/// Classes of one's own for a fixed camera: a linear head on a backbone's patch tokens, learned
/// from a few painted frames, and written as an ordinary segmentation model.
namespace mpm {

/// What a pixel has that nobody painted.
inline constexpr int kUnpainted = 255;

struct TeachOptions {
  ReadOptions read;                  ///< device and precision alone count
  std::vector<std::string> classes;  ///< names: 2 to 255 of them
  std::vector<cv::Vec3b> palette;    ///< BGR, one for each class; empty: distinct colours
  /// Is told what share of teach() is done, from 0 to 1. Gives whether to go on.
  std::function<bool(double share)> progress;
  /// A folder for what was computed, files of its own alone; the one around it has to be there.
  /// Teaching that was stopped goes on from what it finds there, and teaching again from a part of
  /// the frames computes what is new. The result is the same to the bit. Whatever cannot be read or
  /// written there is computed again; 512 MB are kept at most. Empty: nothing is kept.
  std::string keep;
};

/// TeachOptions::progress said no.
struct TeachStopped : std::runtime_error {
  TeachStopped() : std::runtime_error("teaching was stopped") {}
};

/// What was taught of a class.
struct TaughtClass {
  std::string name;
  int frames = 0;    ///< in which it is painted
  double share = 0;  ///< of the painted pixels
  double iou = 0;    ///< on frames that were kept back; NaN where that cannot be told
};

/// What would make it better, for programs that word it themselves.
struct Advice {
  enum class Kind {
    oneFrame,   ///< one frame alone is painted: nothing can be judged
    unpainted,  ///< `name` is painted nowhere
    once,       ///< `name` is painted on one frame alone, so it cannot be judged
    tooSeldom,  ///< `name` is painted on too few frames to be judged
    weak,       ///< `name` is found badly
    mixed       ///< `share` of `name` is taken for `other`
  };
  Kind kind = Kind::oneFrame;
  std::string name{}, other{};
  double share = 0;

  MPM_API std::string sentence() const;  ///< in English
};

/// What was learned, and how well it does on frames that it was not learned from: each frame is
/// judged, at its painted pixels, by heads that were learned from the others. How strongly weights
/// are held back is chosen by the same judgement, so it is a little kind.
struct Lesson {
  std::vector<TaughtClass> classes;
  int frames = 0;
  int kept = 0;                   ///< of them those that were looked at before: TeachOptions::keep
  double meanIou = 0;             ///< of the classes that have one; NaN where none has
  double pixelAccuracy = 0;       ///< share of painted pixels that get their class; or NaN
  double decay = 0, balance = 0;  ///< what was chosen: see docs/teach.md
  /// Whether it counts where in the picture something is, as it does where that finds much more on
  /// frames kept back: what was taught is of this view alone then.
  bool knowsPlaces = false;
  std::vector<Advice> advice;  ///< which class needs another frame, and why
};

class MPM_API Teacher {
 public:
  /// Reads a model and leaves its head away. std::runtime_error where it has no patch tokens that
  /// are known, std::invalid_argument where options make no sense.
  Teacher(const std::string& backbone, const TeachOptions& options);
  Teacher(Teacher&&) noexcept;
  Teacher& operator=(Teacher&&) noexcept;
  ~Teacher();

  /// A frame as Segmenter::segment takes it, and its painting: CV_8U or CV_16U of the same size,
  /// numbers of classes or kUnpainted. All frames have one size. std::invalid_argument, and nothing
  /// is added, on anything else; one in which nothing is painted is no fault and teaches nothing.
  void add(const cv::Mat& frame, const cv::Mat& labels);

  /// Learns from all that was added. The same frames in the same order teach the same.
  /// std::runtime_error where less than two classes are painted.
  Lesson teach();

  /// How unsure what was taught is of a frame: the mean, over its places, of what is left of 1
  /// beside the likeliest class's probability. The frame to paint next is the one with the most.
  double doubt(const cv::Mat& frame);

  /// What was taught finds in a frame: CV_8U of its size, the labels of the written model with full
  /// tokens; kUnpainted where the likeliest class has a probability below `least`. std::logic_error
  /// where nothing was taught yet.
  cv::Mat labels(const cv::Mat& frame, double least = 0);

  /// Writes backbone and head: one picture in, scores [B, classes, H, W] out, at the input's size.
  /// The file appears whole or not at all. std::logic_error where nothing was taught yet.
  void write(const std::string& path) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm
