// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mpm/export.h"
#include "mpm/layer_kinds.h"
#include "mpm/net.h"
#include "mpm/scene_memory.h"

/// Image in, labels out: a segmentation model with everything around the network.
namespace mpm {

/// How a frame meets the model's input, which has one size.
enum class Fit {
  stretch,  ///< the whole frame, resized to the input's size
  slide     ///< resized to a short side, its ratio kept; windows of the input's size slide over it,
            ///< the last one shifted to the border, and where they overlap the mean of their scores
            ///< counts. What a window has no picture for is the mean colour, and does not count
};

struct SegmenterOptions {
  ReadOptions read;
  Fit fit = Fit::stretch;
  int shortSide = 0;  ///< of `slide`, in pixels. 0: the input's shorter side
  int stride = 0;     ///< of `slide`, in pixels, up to the input's shorter side. 0: the input's
                      ///< side, so that windows only overlap where the frame is no multiple of them
  bool confidence = true;  ///< whether Segmentation::confidence is wanted
  bool stages = false;     ///< whether Segmentation::stages is wanted: costs a copy of two grids a
                           ///< merge; and on a device, doing each once more on the processor
  bool values = false;     ///< whether a model that gives one value a pixel, as of depth, is taken,
                           ///< too: classes() is empty then. Not with Fit::slide

  // What the model expects, where neither its metadata (mpm.mean, mpm.std, mpm.channel_order) nor a
  // .toml beside it (model.toml beside model.onnx: mean, std, channel_order, classes, palette) says
  // it, or says it wrongly. Without any: 0.5, 0.5 and RGB.
  std::optional<cv::Vec3f> mean, std;  ///< in the model's channel order, of values from 0 to 1
  std::optional<bool> rgb;
};

/// What one frame took, in milliseconds.
struct SegmenterTimes {
  double prepareMs = 0;  ///< frame to blob
  double networkMs = 0;
  double labelsMs = 0;  ///< scores to labels and confidence
};

/// A step of the network, and what it took. Steps stand in the net's order. A device is only told
/// what to do in most of them; merges, and steps whose values come to the host, wait for it, and
/// count all that stands in front of them.
struct NetworkStep {
  using Kind = StepKind;
  Kind kind = Kind::rest;
  int block = -1;  ///< of a block, and of a merge the block it stands in front of; from 0
  double ms = 0;
};

/// What one merge did. Both on the grid of image tokens.
struct MergeStage {
  cv::Mat map;         ///< CV_32S: each original place's live row behind this merge
  cv::Mat similarity;  ///< CV_32F: the cosine similarity to its best partner that the row of this
                       ///< place had in front of this merge, whether they paired or not; NaN where
                       ///< it had none. To 5e-7, by which it may lie above 1
};

/// A pixel's scores are interpolated bilinearly between the places of the grid that the scores
/// stand on (half-pixel centres, edges clamped): that of the image tokens where nothing but moving
/// and upsampling follows them in the model, else that of its first output. The best class is its
/// label, of equal ones the lowest. A class whose score is not finite at a place does not count
/// beside it; where none counts, the label is 0 and the confidence 0. Of queries a class's score is
/// the logarithm of what they add up to (docs/segmentation.md).
struct Segmentation {
  cv::Mat labels;      ///< CV_8U (CV_16U where there are more than 256 classes), the frame's size
  cv::Mat confidence;  ///< CV_32F, the frame's size: the label's softmax probability, to 1e-3; or
                       ///< empty
  cv::Mat values;      ///< CV_32F, the frame's size, where SegmenterOptions::values and the model
                       ///< gives one value a pixel: those, interpolated. Labels are empty then
  cv::Mat mergeMap;    ///< CV_32S, the grid of image tokens: each one's live row. Of `slide`: of
                       ///< the first window. Empty where the model cannot merge, or did not since
                       ///< a memory left rows out
  std::vector<int> rows;  ///< live rows, special ones included: before all merges, behind each. Of
                          ///< `slide`: sums over the windows. Empty where the model cannot merge.
                          ///< Where a memory left rows out: those that were computed, throughout
  std::vector<MergeStage> stages;  ///< one for each merge, where SegmenterOptions::stages: as many
                                   ///< as there are `rows` behind the first. Of `slide`: of the
                                   ///< first window. Empty where the model cannot merge
  int windows = 1;
  cv::Rect2d gridArea{0, 0, 1, 1};  ///< what the grid of image tokens covers, of the frame from
                                    ///< (0, 0) to (1, 1). Of `slide`: the first window, which may
                                    ///< reach past the frame
  MemoryReport memory;              ///< of a frame with a memory
  cv::Mat patchAges;  ///< CV_32S, the grid of image tokens: how many frames ago each was
                      ///< computed, 0 for this one. Empty without a memory
  SegmenterTimes times;
  std::vector<NetworkStep> steps;  ///< what times.networkMs went to; adds up to it. Of `slide`:
                                   ///< sums over the windows
};

class MPM_API Segmenter {
 public:
  /// Throws as readNet does, and std::runtime_error where the model is not a segmentation model
  /// (one picture [1, 3, H, W] in, its first output scores [1, classes, h, w], or labels, the
  /// largest of such scores; or the classes [1, Q, classes + 1] and masks [1, Q, h, w] of queries)
  /// or where what it says of itself cannot be understood. The file is read once, and the net does
  /// not run: the first frame takes longer than the others, since weights are packed then.
  explicit Segmenter(const std::string& model, const SegmenterOptions& options = {});
  Segmenter(Segmenter&&) noexcept;
  Segmenter& operator=(Segmenter&&) noexcept;
  ~Segmenter();

  /// A frame: CV_8U with 1 (grey), 3 (BGR) or 4 (BGRA) channels, of any size; std::invalid_argument
  /// on anything else, std::runtime_error where OpenCV cannot run the net. The result's Mats are
  /// its own. Not from two threads at once; two Segmenters in two threads are fine.
  Segmentation segment(const cv::Mat& frame);

  /// The same of a camera's next frame, with what `memory` has of those before it; where
  /// memoryFault() says why not, in full.
  Segmentation segment(const cv::Mat& frame, SceneMemory& memory);
  /// Why this model and these options have no use for a memory, in one sentence; empty where they
  /// have.
  std::string memoryFault() const;

  const Description& model() const;
  /// Names from the model's metadata (mpm.classes), "class 0", ... where it has none.
  const std::vector<std::string>& classes() const;
  /// BGR, from the metadata (mpm.palette), or a palette of well distinguished colours.
  const std::vector<cv::Vec3b>& palette() const;

  Schedule schedule();
  void setSchedule(const Schedule& blocks);  ///< between two frames
  /// What it runs. Asking it for outputs of one's own is right too, but makes OpenCV lay out its
  /// memory anew, then and at the next frame; on a device, the model's own outputs alone are there
  /// (keepOnHost in mpm/layers.h takes turns with what the Segmenter asks for).
  cv::dnn::Net& net();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm
