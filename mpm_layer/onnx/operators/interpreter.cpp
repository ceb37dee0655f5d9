// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/interpreter.h"

#include <algorithm>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/operators/table.h"

namespace mpm::onnx {
namespace {

bool readsSizesAlone(const Node& node) { return isAny(node, {"Shape", "Size"}); }

std::string sizesText(const Integers& dims) {
  std::string text = "[";
  for (const std::int64_t dim : dims) {
    if (text.size() > 1) text += " x ";
    text += dim < 0 ? "?" : std::to_string(dim);
  }
  return text + "]";
}

}  // namespace

bool isInterpreted(const Node& node) {
  // Convolutions of a frame are for whoever computes them fast.
  if (!isOp(node, node.op_type().c_str()) || isOp(node, "Conv")) return false;
  return readsSizesAlone(node) || isOp(node, "Identity") ||
         (findFolder(node) != nullptr && hasShapeRule(node));
}

Interpreter::Interpreter(Model model, MatrixProduct large)
    : model_(std::move(model)),
      large_(large),
      inputs_(model_.inputs()),
      outputs_(model_.outputs()) {
  for (const Value& input : inputs_) {
    const auto& readers = model_.consumers(input.name);
    isRead_.push_back(model_.isOutput(input.name) ||
                      std::any_of(readers.begin(), readers.end(),
                                  [](const Node* reader) { return !readsSizesAlone(*reader); }));
  }
}

const std::vector<Integers>& Interpreter::fit(const std::vector<Integers>& inputDims) {
  if (known_ && inputDims == inputDims_) return outputDims_;
  known_.reset();
  std::unordered_map<std::string, Integers> dims;
  for (std::size_t i = 0; i < inputs_.size(); ++i) dims[inputs_[i].name] = inputDims.at(i);
  const LargeResults scope;
  auto known = std::make_unique<Values>(model_, dims);
  std::vector<Integers> outputDims;
  for (const Value& output : outputs_) {
    const Integers* found = known->dims(output.name);
    if (!found || std::any_of(found->begin(), found->end(), [](auto dim) { return dim < 0; })) {
      throw ModelError("the size of " + inQuotes(output.name) + ", " +
                       (found ? sizesText(*found) : "of no known rank") +
                       ", is not known until a frame has been computed");
    }
    outputDims.push_back(*found);
  }
  inputDims_ = inputDims;
  outputDims_ = std::move(outputDims);
  known_ = std::move(known);
  return outputDims_;
}

std::map<std::string, int> Interpreter::operators() const {
  std::map<std::string, int> counts;
  for (const Node* node : model_.nodes()) ++counts[node->op_type()];
  return counts;
}

// Whether everything that a node gives is known for the sizes of the inputs.
bool Interpreter::isSettled(const Node& node) const {
  return std::all_of(node.output().begin(), node.output().end(), [&](const std::string& output) {
    const Known* known = output.empty() ? nullptr : known_->content(output);
    return output.empty() || (known && known->isSure());
  });
}

void Interpreter::compute(const Node& node, std::unordered_map<std::string, Known>& values) const {
  Call call{node, {}, model_.opset(), nullptr, large_};
  for (const auto& input : node.input()) {
    const auto found = values.find(input);
    call.inputs.push_back(found != values.end() ? &found->second
                          : input.empty()       ? nullptr
                                                : known_->content(input));
  }
  Results results = onnx::compute(call);
  for (int i = 0; i < node.output_size(); ++i) {
    Result& result = results[static_cast<std::size_t>(i)];
    if (node.output(i).empty()) continue;
    if (!result || !result->isSure()) {
      throw ModelError(nameOf(node) + " cannot be computed from the inputs that it has");
    }
    values.insert_or_assign(node.output(i), std::move(*result));
  }
}

std::vector<Known> Interpreter::run(std::vector<Known> inputs) {
  const LargeResults scope;
  std::unordered_map<std::string, Known> values;
  std::unordered_map<std::string, std::size_t> readers;  // that are still to come
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    values.emplace(inputs_[i].name, std::move(inputs.at(i)));
  }
  for (const Node* node : model_.nodes()) {
    for (const auto& input : node->input()) ++readers[input];
  }
  for (const Node* node : model_.nodes()) {
    if (!isSettled(*node)) compute(*node, values);
    for (const auto& input : node->input()) {
      if (--readers[input] == 0 && !model_.isOutput(input)) values.erase(input);
    }
  }
  std::vector<Known> outputs;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const auto found = values.find(outputs_[i].name);
    outputs.push_back(found != values.end() ? found->second : *known_->content(outputs_[i].name));
    if (outputs.back().dims != outputDims_[i]) {
      throw ModelError(inQuotes(outputs_[i].name) + " came out as " +
                       sizesText(outputs.back().dims) + " where " + sizesText(outputDims_[i]) +
                       " was expected");
    }
  }
  return outputs;
}

}  // namespace mpm::onnx
