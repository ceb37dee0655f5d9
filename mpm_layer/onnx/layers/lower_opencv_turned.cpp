// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions: what they cut off their result, and norms behind them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/layers/lower_opencv.h"
#include "onnx/operators/window.h"

namespace mpm::onnx {
namespace {

// What is cut off the whole result: before each axis, then behind each. As ONNX Runtime has it,
// where the result's size is asked for, the larger half lies before unless SAME_UPPER says
// otherwise. Nothing where that depends on a size that is not known, or nothing is to be cut.
std::optional<Integers> cutOff(Spelling& spelling, const Integers& kernel) {
  const Node& node = spelling.node();
  const std::size_t rank = kernel.size();
  const Integers* dims = spelling.dims(node.input(0));
  const auto strides = entriesOf(node, "strides", rank, 1);
  const auto dilations = entriesOf(node, "dilations", rank, 1);
  const auto pads = entriesOf(node, "pads", 2 * rank, 0);
  const auto added = entriesOf(node, "output_padding", rank, 0);
  const auto wanted = entriesOf(node, "output_shape", rank, 0);  // 0: none
  if (!strides || !dilations || !pads || !added || !wanted) return std::nullopt;
  const std::string word = stringAttribute(node, "auto_pad").value_or("NOTSET");
  Integers cut(2 * rank, 0);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t behind = (*dilations)[i] * (kernel[i] - 1) + 1 + (*added)[i];
    std::int64_t all = behind - (*strides)[i];  // SAME: so many places as elements and strides
    if ((*wanted)[i] > 0) {
      const bool isKnown = dims != nullptr && dims->size() == rank + 2 && isNumber((*dims)[2 + i]);
      if (!isKnown || (*dims)[2 + i] < 1) return std::nullopt;
      all = (*strides)[i] * ((*dims)[2 + i] - 1) + behind - (*wanted)[i];
    } else if (!isPaddedToSame(node)) {
      cut[i] = word == "VALID" ? 0 : (*pads)[i];
      cut[rank + i] = word == "VALID" ? 0 : (*pads)[rank + i];
      continue;
    }
    if (all < 0) return std::nullopt;
    cut[i] = word == "SAME_UPPER" ? all / 2 : all - all / 2;
    cut[rank + i] = all - cut[i];
  }
  return cut;
}

// Attributes of the node that it stands for, but for how it is cut.
void setUncut(Node& made, const Node& node, const Integers& kernel) {
  *made.mutable_attribute() = node.attribute();
  for (const char* name : {"auto_pad", "output_shape", "pads"}) dropAttribute(made, name);
  setAttribute(made, "kernel_shape", kernel);
}

}  // namespace

// The importer cuts off the same on both sides alone, as numbers, and less than a kernel.
bool spellTurnedPads(Spelling& spelling, const Integers& kernel) {
  const Node& node = spelling.node();
  const auto cut = isOp(node, "ConvTranspose") ? cutOff(spelling, kernel) : std::nullopt;
  if (!cut) return false;
  const std::size_t rank = kernel.size();
  bool isPlain = true;
  for (std::size_t i = 0; i < rank; ++i)
    isPlain = isPlain && (*cut)[i] == (*cut)[rank + i] && (*cut)[i] < kernel[i];
  const bool isSpelled = stringAttribute(node, "auto_pad").value_or("NOTSET") == "NOTSET" &&
                         !findAttribute(node, "output_shape");
  if (isPlain && isSpelled) return false;
  const std::vector<std::string> inputs(node.input().begin(), node.input().end());
  const std::string whole =
      spelling.add("ConvTranspose", inputs, isPlain ? node.output(0) : std::string());
  setUncut(spelling.last(), node, kernel);
  if (isPlain) {
    setAttribute(spelling.last(), "pads", *cut);
    return true;
  }
  Integers starts, ends, axes;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t behind = (*cut)[rank + i];
    starts.push_back((*cut)[i]);
    ends.push_back(behind == 0 ? std::numeric_limits<std::int32_t>::max() : -behind);
    axes.push_back(static_cast<std::int64_t>(2 + i));
  }
  spelling.add("Slice",
               {whole, spelling.integers(starts), spelling.integers(ends), spelling.integers(axes)},
               node.output(0));
  return true;
}

// OpenCV puts a BatchNormalization into the weights of the ConvTranspose in front, and once more
// whenever the net's input has another shape. So its factors are in the weights already.
bool spellTurnedNorm(Spelling& spelling) {
  const Node& node = spelling.node();
  const Model& model = spelling.model();
  const Node* turned = hasInput(node, 0) ? model.producer(node.input(0)) : nullptr;
  if (turned == nullptr || !isOp(*turned, "ConvTranspose") || node.input_size() != 5) return false;
  if (model.isOutput(node.input(0)) || model.consumers(node.input(0)).size() != 1) return false;
  const auto weight = model.constant(inputOf(*turned, 1));
  auto weights = spelling.floatsIn(inputOf(*turned, 1));
  const auto scale = spelling.floatsIn(node.input(1)), shift = spelling.floatsIn(node.input(2));
  const auto mean = spelling.floatsIn(node.input(3)), variance = spelling.floatsIn(node.input(4));
  if (!weights || weight->dims().size() < 3 || !scale || !shift || !mean || !variance) return false;
  const auto groups = static_cast<std::size_t>(intAttribute(*turned, "group").value_or(1));
  const std::size_t count = scale->size();
  const auto inputs = static_cast<std::size_t>(weight->dims()[0]);
  const auto outputs = static_cast<std::size_t>(weight->dims()[1]);  // of a group
  if (inputs * outputs == 0 || outputs * groups != count || inputs % groups != 0) return false;
  auto bias = hasInput(*turned, 2) ? spelling.floatsIn(turned->input(2))
                                   : std::optional(std::vector<float>(count, 0.0F));
  const auto fits = [&](const auto& values) { return values && values->size() == count; };
  if (!fits(bias) || !fits(shift) || !fits(mean) || !fits(variance)) return false;

  std::vector<float> factors(count);
  for (std::size_t i = 0; i < count; ++i) {
    factors[i] =
        (*scale)[i] / std::sqrt((*variance)[i] + floatAttribute(node, "epsilon").value_or(1e-5F));
    (*bias)[i] = ((*bias)[i] - (*mean)[i]) * factors[i] + (*shift)[i];
  }
  const std::size_t window = weights->size() / (inputs * outputs);
  for (std::size_t i = 0; i < weights->size(); ++i) {
    const std::size_t from = i / window / outputs, to = i / window % outputs;
    (*weights)[i] *= factors[from / (inputs / groups) * outputs + to];
  }
  spelling.add("ConvTranspose",
               {turned->input(0), spelling.floats(weight->dims(), *weights),
                spelling.floats({static_cast<std::int64_t>(count)}, *bias)},
               node.output(0));
  *spelling.last().mutable_attribute() = turned->attribute();
  if (!intsAttribute(*turned, "kernel_shape"))
    setAttribute(spelling.last(), "kernel_shape", kernelOf(weight->dims()));
  return true;
}

// So are other sums and products with numbers, or with one for each plane: a Reshape to the same
// dims between them and the ConvTranspose keeps them out of it. An Identity would not.
int keepTurnedApart(Model& model) {
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (!isAny(*node, {"Add", "BatchNormalization", "Div", "Mul", "Neg", "Sub"})) continue;
    for (int i = 0; i < node->input_size(); ++i) {
      const std::string& planes = node->input(i);
      const Node* turned = model.producer(planes);
      const bool isAlone = turned != nullptr && isOp(*turned, "ConvTranspose") &&
                           model.consumers(planes).size() == 1;
      const auto weight = isAlone ? model.constant(inputOf(*turned, 1)) : std::nullopt;
      if (!weight) continue;
      const auto rank = static_cast<std::int64_t>(weight->dims().size());
      const std::string same = model.unusedName(planes + "_same");
      edit.constants.push_back(
          integerTensor(same, {rank}, Integers(static_cast<std::size_t>(rank), 0)));
      Node apart;
      apart.set_op_type("Reshape");
      apart.add_input(planes);
      apart.add_input(same);
      apart.add_output(model.unusedName(planes + "_apart"));
      edit.remove.push_back(node);
      edit.add.push_back(*node);
      edit.add.back().set_input(i, apart.output(0));
      edit.add.push_back(std::move(apart));
      break;
    }
  }
  const int count = static_cast<int>(edit.remove.size());
  model.apply(std::move(edit));
  return count;
}

}  // namespace mpm::onnx
