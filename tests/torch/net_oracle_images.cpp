// SPDX-License-Identifier: Apache-2.0
// ONNX operators over height and width that the heads of converted models keep.
#include <ATen/ATen.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "onnx/graph/attribute.h"
#include "torch/net_oracle_call.h"

namespace mpm::test {
namespace {

using Integers = std::vector<std::int64_t>;

struct Windows {
  Integers kernel, strides, dilations;
  at::Tensor padded;
};

/// The windows of a node, and its image with the padding in place, which ONNX allows to differ
/// from side to side.
Windows windowsOf(const NodeCall& call, double padding) {
  call.require(call.text("auto_pad", "NOTSET") == "NOTSET" && call.integer("ceil_mode", 0) == 0,
               "auto_pad and ceil_mode are not known");
  const Integers pads = call.integers("pads", Integers{0, 0, 0, 0});
  call.require(call.input(0).dim() == 4 && pads.size() == 4, "its input is no image");
  return {call.integers("kernel_shape"), call.integers("strides", Integers{1, 1}),
          call.integers("dilations", Integers{1, 1}),
          at::constant_pad_nd(call.input(0), {pads[1], pads[3], pads[0], pads[2]}, padding)};
}

Tensors convolution(const NodeCall& call) {
  const Windows windows = windowsOf(call, 0);
  return {at::conv2d(windows.padded, call.input(1), call.input(2), windows.strides, Integers{0, 0},
                     windows.dilations, call.integer("group", 1))};
}

Tensors transposedConvolution(const NodeCall& call) {
  const Integers pads = call.integers("pads", Integers{0, 0, 0, 0});
  const Integers strides = call.integers("strides", Integers{1, 1});
  call.require(pads == Integers(4, 0) && call.integers("output_shape").empty() &&
                   call.text("auto_pad", "NOTSET") == "NOTSET",
               "padding of a ConvTranspose is not known");
  return {at::conv_transpose2d(call.input(0), call.input(1), call.input(2), strides, {0, 0},
                               call.integers("output_padding", Integers{0, 0}),
                               call.integer("group", 1),
                               call.integers("dilations", Integers{1, 1}))};
}

Tensors maxPool(const NodeCall& call) {
  const Windows windows = windowsOf(call, -std::numeric_limits<double>::infinity());
  return {
      at::max_pool2d(windows.padded, windows.kernel, windows.strides, {0, 0}, windows.dilations)};
}

Tensors averagePool(const NodeCall& call) {
  const Windows windows = windowsOf(call, 0);
  call.require(windows.dilations == Integers{1, 1}, "dilations of an AveragePool are not known");
  const auto mean = [&](const at::Tensor& image) {
    return at::avg_pool2d(image, windows.kernel, windows.strides);
  };
  if (call.integer("count_include_pad", 0) != 0) return {mean(windows.padded)};
  const Integers pads = call.integers("pads", Integers{0, 0, 0, 0});
  const at::Tensor inside =
      at::constant_pad_nd(at::ones_like(call.input(0)), {pads[1], pads[3], pads[0], pads[2]}, 0);
  return {mean(windows.padded) / mean(inside)};
}

Tensors globalAveragePool(const NodeCall& call) {
  return {call.input(0).mean({2, 3}, /*keepdim=*/true)};
}

Tensors depthToSpace(const NodeCall& call) {
  const at::Tensor& x = call.input(0);
  const std::int64_t block = call.integer("blocksize", 1), depth = x.size(1) / (block * block);
  const bool isDepthLast = call.text("mode", "DCR") == "DCR";
  const at::Tensor parts = isDepthLast
                               ? x.reshape({x.size(0), block, block, depth, x.size(2), x.size(3)})
                                     .permute({0, 3, 4, 1, 5, 2})
                               : x.reshape({x.size(0), depth, block, block, x.size(2), x.size(3)})
                                     .permute({0, 1, 4, 2, 5, 3});
  return {parts.reshape({x.size(0), depth, x.size(2) * block, x.size(3) * block})};
}

Tensors batchNormalization(const NodeCall& call) {
  call.require(call.integer("training_mode", 0) == 0, "is in training");
  const auto channels = [&](std::size_t index) { return call.input(index).reshape({-1, 1, 1}); };
  const at::Tensor deviation = (channels(4) + call.number("epsilon", 1e-5)).sqrt();
  return {(call.input(0) - channels(3)) / deviation * channels(1) + channels(2)};
}

/// Where the middles of `to` pixels lie among `from`, as Resize counts them.
at::Tensor places(const NodeCall& call, const std::string& mode, std::int64_t from, std::int64_t to,
                  double scale) {
  const at::Tensor index = at::arange(to, at::kDouble);
  if (mode == "half_pixel" || (mode == "pytorch_half_pixel" && to > 1))
    return (index + 0.5) / scale - 0.5;
  if (mode == "asymmetric") return index / scale;
  call.require(mode == "align_corners" && to > 1, "places of the kind " + mode + " are not known");
  return index * (static_cast<double>(from - 1) / static_cast<double>(to - 1));
}

/// The pixels along an axis at whole places, edges repeated.
at::Tensor pixelsAt(const at::Tensor& x, std::int64_t axis, const at::Tensor& places) {
  return x.index_select(axis, places.clamp(0, x.size(axis) - 1).to(at::kLong));
}

at::Tensor interpolated(const at::Tensor& x, std::int64_t axis, const at::Tensor& place) {
  const at::Tensor lower = place.floor();
  Integers dims(static_cast<std::size_t>(x.dim()), 1);
  dims[static_cast<std::size_t>(axis)] = place.size(0);
  const at::Tensor weight = (place - lower).reshape(dims);
  return pixelsAt(x, axis, lower) * (1 - weight) + pixelsAt(x, axis, lower + 1) * weight;
}

at::Tensor resizeAxis(const NodeCall& call, const at::Tensor& x, std::int64_t axis,
                      std::int64_t size) {
  const double scale = static_cast<double>(size) / static_cast<double>(x.size(axis));
  const at::Tensor place = places(call, call.text("coordinate_transformation_mode", "half_pixel"),
                                  x.size(axis), size, scale);
  if (call.text("mode", "nearest") == "nearest") {
    const std::string rounding = call.text("nearest_mode", "round_prefer_floor");
    call.require(rounding == "floor" || rounding == "round_prefer_floor",
                 rounding + " is not known");
    return pixelsAt(x, axis, rounding == "floor" ? place.floor() : (place - 0.5).ceil());
  }
  call.require(call.text("mode", "nearest") == "linear", "its mode is not known");
  return interpolated(x, axis, place);
}

Tensors resize(const NodeCall& call) {
  at::Tensor x = call.input(0);
  const Integers sizes = call.integers("sizes", 3);
  call.require(sizes.size() == static_cast<std::size_t>(x.dim()), "has no sizes");
  for (std::int64_t axis = 0; axis < x.dim(); ++axis) {
    const std::int64_t size = sizes[static_cast<std::size_t>(axis)];
    if (size != x.size(axis)) x = resizeAxis(call, x, axis, size);
  }
  return {x};
}

}  // namespace

Tensors upsample(const NodeCall& call) {
  at::Tensor x = call.input(0);
  const Integers grid = call.integers("grid"), sizes = call.integers("size");
  if (!grid.empty()) x = x.transpose(1, 2).reshape({x.size(0), x.size(2), grid[0], grid[1]});
  const auto scales = onnx::floatsAttribute(call.node, "scale");
  for (const std::size_t i : {0U, 1U}) {
    const auto axis = static_cast<std::int64_t>(i) + 2;
    const auto from = static_cast<double>(x.size(axis));
    const double size = scales ? std::floor((*scales)[i] * from) : static_cast<double>(sizes[i]);
    const double scale = scales ? static_cast<double>((*scales)[i]) : size / from;
    x = interpolated(x, axis,
                     places(call, call.text("mode", "half_pixel"), x.size(axis),
                            static_cast<std::int64_t>(size), scale));
  }
  return {x};
}

const Operations& imageOperations() {
  static const Operations operations{
      {"AveragePool", averagePool},   {"BatchNormalization", batchNormalization},
      {"Conv", convolution},          {"ConvTranspose", transposedConvolution},
      {"DepthToSpace", depthToSpace}, {"GlobalAveragePool", globalAveragePool},
      {"MaxPool", maxPool},           {"Resize", resize},
  };
  return operations;
}

}  // namespace mpm::test
