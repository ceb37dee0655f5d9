// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/view.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/operators/known_tensor.h"

namespace mpm::onnx {

namespace {

std::int64_t sizeOf(const std::vector<Run>& runs) {
  std::int64_t size = 1;
  for (const Run& run : runs) size *= run.size;
  return size;
}

void put(std::vector<Run>& runs, const Run& run) {
  if (run.size > 1) runs.insert(runs.begin(), run);
}

}  // namespace

std::optional<Run> joined(const std::vector<Run>& runs) {
  if (runs.empty()) return Run{};
  Run all = runs.back();
  for (std::size_t i = runs.size() - 1; i-- > 0;) {
    if (runs[i].stride != all.size * all.stride) return std::nullopt;
    all.size *= runs[i].size;
  }
  return all;
}

Integers View::dims() const {
  Integers sizes;
  for (const auto& axis : axes) sizes.push_back(sizeOf(axis));
  return sizes;
}

std::optional<Integers> View::strides() const {
  Integers strides;
  for (const auto& axis : axes) {
    const std::optional<Run> run = joined(axis);
    if (!run) return std::nullopt;
    strides.push_back(run->stride);
  }
  return strides;
}

bool View::reshape(const Integers& dims) {
  std::vector<Run> runs;
  for (const auto& axis : axes) runs.insert(runs.end(), axis.begin(), axis.end());
  std::vector<std::vector<Run>> reshaped(dims.size());
  for (std::size_t i = dims.size(); i-- > 0;) {
    std::int64_t missing = dims[i];
    while (missing > 1) {
      if (runs.empty()) return false;
      Run& inner = runs.back();
      if (missing % inner.size == 0) {
        missing /= inner.size;
        put(reshaped[i], inner);
        runs.pop_back();
      } else if (inner.size % missing == 0) {
        put(reshaped[i], {missing, inner.stride});
        inner = {inner.size / missing, inner.stride * missing};
        missing = 1;
      } else {
        return false;
      }
    }
    if (missing != 1) return false;
  }
  if (!runs.empty()) return false;
  axes = std::move(reshaped);
  return true;
}

std::optional<View> seenThrough(const View& outer, const View& inner) {
  struct Digit {  // of an element's number in the dense tensor
    std::int64_t unit, size, stride, last;
  };
  std::vector<Digit> digits;
  std::int64_t unit = 1, offset = inner.offset;
  for (auto axis = inner.axes.rbegin(); axis != inner.axes.rend(); ++axis) {
    for (auto run = axis->rbegin(); run != axis->rend(); ++run) {
      const std::int64_t begin = outer.offset / unit % run->size;
      digits.push_back({unit, run->size, run->stride, begin});
      offset += begin * run->stride;
      unit *= run->size;
    }
  }
  if (outer.offset < 0 || outer.offset >= unit) return std::nullopt;
  View seen = inner;
  seen.axes = outer.axes;
  seen.offset = offset;
  for (auto& axis : seen.axes) {
    for (Run& run : axis) {
      if (run.stride == 0 || run.size == 1) continue;
      const auto digit = std::find_if(digits.rbegin(), digits.rend(), [&](const Digit& each) {
        return run.stride >= each.unit && run.stride % each.unit == 0;
      });
      if (run.stride < 0 || digit == digits.rend()) return std::nullopt;
      const std::int64_t step = run.stride / digit->unit;
      if (run.size - 1 > (digit->size - 1 - digit->last) / step) return std::nullopt;
      digit->last += (run.size - 1) * step;
      run.stride = step * digit->stride;
    }
  }
  return seen;
}

std::optional<View> turnedRound(const View& view, const Integers& dims) {
  struct Digit {  // of an element's number in the base, and of its number in the tensor
    std::int64_t stride, size, unit;
  };
  if (view.offset != 0 || view.factor != 1) return std::nullopt;
  std::vector<Digit> digits;
  std::int64_t unit = 1;
  for (auto axis = view.axes.rbegin(); axis != view.axes.rend(); ++axis) {
    for (auto run = axis->rbegin(); run != axis->rend(); unit *= run->size, ++run)
      digits.push_back({run->stride, run->size, unit});
  }
  std::sort(digits.begin(), digits.end(),
            [](const Digit& a, const Digit& b) { return a.stride < b.stride; });
  View round;
  round.axes.resize(1);
  std::int64_t step = 1;
  for (const Digit& digit : digits) {
    if (digit.stride != step) return std::nullopt;
    put(round.axes[0], {digit.size, digit.unit});
    step *= digit.size;
  }
  return round.reshape(dims) ? std::optional(round) : std::nullopt;
}

View denseView(const std::string& base, const Integers& dims) {
  View view;
  view.base = base;
  view.axes.resize(dims.size());
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    put(view.axes[i], {dims[i], stride});
    stride *= dims[i];
  }
  return view;
}

namespace {

// Tells whether these are groups of `count` places, each place `step` after the one before.
bool areGroups(const Integers& places, std::size_t count, std::int64_t step) {
  if (places.size() % count != 0) return false;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i % count != 0 && places[i] != places[i - 1] + step) return false;
  }
  return true;
}

// Joins parts of any sizes if each starts at the end of the one before.
std::optional<Run> continued(const std::vector<View>& parts, std::size_t axis) {
  Run all{0, 0};
  std::vector<Run> runs;
  for (const View& part : parts) {
    const std::optional<Run> run = joined(part.axes[axis]);
    if (!run) return std::nullopt;
    if (run->size > 1) all.stride = run->stride;
    runs.push_back(*run);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if ((runs[i].size > 1 && runs[i].stride != all.stride) ||
        parts[i].offset != parts[0].offset + all.size * all.stride)
      return std::nullopt;
    all.size += runs[i].size;
  }
  return all;
}

}  // namespace

std::optional<std::vector<Run>> runsThrough(Integers places) {
  std::vector<Run> runs;
  while (places.size() > 1) {
    const std::int64_t step = places[1] - places[0];
    std::size_t count = 2;
    while (count < places.size() && places[count] == places[count - 1] + step) ++count;
    while (count > 1 && !areGroups(places, count, step)) --count;
    if (count < 2 || step < 0) return std::nullopt;
    put(runs, {static_cast<std::int64_t>(count), step});
    Integers firsts;
    for (std::size_t i = 0; i < places.size(); i += count) firsts.push_back(places[i]);
    places = std::move(firsts);
  }
  return runs;
}

std::optional<View> sideBySide(const std::vector<View>& parts, std::size_t axis) {
  View all = parts.front();
  Integers offsets;
  bool areAlike = true;
  for (const View& part : parts) {
    if (part.base != all.base || part.factor != all.factor || part.axes.size() != all.axes.size())
      return std::nullopt;
    for (std::size_t i = 0; i < all.axes.size(); ++i) {
      if (i != axis && part.axes[i] != all.axes[i]) return std::nullopt;
    }
    areAlike = areAlike && part.axes[axis] == all.axes[axis];
    offsets.push_back(part.offset);
    if (&part != &parts.front())
      all.nodes.insert(all.nodes.end(), part.nodes.begin(), part.nodes.end());
  }
  std::vector<Run>& runs = all.axes[axis];
  if (areAlike) {
    const auto outer = runsThrough(std::move(offsets));
    if (!outer) return std::nullopt;
    runs.insert(runs.begin(), outer->begin(), outer->end());
    return all;
  }
  const std::optional<Run> whole = continued(parts, axis);
  if (!whole) return std::nullopt;
  runs = {*whole};
  return all;
}

// Views from the other end: the places to which the elements of an earlier value went.

namespace {

bool turnBack(const Node& transpose, View& view) {
  const auto order = orderOf(transpose, view.axes.size());
  if (!order) return false;
  const auto before = view.axes;
  for (std::size_t i = 0; i < order->size(); ++i) view.axes[(*order)[i]] = before[i];
  return true;
}

// Continues to a value that was split; `view` has the Concat that joins all its parts.
std::optional<View> beforeParts(const AnalysedModel& analysed, const View& view) {
  const std::optional<View> parts = viewOf(analysed, view.base);
  const Integers* dims = parts ? analysed.values.dims(parts->base) : nullptr;
  if (!areKnown(dims) || parts->base == view.base) return std::nullopt;
  const std::optional<View> round = turnedRound(*parts, *dims);
  std::optional<View> before = round ? seenThrough(*round, view) : std::nullopt;
  if (!before) return std::nullopt;
  before->base = parts->base;
  before->nodes = view.nodes;
  before->nodes.insert(before->nodes.end(), parts->nodes.begin(), parts->nodes.end());
  return before;
}

}  // namespace

std::optional<View> placesIn(const AnalysedModel& analysed, const std::string& value) {
  if (!areKnown(analysed.values.dims(value))) return std::nullopt;
  View view = denseView(value, *analysed.values.dims(value));
  std::size_t steps = 0;
  while (const Node* node = analysed.model.producer(view.base)) {
    if (steps++ == kMostViewNodes) return std::nullopt;
    if (isOp(*node, "Concat")) {  // of what was cut apart
      std::optional<View> before = beforeParts(analysed, view);
      if (!before) break;
      view = std::move(*before);
      continue;
    }
    const bool turns = isOp(*node, "Transpose");
    if (!turns && !isReshaping(*node) && !isPassing(analysed, *node)) break;
    if (node->output(0) != view.base) break;
    const Integers* before = analysed.values.dims(node->input(0));
    if (!areKnown(before) || !(turns ? turnBack(*node, view) : view.reshape(*before)))
      return std::nullopt;
    view.nodes.push_back(node);
    view.base = node->input(0);
  }
  return view;
}

std::string behindRowViews(const AnalysedModel& analysed, const std::string& value,
                           std::vector<const Node*>* nodes) {
  std::string at = value;
  for (std::size_t i = 0; i < kMostViewNodes; ++i) {
    const Node* node = analysed.model.producer(at);
    if (node == nullptr || node->input_size() < 1 || node->output(0) != at) break;
    if (!isPassing(analysed, *node)) {
      if (!isReshaping(*node)) break;
      const Integers* after = analysed.values.dims(at);
      const Integers* before = analysed.values.dims(node->input(0));
      if (!areKnown(after) || !areKnown(before) || after->empty() || before->empty() ||
          after->back() != before->back())
        break;
    }
    if (nodes != nullptr) nodes->push_back(node);
    at = node->input(0);
  }
  return at;
}

namespace {

// Returns the start of each head.
Integers placesOf(const std::vector<Run>& heads) {
  Integers places{0};
  for (const Run& run : heads) {
    const Integers outer = std::exchange(places, {});
    for (const std::int64_t begin : outer) {
      for (std::int64_t i = 0; i < run.size; ++i) places.push_back(begin + i * run.stride);
    }
  }
  return places;
}

}  // namespace

bool spread(View& view, const Integers& lead) {
  if (view.axes.size() < 2 || view.axes.size() > lead.size() + 2) return false;
  view.axes.insert(view.axes.begin(), lead.size() + 2 - view.axes.size(), {});
  for (std::size_t i = 0; i < lead.size(); ++i) {
    const std::int64_t size = view.dims()[i];
    if (size == 1 && lead[i] > 1) view.axes[i] = {{lead[i], 0}};
    if (size != 1 && size != lead[i]) return false;
  }
  return true;
}

std::optional<View> asHeads(View view, std::int64_t batch, std::int64_t heads, bool turned,
                            bool headsFirst) {
  const std::size_t rank = view.axes.size();
  if (rank < 3) return std::nullopt;
  if (turned) std::swap(view.axes[rank - 1], view.axes[rank - 2]);
  const Integers dims = view.dims();
  Integers sizes{batch, heads, dims[rank - 2], dims[rank - 1]};
  if (headsFirst) std::swap(sizes[0], sizes[1]);
  if (!view.reshape(sizes)) return std::nullopt;
  if (headsFirst) std::swap(view.axes[0], view.axes[1]);
  return view;
}

std::optional<Heads> byHeads(const View& view) {
  const auto images = joined(view.axes[0]), rows = joined(view.axes[2]),
             features = joined(view.axes[3]);
  if (!images || !rows || !features) return std::nullopt;
  return Heads{*images, *rows, *features, view.axes[1], view.offset};
}

bool areRows(const Heads& view, std::int64_t width, std::optional<bool>& rowsFirst) {
  const std::int64_t batch = view.images.size, count = view.rows.size;
  const auto isStep = [](const Run& run, std::int64_t step) {
    return run.size == 1 || run.stride == step;
  };
  if (batch == 1) return isStep(view.rows, width);
  if (isStep(view.images, count * width) && isStep(view.rows, width)) {
    if (rowsFirst.value_or(false)) return false;
    rowsFirst = false;
    return true;
  }
  if (isStep(view.images, width) && isStep(view.rows, batch * width)) {
    if (!rowsFirst.value_or(true)) return false;
    rowsFirst = true;
    return true;
  }
  return false;
}

std::optional<Integers> featuresOf(const Heads& view, std::int64_t width) {
  Integers features;
  for (const std::int64_t head : placesOf(view.heads)) {
    for (std::int64_t i = 0; i < view.features.size; ++i) {
      features.push_back(view.offset + head + i * view.features.stride);
      if (features.back() < 0 || features.back() >= width) return std::nullopt;
    }
  }
  return features;
}

}  // namespace mpm::onnx
