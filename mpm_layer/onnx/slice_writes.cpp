// SPDX-License-Identifier: Apache-2.0
#include "onnx/simplify.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/lower_spelling.h"

namespace mpm::onnx {
namespace {

// What is written: elements [begin, end) of one axis, for all of the others.
struct Written {
  std::size_t axis = 0;
  std::int64_t begin = 0, end = 0;
};

// Not so far that what is added to it would be no number.
bool isBegin(std::int64_t place) { return place >= 0 && place < std::int64_t{1} << 48; }

// Places [.., axes] whose elements are known; [begin, begin + n) along each of the axes.
std::optional<Integers> beginsOf(const Known& places, const Integers& sizes) {
  const std::size_t axes = sizes.size();
  if (!places.isSure() || places.isFloat() || places.integers.size() < axes) return std::nullopt;
  Integers begins(places.integers.begin(),
                  places.integers.begin() + static_cast<std::ptrdiff_t>(axes));
  if (!std::all_of(begins.begin(), begins.end(), isBegin)) return std::nullopt;
  Integers at(axes, 0);
  for (std::size_t i = 0; i < places.integers.size(); i += axes) {
    for (std::size_t k = 0; k < axes; ++k) {
      if (places.integers[i + k] != begins[k] + at[k]) return std::nullopt;
    }
    for (std::size_t k = axes; k-- > 0 && ++at[k] == sizes[k];) at[k] = 0;
  }
  return begins;
}

// The first place along one axis, of numbers that are spread over the others.
std::optional<std::int64_t> beginOf(const Facts& facts, const std::string& column, std::size_t axis,
                                    const Integers& sizes) {
  const Node* node = facts.model.producer(column);
  if (node == nullptr || !isAny(*node, {"Unsqueeze", "Reshape"})) return std::nullopt;
  std::string spread = node->input(0);
  const Integers* dims = facts.values.dims(spread);
  if (dims == nullptr || *dims != sizes) return std::nullopt;
  const Node* expand = facts.model.producer(spread);
  if (expand != nullptr && isOp(*expand, "Expand")) spread = expand->input(0);
  const Known* numbers = facts.values.content(spread);
  if (numbers == nullptr || !numbers->isSure() || numbers->isFloat() ||
      numbers->dims.size() > sizes.size())
    return std::nullopt;
  Integers own = numbers->dims;
  own.insert(own.begin(), sizes.size() - own.size(), 1);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] != (i == axis ? sizes[i] : 1)) return std::nullopt;
  }
  if (numbers->integers.empty() || !isBegin(numbers->integers[0])) return std::nullopt;
  for (std::size_t i = 1; i < numbers->integers.size(); ++i) {
    if (numbers->integers[i] != numbers->integers[0] + static_cast<std::int64_t>(i))
      return std::nullopt;
  }
  return numbers->integers[0];
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
    const auto begin = beginOf(facts, concat->input(k), static_cast<std::size_t>(k), sizes);
    if (!begin) return std::nullopt;
    begins.push_back(*begin);
  }
  return begins;
}

std::optional<Written> writtenBy(const Facts& facts, const Node& scatter, const Values& any) {
  const std::string reduction = stringAttribute(scatter, "reduction").value_or("none");
  if (scatter.input_size() != 3 || scatter.output_size() != 1 || reduction != "none")
    return std::nullopt;
  const Integers* data = facts.values.dims(scatter.input(0));
  const Integers* places = facts.values.dims(scatter.input(1));
  const Integers* updates = facts.values.dims(scatter.input(2));
  if (data == nullptr || places == nullptr || updates == nullptr || places->empty() ||
      updates->size() != data->size())
    return std::nullopt;
  const Integers sizes(places->begin(), places->end() - 1);
  const std::size_t axes = sizes.size();
  if (axes < 1 || axes > data->size() || places->back() != static_cast<std::int64_t>(axes))
    return std::nullopt;
  Integers part = *data;
  std::copy(sizes.begin(), sizes.end(), part.begin());
  if (*updates != part) return std::nullopt;
  const std::optional<Integers> begins = beginsOf(facts, scatter.input(1), sizes);
  if (!begins) return std::nullopt;
  std::optional<Written> written;
  for (std::size_t k = 0; k < axes; ++k) {
    const std::int64_t begin = (*begins)[k], end = begin + sizes[k];
    if (begin < 0 || end > (*data)[k] || sizes[k] < 1) return std::nullopt;
    if (begin == 0 && end == (*data)[k]) continue;
    // Along an axis of images, it may be another part for another number of them.
    const Integers* open = any.dims(scatter.input(0));
    if (written || open == nullptr || open->size() <= k || (*open)[k] != (*data)[k])
      return std::nullopt;
    written = Written{k, begin, end};
  }
  return written;
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
    if (!isOp(*node, "ScatterND")) continue;
    const std::optional<Written> written = writtenBy(facts, *node, any);
    if (!written) continue;
    spell(spelling, *node, *written, (*values.dims(node->input(0)))[written->axis]);
  }
  return applySpelled(model, spelling);
}

}  // namespace mpm::onnx
