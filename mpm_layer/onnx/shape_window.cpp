// SPDX-License-Identifier: Apache-2.0
// Operators that look at an image through windows, or rearrange its pixels.
#include <algorithm>
#include <string>

#include "onnx/attribute.h"
#include "onnx/shape_rules.h"

namespace mpm::onnx {
namespace {

// Attributes of a convolution or pooling; one entry for each axis of an image, pads two.
struct Window {
  Integers kernel;  // kUnknown: not known
  Integers strides, dilations, pads;
  std::string autoPad;
  bool roundsUp = false;
};

// Lists an attribute in which every entry is in [least, 2^31); nothing where one is not.
std::optional<Integers> attributeList(const Call& call, const char* name, std::size_t count,
                                      std::int64_t otherwise, std::int64_t least) {
  auto list = intsAttribute(call.node, name).value_or(Integers{});
  if (list.empty()) list.assign(count, otherwise);
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  const bool isSound = std::all_of(
      list.begin(), list.end(), [&](std::int64_t each) { return each >= least && each < kMost; });
  if (list.size() != count || !isSound) return std::nullopt;
  return list;
}

std::optional<Window> windowOf(const Call& call, const Integers* weight, std::size_t rank) {
  Window window;
  if (weight && weight->size() == rank + 2)
    window.kernel.assign(weight->begin() + 2, weight->end());
  if (const auto given = attributeList(call, "kernel_shape", rank, kUnknown, 0)) {
    window.kernel = *given;
  }
  if (window.kernel.size() != rank) window.kernel.assign(rank, kUnknown);
  const auto strides = attributeList(call, "strides", rank, 1, 1);
  const auto dilations = attributeList(call, "dilations", rank, 1, 1);
  const auto pads = attributeList(call, "pads", 2 * rank, 0, 0);
  if (!strides || !dilations || !pads) return std::nullopt;
  window.strides = *strides;
  window.dilations = *dilations;
  window.pads = *pads;
  window.autoPad = stringAttribute(call.node, "auto_pad").value_or("NOTSET");
  window.roundsUp = intAttribute(call.node, "ceil_mode").value_or(0) != 0;
  return window;
}

bool isSame(const Window& window) { return window.autoPad.rfind("SAME", 0) == 0; }

// Pixels from the first to the last that a window covers; kUnknown or a number.
std::int64_t spanOf(const Window& window, std::size_t axis) {
  const std::int64_t kernel = window.kernel[axis];
  if (kernel == 0) return kUnknown;
  return isNumber(kernel) ? plus(times(window.dilations[axis], kernel - 1), 1) : kUnknown;
}

std::int64_t padsOf(const Window& window, std::size_t axis) {
  if (window.autoPad == "VALID") return 0;
  return window.pads[axis] + window.pads[axis + window.kernel.size()];
}

// Positions of the window along an axis.
std::int64_t positions(const Window& window, std::size_t axis, std::int64_t in) {
  const std::int64_t stride = window.strides[axis];
  if (isSame(window)) {
    if (stride == 1) return in;
    return isNumber(in) ? (in + stride - 1) / stride : kUnknown;
  }
  const std::int64_t span = spanOf(window, axis), pads = padsOf(window, axis);
  if (!isNumber(span)) return kUnknown;
  if (stride == 1 && pads == span - 1) return in;
  if (!isNumber(in) || in + pads < span) return kUnknown;
  const std::int64_t room = in + pads - span;
  if (!window.roundsUp) return room / stride + 1;
  std::int64_t count = (room + stride - 1) / stride + 1;
  const std::int64_t before = window.autoPad == "VALID" ? 0 : window.pads[axis];
  // A window that starts in the padding behind the image is not taken.
  if (isNumber(times(count - 1, stride)) && (count - 1) * stride >= in + before) --count;
  return count;
}

std::int64_t transposedSize(const Window& window, std::size_t axis, std::int64_t in,
                            std::int64_t added) {
  const std::int64_t stride = window.strides[axis];
  if (isSame(window)) return times(in, stride);
  const std::int64_t span = spanOf(window, axis);
  if (!isNumber(in) || in == 0) return kUnknown;
  const std::int64_t whole = plus(plus(times(stride, in - 1), added), span);
  const std::int64_t pads = padsOf(window, axis);
  return isNumber(whole) && whole >= pads ? whole - pads : kUnknown;
}

}  // namespace

Dims shapeConv(const Call& call) {
  Dims dims = call.copyOf(0);
  const Integers* weight = call.dims(1);
  if (!dims && weight && weight->size() >= 3) dims.emplace(weight->size(), kUnknown);
  if (!dims || dims->size() < 3) return std::nullopt;
  const auto window = windowOf(call, weight, dims->size() - 2);
  if (!window) return std::nullopt;
  (*dims)[1] = weight && !weight->empty() ? (*weight)[0] : kUnknown;
  for (std::size_t i = 2; i < dims->size(); ++i) {
    (*dims)[i] = positions(*window, i - 2, (*dims)[i]);
  }
  return dims;
}

Dims shapeConvTranspose(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims || dims->size() < 3) return std::nullopt;
  const Integers* weight = call.dims(1);
  const std::size_t rank = dims->size() - 2;
  const auto window = windowOf(call, weight, rank);
  const auto added = attributeList(call, "output_padding", rank, 0, 0);
  const auto wanted = attributeList(call, "output_shape", rank, kUnknown, 0);
  if (!window || !added) return std::nullopt;
  const std::int64_t groups = intAttribute(call.node, "group").value_or(1);
  (*dims)[1] = weight && weight->size() > 1 ? times((*weight)[1], groups) : kUnknown;
  for (std::size_t i = 0; i < rank; ++i) {
    std::int64_t& dim = (*dims)[i + 2];
    dim = wanted ? (*wanted)[i] : transposedSize(*window, i, dim, (*added)[i]);
  }
  return dims;
}

Shapes shapePool(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims || dims->size() < 3) return {};
  const auto window = windowOf(call, nullptr, dims->size() - 2);
  if (!window) return {};
  for (std::size_t i = 2; i < dims->size(); ++i) {
    (*dims)[i] = positions(*window, i - 2, (*dims)[i]);
  }
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
