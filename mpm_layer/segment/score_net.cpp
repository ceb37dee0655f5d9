// SPDX-License-Identifier: Apache-2.0
#include "segment/score_net.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "contract/layer_kinds.h"
#include "dnn/host.h"
#include "dnn/layer_inputs.h"
#include "dnn/read_net.h"
#include "mpm/layers.h"
#include "onnx/graph/attribute.h"
#include "onnx/layers/rewrite_model.h"
#include "segment/edge.h"
#include "vit/linear.h"

namespace mpm::segment {

namespace {

constexpr int kMostClasses = 1 << 16;
// Lists outputs without those that merging adds to a converted file.
std::vector<std::string> ownOutputs(const Description& model) {
  std::vector<std::string> names;
  for (const Description::Blob& output : model.outputs) {
    if (!onnx::isMergeOutput(output.name)) names.push_back(output.name);
  }
  return names;
}

// Returns the shape of a layer's output for the model's input. Sets the blob, since OpenCV 4 gives
// nets of an open batch their shapes then. OpenCV 5 knows shapes only after a forward.
std::vector<int> shapeOf(cv::dnn::Net& net, const std::string& layer, const Description& model,
                         std::size_t output = 0) {
  const cv::Size size = model.input;
  const std::vector<int> dims = isChannelsLast(model)
                                    ? std::vector<int>{1, size.height, size.width, 3}
                                    : std::vector<int>{1, 3, size.height, size.width};
  net.setInput(cv::Mat(dims, CV_32F, cv::Scalar(0)));
  if (CV_VERSION_MAJOR >= 5) {
    std::vector<std::vector<cv::Mat>> blobs;
    dnn::forwardTo(net, {layer}, blobs);
  }
  const std::vector<dnn::Shape> shapes = dnn::outputShapes(net, layer, {dims});
  return output < shapes.size() ? shapes[output] : std::vector<int>();
}

// Tells whether an output is rows of tokens: a layer of such rows makes it, and the layers after
// that only sort them.
bool isTokens(cv::dnn::Net& net, const std::string& output) {
  dnn::LayerPtr layer = dnn::layerOf(net, output);
  while (layer && (layer->type == "Identity" || hasOnly(layer, {"Slice", "Concat"}))) {
    const std::vector<dnn::LayerPtr> sources = dnn::sourcesOf(net, *layer);
    layer = sources.empty() ? nullptr : sources[0];
  }
  const auto kind = layer ? kindOf(layer->type) : std::nullopt;
  return kind && *kind != LayerKind::convolve && *kind != LayerKind::upsample &&
         *kind != LayerKind::subgraph;
}

std::vector<std::int32_t> mapOf(const cv::Mat& blob) {
  const float* rows = blob.ptr<float>();
  return {rows, rows + blob.total()};
}

}  // namespace

ScoreNet::ScoreNet(cv::dnn::Net net, const Description& model, const std::string& name)
    : net_(std::move(net)), name_(name) {
  output_ = ownOutputs(model).at(0);
  const auto outputs = net_.getUnconnectedOutLayersNames();
  hasMap_ = std::find(outputs.begin(), outputs.end(), "mpm_map") != outputs.end() &&
            model.gridSize.area() > 0;
  running([&] { look(model); });
}

template <class Run>
void ScoreNet::running(const Run& run) const {
  try {
    run();
  } catch (const cv::Exception& error) {
    throw std::runtime_error(name_ +
                             ": OpenCV " CV_VERSION " cannot run it: " + dnn::firstLine(error.err));
  }
}

// Asks a net with OpenCV's own weights for the same layers from the first forward on. OpenCV 4.6
// fuses a batch norm into a deconvolution's weights again whenever the layers change.
void ScoreNet::look(const Description& model) {
  const std::vector<int> output = shapeOf(net_, output_, model);
  names_ = {output_};
  if (!lookForQueries(model, output) && !lookForValues(model, output)) {
    if (output.size() != 4 || output[0] != 1 || output[1] > kMostClasses) refuseOutput(output);
    classes_ = output[1];
    grid_ = {output[3], output[2]};
  }
  if (!hasMap_) return;
  names_.emplace_back("mpm_map");
  if (gives_ == OutputKind::scores) lookForLiveScores(model);
}

// Looks for classes and masks of equally many queries, one of which is the first output.
bool ScoreNet::lookForQueries(const Description& model, const std::vector<int>& first) {
  const bool isMasks = first.size() == 4;
  if ((!isMasks && first.size() != 3) || first[0] != 1) return false;
  std::vector<cv::String> others;
  std::vector<int> other;
  for (const std::string& output : ownOutputs(model)) {
    if (output == output_) continue;
    const std::vector<int> shape = shapeOf(net_, output, model);
    if (shape.size() != (isMasks ? 3 : 4) || shape[0] != 1 || shape[1] != first[1]) continue;
    others.push_back(output);
    other = shape;
  }
  if (others.empty()) return false;
  if (others.size() > 1) {
    throw std::runtime_error(name_ +
                             ": cannot tell which of its outputs are the queries' classes " +
                             "and masks, since " + others[0] + " and " + others[1] +
                             " both fit; please export it with one of each");
  }
  const std::vector<int>& classes = isMasks ? other : first;
  const std::vector<int>& masks = isMasks ? first : other;
  if (classes[2] < 2 || classes[2] > kMostClasses) return false;
  gives_ = OutputKind::queries;
  names_ = isMasks ? std::vector<cv::String>{others[0], output_}
                   : std::vector<cv::String>{output_, others[0]};
  classes_ = classes[2] - 1;
  grid_ = {masks[3], masks[2]};
  return true;
}

// Excludes rows of tokens, which also have three axes and may have the ratio of the input's sides.
bool ScoreNet::lookForValues(const Description& model, const std::vector<int>& first) {
  const bool isPlane = first.size() == 3 || (first.size() == 4 && first[1] == 1);
  if (!isPlane || first[0] != 1) return false;
  const int height = first[first.size() - 2], width = first.back();
  if (first.size() == 3 &&
      (height * model.input.width != width * model.input.height || isTokens(net_, output_)))
    return false;
  gives_ = OutputKind::values;
  grid_ = {width, height};
  return true;
}

void ScoreNet::lookForLiveScores(const Description& model) {
  live_ = findLiveScores(net_, output_);
  if (!live_) return;
  std::vector<int> rows;  // of every part
  bool fits = true;
  for (LiveScores::Part& part : live_->parts) {
    std::vector<int> own = shapeOf(net_, part.scores, model, part.scoresOutput);
    if (own.size() == 3) {
      if (part.special < 0) part.special = own[1] - model.gridSize.area();
      own[1] = part.special + model.gridSize.area();
    }
    fits = fits && own.size() == 3 && part.special >= 0 && own[2] == classes_ &&
           (rows.empty() || own == rows);
    rows = own;
  }
  const auto offsets =
      fits ? offsetsBehind(net_, *live_, rows, model.gridSize) : std::optional<cv::Mat>();
  if (!offsets) {
    live_.reset();
    return;
  }
  offsets_ = *offsets;
  names_.clear();
  std::vector<std::string> scores;
  for (const LiveScores::Part& part : live_->parts) {
    names_.insert(names_.end(), {part.scores, part.merge});
    scores.push_back(part.scores);
  }
  grid_ = model.gridSize;
  layers_.emplace(net_, scores);
}

void ScoreNet::refuseOutput(const std::vector<int>& shape) const {
  throw std::runtime_error(name_ + ": not a segmentation model: its first output " + output_ +
                           " is " + dnn::shapeText(shape) +
                           "; expected scores [1 x classes x height x width]");
}

std::string ScoreNet::memoryFault() const {
  if (layers_) return layers_->fault();
  return "its scores are not those of its live tokens, so every frame is computed in full";
}

void ScoreNet::forwardLive(const dnn::NetMemory* memory) {
  const std::vector<std::int32_t>* fresh = memory == nullptr ? nullptr : memory->fresh();
  const bool isSum = live_->parts.size() > 1 || !offsets_.empty();
  const auto classes = static_cast<std::size_t>(classes_);
  if (isSum) startPlaces(fresh);
  std::size_t fewest = SIZE_MAX;  // the last merge's, whose map is that of the scores
  for (std::size_t i = 0; i < live_->parts.size(); ++i) {
    const LiveScores::Part& part = live_->parts[i];
    NetScores own;
    std::size_t live = fresh == nullptr ? 0 : fresh->size();
    if (fresh == nullptr) {
      own.map = mapOf(blobs_[2 * i + 1][part.mapOutput]);
      live = 1 + static_cast<std::size_t>(*std::max_element(own.map.begin(), own.map.end()));
    }
    own.grid = {blobs_[2 * i][part.scoresOutput].ptr<float>(0, part.special),
                ScoreGrid::Layout::rows, fresh == nullptr ? own.map.data() : nullptr};
    own.values = live * classes;
    if (isSum) addToPlaces(own);
    if (live >= fewest) continue;
    fewest = live;
    scores_ = std::move(own);
  }
  if (!isSum) return;
  scores_.grid = {places_.ptr<float>(), ScoreGrid::Layout::rows, nullptr};
  scores_.values = places_.total();
}

// Prepares all places, or the fresh ones in order, with the offsets that are added there.
void ScoreNet::startPlaces(const std::vector<std::int32_t>* fresh) {
  const int count = fresh == nullptr ? grid_.area() : static_cast<int>(fresh->size());
  places_.create(count, classes_, CV_32F);
  places_.setTo(0);
  for (int i = 0; i < count && !offsets_.empty(); ++i) {
    const int place = fresh == nullptr ? i : (*fresh)[static_cast<std::size_t>(i)];
    offsets_.row(place).copyTo(places_.row(i));
  }
}

void ScoreNet::addToPlaces(const NetScores& part) {
  for (int i = 0; i < places_.rows; ++i) {
    const float* from = part.at(static_cast<std::size_t>(i), static_cast<std::size_t>(classes_));
    float* to = places_.ptr<float>(i);
    for (int k = 0; k < classes_; ++k) to[k] += from[k];
  }
}

void ScoreNet::checkFloats(const cv::Mat& output) const {
  if (output.type() != CV_32F) refuseOutput(dnn::shapeOf(output));
}

void ScoreNet::forwardOutput() {
  const cv::Mat& output = blobs_[0][0];
  checkFloats(output);
  if (gives_ == OutputKind::queries) {
    checkFloats(blobs_[1][0]);
    scores_.grid = {queries_.rows(output, blobs_[1][0]), ScoreGrid::Layout::rows, nullptr};
    scores_.values = static_cast<std::size_t>(grid_.area()) * classes_;
  } else {
    scores_.grid = {output.ptr<float>(), ScoreGrid::Layout::planes, nullptr};
    scores_.values = output.total();
  }
  if (hasMap_) scores_.map = mapOf(blobs_.back()[0]);
}

const NetScores& ScoreNet::forward(const cv::Mat& blob, dnn::NetMemory* memory) {
  struct Use {
    const dnn::RememberingLayers* layers;
    Use(const dnn::RememberingLayers* layers_, dnn::NetMemory* memory_) : layers(layers_) {
      if (layers != nullptr) layers->use(memory_);
    }
    ~Use() {
      if (layers != nullptr) layers->use(nullptr);
    }
  };
  const Use use(memory == nullptr ? nullptr : &*layers_, memory);
  const auto run = [&] {
    net_.setInput(blob);
    dnn::forwardTo(net_, names_, blobs_);
  };
  hasRun_ ? run() : running(run);
  hasRun_ = true;
  live_ ? forwardLive(memory) : forwardOutput();
  return scores_;
}

namespace {

// Tells whether a node works along the classes of [1, classes, height, width].
bool isOverClasses(const onnx::Node& node, std::int64_t otherwise) {
  const std::int64_t axis = onnx::intAttribute(node, "axis").value_or(otherwise);
  return axis == 1 || axis == -3;
}

// Requires opset 13: before that a softmax of axis 1 also runs over all places.
bool isSoftmaxOfClasses(const onnx::Model& model, const onnx::Node& node) {
  return onnx::isAny(node, {"Softmax", "LogSoftmax"}) && model.opset() >= 13 &&
         isOverClasses(node, -1);
}

// Finds the ArgMax that makes labels; null if `value` holds no labels.
const onnx::Node* findArgMax(const onnx::Model& model, const std::string& value) {
  const onnx::Node* node = model.producer(value);
  while (node != nullptr && onnx::isAny(*node, {"Cast", "Identity", "Squeeze", "Unsqueeze"})) {
    node = model.producer(node->input(0));
  }
  if (node == nullptr || !onnx::isOp(*node, "ArgMax") || !isOverClasses(*node, 0)) return nullptr;
  return onnx::intAttribute(*node, "select_last_index").value_or(0) == 0 ? node : nullptr;
}

}  // namespace

std::string firstOutput(const onnx::Model& model, const std::string& name) {
  for (const onnx::Value& output : model.outputs()) {
    if (!onnx::isMergeOutput(output.name)) return output.name;
  }
  throw std::runtime_error(name + ": it has no output");
}

std::string showScores(onnx::Model& model) {
  const std::string output = firstOutput(model, "the model");
  std::string scores = output;
  if (const onnx::Node* labels = findArgMax(model, scores)) scores = labels->input(0);
  const onnx::Node* node = model.producer(scores);
  if (node != nullptr && isSoftmaxOfClasses(model, *node)) scores = node->input(0);
  if (scores == output || model.producer(scores) == nullptr) return {};
  onnx::Value value = model.info(scores).value_or(onnx::Value{});
  value.name = scores;
  if (value.type == 0) value.type = ::onnx::TensorProto::FLOAT;
  model.addOutput(value);
  return scores;
}

void checkFraction(const onnx::Model& model, const std::string& output, const std::string& name) {
  const int type = model.info(output).value_or(onnx::Value{}).type;
  for (const int other : {::onnx::TensorProto::FLOAT, ::onnx::TensorProto::FLOAT16,
                          ::onnx::TensorProto::BFLOAT16, ::onnx::TensorProto::DOUBLE}) {
    if (type == 0 || type == other) return;
  }
  throw std::runtime_error(name + ": its first output " + output +
                           " holds whole numbers that were not found to be the largest of scores "
                           "[1 x classes x height x width]; please export the model with scores");
}

namespace {

// Stands under the logarithm where no query claims a place; below any share that float32 resolves.
constexpr double kNothing = 1e-30;

// Computes the softmax over the first K of each query's K + 1 logits, a column per query.
void classWeights(const cv::Mat& logits, cv::Mat& weights) {
  const int queries = logits.size[1], classes = logits.size[2] - 1;
  weights.create(classes, queries, CV_32F);
  for (int q = 0; q < queries; ++q) {
    const float* own = logits.ptr<float>(0, q);
    const float best = *std::max_element(own, own + classes + 1);
    double sum = 0;
    for (int k = 0; k <= classes; ++k) sum += std::exp(static_cast<double>(own[k] - best));
    for (int k = 0; k < classes; ++k) {
      weights.at<float>(k, q) =
          static_cast<float>(std::exp(static_cast<double>(own[k] - best)) / sum);
    }
  }
}

ConstRows rowsOf(const cv::Mat& mat) {
  return {mat.ptr<float>(), static_cast<std::size_t>(mat.rows), static_cast<std::size_t>(mat.cols)};
}

}  // namespace

const float* QueryScores::rows(const cv::Mat& classes, const cv::Mat& masks) {
  classWeights(classes, weights_);
  const cv::Mat logits(masks.size[1], masks.size[2] * masks.size[3], CV_32F,
                       const_cast<float*>(masks.ptr<float>()));
  logits.convertTo(shares_, CV_32F, -1);
  cv::exp(shares_, shares_);
  shares_.convertTo(shares_, CV_32F, 1, 1);
  cv::divide(1.0, shares_, shares_);
  cv::transpose(shares_, places_);
  scores_.create(places_.rows, weights_.rows, CV_32F);
  const vit::PackedLinear weigh({rowsOf(weights_), nullptr}, vit::Precision::fp32);
  vit::linearCpu(rowsOf(places_), weigh,
                 {scores_.ptr<float>(), static_cast<std::size_t>(scores_.rows),
                  static_cast<std::size_t>(scores_.cols)});
  scores_.convertTo(scores_, CV_32F, 1, kNothing);
  cv::log(scores_, scores_);
  return scores_.ptr<float>();
}

}  // namespace mpm::segment
