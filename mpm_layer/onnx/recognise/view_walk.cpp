// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "onnx/graph/attribute.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"
#include "onnx/operators/window.h"
#include "onnx/recognise/linear.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

bool areKnown(const Integers* dims) {
  if (dims == nullptr) return false;
  std::int64_t count = 1;
  for (const std::int64_t dim : *dims) {
    if (dim < 1 || __builtin_mul_overflow(count, dim, &count)) return false;
  }
  return true;
}

bool isReshaping(const Node& node) {
  return isAny(node, {"Reshape", "Squeeze", "Unsqueeze", "Flatten"});
}

namespace {

// Matches a Cast between floating types, which keeps the values within rounding.
bool isFloatCast(const AnalysedModel& analysed, const Node& node) {
  if (!isOp(node, "Cast") || node.input_size() != 1) return false;
  return isFloatingType(intAttribute(node, "to").value_or(0)) &&
         isFloatingType(analysed.values.type(node.input(0)));
}

// Restricts an axis to `size` elements from `start` on, `step` apart.
bool restrict(View& view, std::size_t axis, std::int64_t start, std::int64_t step,
              std::int64_t size) {
  const std::int64_t extent = view.dims()[axis];
  if (start < 0 || size < 1 || step < 1 || start >= extent ||
      (size - 1) > (extent - 1 - start) / step)
    return false;
  if (start == 0 && step == 1 && size == extent) return true;
  const std::optional<Run> run = joined(view.axes[axis]);
  if (!run) return false;
  view.offset += start * run->stride;
  view.axes[axis].clear();
  if (size > 1) view.axes[axis].push_back({size, run->stride * step});
  return true;
}

bool applySlice(const AnalysedModel& analysed, const Node& node, View& view) {
  const auto cut = cutOf(callOf(analysed, node));
  if (!cut) return false;
  for (std::size_t i = 0; i < cut->axes.size(); ++i) {
    const auto at = axisOf(cut->axes[i], view.axes.size());
    if (!at || cut->steps[i] < 1) return false;
    const Stretch kept = stretchOf(cut->starts[i], cut->ends[i], cut->steps[i], view.dims()[*at]);
    if (!restrict(view, *at, kept.start, kept.step, kept.count)) return false;
  }
  return true;
}

bool isEveryIndex(const Integers& places, std::int64_t extent) {
  Integers all(places.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return static_cast<std::int64_t>(places.size()) == extent && places == all;
}

// Applies indices that runs can express, in any number of axes.
bool applyGather(const AnalysedModel& analysed, const Node& node, View& view) {
  const auto at = axisOf(intAttribute(node, "axis").value_or(0), view.axes.size());
  const KnownTensor* indices =
      node.input_size() == 2 ? analysed.values.content(node.input(1)) : nullptr;
  if (!at || indices == nullptr || indices->isFloat() || !indices->isSure()) return false;
  if (indices->integers.empty()) return false;
  const std::int64_t extent = view.dims()[*at];
  Integers places = indices->integers;
  for (std::int64_t& place : places) {
    if (place < -extent || place >= extent) return false;
    if (place < 0) place += extent;
  }
  if (indices->dims.size() == 1 && isEveryIndex(places, extent)) return true;
  const std::optional<Run> run = joined(view.axes[*at]);
  if (!run) return false;
  for (std::int64_t& place : places) place *= run->stride;
  view.offset += places[0];
  const auto runs = runsThrough(std::move(places));
  if (!runs) return false;
  View met;
  met.axes = {*runs};
  if (!met.reshape(indices->dims)) return false;
  const auto axis = view.axes.erase(view.axes.begin() + static_cast<std::ptrdiff_t>(*at));
  view.axes.insert(axis, met.axes.begin(), met.axes.end());
  return true;
}

// Expands axes of one, and adds new ones in front.
bool applyExpand(const Integers& made, View& view) {
  const Integers before = view.dims();
  if (made.size() < before.size()) return false;
  view.axes.insert(view.axes.begin(), made.size() - before.size(), {});
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::int64_t size = view.dims()[i];
    if (size == made[i]) continue;
    if (size != 1) return false;
    view.axes[i] = {{made[i], 0}};
  }
  return true;
}

// Repeats each axis.
bool applyTile(const Integers& made, View& view) {
  const Integers before = view.dims();
  if (made.size() != before.size()) return false;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made[i] % before[i] != 0) return false;
    if (made[i] != before[i]) view.axes[i].insert(view.axes[i].begin(), {made[i] / before[i], 0});
  }
  return true;
}

// Restricts a view to an output of a Split. The parts before it give its start.
bool applySplit(const AnalysedModel& analysed, const Node& node, const std::string& output,
                View& view) {
  const auto at = axisOf(intAttribute(node, "axis").value_or(0), view.axes.size());
  if (!at) return false;
  const std::int64_t extent = view.dims()[*at];
  std::int64_t start = 0;
  for (const std::string& part : node.output()) {
    const Integers* dims = analysed.values.dims(part);
    if (!areKnown(dims) || dims->size() != view.axes.size()) return false;
    if (part == output) return restrict(view, *at, start, 1, (*dims)[*at]);
    start += (*dims)[*at];
    if (start > extent) return false;
  }
  return false;
}

// Returns the element of [C, h, w] that each filter of a convolution picks. Such filters take
// adjacent patches apart, as Keras does with the identity for weights. Returns std::nullopt if a
// filter is anything else.
std::optional<Integers> pickedBy(const AnalysedModel& analysed, const Node& conv) {
  if (!isOp(conv, "Conv") || conv.input_size() != 2) return std::nullopt;
  const auto weight = analysed.model.constant(conv.input(1));
  if (!weight || !weight->isFloating() || weight->dims().size() != 4 || weight->count() < 1)
    return std::nullopt;
  const Integers kernel(weight->dims().begin() + 2, weight->dims().end());
  const std::string pad = stringAttribute(conv, "auto_pad").value_or("NOTSET");
  if (intsAttribute(conv, "strides") != kernel || (pad != "NOTSET" && pad != "VALID") ||
      entriesOf(conv, "pads", 4, 0) != Integers(4, 0) ||
      entriesOf(conv, "dilations", 2, 1) != Integers{1, 1} ||
      intAttribute(conv, "group").value_or(1) != 1)
    return std::nullopt;
  const std::int64_t elements = weight->count() / weight->dims()[0];
  const Floats floats = weight->floats();
  Integers picked;
  for (std::int64_t i = 0; i < weight->count(); ++i) {
    const float factor = floats[static_cast<std::size_t>(i)];
    if (factor == 1) picked.push_back(i % elements);
    const std::int64_t filters = i / elements + 1;  // begun so far
    const auto found = static_cast<std::int64_t>(picked.size());
    if ((factor != 0 && factor != 1) || found > filters || found + 1 < filters) return std::nullopt;
  }
  return static_cast<std::int64_t>(picked.size()) == weight->dims()[0] ? std::optional(picked)
                                                                       : std::nullopt;
}

// Turns [B, C, H, W] into one plane for each element of a patch.
bool applyPicking(const AnalysedModel& analysed, const Node& conv, const Integers& made,
                  View& view) {
  const auto picked = pickedBy(analysed, conv);
  const auto steps = view.strides();
  if (!picked || !steps || steps->size() != 4 || made.size() != 4) return false;
  const Integers kernel = *intsAttribute(conv, "strides");
  Integers places;
  for (const std::int64_t at : *picked) {
    const std::int64_t column = at % kernel[1], line = at / kernel[1] % kernel[0];
    const std::int64_t channel = at / kernel[1] / kernel[0];
    places.push_back(channel * (*steps)[1] + line * (*steps)[2] + column * (*steps)[3]);
  }
  const std::int64_t first = places[0];
  const auto runs = runsThrough(std::move(places));
  if (!runs) return false;
  view.offset += first;
  view.axes[1] = *runs;
  for (const std::size_t axis : {2, 3}) {
    view.axes[axis].clear();
    if (made[axis] > 1) view.axes[axis] = {{made[axis], (*steps)[axis] * kernel[axis - 2]}};
  }
  return true;
}

bool applyTranspose(const Node& node, View& view) {
  const auto order = isOp(node, "Transpose") ? orderOf(node, view.axes.size()) : std::nullopt;
  if (!order) return false;
  const auto before = view.axes;
  for (std::size_t i = 0; i < order->size(); ++i) view.axes[i] = before[(*order)[i]];
  return true;
}

// Returns the factor by which a node scales one of its inputs, and sets `operand` to this input.
std::optional<float> scalarFactor(const AnalysedModel& analysed, const Node& node, int* operand) {
  const auto scalar = [&](int input) -> std::optional<float> {
    const KnownTensor* known = analysed.values.content(node.input(input));
    if (known == nullptr || !known->isFloat() || known->count() != 1 || !known->isSure())
      return std::nullopt;
    const Integers* other = analysed.values.dims(node.input(1 - input));
    if (other == nullptr || other->size() < known->dims.size()) return std::nullopt;
    return known->floats[0];
  };
  if (node.input_size() != 2) return std::nullopt;
  *operand = 0;
  if (isOp(node, "Div")) {
    const auto divisor = scalar(1);
    return divisor && *divisor != 0 ? std::optional<float>(1 / *divisor) : std::nullopt;
  }
  if (!isOp(node, "Mul")) return std::nullopt;
  if (const auto factor = scalar(1)) return factor;
  *operand = 1;
  return scalar(0);
}

bool apply(const AnalysedModel& analysed, const Node& node, const std::string& output, View& view) {
  if (isPassing(analysed, node)) return true;
  if (isReshaping(node)) return view.reshape(*analysed.values.dims(output));
  if (isOp(node, "Slice")) return applySlice(analysed, node, view);
  if (isOp(node, "Gather")) return applyGather(analysed, node, view);
  if (isOp(node, "Split")) return applySplit(analysed, node, output, view);
  if (isOp(node, "Expand")) return applyExpand(*analysed.values.dims(output), view);
  if (isOp(node, "Tile")) return applyTile(*analysed.values.dims(output), view);
  if (isOp(node, "Conv")) return applyPicking(analysed, node, *analysed.values.dims(output), view);
  int operand = 0;
  if (const auto factor = scalarFactor(analysed, node, &operand)) {
    view.factor *= *factor;
    return true;
  }
  return applyTranspose(node, view);
}

// Returns the input of a node that only arranges elements, or -1.
int arranged(const AnalysedModel& analysed, const Node& node) {
  if (node.input_size() < 1) return -1;
  if (isPassing(analysed, node) || isReshaping(node) ||
      isAny(node, {"Transpose", "Slice", "Gather", "Split", "Expand", "Tile"}))
    return 0;
  int operand = 0;
  return scalarFactor(analysed, node, &operand) ? operand : -1;
}

// Walks back from a value to its base.
class Walk {
 public:
  Walk(const AnalysedModel& analysed, bool throughPatches)
      : analysed_(analysed), throughPatches_(throughPatches) {}

  std::optional<View> back(const std::string& value) {
    std::string base = value;
    std::vector<Step> steps;
    while (const Node* node = analysed_.model.producer(base)) {
      int input = arranged(analysed_, *node);
      if (throughPatches_ && pickedBy(analysed_, *node)) input = 0;
      if (input < 0 || analysed_.model.constant(node->input(input))) break;
      if (!isOp(*node, "Split") && node->output(0) != base) break;  // the mask of a Dropout
      if (steps.size() == kMostViewNodes || !areKnown(analysed_.values.dims(base)))
        return std::nullopt;
      steps.push_back({node, base});
      base = node->input(input);
    }
    if (!areKnown(analysed_.values.dims(base))) return std::nullopt;
    std::optional<View> view = partsOf(base);
    if (!view) view = denseView(base, *analysed_.values.dims(base));
    for (std::size_t i = steps.size(); i-- > 0;) {
      if (!apply(analysed_, *steps[i].node, steps[i].output, *view)) return std::nullopt;
    }
    std::vector<const Node*> nodes;
    for (const Step& step : steps) nodes.push_back(step.node);
    view->nodes.insert(view->nodes.begin(), nodes.begin(), nodes.end());
    return view->dims() == *analysed_.values.dims(value) ? view : std::nullopt;
  }

 private:
  struct Step {
    const Node* node;
    std::string output;
  };
  static constexpr int kDeepest = 4;              // one Concat behind the other
  static constexpr std::size_t kMostParts = 512;  // of all of them

  // Returns a view of the parts that a Concat joins, if they come from one value.
  std::optional<View> partsOf(const std::string& value) {
    const Node* concat = analysed_.model.producer(value);
    if (concat == nullptr || !isOp(*concat, "Concat") || concat->input_size() < 2 ||
        depth_ == kDeepest)
      return std::nullopt;
    const std::size_t rank = analysed_.values.dims(value)->size();
    const auto axis = axisOf(intAttribute(*concat, "axis").value_or(0), rank);
    std::vector<View> parts;
    ++depth_;
    for (const std::string& input : concat->input()) {
      std::optional<View> part = parts_++ < kMostParts ? back(input) : std::nullopt;
      if (!axis || !part || part->axes.size() != rank ||
          (!parts.empty() && part->base != parts.front().base))
        break;
      parts.push_back(std::move(*part));
    }
    --depth_;
    if (parts.size() != static_cast<std::size_t>(concat->input_size())) return std::nullopt;
    std::optional<View> all = sideBySide(parts, *axis);
    if (all) all->nodes.insert(all->nodes.begin(), concat);
    return all;
  }

  const AnalysedModel& analysed_;
  bool throughPatches_;
  int depth_ = 0;
  std::size_t parts_ = 0;
};

}  // namespace

bool isPassing(const AnalysedModel& analysed, const Node& node) {
  if (node.input_size() < 1) return false;
  return isAny(node, {"Identity", "Dropout"}) || isFloatCast(analysed, node);
}

std::optional<View> viewThrough(const AnalysedModel& analysed, const Node& node,
                                const std::string& output) {
  const int input = arranged(analysed, node);
  if (input < 0 || !areKnown(analysed.values.dims(output))) return std::nullopt;
  const Integers* before = analysed.values.dims(node.input(input));
  if (!areKnown(before)) return std::nullopt;
  View view = denseView(node.input(input), *before);
  view.nodes = {&node};
  return apply(analysed, node, output, view) ? std::optional<View>(view) : std::nullopt;
}

std::optional<View> viewOf(const AnalysedModel& analysed, const std::string& value) {
  return Walk(analysed, false).back(value);
}

std::optional<View> viewThroughPatches(const AnalysedModel& analysed, const std::string& value) {
  return Walk(analysed, true).back(value);
}

}  // namespace mpm::onnx
