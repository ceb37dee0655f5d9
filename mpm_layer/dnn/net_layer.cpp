// SPDX-License-Identifier: Apache-2.0
#include "dnn/net_layer.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dnn/device.h"
#include "onnx/graph/error.h"
#include "onnx/graph/file.h"

namespace mpm::dnn {

NetLayer::NetLayer(LayerKind kind, const cv::dnn::LayerParams& params, const std::string& inputs,
                   std::size_t least)
    : Layer(params),
      identity_{typeOf(kind), params.name},
      kind_(kind),
      names_(identity_, params.get<cv::String>("inputs", inputs)),
      least_(least),
      special_(params.get<int>("special", -1)) {
  const std::string first = inputs.substr(0, inputs.find(','));
  if (names_.index(first, 1) != 0)
    refuseLayer(identity_, "the first of its inputs must be " + first);
  names_.checkNames(kind == LayerKind::subgraph || kind == LayerKind::chain ? "" : inputs);
  for (const auto& [attribute, value] : params) {
    if (value.isString()) {
      words_[attribute] = value.size() > 0 ? value.get<cv::String>(0) : cv::String();
      continue;
    }
    std::vector<double>& list = numbers_[attribute];
    for (int i = 0; i < value.size(); ++i) list.push_back(value.get<double>(i));
  }
  if (params.has("special") && special_ < 0)
    refuseLayer(identity_, "special = " + std::to_string(special_) + "; expected 0 or more");
  const cv::String precision = params.get<cv::String>("precision", "");
  if (precision.empty()) return;
  try {
    precision_ = precisionOf(precision);
  } catch (const std::invalid_argument& error) {
    refuseLayer(identity_, error.what());
  }
}

std::vector<int> NetLayer::numbers(const std::string& attribute) const {
  const auto found = numbers_.find(attribute);
  if (found == numbers_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

int NetLayer::number(const std::string& attribute, int otherwise) const {
  const std::vector<int> all = numbers(attribute);
  return all.empty() ? otherwise : all[0];
}

std::string NetLayer::word(const std::string& attribute, const std::string& otherwise) const {
  const auto found = words_.find(attribute);
  return found == words_.end() ? otherwise : found->second;
}

vit::Precision NetLayer::precision() {
  if (!precision_) precision_ = precisionOf("");
  return *precision_;
}

// Constants follow the net's blobs, without positions, so the first input must not be one.
void NetLayer::checkFirst(std::size_t blobsOfNet) const {
  if (blobsOfNet == 0)
    refuseInput(identity_, names_.name(0),
                "is a constant of the model; expected a blob of the net");
}

TokenShape NetLayer::checkShapes(const InputShapes& shapes) const {
  return tokenShape(identity_, "tokens", shapes.get("tokens"), shapes.find("map"), special_);
}

std::vector<Shape> NetLayer::shapesFor(std::vector<Shape> inputs) const {
  names_.checkCount(inputs.size(), blobs.size(), least_);
  checkFirst(inputs.size());
  for (const cv::Mat& constant : blobs) inputs.push_back(shapeOf(constant));
  const InputShapes shapes(identity_, names_, std::move(inputs));
  return outputShapes(checkShapes(shapes), shapes);
}

bool NetLayer::getMemoryShapes(const std::vector<HostShape>& inputs, const int requiredOutputs,
                               std::vector<HostShape>& outputs, std::vector<HostShape>&) const {
  const std::size_t ofNet = inputs.size() - std::min(adopted_, inputs.size());
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < ofNet; ++i) shapes.emplace_back(inputs[i].begin(), inputs[i].end());
  outputs.clear();
  for (const Shape& shape : shapesFor(std::move(shapes)))
    outputs.emplace_back(shape.begin(), shape.end());
  // The graph's engine passes the node's number of outputs. The classic one passes how many are
  // read, and these need not be the first ones.
  if (isInGraph())
    outputs.resize(std::min(outputs.size(), static_cast<std::size_t>(requiredOutputs)));
  return false;
}

#if CV_VERSION_MAJOR >= 5
void NetLayer::getTypes(const std::vector<cv::dnn::MatType>&, const int requiredOutputs,
                        const int requiredInternals, std::vector<cv::dnn::MatType>& outputs,
                        std::vector<cv::dnn::MatType>& internals) const {
  outputs.clear();
  for (int i = 0; i < requiredOutputs; ++i)
    outputs.push_back(outputType(static_cast<std::size_t>(i)));
  internals.assign(static_cast<std::size_t>(requiredInternals), CV_32F);
}
#endif

// Makes constants blobs, as in OpenCV 4, before the first forward. OpenCV 5 passes the model's
// constants at each forward, as inputs.
void NetLayer::adoptConstants(const std::vector<cv::Mat>& inputs) {
  adopted_ = constantsBehind(*this, inputs.size());
  blobs.insert(blobs.begin(), inputs.end() - static_cast<std::ptrdiff_t>(adopted_), inputs.end());
}

void NetLayer::forward(cv::InputArrayOfArrays inputArrays, cv::OutputArrayOfArrays outputArrays,
                       cv::OutputArrayOfArrays) {
  std::vector<cv::Mat> spare, given;
  std::vector<cv::Mat>& outputs = matsOf(outputArrays, spare);
  if (!hasRun_) adoptConstants(matsOf(inputArrays, given));
  hasRun_ = true;
  const LayerInputs inputs(identity_, names_, *this, inputArrays, adopted_);
  checkFirst(inputs.blobs());
  if (areForgotten_) checkNoneIsNew(inputs);
  for (std::size_t i = 0; i < inputs.blobs(); ++i) {
    if (inputs.at(i).data == nullptr) refuseInput(identity_, inputs.name(i), "has no values");
  }
  const bool isNew = !seen_.isOf(inputs);
  if (isNew) {
    seen_.forget();  // until they are found right
    shape_ = checkShapes(inputs.shapes());
  }
  if (isNew || !isPacked_) readWeights(inputs);
  if (isNew) seen_.note(inputs);
  if (givesShortTokens()) allocate(inputs, outputs);
  packWhereDue(inputs);
  compute(inputs, outputs);
}

bool NetLayer::isInGraph() const {
#if CV_VERSION_MAJOR >= 5
  return !Layer::inputs.empty();
#else
  return false;
#endif
}

void NetLayer::allocate(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) const {
  const std::vector<Shape> shapes = outputShapes(shape_, inputs.shapes());
  for (std::size_t i = 0; i < outputs.size(); ++i) fitMat(outputs[i], shapes[i]);
}

void NetLayer::packWhereDue(const LayerInputs& inputs) {
  if (isPacked_) return;
  try {
    packWeights();
  } catch (const std::invalid_argument& error) {
    refuseLayer(identity_, error.what());
  }
  if (!inputs.areWeightsConstant()) return;
  isPacked_ = true;  // whatever comes of forgetting: it may lack memory half way
  forgetWeights(names_, inputs.blobs(), blobs);
  areForgotten_ = true;
}

void NetLayer::checkNoneIsNew(const LayerInputs& inputs) const {
  for (std::size_t i = 0; i < blobs.size(); ++i) {
    const std::size_t index = inputs.blobs() + i;
    if (blobs[i].data == nullptr || !isWeight(inputs.name(index))) continue;
    refuseInput(identity_, inputs.name(index),
                "was set after the first forward, which packed the one before; set it before that, "
                "or read the model anew");
  }
}

TokenShape TokenLayer::checkShapes(const InputShapes& shapes) const {
  const Shape& tokens = shapes.get("tokens");
  if (!areSingleRows(tokens)) return NetLayer::checkShapes(shapes);
  if (shapes.find("rows") != nullptr) {
    refuseInput(identity_, "rows",
                "is there, but tokens is " + shapeText(tokens) +
                    ", one live row for each image; expected no rows");
  }
  return tokenShape(identity_, "tokens", Shape{tokens[0], 1, tokens[1]}, nullptr, special());
}

std::vector<Shape> TokenLayer::outputShapes(const TokenShape& shape,
                                            const InputShapes& shapes) const {
  const Shape output = outputShape(shape, shapes);
  if (areSingleRows(shapes.get("tokens"))) return {Shape{output[0], output[2]}};
  return {output};
}

void TokenLayer::compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) {
  const cv::Mat& tokens = inputs.get("tokens");
  const cv::Mat* rows = inputs.find("rows");
  const cv::Mat* map = inputs.find("map");
  for (int b = 0; b < shape().batch; ++b) {
    const bool isTold = rows != nullptr || freshRows() == nullptr;
    const auto live =
        isTold ? static_cast<std::size_t>(liveRows(identity_, rows, b, shape())) : memory()->rows();
    forwardImage({{tokens.ptr<float>(b), live, static_cast<std::size_t>(shape().dim)},
                  map == nullptr ? nullptr : map->ptr<float>(b),
                  outputs[0].ptr<float>(b)});
  }
}

onnx::Model graphOf(const LayerIdentity& layer, const cv::dnn::LayerParams& params) {
  const cv::String bytes = params.get<cv::String>("graph", "");
  try {
    return onnx::readModel(bytes.data(), bytes.size(), "its attribute graph");
  } catch (const onnx::ModelError& error) {
    refuseLayer(layer, error.what());
  }
}

}  // namespace mpm::dnn
