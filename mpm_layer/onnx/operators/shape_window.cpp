// SPDX-License-Identifier: Apache-2.0
// Operators that look at an image through windows, or rearrange its pixels.
#include <algorithm>

#include "onnx/graph/attribute.h"
#include "onnx/operators/shape_rules.h"
#include "onnx/operators/window.h"

namespace mpm::onnx {
namespace {

std::int64_t transposedSize(const WindowAxis& axis, std::int64_t added) {
  if (!isNumber(axis.size) || axis.size == 0) return kUnknown;
  const std::int64_t whole = plus(plus(times(axis.stride, axis.size - 1), added), axis.span());
  const std::int64_t pads = axis.before + axis.behind;
  return isNumber(whole) && whole >= pads ? whole - pads : kUnknown;
}

// An image's dims with a window's places in place of its sides.
Integers withPlaces(Integers dims, const Window& window) {
  for (std::size_t i = 0; i < window.size(); ++i) dims[2 + i] = window[i].places;
  return dims;
}

}  // namespace

Dims shapeConv(const Call& call) {
  Dims dims = call.copyOf(0);
  const Integers* weight = call.dims(1);
  if (!dims && weight && weight->size() >= 3) dims.emplace(weight->size(), kUnknown);
  if (!dims || dims->size() < 3) return std::nullopt;
  const auto window = windowOf(call.node, *dims, weight ? kernelOf(*weight) : Integers{});
  if (!window) return std::nullopt;
  (*dims)[1] = weight && !weight->empty() ? (*weight)[0] : kUnknown;
  return withPlaces(*dims, *window);
}

Dims shapeConvTranspose(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims || dims->size() < 3) return std::nullopt;
  const Integers* weight = call.dims(1);
  const std::size_t rank = dims->size() - 2;
  const auto window = windowOf(call.node, *dims, weight ? kernelOf(*weight) : Integers{});
  const auto added = entriesOf(call.node, "output_padding", rank, 0);
  const auto wanted = entriesOf(call.node, "output_shape", rank, 0);  // 0: none
  if (!window || !added || !wanted) return std::nullopt;
  const std::int64_t groups = intAttribute(call.node, "group").value_or(1);
  (*dims)[1] = weight && weight->size() > 1 ? times((*weight)[1], groups) : kUnknown;
  for (std::size_t i = 0; i < rank; ++i) {
    const WindowAxis& axis = (*window)[i];
    (*dims)[i + 2] = (*wanted)[i] > 0            ? (*wanted)[i]
                     : isPaddedToSame(call.node) ? times(axis.size, axis.stride)
                                                 : transposedSize(axis, (*added)[i]);
  }
  return dims;
}

Shapes shapePool(const Call& call) {
  const Dims image = call.copyOf(0);
  const auto window = image ? windowOf(call.node, *image, {}) : std::nullopt;
  if (!window) return {};
  const Dims dims = withPlaces(*image, *window);
  return {dims, dims};  // MaxPool's second output says where the largest stood
}

Dims shapeGlobalPool(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims || dims->size() < 2) return std::nullopt;
  std::fill(dims->begin() + 2, dims->end(), 1);
  return dims;
}

Dims shapeDepthToSpace(const Call& call) {
  Dims dims = call.copyOf(0);
  const std::int64_t block = intAttribute(call.node, "blocksize").value_or(0);
  if (!dims || dims->size() != 4 || block < 1) return std::nullopt;
  const std::int64_t area = times(block, block);
  std::int64_t& depth = (*dims)[1];
  depth = isNumber(depth) && isNumber(area) && depth % area == 0 ? depth / area : kUnknown;
  for (std::size_t i = 2; i < 4; ++i) (*dims)[i] = times((*dims)[i], block);
  return dims;
}

Dims shapeSpaceToDepth(const Call& call) {
  Dims dims = call.copyOf(0);
  const std::int64_t block = intAttribute(call.node, "blocksize").value_or(0);
  if (!dims || dims->size() != 4 || block < 1) return std::nullopt;
  (*dims)[1] = times((*dims)[1], times(block, block));
  for (std::size_t i = 2; i < 4; ++i) {
    std::int64_t& dim = (*dims)[i];
    dim = isNumber(dim) && dim % block == 0 ? dim / block : kUnknown;
  }
  return dims;
}

// Inputs: columns [N, C x block, places], the image's height and width, and the block's.
Dims shapeCol2Im(const Call& call) {
  const Integers* data = call.dims(0);
  const Known *image = call.list(1), *block = call.list(2);
  if (!data || data->size() != 3 || !image || !block || !image->isSure() || !block->isSure() ||
      image->integers.size() != 2 || block->integers.size() != 2)
    return std::nullopt;
  const std::int64_t each = times(block->integers[0], block->integers[1]);
  const std::int64_t columns = (*data)[1];
  if (!isNumber(columns) || each < 1 || columns % each != 0) return std::nullopt;
  return Integers{(*data)[0], columns / each, image->integers[0], image->integers[1]};
}

}  // namespace mpm::onnx
