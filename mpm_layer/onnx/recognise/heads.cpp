// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/view.h"

#include <cstddef>
#include <utility>

namespace mpm::onnx {
namespace {

// Where each head begins.
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
