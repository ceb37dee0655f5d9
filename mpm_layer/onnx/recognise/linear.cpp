// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/linear.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "onnx/graph/attribute.h"
#include "onnx/recognise/parts.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

const Node* madeBy(const Model& model, const std::string& value, const char* type, int inputs) {
  const Node* node = model.producer(value);
  const bool fits = node != nullptr && isOp(*node, type) && node->input_size() == inputs;
  return fits ? node : nullptr;
}

std::optional<Operands> constantOperand(const Model& model, const std::string& value,
                                        const char* type, bool ordered) {
  const Node* node = madeBy(model, value, type, 2);
  if (node == nullptr) return std::nullopt;
  const bool first = model.constant(node->input(0)).has_value();
  const bool second = model.constant(node->input(1)).has_value();
  if (first == second || (ordered && first)) return std::nullopt;
  return second ? Operands{node->input(0), node->input(1)}
                : Operands{node->input(1), node->input(0)};
}

std::optional<float> scalarConstant(const Model& model, const std::string& value) {
  const std::optional<Tensor> constant = model.constant(value);
  if (!constant || constant->count() != 1) return std::nullopt;
  if (constant->isFloating()) return constant->floats()[0];
  if (constant->isInteger()) return static_cast<float>(constant->integers()[0]);
  return std::nullopt;
}

bool isElementWise(const Node& node) {
  return isElementWiseOfOne(node) || isElementWiseOfTwo(node);
}

bool isElementWiseOfOne(const Node& node) {
  return isAny(node, {"Abs",     "Celu", "Clip",     "Cos",         "Elu",       "Erf",
                      "Erfc",    "Exp",  "Gelu",     "HardSigmoid", "HardSwish", "LeakyRelu",
                      "Log",     "Mish", "Neg",      "Reciprocal",  "Relu",      "Selu",
                      "Sigmoid", "Sin",  "Softplus", "Softsign",    "Sqrt",      "Tanh"});
}

bool isElementWiseOfTwo(const Node& node) {
  return node.input_size() == 2 &&
         isAny(node, {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "PRelu"});
}

bool isLastAxisVector(const Model& model, const std::string& constant) {
  const std::optional<Tensor> tensor = model.constant(constant);
  return tensor && tensor->isFloating() && !tensor->dims().empty() &&
         tensor->dims().back() == tensor->count();
}

namespace {

bool isMatrix(const Model& model, const std::string& constant) {
  const std::optional<Tensor> tensor = model.constant(constant);
  return tensor && tensor->isFloating() && tensor->dims().size() == 2;
}

bool isBias(const Model& model, const std::string& constant, const FoundLinear& linear) {
  return isLastAxisVector(model, constant) &&
         model.constant(constant)->count() == outFeatures(model, linear);
}

// Finds the matrix of the right factor: a constant, or a constant transposed by a node.
bool findMatrix(const Model& model, const std::string& value, FoundLinear& found) {
  found.weight = value;
  if (const Node* transpose = madeBy(model, value, "Transpose", 1)) {
    const auto order = intsAttribute(*transpose, "perm");
    if (order && *order != std::vector<std::int64_t>{1, 0}) return false;
    found.weight = transpose->input(0);
    found.outByIn = !found.outByIn;
  }
  return isMatrix(model, found.weight);
}

std::optional<FoundLinear> findProduct(const Model& model, const std::string& output) {
  const Node* product = madeBy(model, output, "MatMul", 2);
  FoundLinear found;
  if (product == nullptr || !findMatrix(model, product->input(1), found)) return std::nullopt;
  found.input = product->input(0);
  found.nodes = {product};
  return found;
}

std::optional<FoundLinear> findGemm(const Model& model, const Node& gemm) {
  if (gemm.input_size() < 2) return std::nullopt;
  FoundLinear found;
  found.outByIn = intAttribute(gemm, "transB").value_or(0) != 0;
  const bool plain = intAttribute(gemm, "transA").value_or(0) == 0 &&
                     floatAttribute(gemm, "alpha").value_or(1) == 1 &&
                     floatAttribute(gemm, "beta").value_or(1) == 1;
  if (!plain || !findMatrix(model, gemm.input(1), found)) return std::nullopt;
  found.input = gemm.input(0);
  found.nodes = {&gemm};
  if (hasInput(gemm, 2)) {
    found.bias = gemm.input(2);
    if (!isBias(model, found.bias, found)) return std::nullopt;
  }
  return found;
}

}  // namespace

std::int64_t inFeatures(const Model& model, const FoundLinear& linear) {
  return model.constant(linear.weight)->dims()[linear.outByIn ? 1 : 0];
}

std::int64_t outFeatures(const Model& model, const FoundLinear& linear) {
  return model.constant(linear.weight)->dims()[linear.outByIn ? 0 : 1];
}

std::optional<FoundLinear> findLinear(const Model& model, const std::string& output) {
  const Node* node = model.producer(output);
  if (node == nullptr) return std::nullopt;
  if (isOp(*node, "Gemm")) return findGemm(model, *node);
  if (const std::optional<Operands> sum = constantOperand(model, output, "Add")) {
    std::optional<FoundLinear> found = findProduct(model, sum->value);
    if (!found || !isBias(model, sum->constant, *found)) return std::nullopt;
    found->bias = sum->constant;
    found->nodes.insert(found->nodes.begin(), node);
    return found;
  }
  return findProduct(model, output);
}

namespace {

// Finds some features of a linear layer: a slice or a part of its last axis.
std::optional<FoundRowLinear> findFeatures(const AnalysedModel& analysed,
                                           const std::string& output) {
  const Node* node = analysed.model.producer(output);
  if (!isAny(*node, {"Slice", "Split", "Gather"})) return std::nullopt;
  const std::optional<View> view = viewThrough(analysed, *node, output);
  const Integers* before = view ? analysed.values.dims(view->base) : nullptr;
  const Integers* after = analysed.values.dims(output);
  if (before == nullptr || after == nullptr || before->size() != after->size()) return std::nullopt;
  const std::optional<FoundLinear> linear =
      findLinear(analysed.model, behindRowViews(analysed, view->base));
  const View dense = denseView(view->base, *before);
  const std::size_t last = before->size() - 1;
  const std::optional<Run> run = joined(view->axes[last]);
  if (!linear || !run || view->factor != 1 || view->offset >= (*before)[last] ||
      !std::equal(view->axes.begin(), view->axes.end() - 1, dense.axes.begin()))
    return std::nullopt;
  FoundRowLinear found{*linear, {}, {}, nullptr};
  for (std::int64_t i = 0; i < run->size; ++i)
    found.features.push_back(view->offset + i * run->stride);
  if (found.features.back() >= outFeatures(analysed.model, *linear)) return std::nullopt;
  return found;
}

const Gelu* lasting(Gelu kind) {
  static constexpr Gelu kKinds[] = {Gelu::erf, Gelu::tanh, Gelu::quick};
  return std::find(std::begin(kKinds), std::end(kKinds), kind);
}

}  // namespace

std::optional<FoundRowLinear> findRowLinear(const AnalysedModel& analysed,
                                            const std::string& output) {
  const Node* node = analysed.model.producer(output);
  if (node == nullptr) return std::nullopt;
  if (const std::optional<FoundLinear> linear = findLinear(analysed.model, output))
    return FoundRowLinear{*linear, {}, {}, nullptr};
  if (isAny(*node, {"Mul", "Div", "Gelu"})) {
    if (const std::optional<FoundGelu> gelu = findGelu(analysed, output)) {
      std::optional<FoundRowLinear> found =
          findRowLinear(analysed, behindRowViews(analysed, gelu->input));
      if (!found || found->gelu != nullptr) return std::nullopt;
      found->gelu = lasting(gelu->kind);
      return found;
    }
  }
  const std::optional<Operands> product = constantOperand(analysed.model, output, "Mul");
  if (!product) return findFeatures(analysed, output);
  std::optional<FoundRowLinear> found =
      findRowLinear(analysed, behindRowViews(analysed, product->value));
  const bool isScaled = found && found->gelu == nullptr && found->scale.empty() &&
                        found->features.empty() &&
                        isLastAxisVector(analysed.model, product->constant) &&
                        analysed.model.constant(product->constant)->count() ==
                            outFeatures(analysed.model, found->linear);
  if (!isScaled) return std::nullopt;
  found->scale = product->constant;
  return found;
}

namespace {

Integers denseStrides(const Integers& dims) {
  Integers strides(dims.size());
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0; stride *= dims[i]) strides[i] = stride;
  return strides;
}

}  // namespace

bool swapsRowsAndBatch(const Node& node) {
  return isOp(node, "Transpose") && node.input_size() == 1 &&
         intsAttribute(node, "perm") == std::vector<std::int64_t>{1, 0, 2};
}

std::optional<RowRange> rowRange(const AnalysedModel& analysed, const Node& node,
                                 const std::string& output, bool rowsFirst) {
  if (!isOp(node, "Slice") && !isOp(node, "Split") && !isOp(node, "Gather")) return {};
  const std::optional<View> view = viewThrough(analysed, node, output);
  const Integers* before = view ? analysed.values.dims(node.input(0)) : nullptr;
  if (before == nullptr || before->size() != 3) return {};
  const std::size_t axis = rowsFirst ? 0 : 1;
  const Integers strides = denseStrides(*before);
  const std::int64_t begin = view->offset / strides[axis];
  if (begin * strides[axis] != view->offset) return {};
  const Integers dims = view->dims();
  const auto steps = view->strides();
  Integers wanted = *before;
  if (dims.size() == 2) {
    wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(axis));
    if (dims != wanted) return {};
    return RowRange{begin, begin + 1, true};
  }
  const std::int64_t count = dims[axis];
  wanted[axis] = count;
  if (dims != wanted || !steps || (count > 1 && (*steps)[axis] != strides[axis])) return {};
  return RowRange{begin, begin + count, false};
}

std::optional<std::vector<float>> constantRows(const AnalysedModel& analysed,
                                               const std::string& value, std::int64_t rows,
                                               std::int64_t dim, bool rowsFirst) {
  const KnownTensor* known = analysed.values.content(value);
  if (known == nullptr || !known->isFloat() || !known->isSure()) return {};
  Integers dims = known->dims;
  if (dims.size() == 4 && !rowsFirst && dims[1] * dims[2] == rows)  // of a grid
    dims = {dims[0], rows, dims[3]};
  if (dims.size() > 3) return {};
  dims.insert(dims.begin(), 3 - dims.size(), 1);
  const std::size_t rowAxis = rowsFirst ? 0 : 1, batchAxis = 1 - rowAxis;
  if ((dims[rowAxis] != rows && dims[rowAxis] != 1) || (dims[2] != dim && dims[2] != 1)) return {};
  const Integers strides = denseStrides(dims);
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(rows * dim));
  for (std::int64_t b = 0; b < dims[batchAxis]; ++b) {
    std::size_t at = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t i = 0; i < dim; ++i, ++at) {
        const std::int64_t place = b * strides[batchAxis] +
                                   (dims[rowAxis] == 1 ? 0 : r * strides[rowAxis]) +
                                   (dims[2] == 1 ? 0 : i);
        const float element = known->floats[static_cast<std::size_t>(place)];
        if (b == 0) {
          result.push_back(element);
        } else if (result[at] != element) {
          return {};
        }
      }
    }
  }
  return result;
}

namespace {

// Returns the numbers of a constant broadcast to these sizes, by axes `down`, `across` and
// `features`. They have to be the same for all images.
std::optional<std::vector<float>> constantPlaces(const AnalysedModel& analysed,
                                                 const std::string& value, const Integers& sizes,
                                                 std::size_t down, std::size_t across,
                                                 std::size_t features) {
  const KnownTensor* known = analysed.values.content(value);
  if (known == nullptr || !known->isFloat() || !known->isSure() || known->dims.size() > 4)
    return {};
  Integers dims = known->dims;
  dims.insert(dims.begin(), 4 - dims.size(), 1);
  if (dims[0] != 1) return {};
  Integers steps = denseStrides(dims);
  for (std::size_t i = 1; i < 4; ++i) {
    if (dims[i] != 1 && dims[i] != sizes[i]) return {};
    if (dims[i] == 1) steps[i] = 0;
  }
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(sizes[1] * sizes[2] * sizes[3]));
  for (std::int64_t y = 0; y < sizes[down]; ++y) {
    for (std::int64_t x = 0; x < sizes[across]; ++x) {
      for (std::int64_t i = 0; i < sizes[features]; ++i)
        result.push_back(known->floats[static_cast<std::size_t>(
            y * steps[down] + x * steps[across] + i * steps[features])]);
    }
  }
  return result;
}

}  // namespace

std::optional<std::vector<float>> constantGrid(const AnalysedModel& analysed,
                                               const std::string& value, const Integers& grid) {
  return constantPlaces(analysed, value, grid, 1, 2, 3);
}

std::optional<std::vector<float>> constantPlanes(const AnalysedModel& analysed,
                                                 const std::string& value, const Integers& planes) {
  return constantPlaces(analysed, value, planes, 2, 3, 1);
}

std::string turnedBack(const AnalysedModel& analysed, const std::string& value) {
  const Node* node = analysed.model.producer(value);
  const bool isTurned = node != nullptr && isOp(*node, "Transpose");
  const std::optional<View> view = isTurned ? viewOf(analysed, value) : std::nullopt;
  if (!view || view->offset != 0 || view->factor != 1) return {};
  const Integers& dims = *analysed.values.dims(view->base);
  return view->axes == denseView(view->base, dims).axes ? view->base : std::string();
}

}  // namespace mpm::onnx
