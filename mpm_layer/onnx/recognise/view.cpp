// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/view.h"

#include <algorithm>
#include <cstddef>
#include <utility>

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

// Whether these are groups of `count` places, each of them `step` behind the one before.
bool areGroups(const Integers& places, std::size_t count, std::int64_t step) {
  if (places.size() % count != 0) return false;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i % count != 0 && places[i] != places[i - 1] + step) return false;
  }
  return true;
}

// Parts of any sizes of which each begins where the one before ends.
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

}  // namespace mpm::onnx
