// SPDX-License-Identifier: Apache-2.0
// Operators that change the size of axes.
#include <algorithm>
#include <cmath>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_places.h"
#include "onnx/operators/shape_rules.h"

namespace mpm::onnx {
namespace {

// The axes that a node's lists speak of: those it names, else all.
std::optional<std::vector<std::size_t>> axesOf(const std::optional<Integers>& named,
                                               std::size_t rank) {
  std::vector<std::size_t> axes;
  if (!named) {
    for (std::size_t i = 0; i < rank; ++i) axes.push_back(i);
    return axes;
  }
  if (!markAxes(*named, rank)) return std::nullopt;
  for (const std::int64_t axis : *named) axes.push_back(*axisOf(axis, rank));
  return axes;
}

std::int64_t padded(const Known& pads, std::size_t i, std::size_t count, std::int64_t size) {
  if (!pads.sure[i] || !pads.sure[i + count]) return kUnknown;
  std::int64_t added = 0;
  if (__builtin_add_overflow(pads.integers[i], pads.integers[i + count], &added)) return kUnknown;
  if (added == 0) return size;
  if (!isNumber(size) || __builtin_add_overflow(size, added, &added)) return kUnknown;
  return plus(added, 0);
}

// As runtimes do it, in float32.
std::int64_t scaled(float scale, std::int64_t size) {
  if (scale == 1) return size;
  const float result = std::floor(scale * static_cast<float>(size));
  constexpr float kMost = 0x1p40f;
  return isNumber(size) && result >= 0 && result <= kMost ? static_cast<std::int64_t>(result)
                                                          : kUnknown;
}

void resize(Integers& dims, const std::vector<std::size_t>& axes, const Known* scales,
            const Known* sizes) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::int64_t& dim = dims[axes[i]];
    if (sizes) {
      const std::int64_t wanted = sizes->integers[i];
      dim = sizes->sure[i] ? std::max(wanted, kUnknown) : std::min(wanted, kUnknown);
    } else {
      dim = scales && scales->sure[i] ? scaled(scales->floats[i], dim) : kUnknown;
    }
  }
}

}  // namespace

Dims shapePad(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims) return std::nullopt;
  Known attribute;
  const Known* pads = call.list(1);
  if (const auto given = intsAttribute(call.node, "pads")) {
    attribute.integers = *given;
    attribute.sure.assign(given->size(), 1);
    pads = &attribute;
  }
  const auto named = call.has(3) ? call.list("axes", 3) : std::nullopt;
  const auto axes = axesOf(named, dims->size());
  if (!pads || (call.has(3) && !named)) return Integers(dims->size(), kUnknown);
  if (!axes || pads->isFloat() || pads->count() != 2 * axes->size()) return std::nullopt;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    std::int64_t& dim = (*dims)[(*axes)[i]];
    dim = padded(*pads, i, axes->size(), dim);
  }
  return dims;
}

Dims shapeGridSample(const Call& call) {
  const Integers *data = call.dims(0), *grid = call.dims(1);
  if (!data || !grid || data->size() != 4 || grid->size() != 4 || grid->back() != 2)
    return std::nullopt;
  if (isNumber((*data)[0]) && isNumber((*grid)[0]) && (*data)[0] != (*grid)[0]) return std::nullopt;
  return Integers{(*data)[0], (*data)[1], (*grid)[1], (*grid)[2]};
}

std::optional<float> keptAspect(const std::string& policy, const Integers& dims,
                                const std::vector<std::size_t>& axes, const Integers& sizes) {
  if (policy == "stretch" || axes.size() != sizes.size()) return std::nullopt;
  std::optional<float> kept;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!isNumber(dims[axes[i]]) || dims[axes[i]] == 0 || sizes[i] < 1) return std::nullopt;
    const float scale = static_cast<float>(sizes[i]) / static_cast<float>(dims[axes[i]]);
    const bool isNearer = !kept || (policy == "not_larger" ? scale < *kept : scale > *kept);
    if (isNearer) kept = scale;
  }
  return kept;
}

// Inputs: X, scales before opset 11 (an attribute before 9); X, roi, scales, sizes since.
Dims shapeResize(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims) return std::nullopt;
  const bool isOld = call.opset < 11 || call.node.op_type() == "Upsample";
  const Known* scales = call.list(isOld ? 1 : 2);
  const Known* sizes = isOld ? nullptr : call.list(3);
  Known attribute;
  if (const auto given = floatsAttribute(call.node, "scales")) {
    attribute.type = ::onnx::TensorProto::FLOAT;
    attribute.floats = *given;
    attribute.sure.assign(given->size(), 1);
    scales = &attribute;
  }
  if (scales && scales->count() == 0) scales = nullptr;
  if (sizes && sizes->count() == 0) sizes = nullptr;
  const std::string policy =
      stringAttribute(call.node, "keep_aspect_ratio_policy").value_or("stretch");
  const auto axes = axesOf(intsAttribute(call.node, "axes"), dims->size());
  if (!axes) return std::nullopt;
  const Known* list = sizes ? sizes : scales;
  if (list && (list->count() != axes->size() || list->isFloat() != (list == scales))) {
    return std::nullopt;
  }
  if (policy == "stretch" || !sizes) {
    resize(*dims, *axes, scales, sizes);
    return dims;
  }
  const auto kept =
      sizes->isSure() ? keptAspect(policy, *dims, *axes, sizes->integers) : std::nullopt;
  for (const std::size_t axis : *axes) {
    std::int64_t& dim = (*dims)[axis];
    dim = kept ? plus(std::llround(*kept * static_cast<float>(dim)), 0) : kUnknown;
  }
  return dims;
}

}  // namespace mpm::onnx
