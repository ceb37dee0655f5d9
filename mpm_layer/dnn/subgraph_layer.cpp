// SPDX-License-Identifier: Apache-2.0
// mpm.Subgraph
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "dnn/net_layer.h"
#include "onnx/error.h"
#include "onnx/interpreter.h"
#include "onnx/read.h"

namespace mpm::dnn {
namespace {

using cv::dnn::LayerParams;
using cv::dnn::MatShape;

onnx::Model modelOf(const LayerParams& params) {
  const cv::String bytes = params.get<cv::String>("graph", "");
  try {
    return onnx::readModel(bytes.data(), bytes.size(), "its attribute graph");
  } catch (const onnx::ModelError& error) {
    refuseLayer({typeOf(LayerKind::subgraph), params.name}, error.what());
  }
}

class Subgraph final : public NetLayer {
 public:
  explicit Subgraph(const LayerParams& params)
      : NetLayer(LayerKind::subgraph, params, "x0"), interpreter_(modelOf(params)) {}

 private:
  TokenShape checkShapes(const InputShapes& shapes) const override {
    fit(shapes);
    return {};
  }
  std::vector<MatShape> outputShapes(const TokenShape&, const InputShapes& shapes) const override;
  void compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) override;

  const std::vector<onnx::Integers>& fit(const InputShapes& shapes) const;
  onnx::Integers dimsOf(std::size_t input, const MatShape& shape) const;
  onnx::Known known(const LayerInputs& inputs, std::size_t input) const;

  mutable onnx::Interpreter interpreter_;  // what it knows of sizes changes
};

// A Mat has two axes at least.
onnx::Integers Subgraph::dimsOf(std::size_t input, const MatShape& shape) const {
  const onnx::Value& value = interpreter_.input(input);
  if (!value.hasShape || value.dims.size() > 1) return {shape.begin(), shape.end()};
  if (value.dims.empty()) return {};
  std::int64_t count = 1;
  for (const int size : shape) count *= size;
  return {count};
}

const std::vector<onnx::Integers>& Subgraph::fit(const InputShapes& shapes) const {
  std::vector<onnx::Integers> dims;
  for (std::size_t i = 0; i < interpreter_.inputs(); ++i) {
    dims.push_back(dimsOf(i, shapes.get("x" + std::to_string(i))));
  }
  try {
    return interpreter_.fit(dims);
  } catch (const onnx::ModelError& error) {
    refuseLayer(identity_, error.what());
  }
}

std::vector<MatShape> Subgraph::outputShapes(const TokenShape&, const InputShapes& shapes) const {
  std::vector<MatShape> outputs;
  for (const onnx::Integers& dims : fit(shapes)) {
    MatShape shape;
    for (const std::int64_t dim : dims) shape.push_back(static_cast<int>(dim));
    if (shape.empty()) shape.push_back(1);
    outputs.push_back(std::move(shape));
  }
  return outputs;
}

onnx::Known Subgraph::known(const LayerInputs& inputs, std::size_t input) const {
  const cv::Mat& blob = inputs.get("x" + std::to_string(input));
  onnx::Known known;
  known.type = interpreter_.input(input).type;
  known.dims = dimsOf(input, cv::dnn::shape(blob));
  if (!interpreter_.isRead(input)) return known;
  const auto* floats = blob.ptr<float>();
  known.sure.assign(blob.total(), 1);
  if (known.isFloat()) {
    known.floats.assign(floats, floats + blob.total());
  } else {
    known.integers.resize(blob.total());
    std::transform(floats, floats + blob.total(), known.integers.begin(),
                   [](float value) { return std::llround(value); });
  }
  return known;
}

void Subgraph::compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) {
  std::vector<onnx::Known> given;
  for (std::size_t i = 0; i < interpreter_.inputs(); ++i) given.push_back(known(inputs, i));
  std::vector<onnx::Known> made;
  try {
    made = interpreter_.run(std::move(given));
  } catch (const onnx::ModelError& error) {
    refuseLayer(identity_, error.what());
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    auto* out = outputs[i].ptr<float>();
    if (made[i].isFloat()) {
      std::copy(made[i].floats.begin(), made[i].floats.end(), out);
    } else {
      std::transform(made[i].integers.begin(), made[i].integers.end(), out,
                     [](std::int64_t value) { return static_cast<float>(value); });
    }
  }
}

}  // namespace

LayerPtr makeSubgraph(const LayerParams& params) { return cv::makePtr<Subgraph>(params); }

}  // namespace mpm::dnn
