// SPDX-License-Identifier: Apache-2.0
#include "dnn/prove_net.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "dnn/host.h"
#include "dnn/read_net.h"
#include "dnn/token_blobs.h"
#include "onnx/graph/error.h"

namespace mpm::dnn {
namespace {

using onnx::Integers;

// Of what a picture gives alone and among others: far more than rounding, and a token that merges
// with another one for that; far less than another picture makes.
constexpr double kMostApart = 0.02;

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

// Numbers around zero that repeat nowhere; the same ones for the same picture.
void fillWithNoise(float* values, std::size_t count, std::uint32_t picture) {
  std::uint32_t state = picture * 747796405U + 2891336453U;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    values[i] = static_cast<float>(state >> 8) * 0x1p-23F - 1;
  }
}

// Pictures from the last to the first, so that the last one is always the same.
cv::Mat noise(const Shape& shape, bool isFloat) {
  cv::Mat blob(shape, CV_32F, cv::Scalar(0));
  const auto each = static_cast<std::size_t>(blob.total()) / static_cast<std::size_t>(shape[0]);
  for (int i = 0; isFloat && i < shape[0]; ++i)
    fillWithNoise(blob.ptr<float>() + static_cast<std::size_t>(i) * each, each,
                  static_cast<std::uint32_t>(shape[0] - i));
  return blob;
}

bool isFinite(const cv::Mat& blob) {
  if (blob.depth() != CV_32F) return true;
  const float* values = blob.ptr<float>();
  return std::all_of(values, values + blob.total(),
                     [](float value) { return std::isfinite(value); });
}

// Whether the last of a batch's pictures has what it had alone.
bool isAsAlone(const cv::Mat& batch, const cv::Mat& alone) {
  if (batch.depth() != CV_32F || alone.depth() != CV_32F) return true;
  const float* last = batch.ptr<float>() + (batch.total() - alone.total());
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < alone.total(); ++i) {
    apart += std::abs(static_cast<double>(last[i]) - static_cast<double>(alone.ptr<float>()[i]));
    size += std::abs(static_cast<double>(alone.ptr<float>()[i]));
  }
  return apart <= kMostApart * size + 1e-6 * static_cast<double>(alone.total());
}

std::string ofPictures(int batch) {
  return batch == 1 ? "of one picture" : "of " + std::to_string(batch) + " pictures";
}

}  // namespace

Proof::Proof(const onnx::Model& model, const std::string& image, const Integers& imageDims,
             bool areShapesKnown) {
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
  for (const int size : {1, 2}) {
    if (size > 1 && !isOpen) break;
    Batch batch{isOpen ? size : closed, {}};
    std::unordered_map<std::string, Integers> dims;
    for (const Input& input : inputs_) {
      dims[input.name] = input.dims;
      if (input.dims[0] < 0) dims[input.name][0] = size;
    }
    if (areShapesKnown) {
      const onnx::Values values(model, dims);
      for (const onnx::Node* node : model.nodes()) {
        for (const std::string& output : node->output()) {
          if (const Integers* known = values.dims(output)) batch.dims[output] = *known;
        }
      }
    }
    batches_.push_back(std::move(batch));
  }
}

void Proof::noteLayers(const onnx::Model& rewritten) {
  if (batches_.empty()) return;
  outputs_.clear();
  for (const onnx::Value& output : rewritten.outputs()) {
    outputs_.push_back(output.name);
    if (rewritten.constant(output.name)) constant_ = output.name;
  }
  for (const onnx::Node* node : rewritten.nodes()) {
    if (node->output_size() == 0) continue;
    const std::string name = node->name().empty() ? "onnx_node_output_0!" + node->output(0)
                                                  : "onnx_node!" + node->name();
    layers_.push_back({name, onnx::nameOf(*node), {node->output().begin(), node->output().end()}});
  }
}

std::vector<Shape> Proof::inputShapes(const Batch& batch) const {
  std::vector<Shape> shapes;
  for (const Input& input : inputs_) shapes.push_back(shapeFor(input.dims, batch.size));
  return shapes;
}

std::string Proof::whereItStops(cv::dnn::Net& net, const Batch& batch) const {
  const LayerPtr last = stoppedAt(net, inputShapes(batch));
  for (const Layer& layer : layers_) {
    if (last != nullptr && layerOf(net, layer.name) == last) return " at " + layer.text;
  }
  return {};
}

std::string Proof::whereShapesDiffer(cv::dnn::Net& net, const Batch& batch) const {
  for (const Layer& layer : layers_) {
    const std::vector<Shape> out = outputShapes(net, layer.name, inputShapes(batch));
    for (std::size_t i = 0; i < std::min(out.size(), layer.outputs.size()); ++i) {
      const auto expected = batch.dims.find(layer.outputs[i]);
      if (expected != batch.dims.end() && !fits(out[i], expected->second))
        return ", from " + layer.text + " on";
    }
  }
  return {};
}

std::vector<cv::Mat> Proof::run(cv::dnn::Net& net, const Batch& batch,
                                const std::string& name) const {
  std::vector<cv::Mat> made;
  try {
    for (const Input& input : inputs_)
      net.setInput(noise(shapeFor(input.dims, batch.size), input.isFloat), input.name);
    net.forward(made, outputs_);
  } catch (const cv::Exception& error) {
    if (!constant_.empty())
      throw std::runtime_error(name + ": its output " + onnx::inQuotes(constant_) +
                               " is a constant, which OpenCV " CV_VERSION
                               " does not give; please export the model without it");
    const std::string text = firstLine(error.err);
    const std::string where = text.rfind("mpm.", 0) == 0 ? "" : whereItStops(net, batch);
    throw std::runtime_error(name + ": OpenCV " CV_VERSION " cannot run it on a batch " +
                             ofPictures(batch.size) + where + ": " + text);
  }
  for (cv::Mat& output : made) output = output.clone();
  return made;
}

void Proof::checkOutputs(cv::dnn::Net& net, const Batch& batch, const std::vector<cv::Mat>& made,
                         const std::string& name) const {
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::string which = name + ": on a batch " + ofPictures(batch.size) + " its output " +
                              onnx::inQuotes(outputs_[i]);
    const Shape shape = shapeOf(made[i]);
    const auto expected = batch.dims.find(outputs_[i]);
    if (expected != batch.dims.end() && !fits(shape, expected->second)) {
      throw std::runtime_error(which + " is " + shapeText(shape) +
                               " in OpenCV " CV_VERSION " and " + textOf(expected->second) +
                               " in ONNX" + whereShapesDiffer(net, batch));
    }
    if (!isFinite(made[i])) throw std::runtime_error(which + " has values that are not finite");
  }
}

void Proof::check(cv::dnn::Net& net, const std::string& name) const {
  std::vector<cv::Mat> alone;
  for (const Batch& batch : batches_) {
    const std::vector<cv::Mat> made = run(net, batch, name);
    checkOutputs(net, batch, made, name);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      // Of a picture beside itself mirrored, say, there are two: x1 x2 m1 m2.
      const bool isByPicture =
          made[i].total() == alone[i].total() * 2 && alone[i].size[0] == 1 && made[i].size[0] == 2;
      if (isByPicture && !isAsAlone(made[i], alone[i])) {
        throw std::runtime_error(name + ": its output " + onnx::inQuotes(outputs_[i]) +
                                 " for a picture differs when another picture is computed with it");
      }
    }
    alone = made;
  }
}

}  // namespace mpm::dnn
