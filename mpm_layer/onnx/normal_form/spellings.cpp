// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/rules.h"
#include "onnx/recognise/linear.h"

namespace mpm::onnx {

namespace {

constexpr std::size_t kOrder[] = {0, 3, 1, 2};  // of planes, by the axes of pixels
constexpr std::int64_t kPlaces[] = {0, 2, 3, 1};

template <class T>
std::optional<std::vector<T>> reordered(std::optional<std::vector<T>> values, bool isForAxes) {
  if (!values || isForAxes || values->empty()) return values;
  if (values->size() != std::size(kOrder)) return std::nullopt;
  std::vector<T> made;
  for (const std::size_t axis : kOrder) made.push_back((*values)[axis]);
  return made;
}

// Maps axes of pixels to those of planes; std::nullopt if one is wrong.
std::optional<Integers> placesOf(const Integers& axes) {
  Integers places;
  for (const std::int64_t axis : axes) {
    const auto place = axisOf(axis, std::size(kPlaces));
    if (!place) return std::nullopt;
    places.push_back(kPlaces[*place]);
  }
  return places;
}

}  // namespace

// Resizes pixels [B, H, W, C] in height, with the same channels, as planes between two
// transpositions.
bool lowerPixelResize(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() < 3 || !hasInput(node, 0)) return false;
  const Integers *from = spelling.dims(node.input(0)), *made = spelling.dims(node.output(0));
  if (from == nullptr || made == nullptr || from->size() != 4 || made->size() != 4 ||
      (*from)[0] != (*made)[0] || (*from)[1] == (*made)[1] || (*from)[3] != (*made)[3] ||
      (*from)[3] < 1 ||
      stringAttribute(node, "coordinate_transformation_mode") == "tf_crop_and_resize")
    return false;
  const auto axes = intsAttribute(node, "axes");
  const auto places = placesOf(axes.value_or(Integers{}));
  std::optional<std::vector<float>> scales(std::in_place);
  std::optional<Integers> sizes(std::in_place);
  if (hasInput(node, 2)) scales = reordered(spelling.floatsIn(node.input(2)), axes.has_value());
  if (hasInput(node, 3)) sizes = reordered(spelling.integersIn(node.input(3)), axes.has_value());
  if (!places || !scales || !sizes) return false;
  std::vector<std::string> inputs{spellTranspose(spelling, node.input(0), {0, 3, 1, 2}), "", ""};
  if (!scales->empty())
    inputs[2] = spelling.floats({static_cast<std::int64_t>(scales->size())}, *scales);
  if (!sizes->empty()) inputs.push_back(spelling.integers(*sizes));
  const std::string planes = spelling.add("Resize", inputs);
  *spelling.last().mutable_attribute() = node.attribute();
  if (axes) setAttribute(spelling.last(), "axes", *places);
  spellTranspose(spelling, planes, {0, 2, 3, 1}, node.output(0));
  return true;
}

// Rewrites a pool over a picture of one axis as the mean of each row. TensorFlow's exporter writes
// any mean over the axes from the third on as such a pool.
bool lowerRowPool(Spelling& spelling) {
  const Node& node = spelling.node();
  const Integers* dims = hasInput(node, 0) ? spelling.dims(node.input(0)) : nullptr;
  if (dims == nullptr || dims->size() != 3) return false;
  spelling.add("ReduceMean", {node.input(0)}, node.output(0));
  setAttribute(spelling.last(), "axes", Integers{-1});
  return true;
}

// Replaces a choice that is the same everywhere, whatever the frame.
bool lowerSettledChoice(Spelling& spelling) {
  const Node& node = spelling.node();
  const auto condition =
      node.input_size() == 3 ? spelling.model().constant(node.input(0)) : std::nullopt;
  if (!condition || condition->count() != 1) return false;
  const std::string& chosen = node.input(condition->integers()[0] != 0 ? 1 : 2);
  const Integers *dims = spelling.dims(chosen), *made = spelling.dims(node.output(0));
  if (dims == nullptr || made == nullptr || *dims != *made) return false;
  if (std::count(dims->begin(), dims->end(), -1) > 1) return false;
  spelling.add("Identity", {chosen}, node.output(0));
  return true;
}

// Rewrites a sum of so many elements over their number as their mean, which JAX writes so.
bool lowerDividedSum(Spelling& spelling) {
  const Node& node = spelling.node();
  const Model& model = spelling.model();
  const auto number = node.input_size() == 2 ? scalarConstant(model, node.input(1)) : std::nullopt;
  const Node* sum = number ? model.producer(node.input(0)) : nullptr;
  if (sum == nullptr || !isOp(*sum, "ReduceSum") || !hasInput(*sum, 0) ||
      model.constant(node.input(1))->dims().size() > 1)
    return false;
  const std::string& x = sum->input(0);
  const Integers* dims = spelling.dims(x);
  auto axes = hasInput(*sum, 1) ? spelling.integersIn(sum->input(1)) : intsAttribute(*sum, "axes");
  if (dims == nullptr || !axes || axes->empty() || intAttribute(*sum, "keepdims").value_or(1) != 1)
    return false;
  std::int64_t count = 1;
  for (std::int64_t& axis : *axes) {
    const auto place = axisOf(axis, dims->size());
    if (!place || (*dims)[*place] < 1 || __builtin_mul_overflow(count, (*dims)[*place], &count))
      return false;
    axis = static_cast<std::int64_t>(*place) - static_cast<std::int64_t>(dims->size());
  }
  if (static_cast<float>(count) != *number) return false;
  spelling.add("ReduceMean", {x}, node.output(0));
  setAttribute(spelling.last(), "axes", *axes);
  return true;
}

namespace {

// Returns the one axis of a node, from an attribute or an input, as it is written.
std::optional<std::int64_t> onlyAxis(const Spelling& spelling, const Node& node) {
  const std::optional<Integers> axes =
      hasInput(node, 1) ? spelling.integersIn(node.input(1)) : intsAttribute(node, "axes");
  return axes && axes->size() == 1 ? std::optional(axes->front()) : std::nullopt;
}

}  // namespace

// Rewrites torch.stack(...).sum(...): values of the same dims, each with an axis of one in front,
// joined and summed along it.
bool lowerStackedSum(Spelling& spelling) {
  const Node& node = spelling.node();
  const Node* stack = hasInput(node, 0) ? spelling.model().producer(node.input(0)) : nullptr;
  const std::optional<std::int64_t> axis = onlyAxis(spelling, node);
  if (stack == nullptr || !isOp(*stack, "Concat") || stack->input_size() < 2 || !axis ||
      intAttribute(*stack, "axis") != axis || intAttribute(node, "keepdims").value_or(1) != 0)
    return false;
  std::vector<std::string> terms;
  for (const std::string& input : stack->input()) {
    const Node* raised = spelling.model().producer(input);
    if (raised == nullptr || !isOp(*raised, "Unsqueeze") || onlyAxis(spelling, *raised) != axis)
      return false;
    terms.push_back(raised->input(0));
  }
  std::string sum = terms.front();
  for (std::size_t i = 1; i < terms.size(); ++i) {
    const bool isLast = i + 1 == terms.size();
    sum = spelling.add("Add", {sum, terms[i]}, isLast ? node.output(0) : "");
  }
  return true;
}

// Paddle's extra nodes: `scale` multiplies and adds, if only 0, and a convolution's bias is a sum
// after it.

namespace {

// x + 0 and x * 1 are x.
bool lowerNeutral(Spelling& spelling, const char* type, float neutral) {
  const Model& model = spelling.model();
  const std::string& output = spelling.node().output(0);
  const std::optional<Operands> operands = constantOperand(model, output, type);
  if (!operands || scalarConstant(model, operands->constant) != neutral) return false;
  const std::size_t rank = model.constant(operands->constant)->dims().size();
  const Integers* dims = spelling.dims(operands->value);
  if (rank > 0 && (dims == nullptr || dims->size() < rank)) return false;
  spelling.add("Identity", {operands->value}, output);
  return true;
}

// Matches one number for each of so many planes, with a leading one in its dims or without.
bool isBias(const Tensor& constant, std::size_t rank, std::int64_t planes) {
  const Integers& dims = constant.dims();
  return constant.isFloating() && constant.count() == planes && dims.size() <= rank &&
         dims.size() + 1 >= rank && dims[dims.size() + 1 - rank] == planes;
}

// Makes a constant for each plane the bias of a convolution that nothing else reads.
bool lowerConvBias(Spelling& spelling) {
  const Node& node = spelling.node();
  const Model& model = spelling.model();
  const std::optional<Operands> operands = constantOperand(model, node.output(0), "Add");
  const Node* conv = operands ? model.producer(operands->value) : nullptr;
  if (conv == nullptr || !isAny(*conv, {"Conv", "ConvTranspose"}) || !hasInput(*conv, 0) ||
      model.isOutput(operands->value) || model.consumers(operands->value).size() != 1)
    return false;
  const auto weight = model.constant(inputOf(*conv, 1)), added = model.constant(operands->constant);
  if (!weight || weight->dims().size() < 3) return false;
  const std::int64_t groups = intAttribute(*conv, "group").value_or(1);
  const std::int64_t planes = isOp(*conv, "Conv") ? weight->dims()[0] : weight->dims()[1] * groups;
  if (!isBias(*added, weight->dims().size(), planes)) return false;
  std::vector<float> bias = *spelling.floatsIn(operands->constant);
  if (hasInput(*conv, 2)) {
    const auto own = spelling.floatsIn(conv->input(2));
    if (!own || own->size() != bias.size()) return false;
    std::transform(own->begin(), own->end(), bias.begin(), bias.begin(), std::plus<>());
  }
  spelling.add(conv->op_type().c_str(),
               {conv->input(0), conv->input(1), spelling.floats({planes}, bias)}, node.output(0));
  *spelling.last().mutable_attribute() = conv->attribute();
  return true;
}

}  // namespace

bool lowerAddedConstant(Spelling& spelling) {
  return lowerNeutral(spelling, "Add", 0) || lowerConvBias(spelling);
}

bool lowerUnitFactor(Spelling& spelling) { return lowerNeutral(spelling, "Mul", 1); }

namespace {

// Effect of a BatchNormalization on each channel: x * factor + summand.
struct ChannelNorm {
  std::vector<float> factors, summands;
};

std::optional<ChannelNorm> normOf(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 5 || !areUnused(spelling.model(), node, 1) ||
      intAttribute(node, "training_mode").value_or(0) != 0)
    return std::nullopt;
  const auto scale = spelling.floatsIn(node.input(1)), shift = spelling.floatsIn(node.input(2));
  const auto mean = spelling.floatsIn(node.input(3)), variance = spelling.floatsIn(node.input(4));
  if (!scale || !shift || !mean || !variance || scale->empty()) return std::nullopt;
  const std::size_t count = scale->size();
  if (shift->size() != count || mean->size() != count || variance->size() != count)
    return std::nullopt;
  const auto epsilon = static_cast<double>(floatAttribute(node, "epsilon").value_or(1e-5F));
  ChannelNorm norm;
  for (std::size_t i = 0; i < count; ++i) {
    const double factor =
        static_cast<double>((*scale)[i]) / std::sqrt(static_cast<double>((*variance)[i]) + epsilon);
    norm.factors.push_back(static_cast<float>(factor));
    norm.summands.push_back(static_cast<float>(static_cast<double>((*shift)[i]) -
                                               static_cast<double>((*mean)[i]) * factor));
  }
  return norm;
}

// Folds the factors into the weights of a convolution that nothing else reads, and the rest into
// its bias. Returns false if there is none with weights that fit.
bool foldIntoWeights(Spelling& spelling, const ChannelNorm& norm) {
  const Node& node = spelling.node();
  const Model& model = spelling.model();
  const Node* conv = model.producer(node.input(0));
  if (conv == nullptr || !isAny(*conv, {"Conv", "ConvTranspose"}) ||
      model.isOutput(node.input(0)) || model.consumers(node.input(0)).size() != 1)
    return false;
  const std::size_t count = norm.factors.size();
  const auto weight = model.constant(inputOf(*conv, 1));
  auto weights = spelling.floatsIn(inputOf(*conv, 1));
  auto bias = hasInput(*conv, 2) ? spelling.floatsIn(conv->input(2))
                                 : std::optional(std::vector<float>(count, 0.0F));
  if (!weight || !weights || weight->dims().size() < 3 || !bias || bias->size() != count)
    return false;
  // Weights [in, out of a group, ...]: each group of inputs has outputs of its own.
  const bool isTurned = isOp(*conv, "ConvTranspose");
  const auto groups =
      static_cast<std::size_t>(std::max<std::int64_t>(intAttribute(*conv, "group").value_or(1), 1));
  const auto first = static_cast<std::size_t>(weight->dims()[0]);
  const auto second = static_cast<std::size_t>(weight->dims()[1]);
  if (first * second == 0 || (isTurned ? second * groups : first) != count || first % groups != 0)
    return false;
  const std::size_t window = weights->size() / (first * second);
  for (std::size_t i = 0; i < weights->size(); ++i) {
    const std::size_t row = i / window / second, column = i / window % second;
    (*weights)[i] *= norm.factors[isTurned ? row / (first / groups) * second + column : row];
  }
  for (std::size_t i = 0; i < count; ++i)
    (*bias)[i] = (*bias)[i] * norm.factors[i] + norm.summands[i];
  spelling.add(conv->op_type().c_str(),
               {conv->input(0), spelling.floats(weight->dims(), *weights),
                spelling.floats({static_cast<std::int64_t>(count)}, *bias)},
               node.output(0));
  *spelling.last().mutable_attribute() = conv->attribute();
  return true;
}

}  // namespace

bool lowerChannelNorm(Spelling& spelling) {
  const auto norm = normOf(spelling);
  if (!norm) return false;
  if (foldIntoWeights(spelling, *norm)) return true;
  const Node& node = spelling.node();
  const Integers* dims = spelling.dims(node.input(0));
  if (dims == nullptr || dims->size() < 2) return false;
  Integers shape(dims->size() - 1, 1);  // one number for each channel
  shape[0] = static_cast<std::int64_t>(norm->factors.size());
  const std::string scaled =
      spelling.add("Mul", {node.input(0), spelling.floats(shape, norm->factors)});
  spelling.add("Add", {scaled, spelling.floats(shape, norm->summands)}, node.output(0));
  return true;
}

}  // namespace mpm::onnx
