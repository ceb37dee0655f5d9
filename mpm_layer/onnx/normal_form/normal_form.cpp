// SPDX-License-Identifier: Apache-2.0
#include "onnx/normal_form/normal_form.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/rules.h"

namespace mpm::onnx {

namespace {

const Rules& fusedRules() {
  static const Rules rules = {
      {"com.microsoft:Gelu", lowerGelu},
      {"com.microsoft:BiasGelu", lowerBiasGelu},
      {"com.microsoft:FastGelu", lowerFastGelu},
      {"com.microsoft:QuickGelu", lowerQuickGelu},
      {"com.microsoft:SkipLayerNormalization", lowerSkipNormalize},
      {"com.microsoft:SkipSimplifiedLayerNormalization", lowerSkipNormalize},
      {"com.microsoft:FusedMatMul", lowerFusedMatMul},
      {"com.microsoft:TransposeMatMul", lowerFusedMatMul},
      {"com.microsoft:FusedGemm", lowerFusedGemm},
      {"com.microsoft:FusedConv", lowerFusedConv},
      {"com.microsoft:Attention", lowerPackedAttention},
      {"com.microsoft:MultiHeadAttention", lowerMultiHeadAttention},
      {"com.microsoft:RotaryEmbedding", lowerRuntimeRotary},
      {"Attention", lowerAttention},
      {"RotaryEmbedding", lowerRotary},
      {"Split", lowerSplitProduct},
      {"Conv", lowerPaddedPatches},
      {"MatMul", lowerTurnedMix},
      {"Einsum", lowerEinsum},
      {"ReduceSum", lowerStackedSum},
      {"BatchNormalization", lowerChannelNorm},
      {"Add", lowerAddedConstant},
      {"Mul", lowerUnitFactor},
  };
  return rules;
}

// Rules for nodes that the first ones add.
const Rules& laterRules() {
  static const Rules rules = {{"Add", lowerHeadBias}, {"MatMul", lowerTurnedMix}};
  return rules;
}

const Rules& rulesByRank() {
  static const Rules rules = {{"Softmax", lowerTurnedSoftmax},
                              {"Conv", lowerWholeClips},
                              {"Where", lowerSettledChoice},
                              {"GlobalAveragePool", lowerRowPool},
                              {"Resize", lowerPixelResize}};
  return rules;
}

// Caches the dims that the file states, since DimsOf returns pointers.
class Described {
 public:
  explicit Described(const Model& model) : model_(model) {}

  const Integers* dims(const std::string& value) {
    const auto [place, isNew] = dims_.try_emplace(value);
    if (isNew) place->second = look(value);
    return place->second ? &*place->second : nullptr;
  }

 private:
  std::optional<Integers> look(const std::string& value) const {
    if (const auto constant = model_.constant(value)) return constant->dims();
    const std::optional<Value> info = model_.info(value);
    if (!info || !info->hasShape) return std::nullopt;
    Integers dims;
    for (const Dim& dim : info->dims) dims.push_back(dim.size);
    return dims;
  }

  const Model& model_;
  std::map<std::string, std::optional<Integers>> dims_;
};

}  // namespace

int lower(Model& model) {
  const int dequantised = dequantise(model);
  Described described(model);
  return dequantised +
         lower(model, [&](const std::string& value) { return described.dims(value); });
}

int lower(Model& model, const DimsOf& dimsOf) {
  const int widened = widen(model);
  const int spelled = spellOut(model, fusedRules(), dimsOf);
  return widened + spelled + spellOut(model, laterRules(), dimsOf);
}

int lowerByRank(Model& model, const DimsOf& dimsOf) {
  static const Rules later = {{"Div", lowerDividedSum}};
  const int spelled = spellOut(model, rulesByRank(), dimsOf);
  const int divided = spellOut(model, later, dimsOf);
  std::vector<const Node*> idle;
  for (const Node* node : model.nodes()) {
    if (isOp(*node, "Identity") && node->input_size() == 1 && hasInput(*node, 0))
      idle.push_back(node);
  }
  return spelled + divided + bypass(model, idle);
}

}  // namespace mpm::onnx
