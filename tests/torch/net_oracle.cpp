// SPDX-License-Identifier: Apache-2.0
#include "torch/net_oracle.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/graph/tensor.h"
#include "torch/net_oracle_call.h"

namespace mpm::test {
namespace {

at::Tensor tensorOf(const onnx::Tensor& constant) {
  if (constant.isInteger())
    return at::tensor(constant.integers(), at::kLong).reshape(constant.dims());
  const onnx::Floats floats = constant.floats();
  return at::from_blob(const_cast<float*>(floats.data()), constant.dims(), at::kFloat)
      .to(at::kDouble);
}

at::Tensor valueOf(const onnx::Model& model, const NetValues& values, const std::string& name) {
  if (name.empty()) return {};
  const auto value = values.find(name);
  if (value != values.end()) return value->second;
  const auto constant = model.constant(name);
  if (!constant) throw std::runtime_error("the net oracle was given no value '" + name + "'");
  return tensorOf(*constant);
}

Operation operationOf(const onnx::Node& node) {
  const bool isOnnx = node.domain().empty() || node.domain() == "ai.onnx";
  const auto tables =
      isOnnx ? std::vector<const Operations*>{&arithmeticOperations(), &arrangementOperations(),
                                              &imageOperations(), &subgraphOperations()}
             : std::vector<const Operations*>{&layerOperations()};
  for (const Operations* table : tables) {
    const auto found = table->find(node.op_type());
    if (found != table->end() && (isOnnx || node.domain() == "mpm")) return found->second;
  }
  throw std::runtime_error("the net oracle knows no " + node.domain() + " " + node.op_type() +
                           ", as " + onnx::nameOf(node));
}

const at::Tensor& none() {
  static const at::Tensor undefined;
  return undefined;
}

}  // namespace

const at::Tensor& NodeCall::input(std::size_t index) const {
  return index < inputs.size() ? inputs[index] : none();
}

const at::Tensor& NodeCall::named(const std::string& name) const {
  const std::string names = text("inputs", "") + ",";
  std::size_t index = 0;
  for (std::size_t begin = 0; begin < names.size(); ++index) {
    const std::size_t end = names.find(',', begin);
    if (names.compare(begin, end - begin, name) == 0) return input(index);
    begin = end + 1;
  }
  return none();
}

std::int64_t NodeCall::integer(const char* attribute, std::int64_t otherwise) const {
  return onnx::intAttribute(node, attribute).value_or(otherwise);
}

double NodeCall::number(const char* attribute, double otherwise) const {
  const auto given = onnx::floatAttribute(node, attribute);
  return given ? double{*given} : otherwise;
}

std::string NodeCall::text(const char* attribute, const std::string& otherwise) const {
  return onnx::stringAttribute(node, attribute).value_or(otherwise);
}

std::vector<std::int64_t> NodeCall::integers(const char* attribute,
                                             const std::vector<std::int64_t>& otherwise) const {
  return onnx::intsAttribute(node, attribute).value_or(otherwise);
}

std::vector<std::int64_t> NodeCall::integers(const char* attribute, std::size_t index) const {
  if (!input(index).defined()) return integers(attribute);
  const at::Tensor values = input(index).to(at::kLong).contiguous();
  const auto* first = values.data_ptr<std::int64_t>();
  return {first, first + values.numel()};
}

void NodeCall::require(bool holds, const std::string& what) const {
  if (!holds) throw std::runtime_error(onnx::nameOf(node) + ": " + what);
}

NetRun runNet(const onnx::Model& model, const NetValues& inputs, Dialect dialect) {
  NetRun run;
  NetValues values = inputs;
  for (const onnx::Node* node : model.nodes()) {
    NodeCall call{*node, {}, model.opset(node->domain()), dialect, run};
    for (const std::string& name : node->input()) {
      call.inputs.push_back(valueOf(model, values, name));
    }
    const Tensors results = operationOf(*node)(call);
    for (int i = 0; i < node->output_size(); ++i) {
      if (node->output(i).empty()) continue;
      call.require(static_cast<std::size_t>(i) < results.size(), "has more outputs than are known");
      values[node->output(i)] = results[static_cast<std::size_t>(i)];
    }
  }
  for (const onnx::Value& output : model.outputs()) {
    run.outputs[output.name] = valueOf(model, values, output.name);
  }
  return run;
}

}  // namespace mpm::test
