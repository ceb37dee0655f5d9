// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/plane_layers.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mpm/layer_kinds.h"
#include "onnx/graph/attribute.h"
#include "onnx/normal_form/lower_spelling.h"
#include "onnx/operators/window.h"

namespace mpm::onnx {
namespace {

constexpr std::int64_t kLeastOutputs = 8;   // as many filters are multiplied at once
constexpr std::int64_t kLargest = 1 << 20;  // of an attribute

// What a Conv says; ONNX's words.
struct Filters {
  Integers strides, dilations, pads;  // two, two; top, left, bottom, right
};

// `count` numbers of an attribute, all from `least` on, or so many `usual` ones without it.
std::optional<Integers> numbersOf(const Node& node, const char* name, std::size_t count,
                                  std::int64_t least) {
  const auto given = intsAttribute(node, name);
  if (!given) return Integers(count, least);
  const bool fits =
      given->size() == count && std::all_of(given->begin(), given->end(), [&](std::int64_t number) {
        return number >= least && number <= kLargest;
      });
  return fits ? given : std::nullopt;
}

std::optional<Filters> readConv(const Spelling& spelling, const Node& conv) {
  if (!isOp(conv, "Conv") || !hasInput(conv, 0) || !hasInput(conv, 1)) return {};
  const Model& model = spelling.model();
  const Integers* planes = spelling.dims(conv.input(0));
  const auto weight = model.constant(conv.input(1));
  if (planes == nullptr || planes->size() != 4 || !weight || weight->dims().size() != 4) return {};
  if (hasInput(conv, 2) && !model.constant(conv.input(2))) return {};
  const Integers filters(weight->dims().begin(), weight->dims().end());
  if (filters[0] < kLeastOutputs || filters[1] != (*planes)[1]) return {};
  const Integers kernel = kernelOf(filters);
  if (intsAttribute(conv, "kernel_shape").value_or(kernel) != kernel) return {};
  if (intAttribute(conv, "group").value_or(1) != 1) return {};
  if (stringAttribute(conv, "auto_pad").value_or("NOTSET") != "NOTSET") return {};
  const auto strides = numbersOf(conv, "strides", 2, 1);
  const auto dilations = numbersOf(conv, "dilations", 2, 1);
  const auto pads = numbersOf(conv, "pads", 4, 0);
  if (!strides || !dilations || !pads) return {};
  return Filters{*strides, *dilations, *pads};
}

// The Relu that alone reads a value which is no output of the model; or null.
const Node* onlyRelu(const Model& model, const std::string& value) {
  const std::vector<const Node*>& readers = model.consumers(value);
  if (readers.size() != 1 || model.isOutput(value)) return nullptr;
  return isOp(*readers[0], "Relu") ? readers[0] : nullptr;
}

bool spellConvolve(Spelling& spelling, const Node& conv, bool isRelu) {
  const std::optional<Filters> filters = readConv(spelling, conv);
  if (!filters) return false;
  std::vector<std::string> inputs = {conv.input(0), conv.input(1)};
  if (hasInput(conv, 2)) inputs.push_back(conv.input(2));
  spelling.add(operatorOf(LayerKind::convolve), inputs, spelling.node().output(0));
  Node& layer = spelling.last();
  layer.set_domain("mpm");
  setAttribute(layer, "stride", filters->strides);
  setAttribute(layer, "dilation", filters->dilations);
  setAttribute(layer, "padding", filters->pads);
  if (isRelu) setAttribute(layer, "activation", std::string("relu"));
  return true;
}

bool spellConv(Spelling& spelling) {
  const Node& conv = spelling.node();
  if (onlyRelu(spelling.model(), conv.output(0)) != nullptr) return false;
  return spellConvolve(spelling, conv, false);
}

bool spellRelu(Spelling& spelling) {
  const Node& relu = spelling.node();
  if (!hasInput(relu, 0)) return false;
  const Node* conv = spelling.model().producer(relu.input(0));
  if (conv == nullptr || onlyRelu(spelling.model(), relu.input(0)) != &relu) return false;
  return spellConvolve(spelling, *conv, true);
}

}  // namespace

int useConvolve(Model& model, const DimsOf& dimsOf) {
  static const Rules rules = {{"Conv", spellConv}, {"Relu", spellRelu}};
  return spellOut(model, rules, dimsOf);
}

}  // namespace mpm::onnx
