// SPDX-License-Identifier: Apache-2.0
// mpm.Subgraph as the nodes that it holds, and the operators of ONNX that stand in them.
#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/file.h"
#include "torch/net_oracle_call.h"

namespace mpm::test {
namespace {

using Integers = std::vector<std::int64_t>;

Tensors clip(const NodeCall& call) {
  const auto limit = [&](std::size_t input, const char* name, double otherwise) {
    const at::Tensor& given = call.input(input);
    return given.defined() ? given.item<double>() : call.number(name, otherwise);
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {call.input(0).clamp(limit(1, "min", -kInfinity), limit(2, "max", kInfinity))};
}

Tensors expand(const NodeCall& call) {
  const Integers dims = call.integers("shape", 1);
  return {at::broadcast_tensors({call.input(0), at::empty(dims)})[0]};
}

Tensors gather(const NodeCall& call) {
  const at::Tensor &data = call.input(0), &indices = call.input(1);
  std::int64_t axis = call.integer("axis", 0);
  if (axis < 0) axis += data.dim();
  const at::Tensor flat = indices.to(at::kLong).reshape({-1});
  Integers dims(data.sizes().begin(), data.sizes().begin() + axis);
  dims.insert(dims.end(), indices.sizes().begin(), indices.sizes().end());
  dims.insert(dims.end(), data.sizes().begin() + axis + 1, data.sizes().end());
  return {data.index_select(axis, at::where(flat < 0, flat + data.size(axis), flat)).reshape(dims)};
}

Tensors power(const NodeCall& call) { return {at::pow(call.input(0), call.input(1))}; }

Tensors argMax(const NodeCall& call) {
  call.require(call.integer("select_last_index", 0) == 0, "its last index is not known");
  return {call.input(0).argmax(call.integer("axis", 0), call.integer("keepdims", 1) != 0)};
}

enum class Reduction { mean, sum, least, largest, length };

template <Reduction reduction>
Tensors reduce(const NodeCall& call) {
  const at::Tensor& x = call.input(0);
  const Integers axes = call.integers("axes", 1);
  const bool keeps = call.integer("keepdims", 1) != 0;
  if (reduction == Reduction::mean) return {x.mean(axes, keeps)};
  if (reduction == Reduction::sum) return {x.sum(axes, keeps)};
  if (reduction == Reduction::least) return {x.amin(axes, keeps)};
  if (reduction == Reduction::largest) return {x.amax(axes, keeps)};
  return {x.square().sum(axes, keeps).sqrt()};
}

Tensors shape(const NodeCall& call) {
  const at::Tensor sizes = at::tensor(call.input(0).sizes().vec(), at::kLong);
  return {sizes.slice(0, call.integer("start", 0), call.integer("end", sizes.size(0)))};
}

template <bool isLog>
Tensors softmax(const NodeCall& call) {
  const std::int64_t axis = call.integer("axis", call.opset < 13 ? 1 : -1);
  // All axes from that one on.
  const bool isOld = call.opset < 13 && call.dialect == Dialect::onnx;
  const at::Tensor& x = call.input(0);
  const at::Tensor rows = isOld ? x.flatten(axis) : x;
  const std::int64_t along = isOld ? -1 : axis;
  return {(isLog ? rows.log_softmax(along) : rows.softmax(along)).reshape(x.sizes())};
}

Tensors split(const NodeCall& call) {
  const std::int64_t axis = call.integer("axis", 0);
  const Integers sizes = call.integers("split", 1);
  call.require(!sizes.empty(), "does not say its sizes");
  const auto parts = call.input(0).split_with_sizes(sizes, axis);
  return {parts.begin(), parts.end()};
}

Tensors squeeze(const NodeCall& call) {
  const at::Tensor& x = call.input(0);
  Integers dims;
  Integers axes = call.integers("axes", 1);
  for (std::int64_t& axis : axes) axis += axis < 0 ? x.dim() : 0;
  for (std::int64_t i = 0; i < x.dim(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) dims.push_back(x.size(i));
  }
  return {x.reshape(dims)};
}

Tensors unsqueeze(const NodeCall& call) {
  at::Tensor x = call.input(0);
  Integers axes = call.integers("axes", 1);
  const auto rank = x.dim() + static_cast<std::int64_t>(axes.size());
  for (std::int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  std::sort(axes.begin(), axes.end());
  for (const std::int64_t axis : axes) x = x.unsqueeze(axis);
  return {x};
}

Tensors tile(const NodeCall& call) { return {call.input(0).repeat(call.integers("repeats", 1))}; }

Tensors where(const NodeCall& call) {
  return {at::where(call.input(0).to(at::kBool), call.input(1), call.input(2))};
}

Tensors equal(const NodeCall& call) { return {at::eq(call.input(0), call.input(1))}; }

}  // namespace

Tensors subgraph(const NodeCall& call) {
  const std::string bytes = call.text("graph", "");
  const onnx::Model model = onnx::readModel(bytes.data(), bytes.size(), "graph");
  NetValues inputs;
  std::size_t index = 0;
  for (const onnx::Value& input : model.inputs()) inputs[input.name] = call.input(index++);
  NetRun run = runNet(model, inputs, Dialect::onnx);
  Tensors outputs;
  for (const onnx::Value& output : model.outputs()) {
    const at::Tensor& value = run.outputs.at(output.name);
    outputs.push_back(value.is_floating_point() ? value : value.to(at::kDouble));
  }
  return outputs;
}

const Operations& subgraphOperations() {
  static const Operations operations{
      {"ArgMax", argMax},
      {"Clip", clip},
      {"Equal", equal},
      {"Expand", expand},
      {"Gather", gather},
      {"Pow", power},
      {"LogSoftmax", softmax<true>},
      {"ReduceL2", reduce<Reduction::length>},
      {"ReduceMax", reduce<Reduction::largest>},
      {"ReduceMean", reduce<Reduction::mean>},
      {"ReduceMin", reduce<Reduction::least>},
      {"ReduceSum", reduce<Reduction::sum>},
      {"Shape", shape},
      {"Softmax", softmax<false>},
      {"Split", split},
      {"Squeeze", squeeze},
      {"Tile", tile},
      {"Unsqueeze", unsqueeze},
      {"Where", where},
  };
  return operations;
}

}  // namespace mpm::test
