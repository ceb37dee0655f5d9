// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mpm/export.h"
#include "mpm/net.h"
#include "mpm/scene_memory.h"
#include "mpm/step_kind.h"

/// Image in, labels out: a segmentation model with everything around the network.
namespace mpm {

/// Says how a frame is fitted to the model's input, which has one size.
enum class Fit {
  stretch,  ///< the whole frame, resized to the input's size
  slide     ///< resized to a short side, its aspect ratio kept; windows of the input's size slide
            ///< over it, the last one shifted back to the border, and where they overlap, the mean
            ///< of their scores counts. Beyond the picture a window has the mean colour, which does
            ///< not count
};

struct SegmenterOptions {
  ReadOptions read;
  Fit fit = Fit::stretch;
  int shortSide = 0;  ///< of `slide`, in pixels. 0: the input's shorter side
  int stride = 0;     ///< of `slide`, in pixels, up to the input's shorter side. 0: the input's
                      ///< side, so that windows only overlap if the frame is not a multiple of them
  bool confidence = true;  ///< whether Segmentation::confidence is wanted
  bool stages = false;     ///< whether Segmentation::stages is wanted: costs a copy of two grids a
                           ///< merge, and on a device each merge again on the processor
  bool values = false;     ///< whether a model that gives one value a pixel, such as depth, is
                           ///< taken too: classes() is empty then. Not with Fit::slide

  // Normalisation and channel order, instead of those in the model's metadata (mpm.mean, mpm.std,
  // mpm.channel_order) and a .toml next to it (model.toml next to model.onnx: mean, std,
  // channel_order, classes, palette). If neither says it: 0.5, 0.5 and RGB.
  std::optional<cv::Vec3f> mean, std;  ///< in the model's channel order, for values from 0 to 1
  std::optional<bool> rgb;
};

/// Time that one frame took, in milliseconds.
struct SegmenterTimes {
  double prepareMs = 0;  ///< frame to blob
  double networkMs = 0;
  double labelsMs = 0;  ///< scores to labels and confidence

  double wholeMs() const { return prepareMs + networkMs + labelsMs; }
};

/// A step of the network and the time it took. Steps are in the net's order. On a device, most
/// steps only start work there. Merges, and steps whose values come to the host, wait for it; their
/// time includes that of all work started before.
struct NetworkStep {
  using Kind = StepKind;
  Kind kind = Kind::rest;
  int block = -1;  ///< of a block; of a merge, the block that it comes before; from 0
  double ms = 0;
};

/// Result of one merge. Both are on the grid of image tokens.
struct MergeStage {
  cv::Mat map;         ///< CV_32S: each original place's live row after this merge
  cv::Mat similarity;  ///< CV_32F: the cosine similarity between this place's row and that row's
                       ///< best partner before this merge, whether they paired or not; NaN if it
                       ///< had none. Accurate to 2.5e-6, so it may exceed 1 by that much
};

/// Labels of a frame. A pixel's scores are interpolated bilinearly on the grid of the scores
/// (half-pixel centres, edges clamped). This is the grid of image tokens if the model only moves
/// and upsamples values after them. Otherwise it is the grid of its first output. The pixel's label
/// is the best class; ties go to the lowest. A class does not count next to a grid point at which
/// its score is not finite. Where no class counts, the label is 0 and the confidence 0. With
/// queries, a class's score is the logarithm of the sum over the queries (docs/segmentation.md).
struct Segmentation {
  cv::Mat labels;      ///< CV_8U (CV_16U with more than 256 classes), the frame's size
  cv::Mat confidence;  ///< CV_32F, the frame's size: the label's softmax probability, to 1e-3; or
                       ///< empty
  cv::Mat values;      ///< CV_32F, the frame's size, with SegmenterOptions::values and a model that
                       ///< gives one value a pixel: those, interpolated. Labels are empty then
  cv::Mat mergeMap;    ///< CV_32S, the grid of image tokens: the live row of each. With `slide`:
                       ///< in the first window. Empty if the model cannot merge, or did not because
                       ///< a memory left rows out
  std::vector<int> rows;  ///< live rows, special ones included: before all merges, then after each.
                          ///< With `slide`: sums over the windows. Empty if the model cannot merge.
                          ///< If a memory left rows out: the computed rows, in each entry
  std::vector<MergeStage> stages;  ///< one for each merge, with SegmenterOptions::stages: one fewer
                                   ///< than `rows`. With `slide`: those of the first window. Empty
                                   ///< if the model cannot merge
  int windows = 1;
  cv::Rect2d gridArea{0, 0, 1, 1};  ///< what the grid of image tokens covers of the frame, which is
                                    ///< (0, 0) to (1, 1). With `slide`: the first window, which may
                                    ///< reach past the frame
  MemoryReport memory;              ///< of a frame with a memory
  cv::Mat patchAges;  ///< CV_32S, the grid of image tokens: how many frames ago each was
                      ///< computed, 0 for this one. Empty without a memory
  SegmenterTimes times;
  std::vector<NetworkStep> steps;  ///< what times.networkMs was spent on; adds up to it. With
                                   ///< `slide`: sums over the windows
};

class MPM_API Segmenter {
 public:
  /// Reads the file once, without running the net. The first frame takes longer than the others,
  /// since weights are packed then. Throws as readNet does. Throws std::runtime_error if the model
  /// is not a segmentation model or its metadata makes no sense. Such a model takes one picture [1,
  /// 3, H, W]. Its first output is scores [1, classes, h, w] or labels, the argmax of such scores.
  /// Or it gives the classes [1, Q, classes + 1] and masks [1, Q, h, w] of queries.
  explicit Segmenter(const std::string& model, const SegmenterOptions& options = {});
  Segmenter(Segmenter&&) noexcept;
  Segmenter& operator=(Segmenter&&) noexcept;
  ~Segmenter();

  /// Labels a frame: CV_8U with 1 (grey), 3 (BGR) or 4 (BGRA) channels, of any size. Throws
  /// std::invalid_argument on any other frame, std::runtime_error if OpenCV cannot run the net. The
  /// result shares no memory with later ones. Calls from two threads at once are not allowed
  /// (std::logic_error if noticed); two Segmenters in two threads are fine.
  Segmentation segment(const cv::Mat& frame);

  /// Labels a camera's next frame with what `memory` holds of those before it. Computes the frame
  /// in full if memoryFault() gives a reason.
  Segmentation segment(const cv::Mat& frame, SceneMemory& memory);
  /// Says in one sentence why this model with these options cannot use a memory; empty if it can.
  std::string memoryFault() const;

  const Description& model() const;
  /// Class names from the metadata (mpm.classes), or "class 0", ... if it has none.
  const std::vector<std::string>& classes() const;
  /// BGR colours from the metadata (mpm.palette), or a palette of distinct colours.
  const std::vector<cv::Vec3b>& palette() const;

  Schedule schedule();
  void setSchedule(const Schedule& blocks);  ///< between two frames
  /// Returns the net that runs. You may ask it for other outputs, but OpenCV then lays out its
  /// memory again, at once and at the next frame.
  cv::dnn::Net& net();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm
