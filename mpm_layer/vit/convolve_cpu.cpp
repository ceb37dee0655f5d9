// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/convolve_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "processor/float_buffer.h"
#include "vit/convolve-inl.h"
#include "vit/convolve.h"
#include "vit/convolve_tiles.h"
#include "vit/kernels.h"
#include "vit/stretches.h"

#ifndef MPM_VIT_CONVOLVE_PANEL_
#define MPM_VIT_CONVOLVE_PANEL_
namespace mpm::vit {
namespace {

// Places of a task, and inputs of the sum (64 channels of 3 x 3) that it adds up before the next
// ones. What it gathers of the source for both stays near the core.
constexpr std::size_t kTaskPlaces = 64, kPartInputs = 576;
static_assert(kTaskPlaces % kColumnStep == 0);

// A right factor: inputs [first, end) of the sum with `width` columns each, zeros past the last
// stretch.
struct Panel {
  std::size_t first = 0, end = 0, width = 0;
  Stretches<kTaskPlaces> places;
};

}  // namespace
}  // namespace mpm::vit
#endif  // MPM_VIT_CONVOLVE_PANEL_

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;

// Source floats that make a panel's input.
struct Tap {
  std::size_t channel, y, x;
};

HWY_INLINE Distance placeOf(std::size_t place, std::size_t tap, const Reach& reach) {
  return static_cast<Distance>(place * reach.stride + tap * reach.dilation) -
         static_cast<Distance>(reach.padding);
}

// Prefetches the next channel's row of a stretch: planes are too far apart for a processor to
// predict it.
HWY_INLINE void fetchNextChannel(const Image& source, const Stretch& stretch, const Reach& columns,
                                 Distance y, std::size_t channel) {
  constexpr std::size_t kLine = 16;
  if (channel + 1 >= source.channels) return;
  const std::size_t row = (channel + 1) * source.height + static_cast<std::size_t>(y);
  const std::size_t begin = stretch.x * columns.stride;
  const std::size_t end = std::min(begin + stretch.count * columns.stride + kLine, source.width);
  for (std::size_t x = begin; x < end; x += kLine) {
    __builtin_prefetch(source.data + row * source.width + x);
  }
}

// Gathers one input into `out` [width].
HWY_INLINE void gatherInput(const Image& source, const Reach& rows, const Reach& columns,
                            const Panel& panel, const Tap& tap, float* HWY_RESTRICT out) {
  const auto height = static_cast<Distance>(source.height);
  const auto width = static_cast<Distance>(source.width);
  const float* const plane = source.data + tap.channel * source.height * source.width;
  for (const Stretch& stretch : panel.places) {
    const Distance y = placeOf(stretch.y, tap.y, rows),
                   count = static_cast<Distance>(stretch.count);
    if (y < 0 || y >= height) {
      clearFloats(count, out + stretch.column);
      continue;
    }
    if (tap.x == 0) fetchNextChannel(source, stretch, columns, y, tap.channel);
    gatherStretch(plane + y * width, width, placeOf(stretch.x, tap.x, columns),
                  static_cast<Distance>(columns.stride), count, out + stretch.column);
  }
  clearFloats(static_cast<Distance>(panel.width - panel.places.columns),
              out + panel.places.columns);
}

// Gathers all inputs of a panel into `out` [inputs x width].
void gatherPanel(const Image& source, const Reach& rows, const Reach& columns, const Panel& panel,
                 float* HWY_RESTRICT out) {
  const std::size_t taps = rows.taps * columns.taps;
  Tap tap = {panel.first / taps, panel.first % taps / columns.taps, panel.first % columns.taps};
  for (std::size_t input = panel.first; input < panel.end; ++input, out += panel.width) {
    gatherInput(source, rows, columns, panel, tap, out);
    if (++tap.x < columns.taps) continue;
    tap.x = 0;
    if (++tap.y < rows.taps) continue;
    tap.y = 0;
    ++tap.channel;
  }
}

void finishSums(float bias, Activation activation, std::size_t count, float* sums) {
  const D d;
  const bool isRelu = activation == Activation::relu;
  const auto finish = [&](auto lanes, float* sum) HWY_ATTR {
    const auto finished = finishSum(lanes, hn::LoadU(lanes, sum), hn::Set(lanes, bias), isRelu);
    hn::StoreU(finished, lanes, sum);
  };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) finish(d, sums + i);
  for (; i < count; ++i) finish(hn::CappedTag<float, 1>(), sums + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::vit {

HWY_EXPORT(gatherPanel);
HWY_EXPORT(finishSums);

namespace {

class Convolver {
 public:
  Convolver(const Image& source, const PackedConvolve& convolve, Rows out, std::size_t across)
      : source_(source), convolve_(convolve), out_(out), across_(across) {}

  // Adds the part of the sum that begins with input `first` to the parts before.
  void addPart(const Share& share, std::size_t first, float* panels) const {
    const std::size_t inputs = std::min(kPartInputs, convolve_.inputs - first);
    const std::size_t columns = padded(share.count);
    Panel panel;
    panel.first = first;
    panel.end = first + inputs;
    for (std::size_t column = 0; column < columns; column += kernel_.panelColumns) {
      panel.width = std::min(kernel_.panelColumns, columns - column);
      const std::size_t left = share.count - std::min(column, share.count);
      panel.places = {share.first + column, std::min(panel.width, left), across_};
      gather_(source_, convolve_.rows, convolve_.columns, panel, panels + column * inputs);
    }
    const float* const filters = convolve_.filters.data() + share.output * convolve_.stride + first;
    Product product;
    product.a = asUnits(filters);
    product.aStride = convolve_.stride;
    product.rows = share.outputs;
    product.b = {asUnits(panels), inputs, share.count};
    product.inputs = inputs;
    product.columns = share.count;
    Finish finish;
    finish.rows = out_.row(share.output) + share.first;
    finish.stride = out_.stride;
    finish.addend = first > 0 ? finish.rows : nullptr;
    finish.addendStride = out_.stride;
    kernel_.multiply(product, finish);
  }

  void finish(const Share& share, Activation activation) const {
    for (std::size_t i = 0; i < share.outputs; ++i) {
      const std::size_t output = share.output + i;
      finish_(convolve_.bias[output], activation, share.count, out_.row(output) + share.first);
    }
  }

 private:
  const Image& source_;
  const PackedConvolve& convolve_;
  Rows out_;
  std::size_t across_;
  const Kernels& kernel_ = kernels(Precision::fp32);
  // Spells the types out: for a single instruction set a dispatch is no pointer.
  void (*gather_)(const Image& source, const Reach& rows, const Reach& columns, const Panel& panel,
                  float* to) = HWY_DYNAMIC_DISPATCH(gatherPanel);
  void (*finish_)(float bias, Activation activation, std::size_t count,
                  float* sums) = HWY_DYNAMIC_DISPATCH(finishSums);
};

}  // namespace

PackedConvolve::PackedConvolve(const ConvolveWeights& weights)
    : rows(weights.rows),
      columns(weights.columns),
      inputs(weights.filters.weight.dim),
      outputs(weights.filters.weight.count),
      isTiled(takesTiles(weights)),
      stride(padded(isTiled ? inputs / (rows.taps * columns.taps) : inputs)),
      bias(outputs) {
  if (weights.filters.bias != nullptr) std::copy_n(weights.filters.bias, outputs, bias.data());
  if (isTiled) {
    filters = tileFilters(weights, stride);
    return;
  }
  filters.resize(outputs * stride);
  for (std::size_t output = 0; output < outputs; ++output) {
    std::copy_n(weights.filters.weight.row(output), inputs, filters.data() + output * stride);
  }
}

void convolveCpu(const Image& source, const PackedConvolve& convolve, Activation activation,
                 std::size_t height, std::size_t width, float* out) {
  assert(convolve.inputs == source.channels * convolve.rows.taps * convolve.columns.taps);
  if (convolve.isTiled) return convolveTiles(source, convolve, activation, height, width, out);
  const std::size_t places = height * width, outputs = convolve.outputs;
  const Convolver convolver(source, convolve, {out, outputs, places}, width);
  forEachShare(places, kTaskPlaces, outputs, [&](const Share& share) {
    float* const panels = processor::threadScratch().reserve(kPartInputs * kTaskPlaces);
    for (std::size_t first = 0; first < convolve.inputs; first += kPartInputs) {
      convolver.addPart(share, first, panels);
    }
    convolver.finish(share, activation);
  });
}

}  // namespace mpm::vit
#endif  // HWY_ONCE
