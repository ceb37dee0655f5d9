// SPDX-License-Identifier: Apache-2.0
// What Paddle writes next to a node instead of leaving it out or putting it in: `scale` multiplies
// and adds, if only 0, and a convolution's bias is a sum behind it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower_rules.h"
#include "onnx/recognise/operands.h"

namespace mpm::onnx {
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

// One number for each of so many planes, whatever the rank is that it is written with.
bool isBias(const Tensor& constant, std::size_t rank, std::int64_t planes) {
  const Integers& dims = constant.dims();
  return constant.isFloating() && constant.count() == planes && dims.size() <= rank &&
         dims.size() + 1 >= rank && dims[dims.size() + 1 - rank] == planes;
}

// A convolution that nothing else reads, and a constant for each of its planes: its bias.
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

}  // namespace mpm::onnx
