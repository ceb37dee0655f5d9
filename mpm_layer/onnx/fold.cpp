// SPDX-License-Identifier: Apache-2.0
#include "onnx/fold.h"

#include <algorithm>
#include <unordered_map>

#include "onnx/attribute.h"
#include "onnx/fold_ops.h"

namespace mpm::onnx {
namespace {

using Result = std::optional<Known>;

const std::unordered_map<std::string, Result (*)(const Call&)> kOperators = {
    {"Add", foldAdd},
    {"Cast", foldCast},
    {"Concat", foldConcat},
    {"ConstantOfShape", foldConstantOfShape},
    {"Div", foldDiv},
    {"Equal", foldEqual},
    {"Expand", foldExpand},
    {"Gather", foldGather},
    {"Mul", foldMul},
    {"Range", foldRange},
    {"Reshape", foldReshape},
    {"Slice", foldSlice},
    {"Sqrt", foldSqrt},
    {"Squeeze", foldSqueeze},
    {"Sub", foldSub},
    {"Transpose", foldTranspose},
    {"Unsqueeze", foldUnsqueeze},
    {"Where", foldWhere}};

// A pass over a model that works out which values are known.
class Folding {
 public:
  explicit Folding(const Model& model) : model_(model) {}

  // What to change; the model stays as it is until then.
  Edit run() {
    for (const Node* node : model_.nodes()) {
      if (node->output_size() != 1 || node->output(0).empty()) continue;
      if (isOp(*node, node->op_type().c_str())) visit(*node);
    }
    return std::move(edit_);
  }

 private:
  void visit(const Node& node) {
    const std::string& output = node.output(0);
    if (isOp(node, "Identity")) {
      if (node.input_size() != 1 || node.input(0).empty() || model_.isOutput(output)) return;
      sources_[output] = source(node.input(0));
      edit_.redirect.emplace_back(output, sources_[output]);
      edit_.remove.push_back(&node);
      return;
    }
    Result result = evaluate(node);
    if (!result || !spend(result->count())) return;
    if (result->isSure() && !model_.isOutput(output)) {
      edit_.constants.push_back(toTensor(*result, output));
      edit_.remove.push_back(&node);
    }
    known_.emplace(output, std::move(result));
  }

  Result evaluate(const Node& node) {
    if (node.op_type() == "Shape") return shape(node);
    const auto found = kOperators.find(node.op_type());
    if (found == kOperators.end()) return std::nullopt;
    Call call{node, {}};
    for (const auto& input : node.input()) call.inputs.push_back(lookUp(input));
    return found->second(call);
  }

  const std::string& source(const std::string& value) const {
    const auto found = sources_.find(value);
    return found == sources_.end() ? value : found->second;
  }

  const Known* lookUp(const std::string& input) {
    if (input.empty()) return nullptr;
    const std::string& value = source(input);
    auto found = known_.find(value);
    if (found == known_.end()) {
      const auto constant = model_.constant(value);
      Result known;
      if (constant && smallCount(constant->dims()) &&
          spend(static_cast<std::size_t>(constant->count()))) {
        known = toKnown(*constant);
      }
      found = known_.emplace(value, std::move(known)).first;
    }
    return found->second ? &*found->second : nullptr;
  }

  Result shape(const Node& node) const {
    if (node.input_size() != 1) return std::nullopt;
    Integers sizes;
    if (const auto constant = model_.constant(source(node.input(0)))) {
      sizes = constant->dims();
    } else {
      const auto info = model_.info(source(node.input(0)));
      if (!info || !info->hasShape) return std::nullopt;
      for (const Dim& dim : info->dims) sizes.push_back(dim.size);
    }
    const auto rank = static_cast<std::int64_t>(sizes.size());
    const auto place = [&](const char* name, std::int64_t otherwise) {
      std::int64_t at = intAttribute(node, name).value_or(otherwise);
      if (at < 0) at += rank;
      return std::clamp<std::int64_t>(at, 0, rank);
    };
    const std::int64_t start = place("start", 0);
    const std::int64_t end = std::max(start, place("end", rank));
    Result result = emptyKnown(::onnx::TensorProto::INT64, {end - start});
    if (!result) return std::nullopt;
    for (std::size_t i = 0; i < result->count(); ++i) {
      const std::int64_t size = sizes[static_cast<std::size_t>(start) + i];
      result->sure[i] = size >= 0;
      result->integers[i] = size;
    }
    return result;
  }

  bool spend(std::size_t elements) {
    constexpr std::size_t kMost = 10000000;
    spent_ += elements;
    return spent_ <= kMost;
  }

  const Model& model_;
  std::unordered_map<std::string, Result> known_;         // nothing: looked at, not known
  std::unordered_map<std::string, std::string> sources_;  // what an Identity's output really is
  std::size_t spent_ = 0;
  Edit edit_;
};

}  // namespace

int fold(Model& model) {
  Edit edit = Folding(model).run();
  const int folded = static_cast<int>(edit.remove.size());
  if (folded > 0) {
    model.apply(std::move(edit));
    model.removeDead();
  }
  return folded;
}

}  // namespace mpm::onnx
