// SPDX-License-Identifier: Apache-2.0
#include "mpm/segmenter.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "processor/simd.h"
#include "segment/edge.h"
#include "segment/forward_watch.h"
#include "segment/labels.h"
#include "segment/model_metadata.h"
#include "segment/prepare.h"
#include "segment/remembered.h"
#include "segment/score_net.h"
#include "segment/windows.h"

namespace mpm {
namespace {

using segment::View;

void checkValues(const SegmenterOptions& options, const std::string& name) {
  if (!options.values) {
    throw std::runtime_error(name +
                             ": not a segmentation model: it gives one value for each pixel, such "
                             "as depth; `mpm segment` shows them");
  }
  if (options.fit == Fit::slide) {
    throw std::invalid_argument(
        "fit: values of neighbouring windows do not fit together; please use stretch");
  }
}

class Watch {
 public:
  /// Returns milliseconds since construction or the last call.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::uint64_t nextNumber() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

class Segmenter::Impl {
 public:
  Impl(const std::string& model, const SegmenterOptions& options)
      : Impl(segment::readPictureModel(model, options.read), model, options) {}

  Segmentation segment(const cv::Mat& frame);
  Segmentation segment(const cv::Mat& frame, std::unique_ptr<SceneMemory::Impl>& memory);
  std::string memoryFault() const;

  const Description& model() const { return model_; }
  const std::vector<std::string>& classes() const { return metadata_.classes; }
  const std::vector<cv::Vec3b>& palette() const { return metadata_.palette; }
  cv::dnn::Net& net() { return net_.net(); }

 private:
  Impl(segment::PictureModel read, const std::string& model, const SegmenterOptions& options);

  void fillFacts(const std::string& name, const SegmenterOptions& options);
  std::vector<View> layWindows(const cv::Size& frame);
  void runWindow(const cv::Mat& frame, const View& view, bool isOnly, SceneMemory::Impl* memory,
                 Segmentation& result);
  const cv::Mat& netInput();
  segment::NetScores forward(const cv::Size& frame, SceneMemory::Impl* memory);
  void keepScores(const segment::NetScores& scores, bool isOnly);
  void addRows(Segmentation& result);
  void label(const std::uint8_t* changed, cv::Mat& labels, cv::Mat& confidence);
  void label(const cv::Size& frame, SceneMemory::Impl* memory, Segmentation& result);

  Description model_;
  segment::ScoreNet net_;
  segment::StepProfile profile_;
  std::optional<segment::MergeWatch> merges_;  // where stages are wanted
  segment::ModelMetadata metadata_;
  segment::Colours colours_;
  Fit fit_;
  int shortSide_, stride_;
  bool wantsConfidence_;
  class Turn;
  Segmentation compute(const cv::Mat& frame, SceneMemory::Impl* memory);  // which may be null
  std::atomic<bool> isTaken_ = false;
  std::uint64_t number_ = nextNumber();  // no other Segmenter of this process has it

  // Buffers for the current frame, kept for the next one.
  cv::Rect2d gridArea_{0, 0, 1, 1};
  cv::Mat blob_;
  cv::Mat interleaved_;  // of a net that takes [1, H, W, 3]; else empty
  segment::Preparer preparer_;
  segment::Labeller labeller_;
  segment::Scores scores_;
  std::vector<std::vector<float>> kept_;  // of several windows
  std::vector<std::vector<std::int32_t>> maps_;
};

Segmenter::Impl::Impl(segment::PictureModel read, const std::string& model,
                      const SegmenterOptions& options)
    : model_(std::move(read.description)),
      net_(std::move(read.net), model_, model),
      profile_(net_.lastLayer()),
      fit_(options.fit),
      shortSide_(segment::checkedShortSide(options, model_.input)),
      stride_(segment::checkedStride(options, model_.input)),
      wantsConfidence_(options.confidence) {
  if (net_.gives() == segment::OutputKind::values) checkValues(options, model);
  fillFacts(model, options);
  if (options.stages) merges_.emplace(net_.net());
  const int dims[] = {1, 3, model_.input.height, model_.input.width};
  blob_.create(4, dims, CV_32F);
  if (segment::isChannelsLast(model_)) {
    const int last[] = {1, model_.input.height, model_.input.width, 3};
    interleaved_.create(4, last, CV_32F);
  }
  scores_.classes = net_.classes();
  scores_.gridWidth = net_.grid().width, scores_.gridHeight = net_.grid().height;
}

void Segmenter::Impl::fillFacts(const std::string& name, const SegmenterOptions& options) {
  metadata_ = segment::modelMetadata(name, model_.metadata);
  const auto count = static_cast<std::size_t>(net_.classes());
  const auto check = [&](std::size_t found, const char* what) {
    if (found == 0 || found == count) return;
    throw std::runtime_error(name + ": it has scores for " + std::to_string(count) +
                             " classes, but " + std::to_string(found) + " " + what +
                             "; give one for each class");
  };
  if (count == 0) metadata_.classes.clear(), metadata_.palette.clear();
  check(metadata_.classes.size(), "names");
  check(metadata_.palette.size(), "colours");
  for (std::size_t k = metadata_.classes.size(); k < count; ++k) {
    metadata_.classes.push_back("class " + std::to_string(k));
  }
  if (metadata_.palette.empty()) metadata_.palette = segment::distinctColours(count);

  const cv::Vec3f half = cv::Vec3f::all(0.5F);
  const cv::Vec3f mean = options.mean ? *options.mean : metadata_.mean.value_or(half);
  const cv::Vec3f std = options.std ? *options.std : metadata_.std.value_or(half);
  for (int i = 0; i < 3; ++i) {
    for (const bool isStd : {false, true}) {
      if (segment::fitsColours((isStd ? std : mean)[i], isStd)) continue;
      throw std::invalid_argument((isStd ? "std: " : "mean: ") +
                                  segment::expectedColours(isStd, "0.5, 0.5, 0.5"));
    }
    colours_.mean[i] = mean[i], colours_.std[i] = std[i];
  }
  colours_.rgb = options.rgb ? *options.rgb : metadata_.rgb.value_or(true);
}

// Lays out the windows of a frame.
std::vector<View> Segmenter::Impl::layWindows(const cv::Size& frame) {
  const cv::Size input = model_.input;
  if (fit_ == Fit::stretch) {
    scores_.across = {{0, static_cast<double>(frame.width)}};
    scores_.down = {{0, static_cast<double>(frame.height)}};
    return {{input.width, input.height, 0, 0, input.width, input.height}};
  }
  segment::checkWindows(shortSide_, stride_, frame, input);
  const segment::Resized resized = segment::resizedTo(shortSide_, frame.width, frame.height);
  const int strideX = stride_ > 0 ? stride_ : input.width;
  const int strideY = stride_ > 0 ? stride_ : input.height;
  const auto lefts = segment::windowStarts(resized.width, input.width, strideX);
  const auto tops = segment::windowStarts(resized.height, input.height, strideY);
  scores_.across = segment::windowSpans(lefts, input.width, resized.width, frame.width);
  scores_.down = segment::windowSpans(tops, input.height, resized.height, frame.height);
  gridArea_ = {0, 0, static_cast<double>(input.width) / resized.width,
               static_cast<double>(input.height) / resized.height};
  std::vector<View> views;
  for (const int top : tops) {
    for (const int left : lefts) {
      views.push_back({resized.width, resized.height, left, top, input.width, input.height});
    }
  }
  return views;
}

void Segmenter::Impl::keepScores(const segment::NetScores& scores, bool isOnly) {
  segment::ScoreGrid grid = scores.grid;
  if (!isOnly) {  // the next window's scores take their place in the net
    const std::size_t window = scores_.grids.size();
    if (kept_.size() <= window) kept_.resize(window + 1), maps_.resize(window + 1);
    kept_[window].assign(grid.scores, grid.scores + scores.values);
    grid.scores = kept_[window].data();
    if (grid.map != nullptr) {
      maps_[window] = scores.map;
      grid.map = maps_[window].data();
    }
  }
  scores_.grids.push_back(grid);
}

void Segmenter::Impl::addRows(Segmentation& result) {
  if (!model_.mergeable) return;
  const std::vector<std::vector<int>> behind = liveRows(net());
  result.rows.resize(1 + behind.size(), 0);
  result.rows[0] += model_.numPrefixTokens + model_.gridSize.area();
  for (std::size_t i = 0; i < behind.size(); ++i) result.rows[i + 1] += behind[i][0];
}

const cv::Mat& Segmenter::Impl::netInput() {
  if (interleaved_.empty()) return blob_;
  std::vector<cv::Mat> planes;
  for (int c = 0; c < 3; ++c) planes.emplace_back(model_.input, CV_32F, blob_.ptr<float>(0, c));
  cv::Mat pixels(model_.input, CV_32FC3, interleaved_.ptr<float>());
  cv::merge(planes, pixels);
  return interleaved_;
}

segment::NetScores Segmenter::Impl::forward(const cv::Size& frame, SceneMemory::Impl* memory) {
  if (memory == nullptr) return net_.forward(netInput());
  memory->begin({frame, mpm::schedule(net())}, blob_.ptr<float>());
  return memory->end(net_.forward(netInput(), &memory->net()));
}

void Segmenter::Impl::runWindow(const cv::Mat& frame, const View& view, bool isOnly,
                                SceneMemory::Impl* memory, Segmentation& result) {
  Watch watch;
  const segment::Picture picture = {frame.data, frame.step[0], frame.cols, frame.rows,
                                    frame.channels()};
  if (processor::simdChoice().reference) {
    segment::prepareReference(picture, view, colours_, blob_.ptr<float>());
  } else {
    preparer_.prepare(picture, view, colours_, blob_.ptr<float>());
  }
  result.times.prepareMs += watch.lap();
  const bool isWatched = merges_ && scores_.grids.empty();  // the first window
  if (isWatched) merges_->start();
  const segment::NetScores scores = forward(frame.size(), memory);
  const double networkMs = watch.lap();
  result.times.networkMs += networkMs;
  profile_.addLastForward(net(), networkMs, result.steps);
  if (isWatched) result.stages = merges_->stop(model_.gridSize);
  keepScores(scores, isOnly);
  addRows(result);
  if (result.mergeMap.empty() && !scores.map.empty()) {
    cv::Mat(model_.gridSize, CV_32S, const_cast<std::int32_t*>(scores.map.data()))
        .copyTo(result.mergeMap);
  }
}

void Segmenter::Impl::label(const std::uint8_t* changed, cv::Mat& labels, cv::Mat& confidence) {
  segment::LabelImage image;
  image.width = labels.cols, image.height = labels.rows;
  if (labels.depth() == CV_8U) {
    image.labels8 = labels.ptr<std::uint8_t>();
  } else {
    image.labels16 = labels.ptr<std::uint16_t>();
  }
  if (wantsConfidence_) image.confidence = confidence.ptr<float>();
  if (processor::simdChoice().reference) {
    segment::labelReference(scores_, image);
  } else {
    labeller_.label(scores_, image, changed);
  }
}

// Keeps pixels between unchanged patches, if there is a memory.
void Segmenter::Impl::label(const cv::Size& frame, SceneMemory::Impl* memory,
                            Segmentation& result) {
  if (net_.gives() == segment::OutputKind::values) {
    const cv::Mat grid(net_.grid(), CV_32F, const_cast<float*>(scores_.grids[0].scores));
    cv::resize(grid, result.values, frame, 0, 0, cv::INTER_LINEAR);
    return;
  }
  cv::Mat& labels = memory == nullptr ? result.labels : memory->labels;
  cv::Mat& confidence = memory == nullptr ? result.confidence : memory->confidence;
  labels.create(frame, net_.classes() <= 256 ? CV_8U : CV_16U);
  if (wantsConfidence_) confidence.create(frame, CV_32F);
  label(memory == nullptr ? nullptr : memory->changed(), labels, confidence);
  if (memory == nullptr) return;
  labels.copyTo(result.labels);
  confidence.copyTo(result.confidence);
}

std::string Segmenter::Impl::memoryFault() const {
  if (fit_ == Fit::slide) return "sliding windows are not remembered";
  if (model_.gridSize.area() > 0 && model_.gridSize * model_.patchSize != model_.input)
    return "the model pads or resizes its picture, so its patches do not line up with the frame's";
  return net_.memoryFault();
}

// Refuses a second thread while a frame is worked on, before it touches anything.
class Segmenter::Impl::Turn {
 public:
  explicit Turn(std::atomic<bool>& isTaken) : isTaken_(isTaken) {
    if (isTaken_.exchange(true))
      throw std::logic_error(
          "another thread is using this Segmenter; give each thread its own Segmenter, and each "
          "camera its own memory");
  }
  ~Turn() { isTaken_ = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& isTaken_;
};

Segmentation Segmenter::Impl::segment(const cv::Mat& frame) {
  const Turn turn(isTaken_);
  return compute(frame, nullptr);
}

Segmentation Segmenter::Impl::segment(const cv::Mat& frame,
                                      std::unique_ptr<SceneMemory::Impl>& memory) {
  const Turn turn(isTaken_);
  if (!memoryFault().empty()) {
    Segmentation result = compute(frame, nullptr);
    result.memory.rows = result.memory.fresh = net_.grid().area();
    return result;
  }
  if (memory && memory->segmenter() != number_) {
    throw std::invalid_argument(
        "the memory belongs to another Segmenter; give each Segmenter its own");
  }
  segment::checkFrame(frame);
  if (!memory)
    memory = std::make_unique<SceneMemory::Impl>(number_, net_, model_.patchSize, colours_);
  try {
    return compute(frame, memory.get());
  } catch (...) {
    memory->forget();
    throw;
  }
}

Segmentation Segmenter::Impl::compute(const cv::Mat& frame, SceneMemory::Impl* memory) {
  segment::checkFrame(frame);
  Segmentation result;
  const std::vector<View> views = layWindows(frame.size());
  result.windows = static_cast<int>(views.size());
  result.gridArea = gridArea_;
  scores_.grids.clear();
  for (const View& view : views) runWindow(frame, view, views.size() == 1, memory, result);
  if (memory != nullptr) {
    result.memory = memory->report();
    result.patchAges.create(net_.grid(), CV_32S);
    memory->putAges(result.patchAges.ptr<std::int32_t>());
    if (result.memory.fresh < result.memory.rows && !result.rows.empty())
      result.rows.front() = model_.numPrefixTokens + result.memory.fresh;
  }
  Watch watch;
  label(frame.size(), memory, result);
  result.times.labelsMs = watch.lap();
  return result;
}

Segmenter::Segmenter(const std::string& model, const SegmenterOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
Segmenter::Segmenter(Segmenter&&) noexcept = default;
Segmenter& Segmenter::operator=(Segmenter&&) noexcept = default;
Segmenter::~Segmenter() = default;

Segmentation Segmenter::segment(const cv::Mat& frame) { return impl_->segment(frame); }
Segmentation Segmenter::segment(const cv::Mat& frame, SceneMemory& memory) {
  return impl_->segment(frame, memory.impl_);
}
std::string Segmenter::memoryFault() const { return impl_->memoryFault(); }
const Description& Segmenter::model() const { return impl_->model(); }
const std::vector<std::string>& Segmenter::classes() const { return impl_->classes(); }
const std::vector<cv::Vec3b>& Segmenter::palette() const { return impl_->palette(); }
Schedule Segmenter::schedule() { return mpm::schedule(impl_->net()); }
void Segmenter::setSchedule(const Schedule& blocks) { mpm::setSchedule(impl_->net(), blocks); }
cv::dnn::Net& Segmenter::net() { return impl_->net(); }

}  // namespace mpm
