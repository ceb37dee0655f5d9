// SPDX-License-Identifier: Apache-2.0
// Trial runs of a net that was just read: on noise, and to measure the ranges for int8.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "contract/layer_kinds.h"
#include "dnn/host.h"
#include "dnn/layer_inputs.h"
#include "dnn/net_layer.h"
#include "dnn/read_net.h"
#include "dnn/weights.h"
#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/graph/tensor.h"

namespace mpm::dnn {
namespace {

using onnx::Integers;

constexpr double kMostElements = 1 << 30;

// OpenCV 4 has no blobs of less than two dimensions.
constexpr std::size_t kLeastDims = CV_VERSION_MAJOR >= 5 ? 1 : 2;

Shape shapeFor(const Integers& dims, int batch) {
  Shape shape;
  for (const std::int64_t dim : dims) shape.push_back(dim < 0 ? batch : static_cast<int>(dim));
  while (shape.size() < kLeastDims) shape.push_back(1);
  return shape;
}

bool fits(const Shape& made, const Integers& expected) {
  const auto isLike = [](int size, std::int64_t dim) { return dim < 0 || size == dim; };
  if (made.size() == expected.size())
    return std::equal(made.begin(), made.end(), expected.begin(), isLike);
  if (expected.size() >= 2) return false;
  int total = 1;
  for (const int size : made) total *= size;
  return isLike(total, expected.empty() ? 1 : expected[0]);
}

std::string textOf(const Integers& dims) {
  std::string text = "[";
  for (const std::int64_t dim : dims) {
    text += (text.size() > 1 ? " x " : "") + (dim < 0 ? "any" : std::to_string(dim));
  }
  return text + "]";
}

// Returns numbers around zero without repetition; zeros if the input is not float.
cv::Mat noise(const Shape& shape, bool isFloat) {
  cv::Mat blob(shape, CV_32F, cv::Scalar(0));
  float* values = blob.ptr<float>();
  std::uint32_t state = 2891336453U;
  for (std::size_t i = 0; isFloat && i < blob.total(); ++i) {
    state = state * 1664525U + 1013904223U;
    values[i] = static_cast<float>(state >> 8) * 0x1p-23F - 1;
  }
  return blob;
}

bool isFinite(const cv::Mat& blob) {
  if (blob.depth() != CV_32F) return true;
  const float* values = blob.ptr<float>();
  return std::all_of(values, values + blob.total(),
                     [](float value) { return std::isfinite(value); });
}

std::string ofPictures(int batch) {
  return batch == 1 ? "of one picture" : "of " + std::to_string(batch) + " pictures";
}

}  // namespace

OutputCheck::OutputCheck(const onnx::Model& model, const std::string& image,
                         const Integers& imageDims, bool areShapesKnown) {
  bool isOpen = false;
  int closed = 1;  // pictures in a batch that the model does not leave open
  double count = 0;
  for (const onnx::Value& value : model.inputs()) {
    Input input{value.name, {}, onnx::isFloatingType(value.type)};
    for (const onnx::Dim& dim : value.dims) input.dims.push_back(dim.size);
    if (value.name == image) input.dims = imageDims;
    double size = 1;
    for (std::size_t i = 0; i < input.dims.size(); ++i) {
      if (i > 0 && input.dims[i] < 1) return;
      size *= static_cast<double>(std::max<std::int64_t>(input.dims[i], 1));
    }
    count += size;
    if (!value.hasShape || input.dims.empty() || count > kMostElements) return;
    if (input.dims[0] < 1) input.dims[0] = -1;
    if (input.dims.size() == 4) closed = std::max(closed, static_cast<int>(input.dims[0]));
    isOpen = isOpen || input.dims[0] < 0;
    inputs_.push_back(std::move(input));
  }
  for (const onnx::Value& output : model.outputs()) outputs_.push_back(output.name);
  batch_ = isOpen ? 1 : closed;
  if (!areShapesKnown) return;
  std::unordered_map<std::string, Integers> dims;
  for (const Input& input : inputs_) {
    dims[input.name] = input.dims;
    if (input.dims[0] < 0) dims[input.name][0] = 1;
  }
  const onnx::Values values(model, dims);
  for (const std::string& output : outputs_) {
    if (const Integers* known = values.dims(output)) outputDims_[output] = *known;
  }
}

void OutputCheck::noteOutputs(const onnx::Model& rewritten) {
  outputs_.clear();
  for (const onnx::Value& output : rewritten.outputs()) {
    outputs_.push_back(output.name);
    if (rewritten.constant(output.name)) constant_ = output.name;
  }
}

std::vector<cv::Mat> OutputCheck::run(cv::dnn::Net& net, const std::string& name) const {
  std::vector<cv::Mat> made;
  try {
    for (const Input& input : inputs_)
      net.setInput(noise(shapeFor(input.dims, batch_), input.isFloat), input.name);
    net.forward(made, outputs_);
  } catch (const cv::Exception& error) {
    if (!constant_.empty())
      throw std::runtime_error(name + ": its output " + onnx::inQuotes(constant_) +
                               " is a constant, which OpenCV " CV_VERSION
                               " does not give; please export the model without it");
    throw std::runtime_error(name + ": OpenCV " CV_VERSION " cannot run it on a batch " +
                             ofPictures(batch_) + ": " + firstLine(error.err));
  }
  return made;
}

void OutputCheck::check(cv::dnn::Net& net, const std::string& name) const {
  if (batch_ == 0) return;
  const std::vector<cv::Mat> made = run(net, name);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::string which =
        name + ": on a batch " + ofPictures(batch_) + " its output " + onnx::inQuotes(outputs_[i]);
    const Shape shape = shapeOf(made[i]);
    const auto expected = outputDims_.find(outputs_[i]);
    if (expected != outputDims_.end() && !fits(shape, expected->second)) {
      throw std::runtime_error(which + " is " + shapeText(shape) +
                               " in OpenCV " CV_VERSION " and " + textOf(expected->second) +
                               " in ONNX");
    }
    if (!isFinite(made[i])) throw std::runtime_error(which + " has values that are not finite");
  }
}

namespace {

bool isBlock(const onnx::Node& node) {
  return kindOf((node.domain() == "mpm" ? "mpm." : "") + node.op_type()) ==
         LayerKind::transformerBlock;
}

void forward(cv::dnn::Net& net, const cv::Mat& input, const std::string& name) {
  if (input.empty()) throw std::invalid_argument(name + " is empty");
  if (!cv::checkRange(input)) throw std::invalid_argument(name + " has values that are not finite");
  try {
    net.setInput(input);
    net.forward();
  } catch (const cv::Exception& error) {
    throw std::invalid_argument(name + ", " + shapeText(shapeOf(input)) +
                                ", does not run: " + error.err);
  }
}

bool areFinite(const vit::FeatureRanges& ranges) {
  const std::vector<float> values = ranges.values();
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

}  // namespace

NetRanges measureRanges(cv::dnn::Net& net, const std::vector<cv::Mat>& inputs) {
  forEachLayer(net, [](const std::string&, NetLayer& layer) { layer.measureRanges(); });
  for (std::size_t i = 0; i < inputs.size(); ++i)
    forward(net, inputs[i], "calibration input " + std::to_string(i + 1));
  NetRanges ranges;
  forEachLayer(net, [&](const std::string& name, NetLayer& layer) {
    if (layer.ranges() == nullptr || layer.ranges()->norm1.rows() == 0) return;
    if (!areFinite(layer.ranges()->norm1) || !areFinite(layer.ranges()->norm2))
      throw std::invalid_argument("on the calibration inputs, features of block '" +
                                  nodeName(name) + "' are not finite; use others");
    ranges.emplace(nodeName(name), *layer.ranges());
  });
  return ranges;
}

int addRanges(onnx::Model& model, const NetRanges& ranges) {
  onnx::Edit edit;
  for (const onnx::Node* node : model.nodes()) {
    const auto found = ranges.find(node->name());
    if (!isBlock(*node) || found == ranges.end()) continue;
    onnx::Node block = *node;
    std::string names = onnx::stringAttribute(block, "inputs").value_or("");
    const auto add = [&](const char* name, const vit::FeatureRanges& of) {
      const std::vector<float> values = of.values();
      const std::string value = model.unusedName(node->name() + "/" + name);
      const auto dim = static_cast<std::int64_t>(values.size() / 3);
      edit.constants.push_back(onnx::floatTensor(value, {3, dim}, values.data()));
      block.add_input(value);
      names += std::string(",") + name;
    };
    add("norm1_ranges", found->second.norm1);
    add("norm2_ranges", found->second.norm2);
    onnx::setAttribute(block, "inputs", names);
    edit.remove.push_back(node);
    edit.add.push_back(std::move(block));
  }
  const int count = static_cast<int>(edit.add.size());
  model.apply(std::move(edit));
  return count;
}

}  // namespace mpm::dnn
