// SPDX-License-Identifier: Apache-2.0
// ONNX operators that converted models keep: numbers, and where they stand.
#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "torch/net_oracle_call.h"

namespace mpm::test {
namespace {

using Integers = std::vector<std::int64_t>;

template <at::Tensor (*function)(const at::Tensor&)>
Tensors unary(const NodeCall& call) {
  return {function(call.input(0))};
}

template <at::Tensor (*function)(const at::Tensor&, const at::Tensor&)>
Tensors binary(const NodeCall& call) {
  return {function(call.input(0), call.input(1))};
}

at::Tensor add(const at::Tensor& a, const at::Tensor& b) { return a + b; }
at::Tensor subtract(const at::Tensor& a, const at::Tensor& b) { return a - b; }
at::Tensor multiply(const at::Tensor& a, const at::Tensor& b) { return a * b; }
at::Tensor divide(const at::Tensor& a, const at::Tensor& b) { return a / b; }
at::Tensor identity(const at::Tensor& x) { return x; }

Tensors concat(const NodeCall& call) { return {at::cat(call.inputs, call.integer("axis", 0))}; }

Tensors flatten(const NodeCall& call) {
  const at::Tensor& x = call.input(0);
  std::int64_t axis = call.integer("axis", 1);
  if (axis < 0) axis += x.dim();
  std::int64_t before = 1;
  for (std::int64_t i = 0; i < axis; ++i) before *= x.size(i);
  return {x.reshape({before, before == 0 ? 0 : x.numel() / before})};
}

Tensors reshape(const NodeCall& call) {
  const at::Tensor& x = call.input(0);
  Integers dims = call.integers("shape", 1);
  const bool copiesZero = call.integer("allowzero", 0) == 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && copiesZero) dims[i] = x.size(static_cast<std::int64_t>(i));
  }
  return {x.reshape(dims)};
}

Tensors slice(const NodeCall& call) {
  at::Tensor x = call.input(0);
  const Integers starts = call.integers("starts", 1), ends = call.integers("ends", 2);
  Integers axes = call.integers("axes", 3), steps = call.integers("steps", 4);
  for (std::size_t i = axes.size(); i < starts.size(); ++i) {
    axes.push_back(static_cast<std::int64_t>(i));
  }
  steps.resize(starts.size(), 1);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (steps[i] == -1 && starts[i] == -1 && ends[i] < -x.size(axes[i])) {
      x = x.flip({axes[i]});
      continue;
    }
    call.require(steps[i] > 0, "slices backwards, and not all of it");
    x = x.slice(axes[i], starts[i], ends[i], steps[i]);
  }
  return {x};
}

Tensors transpose(const NodeCall& call) {
  const at::Tensor& x = call.input(0);
  Integers perm = call.integers("perm");
  for (std::int64_t axis = x.dim() - 1; perm.size() < static_cast<std::size_t>(x.dim()); --axis) {
    perm.push_back(axis);
  }
  return {x.permute(perm)};
}

Tensors pad(const NodeCall& call) {
  const Integers pads = call.integers("pads", 1);
  const auto rank = static_cast<std::size_t>(call.input(0).dim());
  call.require(call.text("mode", "constant") == "constant" && pads.size() == 2 * rank,
               "its padding is not known");
  Integers fromTheLast;
  for (std::size_t axis = rank; axis-- > 0;)
    fromTheLast.insert(fromTheLast.end(), {pads[axis], pads[rank + axis]});
  return {at::constant_pad_nd(call.input(0), fromTheLast, 0)};
}

Tensors layerNormalization(const NodeCall& call) {
  const at::Tensor& x = call.input(0);
  const std::int64_t axis = call.integer("axis", -1);
  call.require(axis == -1 || axis == x.dim() - 1, "it normalises more than the last axis");
  const at::Tensor centred = x - x.mean(-1, /*keepdim=*/true);
  const at::Tensor variance = centred.square().mean(-1, /*keepdim=*/true);
  const at::Tensor unit = centred / (variance + call.number("epsilon", 1e-5)).sqrt();
  const bool hasShift = call.inputs.size() > 2 && call.input(2).defined();
  return {hasShift ? unit * call.input(1) + call.input(2) : unit * call.input(1)};
}

Tensors instanceNormalization(const NodeCall& call) {
  const at::Tensor& x = call.input(0);
  std::vector<std::int64_t> places, channels{1, -1};
  for (std::int64_t axis = 2; axis < x.dim(); ++axis) {
    places.push_back(axis);
    channels.push_back(1);
  }
  const at::Tensor centred = x - x.mean(places, /*keepdim=*/true);
  const at::Tensor variance = centred.square().mean(places, /*keepdim=*/true);
  const at::Tensor unit = centred / (variance + call.number("epsilon", 1e-5)).sqrt();
  return {unit * call.input(1).reshape(channels) + call.input(2).reshape(channels)};
}

Tensors celu(const NodeCall& call) { return {at::celu(call.input(0), call.number("alpha", 1))}; }

Tensors elu(const NodeCall& call) { return {at::elu(call.input(0), call.number("alpha", 1))}; }

Tensors selu(const NodeCall& call) {
  const double alpha = call.number("alpha", 1.67326319217681884765625);
  return {call.number("gamma", 1.05070102214813232421875) * at::elu(call.input(0), alpha)};
}

at::Tensor softplus(const at::Tensor& x) { return at::logaddexp(x, at::zeros_like(x)); }

Tensors einsum(const NodeCall& call) {
  return {at::einsum(call.text("equation", ""), call.inputs)};
}

}  // namespace

const Operations& arithmeticOperations() {
  static const Operations operations{
      {"Add", binary<add>},
      {"Sub", binary<subtract>},
      {"Mul", binary<multiply>},
      {"Div", binary<divide>},
      {"Abs", unary<at::abs>},
      {"Celu", celu},
      {"Cos", unary<at::cos>},
      {"Elu", elu},
      {"Erf", unary<at::erf>},
      {"Exp", unary<at::exp>},
      {"Log", unary<at::log>},
      {"Relu", unary<at::relu>},
      {"Selu", selu},
      {"Sigmoid", unary<at::sigmoid>},
      {"Sin", unary<at::sin>},
      {"Softplus", unary<softplus>},
      {"Sqrt", unary<at::sqrt>},
      {"Tanh", unary<at::tanh>},
      {"MatMul", binary<at::matmul>},
      {"InstanceNormalization", instanceNormalization},
      {"LayerNormalization", layerNormalization},
      {"Einsum", einsum},
  };
  return operations;
}

const Operations& arrangementOperations() {
  static const Operations operations{
      {"Concat", concat},   {"Flatten", flatten}, {"Identity", unary<identity>},
      {"Reshape", reshape}, {"Slice", slice},     {"Transpose", transpose},
      {"Pad", pad},
  };
  return operations;
}

}  // namespace mpm::test
