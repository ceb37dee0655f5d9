// SPDX-License-Identifier: Apache-2.0
// Layers with weights, and pooling.
#include <algorithm>
#include <cstddef>

#include "onnx/graph/attribute.h"
#include "onnx/layers/lower_opencv.h"
#include "onnx/operators/window.h"

namespace mpm::onnx {
namespace {

bool isMatrix(const std::optional<Tensor>& constant) {
  return constant && constant->dims().size() == 2 && constant->isFloating();
}

// Between a product of two values and an element-wise node, which the importer would lose.
bool keepsWhatFollows(Spelling& spelling) {
  const Node& node = spelling.node();
  const Integers* dims = spelling.dims(node.output(0));
  const auto& readers = spelling.model().consumers(node.output(0));
  if (dims == nullptr || dims->empty() || readers.size() != 1) return false;
  for (const char* type : {"Softmax", "Transpose", "Reshape", "MatMul", "Gather", "Slice", "Split",
                           "Concat", "Squeeze", "Unsqueeze", "Flatten"}) {
    if (isOp(*readers[0], type)) return false;
  }
  const std::string product = spelling.add("MatMul", {node.input(0), node.input(1)});
  spelling.add("Reshape", {product, spelling.integers(Integers(dims->size(), 0))}, node.output(0));
  return true;
}

// A constant, times a number, as a vector of so many elements where it is a row.
std::optional<std::string> biasOf(Spelling& spelling, const std::string& bias, float factor,
                                  std::int64_t count) {
  const auto constant = spelling.model().constant(bias);
  if (!constant || !constant->isFloating()) return std::nullopt;
  std::vector<float> values = *spelling.floatsIn(bias);
  for (float& value : values) value *= factor;
  if (values.size() == 1) values.resize(static_cast<std::size_t>(count), values[0]);
  if (static_cast<std::int64_t>(values.size()) != count) return std::nullopt;
  if (constant->dims().size() > 1 && constant->dims().back() != count && constant->count() > 1) {
    return std::nullopt;
  }
  return spelling.floats({count}, values);
}

}  // namespace

// Of Gemm the importer reads transB = 1 with a bias of as many elements as outputs; everything else
// is MatMul and Add.
bool spellGemm(Spelling& spelling) {
  const Node& node = spelling.node();
  const float alpha = floatAttribute(node, "alpha").value_or(1);
  const float beta = floatAttribute(node, "beta").value_or(1);
  const bool transA = intAttribute(node, "transA").value_or(0) != 0;
  const bool transB = intAttribute(node, "transB").value_or(0) != 0;
  if (!hasInput(node, 0) || !hasInput(node, 1) || node.input_size() > 3) return false;
  const auto weights = spelling.model().constant(node.input(1));
  if (!isMatrix(weights) || weights->count() == 0) return false;
  const std::int64_t outputs = weights->dims()[transB ? 0 : 1];
  const auto bias = spelling.model().constant(inputOf(node, 2));
  const bool isBiased = hasInput(node, 2) && beta != 0;
  const bool fits = !hasInput(node, 2) || (bias && bias->count() == outputs && beta == 1);
  if (transB && !transA && alpha == 1 && fits) return false;

  std::string added;
  if (isBiased) {
    const auto made = biasOf(spelling, node.input(2), beta, outputs);
    if (!made) return false;
    added = *made;
  }
  std::string value = node.input(0);
  if (transA) value = spellTurned(spelling, value, 2);
  if (alpha != 1) value = spelling.add("Mul", {value, spelling.scalar(alpha)});
  if (transB) {
    std::vector<std::string> inputs = {value, node.input(1)};
    if (isBiased) inputs.push_back(added);
    spelling.add("Gemm", inputs, node.output(0));
    setAttribute(spelling.last(), "transB", std::int64_t{1});
    return true;
  }
  value = spelling.add("MatMul", {value, node.input(1)}, isBiased ? "" : node.output(0));
  if (isBiased) spelling.add("Add", {value, added}, node.output(0));
  return true;
}

bool spellMatMul(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 2 || !hasInput(node, 0) || !hasInput(node, 1)) return false;
  const auto first = spelling.model().constant(node.input(0));
  if (spelling.model().constant(node.input(1))) return false;
  if (!first) return keepsWhatFollows(spelling);
  // The importer takes a constant on the right only: W x = (x' W')'.
  const Integers* dims = spelling.dims(node.input(1));
  if (!isMatrix(first) || dims == nullptr || dims->size() < 2) return false;
  const std::int64_t rows = first->dims()[0], columns = first->dims()[1];
  const Floats weights = first->floats();
  std::vector<float> turned(weights.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      turned[static_cast<std::size_t>(column * rows + row)] =
          weights[static_cast<std::size_t>(row * columns + column)];
    }
  }
  const auto value = spellTurned(spelling, node.input(1), dims->size());
  const auto product = spelling.add("MatMul", {value, spelling.floats({columns, rows}, turned)});
  spellTurned(spelling, product, dims->size(), node.output(0));
  return true;
}

// Padding that a word stands for, where the image's size is known: OpenCV before 5 takes SAME_LOWER
// for SAME_UPPER, and 5.0 the other way round.
std::optional<Integers> samePads(Spelling& spelling, const Integers& kernel) {
  const Node& node = spelling.node();
  if (!isOp(node, "Conv") || !isPaddedToSame(node)) return std::nullopt;
  const Integers* dims = spelling.dims(node.input(0));
  const auto window = dims ? windowOf(node, *dims, kernel) : std::nullopt;
  if (!window) return std::nullopt;
  Integers pads;
  for (const WindowAxis& axis : *window) pads.push_back(axis.before);
  for (const WindowAxis& axis : *window) pads.push_back(axis.behind);
  if (!std::all_of(pads.begin(), pads.end(), isNumber)) return std::nullopt;
  return pads;
}

// In front of planes, with zeros: pads as nodes of windows have them.
std::string spellZeros(Spelling& spelling, const std::string& planes, const Integers& pads) {
  Integers all = {0, 0};
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2);
  all.insert(all.end(), pads.begin(), middle);
  all.insert(all.end(), {0, 0});
  all.insert(all.end(), middle, pads.end());
  return spelling.add("Pad", {planes, spelling.integers(all)});
}

// Whether windows that are padded so reach beside the image. OpenCV 4.10 to 5.0 read there where
// they are of one place; 4.10 and 4.14 where each channel has 3 x 3 taps of its own, no more than
// one place is put in front, and the image is one place high or wide, or more is put behind, or the
// taps have gaps.
bool readsBeside(Spelling& spelling, const Integers& kernel, const Integers& pads) {
  if (pads.size() != 4 || std::all_of(pads.begin(), pads.end(), [](auto pad) { return pad == 0; }))
    return false;
  if (kernel == Integers{1, 1}) return true;
  const Node& node = spelling.node();
  const Integers* filters = spelling.dims(node.input(1));
  const bool isByChannel = intAttribute(node, "group").value_or(1) > 1 && filters != nullptr &&
                           filters->size() == 4 && (*filters)[1] == 1;
  if (!isByChannel || kernel != Integers{3, 3} || pads[0] > 1 || pads[1] > 1) return false;
  const Integers* planes = spelling.dims(node.input(0));
  const Integers gaps = intsAttribute(node, "dilations").value_or(Integers{});
  const bool isLarge =
      planes != nullptr && planes->size() == 4 && (*planes)[2] > 1 && (*planes)[3] > 1;
  return !isLarge || pads[2] > 1 || pads[3] > 1 ||
         std::any_of(gaps.begin(), gaps.end(), [](auto gap) { return gap != 1; });
}

// Their padding is a node in front of them.
bool spellPadsInFront(Spelling& spelling, const Integers& kernel, const Integers& pads) {
  const Node& node = spelling.node();
  if (!isOp(node, "Conv") || !readsBeside(spelling, kernel, pads)) return false;
  std::vector<std::string> inputs = {node.input().begin(), node.input().end()};
  inputs[0] = spellZeros(spelling, inputs[0], pads);
  Node& made = spelling.addCopy(inputs);
  dropAttribute(made, "pads");
  dropAttribute(made, "auto_pad");
  setAttribute(made, "kernel_shape", kernel);
  return true;
}

// The importer wants kernel_shape in words.
bool spellConv(Spelling& spelling) {
  const Node& node = spelling.node();
  if (!hasInput(node, 0) || !hasInput(node, 1)) return false;
  const auto given = intsAttribute(node, "kernel_shape");
  const Integers* weights = spelling.dims(node.input(1));
  if (!given && (weights == nullptr || weights->size() < 3)) return false;
  const Integers kernel = given ? *given : kernelOf(*weights);
  if (std::any_of(kernel.begin(), kernel.end(), [](auto size) { return size <= 0; })) return false;
  const auto pads = samePads(spelling, kernel);
  const Integers known = pads ? *pads : intsAttribute(node, "pads").value_or(Integers{});
  if (spellPadsInFront(spelling, kernel, known) || spellTurnedPads(spelling, kernel)) return true;
  if (given && !pads) return false;
  Node& made = spelling.addCopy({node.input().begin(), node.input().end()});
  setAttribute(made, "kernel_shape", kernel);
  if (!pads) return true;
  dropAttribute(made, "auto_pad");
  setAttribute(made, "pads", *pads);
  return true;
}

// The importer never counts padding (see dropProducer); a Pad in front does.
bool spellAveragePool(Spelling& spelling) {
  const Node& node = spelling.node();
  const auto pads = intsAttribute(node, "pads").value_or(Integers{});
  const auto kernel = intsAttribute(node, "kernel_shape").value_or(Integers{});
  const bool counts = intAttribute(node, "count_include_pad").value_or(0) != 0;
  const bool rounds = intAttribute(node, "ceil_mode").value_or(0) != 0;
  if (!counts || rounds || !hasInput(node, 0)) return false;
  if (stringAttribute(node, "auto_pad").value_or("NOTSET") != "NOTSET") return false;
  if (kernel.empty() || kernel.size() > 3 || pads.size() != 2 * kernel.size()) return false;
  if (std::all_of(pads.begin(), pads.end(), [](auto pad) { return pad == 0; })) return false;
  Node& made = spelling.addCopy({spellZeros(spelling, node.input(0), pads)});
  dropAttribute(made, "pads");
  dropAttribute(made, "count_include_pad");
  return true;
}

}  // namespace mpm::onnx
