// SPDX-License-Identifier: Apache-2.0
// Convolutions of constants, such as the projection of a table of sines and cosines. Those of
// frames are OpenCV's.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_ops.h"
#include "onnx/operators/window.h"

namespace mpm::onnx {
namespace {

// A window over planes in groups of channels.
struct Planes {
  std::int64_t in = 0, out = 0, groups = 1;
  WindowAxis down, across;
};

// Nothing where the sizes do not fit each other.
std::optional<Planes> planesOf(const Call& call, const Known& data, const Known& weight) {
  const Integers kernel = kernelOf(weight.dims);
  const auto window = windowOf(call.node, data.dims, kernel);
  if (!window || Integers{(*window)[0].kernel, (*window)[1].kernel} != kernel) return std::nullopt;
  const Planes planes{data.dims[1], weight.dims[0], intAttribute(call.node, "group").value_or(1),
                      (*window)[0], (*window)[1]};
  const bool fits = planes.groups > 0 && planes.in % planes.groups == 0 &&
                    planes.out % planes.groups == 0 && weight.dims[1] == planes.in / planes.groups;
  return fits ? std::optional(planes) : std::nullopt;
}

void convolve(const Planes& planes, const float* data, const float* weight, float* out) {
  const WindowAxis &down = planes.down, &across = planes.across;
  const std::int64_t inGroup = planes.in / planes.groups, outGroup = planes.out / planes.groups;
  const std::int64_t inArea = down.size * across.size;
  for (std::int64_t channel = 0; channel < planes.out; ++channel) {
    const float* from = data + channel / outGroup * inGroup * inArea;
    for (std::int64_t i = 0; i < inGroup; ++i, from += inArea) {
      for (std::int64_t k = 0; k < down.kernel * across.kernel; ++k, ++weight)
        forEachCovered(down, across, k / across.kernel, k % across.kernel,
                       [&](auto place, auto at) { out[place] += *weight * from[at]; });
    }
    out += down.places * across.places;
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
  const auto planes = made ? planesOf(call, *data, *weight) : std::nullopt;
  Result result = planes ? emptyKnown(data->type, *made) : std::nullopt;
  if (!result) return std::nullopt;
  result->sure.assign(result->count(), 1);
  const auto area = static_cast<std::size_t>(planes->down.places * planes->across.places);
  const auto inArea = static_cast<std::size_t>(planes->down.size * planes->across.size);
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
