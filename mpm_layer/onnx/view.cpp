// SPDX-License-Identifier: Apache-2.0
#include "onnx/view.h"

#include <cstddef>

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

}  // namespace mpm::onnx
