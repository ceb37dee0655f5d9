// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/planes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "contract/layer_kinds.h"
#include "onnx/graph/attribute.h"
#include "onnx/normal_form/rewriter.h"
#include "onnx/operators/window.h"

namespace mpm::onnx {

namespace {

constexpr std::int64_t kLeastOutputs = 8;   // as many filters are multiplied at once
constexpr std::int64_t kLargest = 1 << 20;  // of an attribute

// Attributes of a Conv, named as in ONNX.
struct Filters {
  Integers strides, dilations, pads;  // two, two; top, left, bottom, right
};

// Returns `count` numbers of an attribute, all at least `least`; without the attribute, all are
// `least`.
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

// Returns the Relu that alone reads a value, which must not be an output of the model; or null.
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

namespace {

constexpr std::int64_t kMostPlaces = 65536;  // of the result, along an axis

// Sizes of a linear Resize or Upsample of [B C H W] that only changes height and width.
struct Resizing {
  std::string place;          // ONNX's name of where samples lie
  Integers from, to;          // of 4; batch may be -1
  std::vector<float> scales;  // of 4, or none: to / from
};

// Expands scales or sizes of some axes to all four; std::nullopt if an axis is wrong.
template <typename T>
std::optional<std::vector<T>> forAllAxes(const std::optional<std::vector<T>>& given,
                                         const std::optional<Integers>& axes,
                                         std::vector<T> others) {
  if (!given || !axes) {
    if (!given || given->size() != others.size()) return std::nullopt;
    return given;
  }
  if (given->size() != axes->size()) return std::nullopt;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto place = axisOf((*axes)[i], others.size());
    if (!place) return std::nullopt;
    others[*place] = (*given)[i];
  }
  return others;
}

bool isCount(const Spelling& spelling, const std::string& value) {
  const auto constant = spelling.model().constant(value);
  return constant && constant->count() > 0;
}

// Sets scales and to; false if they are unknown or change batch or channels.
bool readSizes(const Spelling& spelling, Resizing& resizing) {
  const Node& node = spelling.node();
  const bool isOld = node.op_type() == "Upsample" || spelling.model().opset() < 11;
  const std::string scales = inputOf(node, isOld ? 1 : 2);
  const std::string sizes = isOld ? "" : inputOf(node, 3);
  const auto axes = intsAttribute(node, "axes");
  if (isCount(spelling, scales)) {
    const auto all = forAllAxes<float>(spelling.floatsIn(scales), axes, {1, 1, 1, 1});
    if (!all || (*all)[0] != 1 || (*all)[1] != 1) return false;
    resizing.scales = *all;
    resizing.to = resizing.from;
    for (const std::size_t axis : {2U, 3U}) {
      const double size =
          static_cast<double>(resizing.from[axis]) * static_cast<double>(resizing.scales[axis]);
      if (!(size >= 1 && size < 65536)) return false;
      resizing.to[axis] = static_cast<std::int64_t>(std::floor(size));
    }
    return true;
  }
  if (!sizes.empty() && !spelling.model().constant(sizes)) {  // with the batch's, say
    const Integers* made = spelling.dims(node.output(0));
    if (made == nullptr || made->size() != 4 || (*made)[0] != resizing.from[0] ||
        (*made)[1] != resizing.from[1])
      return false;
    resizing.to = *made;
    return true;
  }
  if (!isCount(spelling, sizes)) return false;
  const auto all = forAllAxes<std::int64_t>(spelling.integersIn(sizes), axes, resizing.from);
  if (!all || (*all)[1] != resizing.from[1]) return false;
  if (resizing.from[0] >= 0 && (*all)[0] != resizing.from[0]) return false;
  resizing.to = *all;
  return true;
}

// Reads spelling.node() if the layer computes it and its sizes are known.
std::optional<Resizing> readResizing(const Spelling& spelling) {
  const Node& node = spelling.node();
  const bool isOld = node.op_type() == "Upsample" || spelling.model().opset() < 11;
  Resizing resizing;
  resizing.place =
      isOld ? "asymmetric"
            : stringAttribute(node, "coordinate_transformation_mode").value_or("half_pixel");
  constexpr const char* kPlaces[] = {"half_pixel", "pytorch_half_pixel", "align_corners",
                                     "asymmetric"};
  const bool isKnown =
      stringAttribute(node, "mode").value_or("nearest") == "linear" &&
      intAttribute(node, "antialias").value_or(0) == 0 &&
      intAttribute(node, "exclude_outside").value_or(0) == 0 &&
      stringAttribute(node, "keep_aspect_ratio_policy").value_or("stretch") == "stretch" &&
      std::find(std::begin(kPlaces), std::end(kPlaces), resizing.place) != std::end(kPlaces);
  const Integers* dims = isKnown && hasInput(node, 0) ? spelling.dims(node.input(0)) : nullptr;
  if (dims == nullptr || dims->size() != 4) return std::nullopt;
  resizing.from = *dims;
  if (!readSizes(spelling, resizing)) return std::nullopt;
  for (const std::size_t axis : {2U, 3U}) {
    if (resizing.from[axis] < 1 || resizing.to[axis] < 1 || resizing.to[axis] > kMostPlaces)
      return std::nullopt;
  }
  return resizing;
}

// Scores [B N C] that were reshaped into planes of a grid, and its height and width.
struct Scores {
  std::string value;
  Integers grid;
};

std::optional<Scores> scoresBehind(const Spelling& spelling, const Resizing& resizing) {
  const Node* reshape = spelling.model().producer(spelling.node().input(0));
  if (reshape == nullptr || !isOp(*reshape, "Reshape") || !hasInput(*reshape, 1)) return {};
  const Node* turn = spelling.model().producer(reshape->input(0));
  if (turn == nullptr || !isOp(*turn, "Transpose") || !hasInput(*turn, 0)) return {};
  if (intsAttribute(*turn, "perm") != Integers{0, 2, 1}) return {};
  const Integers* turned = spelling.dims(turn->output(0));
  const Integers& planes = resizing.from;
  std::int64_t places = 0;
  if (__builtin_mul_overflow(planes[2], planes[3], &places)) return {};
  const bool keepsChannels = turned != nullptr && turned->size() == 3 &&
                             (*turned)[1] == planes[1] && (*turned)[2] == places;
  const std::optional<Integers> target = spelling.integersIn(reshape->input(1));
  if (!keepsChannels || !target || target->size() != 4) return {};
  const Integers grid(target->begin() + 2, target->end());
  if (grid[0] < 1 || grid[1] < 1 || grid[0] > kMostPlaces || grid[1] > kMostPlaces) return {};
  return Scores{turn->input(0), grid};
}

bool spellUpsample(Spelling& spelling) {
  const std::optional<Resizing> resizing = readResizing(spelling);
  if (!resizing) return false;
  const Node& node = spelling.node();
  const std::optional<Scores> scores = scoresBehind(spelling, *resizing);
  spelling.add(operatorOf(LayerKind::upsample), {scores ? scores->value : node.input(0)},
               node.output(0));
  Node& layer = spelling.last();
  layer.set_domain("mpm");
  setAttribute(layer, "mode", resizing->place);
  if (scores) setAttribute(layer, "grid", scores->grid);
  if (resizing->scales.empty()) {
    setAttribute(layer, "size", Integers{resizing->to[2], resizing->to[3]});
  } else {
    setAttribute(layer, "scale", std::vector<float>{resizing->scales[2], resizing->scales[3]});
  }
  return true;
}

}  // namespace

int useUpsample(Model& model, const DimsOf& ownDims) {
  static const Rules rules = {{"Resize", spellUpsample}, {"Upsample", spellUpsample}};
  return spellOut(model, rules, ownDims);
}

}  // namespace mpm::onnx
