// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/lower_opencv.h"

#include <algorithm>

#include "onnx/graph/attribute.h"

namespace mpm::onnx {
namespace {

constexpr std::int64_t kOpset = 11;

const Rules& openCvRules() {
  static const Rules rules = {
      {"Split", spellSplit},
      {"Concat", spellConcat},
      {"Softmax", spellSoftmax},
      {"LogSoftmax", spellSoftmax},
      {"Hardmax", spellSoftmax},
      {"Pad", spellPad},
      {"Reshape", spellReshape},
      {"Add", spellSum},
      {"Sub", spellSum},
      {"Mul", spellMul},
      {"Div", spellDiv},
      {"Pow", spellPow},
      {"Clip", spellClip},
      {"Gelu", spellGelu},
      {"Gemm", spellGemm},
      {"MatMul", spellMatMul},
      {"Conv", spellConv},
      {"ConvTranspose", spellConv},
      {"AveragePool", spellAveragePool},
      {"BatchNormalization", spellTurnedNorm},
      {"InstanceNormalization", spellInstanceNorm},
      {"GroupNormalization", spellGroupNorm},
      {"Resize", spellResize},
      {"Upsample", spellResize},
  };
  return rules;
}

bool isIdle(const Model& model, const Node& node) {
  if (!hasInput(node, 0) || node.output_size() == 0 || node.output(0).empty()) return false;
  if (isOp(node, "Identity")) return node.input_size() == 1 && node.output_size() == 1;
  if (!isOp(node, "Dropout") || !areUnused(model, node, 1)) return false;
  if (!hasInput(node, 2)) return true;
  const auto training = model.constant(node.input(2));
  return training && training->isInteger() && training->count() == 1 &&
         training->integers()[0] == 0;
}

int dropIdle(Model& model) {
  std::vector<const Node*> idle;
  for (const Node* node : model.nodes()) {
    if (isIdle(model, *node)) idle.push_back(node);
  }
  return bypass(model, idle);
}

// The importer refuses inputs and outputs whose shape the file leaves out; it doesn't look at what
// the shape of an output is.
int describeOutputs(Model& model, const DimsOf& dimsOf) {
  int count = 0;
  model.changeInPlace([&](::onnx::ModelProto& proto) {
    for (auto& output : *proto.mutable_graph()->mutable_output()) {
      if (output.type().has_tensor_type() && output.type().tensor_type().has_shape()) continue;
      if (output.has_type() && !output.type().has_tensor_type()) continue;
      auto& shape = *output.mutable_type()->mutable_tensor_type()->mutable_shape();
      const Integers* dims = dimsOf(output.name());
      for (const std::int64_t dim : dims != nullptr ? *dims : Integers{}) {
        auto& entry = *shape.add_dim();
        if (dim >= 0) entry.set_dim_value(dim);
      }
      ++count;
    }
  });
  return count;
}

// Importers before 5.0 count padding in every AveragePool of a file that says it is PyTorch's,
// whatever the node says; in all others' they never do, which spellAveragePool goes by.
int dropProducer(Model& model) {
  if (model.producerName() != "pytorch") return 0;
  model.changeInPlace([](::onnx::ModelProto& proto) { proto.set_producer_name("mpm"); });
  return 1;
}

int declareOpset(Model& model) {
  if (model.opset() <= kOpset) return 0;
  for (const auto& entry : model.proto().opset_import()) {
    if (entry.domain() != "ai.onnx" && !entry.domain().empty()) continue;
    const std::string domain = entry.domain();
    model.importOpset(domain, kOpset);
    break;
  }
  return 1;
}

}  // namespace

std::optional<Integers> targetOf(const Integers& dims) {
  if (std::count_if(dims.begin(), dims.end(), [](std::int64_t dim) { return dim <= 0; }) > 1) {
    return std::nullopt;
  }
  Integers target = dims;
  for (std::int64_t& dim : target) {
    if (dim == 0) return std::nullopt;
    dim = std::max<std::int64_t>(dim, -1);
  }
  return target;
}

int lowerForOpenCv(Model& model, const DimsOf& dimsOf) {
  int count = dropIdle(model);
  // Some are nodes that OpenCV computes wrongly without a word.
  count += spellOut(model, openCvRules(), dimsOf, WhenFull::refuse);
  count += spellLookalikesApart(model, dimsOf);  // x^3, as products, may look like something
  count += keepTurnedApart(model);
  count += describeOutputs(model, dimsOf);
  count += dropProducer(model);
  count += declareOpset(model);
  // Also constants: some types are refused, even where nothing reads them.
  count += model.removeDead();
  return count;
}

}  // namespace mpm::onnx
