// SPDX-License-Identifier: Apache-2.0
// Convolutions of constants, such as the projection of a table of sines and cosines. Those of
// frames are OpenCV's.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "onnx/attribute.h"
#include "onnx/fold_ops.h"

namespace mpm::onnx {
namespace {

// Sizes of [images, channels, height, width] and of the windows over them.
struct Planes {
  std::int64_t in = 0, out = 0, inHeight = 0, inWidth = 0, height = 0, width = 0;
  std::int64_t kernelHeight = 0, kernelWidth = 0, groups = 1;
  Integers strides{1, 1}, dilations{1, 1}, pads{0, 0, 0, 0};
};

std::optional<Integers> listOr(const Node& node, const char* name, const Integers& otherwise) {
  Integers list = intsAttribute(node, name).value_or(otherwise);
  return list.size() == otherwise.size() ? std::optional(std::move(list)) : std::nullopt;
}

// Nothing where the sizes do not fit each other.
std::optional<Planes> planesOf(const Call& call, const Known& data, const Known& weight,
                               const Integers& made) {
  Planes planes;
  planes.in = data.dims[1];
  planes.inHeight = data.dims[2];
  planes.inWidth = data.dims[3];
  planes.out = made[1];
  planes.height = made[2];
  planes.width = made[3];
  planes.kernelHeight = weight.dims[2];
  planes.kernelWidth = weight.dims[3];
  planes.groups = intAttribute(call.node, "group").value_or(1);
  const auto strides = listOr(call.node, "strides", planes.strides);
  const auto dilations = listOr(call.node, "dilations", planes.dilations);
  const auto pads = listOr(call.node, "pads", planes.pads);
  const auto kernel = listOr(call.node, "kernel_shape", {weight.dims[2], weight.dims[3]});
  if (!strides || !dilations || !pads || kernel != Integers{weight.dims[2], weight.dims[3]} ||
      stringAttribute(call.node, "auto_pad").value_or("NOTSET") != "NOTSET")
    return std::nullopt;
  planes.strides = *strides;
  planes.dilations = *dilations;
  planes.pads = *pads;
  const bool fits = planes.groups > 0 && planes.in % planes.groups == 0 &&
                    planes.out == weight.dims[0] && planes.out % planes.groups == 0 &&
                    weight.dims[1] == planes.in / planes.groups;
  return fits ? std::optional(planes) : std::nullopt;
}

// Adds to a plane of the result what one window's element makes of a plane of the data.
void addShifted(const Planes& planes, const float* from, float factor, std::int64_t row,
                std::int64_t column, float* to) {
  for (std::int64_t y = 0; y < planes.height; ++y) {
    const std::int64_t inY = y * planes.strides[0] - planes.pads[0] + row * planes.dilations[0];
    if (inY < 0 || inY >= planes.inHeight) continue;
    for (std::int64_t x = 0; x < planes.width; ++x) {
      const std::int64_t inX =
          x * planes.strides[1] - planes.pads[1] + column * planes.dilations[1];
      if (inX < 0 || inX >= planes.inWidth) continue;
      to[y * planes.width + x] += factor * from[inY * planes.inWidth + inX];
    }
  }
}

void convolve(const Planes& planes, const float* data, const float* weight, float* out) {
  const std::int64_t inGroup = planes.in / planes.groups, outGroup = planes.out / planes.groups;
  const std::int64_t inArea = planes.inHeight * planes.inWidth;
  for (std::int64_t channel = 0; channel < planes.out; ++channel) {
    const float* const first = data + channel / outGroup * inGroup * inArea;
    for (std::int64_t i = 0; i < inGroup; ++i) {
      for (std::int64_t row = 0; row < planes.kernelHeight; ++row) {
        for (std::int64_t column = 0; column < planes.kernelWidth; ++column)
          addShifted(planes, first + i * inArea, *weight++, row, column, out);
      }
    }
    out += planes.height * planes.width;
  }
}

}  // namespace

Result foldConv(const Call& call) {
  const Known* data = sureFloats(call.input(0));
  const Known* weight = sureFloats(call.input(1));
  if (!data || !weight || data->dims.size() != 4 || weight->dims.size() != 4) return std::nullopt;
  const Known* bias = sureFloats(call.input(2));
  if (call.has(2) && (!bias || bias->dims != Integers{weight->dims[0]})) return std::nullopt;
  const Dims made = resultDims(call);
  const auto planes = made ? planesOf(call, *data, *weight, *made) : std::nullopt;
  Result result = planes ? emptyKnown(data->type, *made) : std::nullopt;
  if (!result) return std::nullopt;
  result->sure.assign(result->count(), 1);
  const auto area = static_cast<std::size_t>(planes->height * planes->width);
  const auto inArea = static_cast<std::size_t>(planes->inHeight * planes->inWidth);
  float* out = result->floats.data();
  for (std::int64_t image = 0; image < data->dims[0]; ++image) {
    for (std::size_t i = 0; bias && i < bias->count(); ++i)
      std::fill_n(out + i * area, area, bias->floats[i]);
    convolve(*planes, data->floats.data() + static_cast<std::size_t>(image * planes->in) * inArea,
             weight->floats.data(), out);
    out += static_cast<std::size_t>(planes->out) * area;
  }
  return result;
}

}  // namespace mpm::onnx
