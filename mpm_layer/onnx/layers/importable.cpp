// SPDX-License-Identifier: Apache-2.0
// Checks what OpenCV's importers take for granted, and what no net of OpenCV can do.
#include "onnx/layers/for_opencv.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/normal_form/rewriter.h"
#include "onnx/operators/window.h"

namespace mpm::onnx {
namespace {

[[noreturn]] void refuse(const Node& node, const std::string& problem) {
  throw ModelError(nameOf(node) + " " + problem + ", which OpenCV does not read");
}

bool isData(const Model& model, const std::string& value) {
  return !value.empty() && !model.constant(value);
}

// Refuses inputs that no node gives: sparse constants, which the file holds as indices and values.
void checkSparse(const Model& model, const Node& node, const std::vector<Value>& given) {
  for (const std::string& input : node.input()) {
    const auto isInput = [&](const Value& value) { return value.name == input; };
    if (!isData(model, input) || model.producer(input) != nullptr ||
        std::any_of(given.begin(), given.end(), isInput))
      continue;
    throw ModelError(nameOf(node) + " reads " + inQuotes(input) +
                     ", a sparse constant; please save the model with dense ones");
  }
}

void checkData(const Model& model, const Node& node) {
  // The importer computes these operators of constants that are too large to be folded.
  static const Names moving = namesIn("Cast Flatten Reshape Squeeze Transpose Unsqueeze");
  const auto& inputs = node.input();
  const auto isOne = [&](const std::string& value) { return isData(model, value); };
  if (!inputs.empty() && isOne(inputs[0])) return;
  const auto constant = inputs.empty() ? std::nullopt : model.constant(inputs[0]);
  if (constant && !smallCount(constant->dims()) && moving.count(node.op_type()) != 0) return;
  const bool isFixed = std::none_of(inputs.begin(), inputs.end(), isOne);
  for (const std::string& output : node.output()) {
    if (!isFixed || !model.isOutput(output)) continue;
    throw ModelError(nameOf(node) + " gives the output " + inQuotes(output) +
                     ", which is the same for every picture and which OpenCV does not read; please "
                     "export the model without it");
  }
  refuse(node, "computes with a constant of the model");
}

void checkWindows(const Node& node) {
  for (const char* name : {"kernel_shape", "strides", "dilations"}) {
    const auto sizes = intsAttribute(node, name).value_or(Integers{});
    if (std::any_of(sizes.begin(), sizes.end(), [](auto size) { return size < 1; }))
      refuse(node, std::string("has ") + name + " below 1");
  }
  if (intAttribute(node, "group").value_or(1) < 1) refuse(node, "has a group below 1");
  if (stringAttribute(node, "auto_pad").value_or("") == "SAME_LOWER")
    refuse(node, "pads with SAME_LOWER");
}

// Limits axes, since the importer makes lists as long as an axis says.
void checkAxes(const Node& node, const Integers& axes) {
  constexpr auto kMost = static_cast<std::int64_t>(kMostRank);
  if (std::any_of(axes.begin(), axes.end(),
                  [](auto axis) { return axis < -kMost || axis > kMost; }))
    refuse(node, "names an axis that its input does not have");
}

// Checks weights [out, in, ...], or [in, out, ...] if transposed.
void checkConvolution(const Model& model, const Node& node) {
  if (isData(model, inputOf(node, 1))) {
    if (hasInput(node, 2) && !isData(model, node.input(2)))
      refuse(node, "has computed weights but a constant bias");
    return;
  }
  const auto weight = model.constant(inputOf(node, 1));
  if (!weight || !weight->isFloating() || weight->dims().size() < 3 || weight->count() == 0)
    refuse(node, "has weights that are not a constant of three dimensions or more");
  const auto kernel = intsAttribute(node, "kernel_shape");
  if (kernel && *kernel != kernelOf(weight->dims()))
    refuse(node, "has a kernel_shape that does not match its weights");
  if (!hasInput(node, 2)) return;
  const bool isTurned = isOp(node, "ConvTranspose");
  const std::int64_t group = intAttribute(node, "group").value_or(1);
  const std::int64_t outputs = isTurned ? weight->dims()[1] * group : weight->dims()[0];
  const auto bias = model.constant(inputOf(node, 2));
  if (!bias || !bias->isFloating() || bias->count() != outputs)
    refuse(node, "has a bias that is not a constant with one number for each output");
}

// Says why a node of attention was not decomposed; null if it is none, or OpenCV may read it.
const char* attentionProblem(const Node& node) {
  static const Names generating = namesIn(
      "DecoderMaskedMultiHeadAttention DecoderMaskedSelfAttention GroupQueryAttention "
      "PackedAttention PackedMultiHeadAttention PagedAttention SparseAttention");
  const std::string& type = node.op_type();
  if (node.domain() == "com.microsoft") {
    if (generating.count(type) != 0) return "is attention of the kind that language models use";
    return type == "MultiHeadAttention" ? "is attention of a kind that is not known" : nullptr;
  }
  if (!isOp(node, "Attention")) return nullptr;
  if (hasInput(node, 4) || hasInput(node, 5)) return "attends to keys of earlier calls";
  if (intAttribute(node, "is_causal").value_or(0) != 0)
    return "is causal, over rows whose number the file leaves open";
  return "is attention of a kind that is not known";
}

}  // namespace

void checkImportable(const Model& model) {
  const std::vector<Value> given = model.inputs();
  for (const Node* node : model.nodes()) {
    checkSparse(model, *node, given);
    checkData(model, *node);
    if (!isOp(*node, node->op_type().c_str())) continue;
    checkWindows(*node);
    checkAxes(*node, {intAttribute(*node, "axis").value_or(0)});
    checkAxes(*node, intsAttribute(*node, "axes").value_or(Integers{}));
    if (isAny(*node, {"Conv", "ConvTranspose"})) checkConvolution(model, *node);
  }
}

void checkFlow(const Model& model, int openCv) {
  const bool isFour = openCv < 5;
  const Names choosing = namesIn(isFour ? "If Loop Scan" : "Scan");
  const Names counting = namesIn(isFour ? "Compress NonMaxSuppression NonZero Unique" : "Compress");
  static const Names listing = namesIn(
      "ConcatFromSequence Optional OptionalGetElement OptionalHasElement SequenceAt "
      "SequenceConstruct SequenceEmpty SequenceErase SequenceInsert SequenceLength SequenceMap "
      "SplitToSequence");
  static const Names drawing = namesIn(
      "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike");
  static const Names otherwise = namesIn(
      "AffineGrid BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor GRU GlobalLpPool LSTM LpPool "
      "MaxRoiPool MaxUnpool QLinearConv QLinearMatMul RNN ReverseSequence RoiAlign");
  static const Names packed = namesIn(
      "MatMulBnb4 MatMulNBits QAttention QGemm QLinearAdd QLinearAveragePool QLinearConcat "
      "QLinearGlobalAveragePool QLinearLeakyRelu QLinearMul QLinearSigmoid QLinearSoftmax");
  for (const Node* node : model.nodes()) {
    const std::string& type = node->op_type();
    if (packed.count(type) != 0 && node->domain() == "com.microsoft") {
      throw ModelError(nameOf(*node) +
                       " is of a kind of quantised file that is not read here; please quantise "
                       "with QuantizeLinear and DequantizeLinear (QDQ)");
    }
    if (otherwise.count(type) != 0 && isOp(*node, type.c_str())) {
      throw ModelError(nameOf(*node) +
                       " is an operator that is not computed here; cv::dnn::readNetFromONNX may "
                       "read the model, without merging");
    }
    if (const char* problem = isFour ? attentionProblem(*node) : nullptr) {
      throw ModelError(nameOf(*node) + " " + problem +
                       "; please export the model with attention written out, for one size");
    }
    if (!isOp(*node, type.c_str())) continue;
    const char* problem =
        choosing.count(type) != 0   ? "chooses or repeats nodes while it computes"
        : listing.count(type) != 0  ? "holds a list of tensors, or one that may be missing"
        : counting.count(type) != 0 ? "gives as many values as it finds in a frame"
        : drawing.count(type) != 0  ? "draws random numbers"
                                    : nullptr;
    if (problem != nullptr)
      throw ModelError(nameOf(*node) + " " + problem + ", which no net of OpenCV " +
                       std::to_string(openCv) + " does; please export the model without it");
  }
}

}  // namespace mpm::onnx
