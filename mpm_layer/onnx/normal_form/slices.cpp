// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/fold.h"
#include "onnx/normal_form/rewriter.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

namespace {

// What is written: elements [begin, end) of one axis, for all of the others.
struct Written {
  std::size_t axis = 0;
  std::int64_t begin = 0, end = 0;
};

// Not so far that what is added to it would be no number.
bool isNear(std::int64_t place) {
  constexpr std::int64_t kFar = std::int64_t{1} << 48;
  return place > -kFar && place < kFar;
}

// Places [.., axes] whose elements are known; [begin, begin + n) along each of the axes.
std::optional<Integers> beginsOf(const Known& places, const Integers& sizes) {
  const std::size_t axes = sizes.size();
  if (!places.isSure() || places.isFloat() || places.integers.size() < axes) return std::nullopt;
  Integers begins(places.integers.begin(),
                  places.integers.begin() + static_cast<std::ptrdiff_t>(axes));
  if (!std::all_of(begins.begin(), begins.end(), isNear)) return std::nullopt;
  Integers at(axes, 0);
  for (std::size_t i = 0; i < places.integers.size(); i += axes) {
    for (std::size_t k = 0; k < axes; ++k) {
      if (places.integers[i + k] != begins[k] + at[k]) return std::nullopt;
    }
    for (std::size_t k = axes; k-- > 0 && ++at[k] == sizes[k];) at[k] = 0;
  }
  return begins;
}

// The first of numbers that follow each other along one axis and are the same along the others; of
// these sizes, or spread to them.
std::optional<std::int64_t> firstAlong(const Known& numbers, std::size_t axis,
                                       const Integers& sizes) {
  if (!numbers.isSure() || numbers.isFloat() || numbers.integers.empty() ||
      numbers.dims.size() > sizes.size())
    return std::nullopt;
  Integers own = numbers.dims;
  own.insert(own.begin(), sizes.size() - own.size(), 1);
  std::int64_t step = 1;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] != sizes[i] && (own[i] != 1 || i == axis)) return std::nullopt;
    if (i > axis) step *= own[i];
  }
  const std::int64_t first = numbers.integers[0];
  if (!isNear(first)) return std::nullopt;
  for (std::size_t i = 1; i < numbers.integers.size(); ++i) {
    if (numbers.integers[i] != first + static_cast<std::int64_t>(i) / step % own[axis])
      return std::nullopt;
  }
  return first;
}

std::optional<std::int64_t> beginOf(const Facts& facts, std::string places, std::size_t axis,
                                    const Integers& sizes) {
  const Integers* dims = facts.values.dims(places);
  if (dims == nullptr || *dims != sizes) return std::nullopt;
  const Node* expand = facts.model.producer(places);
  if (expand != nullptr && isOp(*expand, "Expand")) places = expand->input(0);
  const Known* numbers = facts.values.content(places);
  return numbers != nullptr ? firstAlong(*numbers, axis, sizes) : std::nullopt;
}

std::optional<Integers> beginsOf(const Facts& facts, const std::string& places,
                                 const Integers& sizes) {
  if (const Known* known = facts.values.content(places)) {
    if (auto begins = beginsOf(*known, sizes)) return begins;
  }
  const Node* concat = facts.model.producer(places);
  if (concat == nullptr || !isOp(*concat, "Concat") ||
      static_cast<std::size_t>(concat->input_size()) != sizes.size())
    return std::nullopt;
  Integers begins;
  for (int k = 0; k < concat->input_size(); ++k) {
    const Node* column = facts.model.producer(concat->input(k));
    if (column == nullptr || !isAny(*column, {"Unsqueeze", "Reshape"})) return std::nullopt;
    const auto begin = beginOf(facts, column->input(0), static_cast<std::size_t>(k), sizes);
    if (!begin) return std::nullopt;
    begins.push_back(*begin);
  }
  return begins;
}

// The data, the places and what is written there, in the order of inputs.
struct Scatter {
  const Integers *data = nullptr, *places = nullptr, *updates = nullptr;
};

std::optional<Scatter> scatterOf(const Facts& facts, const Node& node) {
  const std::string reduction = stringAttribute(node, "reduction").value_or("none");
  if (node.input_size() != 3 || node.output_size() != 1 || reduction != "none") return std::nullopt;
  const Scatter scatter{facts.values.dims(node.input(0)), facts.values.dims(node.input(1)),
                        facts.values.dims(node.input(2))};
  if (scatter.data == nullptr || scatter.places == nullptr || scatter.updates == nullptr ||
      scatter.places->empty() || scatter.updates->size() != scatter.data->size())
    return std::nullopt;
  return scatter;
}

// Along an axis of images, it may be another part for another number of them.
bool isSettled(const Node& node, const Integers& data, std::size_t axis, const Values& any) {
  const Integers* open = any.dims(node.input(0));
  return open != nullptr && open->size() > axis && (*open)[axis] == data[axis];
}

// Of a ScatterND.
std::optional<Written> writtenBlock(const Facts& facts, const Node& node, const Values& any) {
  const auto scatter = scatterOf(facts, node);
  if (!scatter) return std::nullopt;
  const Integers &data = *scatter->data, &places = *scatter->places;
  const Integers sizes(places.begin(), places.end() - 1);
  const std::size_t axes = sizes.size();
  if (axes < 1 || axes > data.size() || places.back() != static_cast<std::int64_t>(axes))
    return std::nullopt;
  Integers part = data;
  std::copy(sizes.begin(), sizes.end(), part.begin());
  if (*scatter->updates != part) return std::nullopt;
  const std::optional<Integers> begins = beginsOf(facts, node.input(1), sizes);
  if (!begins) return std::nullopt;
  std::optional<Written> written;
  for (std::size_t k = 0; k < axes; ++k) {
    const std::int64_t begin = (*begins)[k], end = begin + sizes[k];
    if (begin < 0 || end > data[k] || sizes[k] < 1) return std::nullopt;
    if (begin == 0 && end == data[k]) continue;
    if (written || !isSettled(node, data, k, any)) return std::nullopt;
    written = Written{k, begin, end};
  }
  return written;
}

// Of a ScatterElements, as PyTorch's newer exporter writes x[:, i] = y.
std::optional<Written> writtenElements(const Facts& facts, const Node& node, const Values& any) {
  const auto scatter = scatterOf(facts, node);
  if (!scatter || *scatter->places != *scatter->updates) return std::nullopt;
  const Integers& data = *scatter->data;
  const auto axis = axisOf(intAttribute(node, "axis").value_or(0), data.size());
  if (!axis) return std::nullopt;
  Integers part = data;
  const std::int64_t size = part[*axis] = (*scatter->places)[*axis];
  if (*scatter->places != part || size < 1 || !isSettled(node, data, *axis, any))
    return std::nullopt;
  auto begin = beginOf(facts, node.input(1), *axis, *scatter->places);
  if (begin && *begin < 0) *begin += data[*axis];
  if (!begin || *begin < 0 || *begin + size > data[*axis]) return std::nullopt;
  return Written{*axis, *begin, *begin + size};
}

// What a Transpose turned; null where none did.
const Node* turnOf(const Model& model, const std::string& value) {
  const Node* node = model.producer(value);
  return node != nullptr && isOp(*node, "Transpose") ? node : nullptr;
}

void spell(Spelling& spelling, const Node& scatter, Written written, std::int64_t size) {
  const Model& model = spelling.model();
  spelling.begin(scatter);
  std::string data = scatter.input(0), added = scatter.input(2);
  // PyTorch's newer exporter turns the axis to the front for it, and back behind it.
  const Node *turn = turnOf(model, data), *other = turnOf(model, added);
  const auto order = turn != nullptr ? intsAttribute(*turn, "perm") : std::nullopt;
  const bool isTurned = order && other != nullptr && intsAttribute(*other, "perm") == order;
  if (isTurned) {
    data = turn->input(0);
    added = other->input(0);
    written.axis = static_cast<std::size_t>((*order)[written.axis]);
  }
  const std::string axis = spelling.integers({static_cast<std::int64_t>(written.axis)});
  const auto slice = [&](std::int64_t begin, std::int64_t end) {
    return spelling.add("Slice",
                        {data, spelling.integers({begin}), spelling.integers({end}), axis});
  };
  std::vector<std::string> parts;
  if (written.begin > 0) parts.push_back(slice(0, written.begin));
  parts.push_back(added);
  if (written.end < size) parts.push_back(slice(written.end, size));
  const std::string made =
      spelling.add("Concat", parts, isTurned ? std::string() : scatter.output(0));
  setAttribute(spelling.last(), "axis", static_cast<std::int64_t>(written.axis));
  if (isTurned) spellTranspose(spelling, made, *order, scatter.output(0));
  spelling.replaceNode();
}

}  // namespace

int spellSliceWrites(Model& model, const Values& values, const Values& any) {
  const Facts facts{model, values};
  const DimsOf dimsOf = [&](const std::string& value) { return values.dims(value); };
  Spelling spelling(model, dimsOf);
  for (const Node* node : model.nodes()) {
    const bool isBlock = isOp(*node, "ScatterND");
    if (!isBlock && !isAny(*node, {"ScatterElements", "Scatter"})) continue;
    const auto written =
        isBlock ? writtenBlock(facts, *node, any) : writtenElements(facts, *node, any);
    if (!written) continue;
    spell(spelling, *node, *written, (*values.dims(node->input(0)))[written->axis]);
  }
  return applySpelled(model, spelling);
}

namespace {

// More axes than those of planes are windows', which are followed as they are, even if there is
// one.
bool isOfPlanes(const Facts& facts, const Node& node) {
  const Integers* dims = facts.values.dims(node.output(0));
  return dims != nullptr && dims->size() <= 4;
}

// What `value` is once more; empty where nothing is turned back or joined again, or it is itself a
// step of that.
std::string undone(const Facts& facts, const std::string& value) {
  const std::optional<View> view = viewOf(facts, value);
  const Integers* dims = facts.values.dims(value);
  if (!view || dims == nullptr || view->factor != 1 || view->offset != 0) return {};
  const Integers* before = facts.values.dims(view->base);
  const bool isUndone = std::any_of(view->nodes.begin(), view->nodes.end(), [](const Node* node) {
    return isAny(*node, {"Transpose", "Concat"});
  });
  if (!isUndone || before == nullptr || *before != *dims ||
      facts.model.producer(view->base) == nullptr ||
      !std::all_of(view->nodes.begin(), view->nodes.end(),
                   [&](const Node* node) { return isOfPlanes(facts, *node); }))
    return {};
  const bool isDense = view->strides() == denseView(view->base, *before).strides();
  return isDense ? view->base : std::string();
}

}  // namespace

int dropUndoneViews(Model& model, const Values& values) {
  const Facts facts{model, values};
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (!isAny(*node, {"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Concat"}) ||
        node->output_size() != 1 || model.isOutput(node->output(0)))
      continue;
    const std::string before = undone(facts, node->output(0));
    if (before.empty()) continue;
    edit.redirect.emplace_back(node->output(0), before);
    edit.remove.push_back(node);
  }
  const int count = static_cast<int>(edit.remove.size());
  if (count == 0) return 0;
  model.apply(std::move(edit));
  model.removeDead();
  return count;
}

}  // namespace mpm::onnx
