// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/window.h"

#include <algorithm>
#include <string>

#include "onnx/graph/attribute.h"

namespace mpm::onnx {
namespace {

// No image, and so no kernel, stride or padding, is larger; products of two do not overflow.
constexpr std::int64_t kMost = std::int64_t{1} << 25;

std::int64_t placesOf(const WindowAxis& axis, bool roundsUp) {
  const std::int64_t span = axis.span(), pads = axis.before + axis.behind;
  if (!isNumber(span)) return kUnknown;
  if (axis.stride == 1 && pads == span - 1) return axis.size;
  const std::int64_t padded = plus(axis.size, pads);
  if (!isNumber(padded) || padded < span) return kUnknown;
  const std::int64_t room = padded - span, whole = room / axis.stride + 1;
  if (!roundsUp || room % axis.stride == 0) return whole;
  // A window that starts in the padding behind the image is not taken.
  return whole * axis.stride < axis.size + axis.before ? whole + 1 : whole;
}

void padToSame(WindowAxis& axis, bool isLower) {
  const std::int64_t size = axis.size, stride = axis.stride, span = axis.span();
  axis.before = axis.behind = kUnknown;
  axis.places = stride == 1 ? size : kUnknown;
  if (!isNumber(size)) return;
  axis.places = size / stride + (size % stride == 0 ? 0 : 1);
  if (!isNumber(span)) return;
  const std::int64_t all = std::max<std::int64_t>(0, (axis.places - 1) * stride - size + span);
  axis.before = isLower ? all - all / 2 : all / 2;
  axis.behind = all - axis.before;
}

}  // namespace

std::optional<Integers> entriesOf(const Node& node, const char* name, std::size_t count,
                                  std::int64_t least) {
  Integers list = intsAttribute(node, name).value_or(Integers{});
  if (list.empty()) list.assign(count, least);
  const auto isSound = [&](std::int64_t each) { return each >= least && each <= kMost; };
  if (list.size() != count || !std::all_of(list.begin(), list.end(), isSound)) return std::nullopt;
  return list;
}

bool isPaddedToSame(const Node& node) {
  return stringAttribute(node, "auto_pad").value_or("").starts_with("SAME");
}

Integers kernelOf(const Integers& weight) {
  return weight.size() < 3 ? Integers{} : Integers(weight.begin() + 2, weight.end());
}

std::optional<Window> windowOf(const Node& node, const Integers& image, const Integers& kernel) {
  if (image.size() < 3) return std::nullopt;
  const std::size_t rank = image.size() - 2;
  const auto strides = entriesOf(node, "strides", rank, 1);
  const auto dilations = entriesOf(node, "dilations", rank, 1);
  const auto pads = entriesOf(node, "pads", 2 * rank, 0);
  if (!strides || !dilations || !pads) return std::nullopt;
  const Integers sides = intsAttribute(node, "kernel_shape").value_or(kernel);
  const std::string word = stringAttribute(node, "auto_pad").value_or("NOTSET");
  const bool roundsUp = intAttribute(node, "ceil_mode").value_or(0) != 0;
  Window window;
  for (std::size_t i = 0; i < rank; ++i) {
    const bool isKnown = sides.size() == rank && sides[i] >= 1 && sides[i] <= kMost;
    const bool isPadded = word != "VALID";
    WindowAxis axis{
        image[2 + i],    isKnown ? sides[i] : kUnknown, (*strides)[i],
        (*dilations)[i], isPadded ? (*pads)[i] : 0,     isPadded ? (*pads)[rank + i] : 0};
    if (isPaddedToSame(node)) {
      padToSame(axis, word == "SAME_LOWER");
    } else {
      axis.places = placesOf(axis, roundsUp);
    }
    window.push_back(axis);
  }
  return window;
}

}  // namespace mpm::onnx
