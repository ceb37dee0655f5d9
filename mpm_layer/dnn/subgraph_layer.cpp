// SPDX-License-Identifier: Apache-2.0
// mpm.Subgraph
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <opencv2/core.hpp>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dnn/net_layer.h"
#include "onnx/graph/error.h"
#include "onnx/operators/interpreter.h"
#include "vit/linear.h"

namespace mpm::dnn {
namespace {

// Calls visit(T*) with the elements of a continuous Mat. Returns false for a type that nets do not
// pass; with OpenCV 4 that is any but float32.
template <class Visit>
bool visitElements(const cv::Mat& mat, const Visit& visit) {
  switch (mat.type()) {
    case CV_32F:
      visit(reinterpret_cast<float*>(mat.data));
      return true;
#if CV_VERSION_MAJOR >= 5
    case CV_64S:
      visit(reinterpret_cast<std::int64_t*>(mat.data));
      return true;
    case CV_32S:
      visit(reinterpret_cast<std::int32_t*>(mat.data));
      return true;
    case CV_Bool:
    case CV_8U:
      visit(reinterpret_cast<std::uint8_t*>(mat.data));
      return true;
    case CV_8S:
      visit(reinterpret_cast<std::int8_t*>(mat.data));
      return true;
#endif
    default:
      return false;
  }
}

// Converts a number to another type; floats become the nearest whole number.
template <class To, class From>
To elementAs(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return static_cast<To>(std::llround(value));
  } else {
    return static_cast<To>(value);
  }
}

using cv::dnn::LayerParams;

template <class T>
std::vector<T> readElements(const LayerIdentity& layer, const std::string& input,
                            const cv::Mat& blob) {
  std::vector<T> elements(blob.total());
  const bool isRead = visitElements(blob, [&](const auto* values) {
    std::transform(values, values + elements.size(), elements.begin(),
                   [](auto value) { return elementAs<T>(value); });
  });
  if (!isRead) checkFloats(layer, input, blob);
  return elements;
}

void writeElements(const std::vector<std::int64_t>& elements, const cv::Mat& blob) {
  visitElements(blob, [&](auto* values) {
    using Value = std::remove_reference_t<decltype(*values)>;
    std::transform(elements.begin(), elements.end(), values,
                   [](std::int64_t element) { return elementAs<Value>(element); });
  });
}

// Refuses numbers that float32 would change, such as positions in a large picture.
void checkKept(const LayerIdentity& layer, const std::vector<std::int64_t>& numbers,
               const cv::Mat& blob) {
  if (blob.depth() != CV_32F) return;
  for (const std::int64_t number : numbers) {
    if (static_cast<double>(static_cast<float>(number)) == static_cast<double>(number)) continue;
    refuseLayer(layer, "gives the whole number " + std::to_string(number) +
                           ", which OpenCV 4 does not keep; expected at most 16777216");
  }
}

// Multiplies with large matrices; constant ones are packed once.
class Products {
 public:
  void multiply(const float* a, const float* b, float* out, std::size_t m, std::size_t k,
                std::size_t n, bool isKept) {
    if (isKept) {
      const auto [found, isNew] = packed_.try_emplace(b);
      if (isNew) pack(found->second, b, k, n, n);
      return vit::linearCpu({a, m, k, k}, found->second, {out, m, n, n});
    }
    // Columns of `b` go in portions that stay in the cache once they are packed.
    constexpr std::size_t kCachedFloats = std::size_t{1} << 18, kFewestColumns = 256;
    const std::size_t step = std::max(kCachedFloats / k, kFewestColumns);
    for (std::size_t column = 0; column < n; column += step) {
      const std::size_t width = std::min(step, n - column);
      pack(passing_, b + column, k, width, n);
      vit::linearCpu({a, m, k, k}, passing_, {out + column, m, width, n});
    }
  }
  void forget() { packed_.clear(); }

 private:
  static void pack(vit::PackedLinear& packed, const float* b, std::size_t k, std::size_t width,
                   std::size_t stride) {
    packed.matrix.pack({b, k, width, stride}, vit::Layout::inByOut, vit::Precision::fp32);
  }

  std::unordered_map<const float*, vit::PackedLinear> packed_;
  vit::PackedLinear passing_;
};

class Subgraph final : public NetLayer {
 public:
  explicit Subgraph(const LayerParams& params)
      : NetLayer(LayerKind::subgraph, params, "x0"),
        interpreter_(graphOf(identity_, params),
                     [this](auto... of) { products_.multiply(of...); }) {}

  std::map<std::string, int> operators() const override { return interpreter_.operators(); }

 private:
  TokenShape checkShapes(const InputShapes& shapes) const override {
    fit(shapes);
    return {};
  }
  std::vector<Shape> outputShapes(const TokenShape&, const InputShapes& shapes) const override;
  void compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) override;
  int outputType(std::size_t output) const override;

  const std::vector<onnx::Integers>& fit(const InputShapes& shapes) const;
  onnx::Integers dimsOf(std::size_t input, const Shape& shape) const;
  onnx::KnownTensor known(const LayerInputs& inputs, std::size_t input) const;

  mutable Products products_;
  mutable onnx::Interpreter interpreter_;  // what it knows of sizes changes
  mutable std::vector<onnx::Integers> fitted_;
};

int hostTypeOf(int type) {
#if CV_VERSION_MAJOR >= 5
  if (type == ::onnx::TensorProto::INT64) return CV_64S;
  if (type == ::onnx::TensorProto::INT32) return CV_32S;
  if (type == ::onnx::TensorProto::BOOL) return CV_Bool;
#endif
  static_cast<void>(type);
  return CV_32F;
}

// OpenCV 4 holds whole numbers and truth values as float32.
int Subgraph::outputType(std::size_t output) const {
  return hostTypeOf(interpreter_.output(output).type);
}

// A Mat of OpenCV 4 has at least two axes, so scalars and vectors get their own dims back.
onnx::Integers Subgraph::dimsOf(std::size_t input, const Shape& shape) const {
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
  if (dims != fitted_) products_.forget();
  fitted_ = dims;
  try {
    return interpreter_.fit(dims);
  } catch (const onnx::ModelError& error) {
    refuseLayer(identity_, error.what());
  }
}

std::vector<Shape> Subgraph::outputShapes(const TokenShape&, const InputShapes& shapes) const {
  std::vector<Shape> outputs;
  for (const onnx::Integers& dims : fit(shapes)) {
    Shape shape;
    for (const std::int64_t dim : dims) shape.push_back(static_cast<int>(dim));
    if (shape.empty()) shape.push_back(1);
    outputs.push_back(std::move(shape));
  }
  return outputs;
}

onnx::KnownTensor Subgraph::known(const LayerInputs& inputs, std::size_t input) const {
  const std::string given = "x" + std::to_string(input);
  const cv::Mat& blob = inputs.getAny(given);
  checkContinuous(identity_, given, blob);
  onnx::KnownTensor known;
  known.type = interpreter_.input(input).type;
  known.dims = dimsOf(input, shapeOf(blob));
  if (!interpreter_.isRead(input)) return known;
  if (known.isFloat() && blob.depth() == CV_32F) {
    known.floats = onnx::SharedFloats::of(blob.ptr<float>(), blob.total());
  } else if (known.isFloat()) {
    known.floats = readElements<float>(identity_, given, blob);
  } else {
    known.integers = readElements<std::int64_t>(identity_, given, blob);
  }
  return known;
}

void Subgraph::compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) {
  fit(inputs.shapes());  // the net may have been asked for the shapes of another size meanwhile
  std::vector<onnx::KnownTensor> given;
  for (std::size_t i = 0; i < interpreter_.inputs(); ++i) given.push_back(known(inputs, i));
  std::vector<float*> places;
  for (const cv::Mat& output : outputs)
    places.push_back(output.depth() == CV_32F ? reinterpret_cast<float*>(output.data) : nullptr);
  std::vector<onnx::KnownTensor> made;
  try {
    made = interpreter_.run(std::move(given), places);
  } catch (const onnx::ModelError& error) {
    refuseLayer(identity_, error.what());
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made[i].isFloat()) continue;  // they are there
    checkKept(identity_, made[i].integers, outputs[i]);
    writeElements(made[i].integers, outputs[i]);
  }
}

}  // namespace

LayerPtr makeSubgraph(const LayerParams& params) { return cv::makePtr<Subgraph>(params); }

}  // namespace mpm::dnn
