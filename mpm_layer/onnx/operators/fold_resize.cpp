// SPDX-License-Identifier: Apache-2.0
// Resize, computed as ONNX Runtime does: coordinates and weights in float32.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/operators/fold_ops.h"
#include "onnx/operators/fold_places.h"
#include "onnx/operators/shape_rules.h"

namespace mpm::onnx {
namespace {

constexpr std::int64_t kMostSize = 1 << 16;

// Attributes of a Resize.
struct ResizeStyle {
  std::string mode, coordinates, nearest, policy;
  float cubicA = -0.75F, outside = 0;
  bool excludesOutside = false, isAntialiased = false;

  bool isCut() const { return coordinates == "tf_crop_and_resize"; }
};

struct ResizedAxis {
  std::size_t index = 0;
  std::int64_t from = 0, to = 0;
  float scale = 1;
  float begin = 0, end = 1;  // what is cut out of it, if anything is
};

// What one element along an axis is made of; of nothing, where it lies outside what there is.
struct Taps {
  std::vector<std::int64_t> places;
  std::vector<float> weights;
};

float coordinate(const ResizeStyle& style, const ResizedAxis& axis, std::int64_t place) {
  const auto x = static_cast<float>(place);
  if (style.coordinates == "asymmetric") return x / axis.scale;
  if (style.coordinates == "align_corners") {
    if (axis.to == 1) return 0;
    return x * static_cast<float>(axis.from - 1) / static_cast<float>(axis.to - 1);
  }
  if (style.coordinates == "pytorch_half_pixel" && axis.to == 1) return 0;
  if (style.isCut()) {
    const auto last = static_cast<float>(axis.from - 1);
    if (axis.to == 1) return 0.5F * (axis.begin + axis.end) * last;
    return axis.begin * last + x * (axis.end - axis.begin) * last / static_cast<float>(axis.to - 1);
  }
  return (x + 0.5F) / axis.scale - 0.5F;
}

// Whether the last bit of a coordinate decides which element is the nearest: runtimes round
// differently.
bool isDoubtful(const ResizeStyle& style, float x) {
  const bool isRound = style.nearest.rfind("round", 0) == 0;
  const float away = std::fabs(isRound ? x - std::floor(x) - 0.5F : x - std::round(x));
  return away > 0 && away < 1e-4F;
}

Taps nearestTaps(const ResizeStyle& style, const ResizedAxis& axis, float x) {
  float place = 0;
  if (style.nearest == "floor") {
    place = std::floor(x);
  } else if (style.nearest == "ceil") {
    place = std::ceil(x);
  } else {
    const bool isHalf = x - std::floor(x) == 0.5F;
    const float half = style.nearest == "round_prefer_ceil" ? std::ceil(x) : std::floor(x);
    place = isHalf ? half : std::round(x);
  }
  return {{std::clamp<std::int64_t>(static_cast<std::int64_t>(place), 0, axis.from - 1)}, {1}};
}

Taps linearTaps(const ResizedAxis& axis, float x) {
  x = std::clamp(x, 0.0F, static_cast<float>(axis.from - 1));
  const auto left = std::min(static_cast<std::int64_t>(x), axis.from - 1);
  const float part = x - static_cast<float>(left);
  return {{left, std::min(left + 1, axis.from - 1)}, {1 - part, part}};
}

Taps cubicTaps(const ResizeStyle& style, const ResizedAxis& axis, float x) {
  const float a = style.cubicA, left = std::floor(x), s = x - left;
  Taps taps;
  taps.places.resize(4);
  taps.weights = {((a * (s + 1) - 5 * a) * (s + 1) + 8 * a) * (s + 1) - 4 * a,
                  ((a + 2) * s - (a + 3)) * s * s + 1,
                  ((a + 2) * (1 - s) - (a + 3)) * (1 - s) * (1 - s) + 1,
                  ((a * (2 - s) - 5 * a) * (2 - s) + 8 * a) * (2 - s) - 4 * a};
  float total = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int64_t place = static_cast<std::int64_t>(left) - 1 + static_cast<std::int64_t>(i);
    taps.places[i] = std::clamp<std::int64_t>(place, 0, axis.from - 1);
    if (style.excludesOutside && taps.places[i] != place) taps.weights[i] = 0;
    total += taps.weights[i];
  }
  for (float& weight : taps.weights) {
    if (style.excludesOutside) weight /= total;
  }
  return taps;
}

// The weight of what lies so far away, in one's own elements.
float filter(const ResizeStyle& style, float away) {
  const float a = style.cubicA, x = std::fabs(away);
  if (style.mode == "linear") return std::max(0.0F, 1 - x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// As wide as what an element of the result covers where sizes shrink.
Taps antialiasedTaps(const ResizeStyle& style, const ResizedAxis& axis, float x) {
  const float narrow = std::min(axis.scale, 1.0F), centre = x + 0.5F;
  const float reach = (style.mode == "linear" ? 1.0F : 2.0F) / narrow;
  const auto end = static_cast<std::int64_t>(std::floor(centre + reach + 0.5F));
  Taps taps;
  float total = 0;
  for (auto place = static_cast<std::int64_t>(std::floor(centre - reach + 0.5F)); place < end;
       ++place) {
    const auto inside = std::clamp<std::int64_t>(place, 0, axis.from - 1);
    if (style.excludesOutside && inside != place) continue;
    taps.places.push_back(inside);
    taps.weights.push_back(filter(style, (static_cast<float>(place) + 0.5F - centre) * narrow));
    total += taps.weights.back();
  }
  for (float& weight : taps.weights) weight /= total;
  return taps;
}

// What the elements along an axis of the result are made of, in float32 as ONNX Runtime computes
// it. Nothing where rounding decides which element is the nearest, for there runtimes differ.
std::optional<std::vector<Taps>> tapsOf(const ResizeStyle& style, const ResizedAxis& axis) {
  std::vector<Taps> taps;
  for (std::int64_t i = 0; i < axis.to; ++i) {
    const float x = coordinate(style, axis, i);
    if (style.mode == "nearest" && isDoubtful(style, x)) return std::nullopt;
    if (style.isCut() && !(x >= 0 && x <= static_cast<float>(axis.from - 1))) {
      taps.emplace_back();
      continue;
    }
    taps.push_back(style.mode == "nearest"  ? nearestTaps(style, axis, x)
                   : style.isAntialiased    ? antialiasedTaps(style, axis, x)
                   : style.mode == "linear" ? linearTaps(axis, x)
                                            : cubicTaps(style, axis, x));
  }
  return taps;
}

std::optional<ResizeStyle> styleOf(const Node& node) {
  ResizeStyle style;
  style.mode = stringAttribute(node, "mode").value_or("nearest");
  style.coordinates =
      stringAttribute(node, "coordinate_transformation_mode").value_or("half_pixel");
  style.nearest = stringAttribute(node, "nearest_mode").value_or("round_prefer_floor");
  style.policy = stringAttribute(node, "keep_aspect_ratio_policy").value_or("stretch");
  style.cubicA = floatAttribute(node, "cubic_coeff_a").value_or(-0.75F);
  style.outside = floatAttribute(node, "extrapolation_value").value_or(0);
  style.isAntialiased = intAttribute(node, "antialias").value_or(0) != 0;
  style.excludesOutside = intAttribute(node, "exclude_outside").value_or(0) != 0;
  const auto isOneOf = [](const std::string& text, std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), text) != names.end();
  };
  const bool isKnown =
      isOneOf(style.mode, {"nearest", "linear", "cubic"}) &&
      isOneOf(style.coordinates, {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                                  "tf_crop_and_resize"}) &&
      isOneOf(style.nearest, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) &&
      isOneOf(style.policy, {"stretch", "not_larger", "not_smaller"});
  return isKnown ? std::optional(style) : std::nullopt;
}

// Which axes the lists speak of: those that are named, else all; nothing where one is wrong.
std::optional<std::vector<std::size_t>> placesOf(const Node& node, std::size_t rank) {
  Integers named;
  for (std::size_t i = 0; i < rank; ++i) named.push_back(static_cast<std::int64_t>(i));
  named = intsAttribute(node, "axes").value_or(named);
  if (!markAxes(named, rank)) return std::nullopt;
  std::vector<std::size_t> places;
  for (const std::int64_t axis : named) places.push_back(*axisOf(axis, rank));
  return places;
}

// A size that was rounded, or 0 where it is none.
std::int64_t sizeOf(float rounded) {
  const bool isSize = rounded >= 1 && rounded <= static_cast<float>(kMostSize);
  return isSize ? static_cast<std::int64_t>(rounded) : 0;
}

// The axes whose size changes. Nothing where sizes are not known or make no sense.
std::optional<std::vector<ResizedAxis>> axesOf(const Call& call, const ResizeStyle& style,
                                               const Integers& dims) {
  const auto places = placesOf(call.node, dims.size());
  const Known *scales = call.input(2), *sizes = call.input(3);
  const bool bySizes = sizes && sizes->count() > 0;
  const Known* list = bySizes ? sizes : scales;
  if (!places || !list || list->count() != places->size() || list->isFloat() == bySizes ||
      !list->isSure())
    return std::nullopt;
  const Known* part = style.isCut() ? sureFloats(call.input(1)) : nullptr;
  // Of a part that is cut out and scaled runtimes give other sizes than ONNX says.
  if (style.isCut() && (!bySizes || !part || part->count() != 2 * places->size()))
    return std::nullopt;
  const auto kept =
      bySizes ? keptAspect(style.policy, dims, *places, list->integers) : std::nullopt;
  std::vector<ResizedAxis> axes;
  for (std::size_t i = 0; i < places->size(); ++i) {
    ResizedAxis axis;
    axis.index = (*places)[i];
    axis.from = dims[axis.index];
    const auto from = static_cast<float>(axis.from);
    if (bySizes && !kept) {
      axis.to = list->integers[i];
      axis.scale = static_cast<float>(axis.to) / from;
    } else {
      axis.scale = kept ? *kept : list->floats[i];
      axis.to = sizeOf(kept ? std::round(axis.scale * from) : std::floor(axis.scale * from));
    }
    if (axis.to < 1 || axis.to > kMostSize) return std::nullopt;
    if (part) {
      axis.begin = part->floats[i];
      axis.end = part->floats[i + places->size()];
      const bool isWhole = axis.begin == 0 && axis.end == 1;
      // ONNX Runtime then takes the whole axis.
      if (axis.to == axis.from && !isWhole && style.mode == "nearest") return std::nullopt;
      if (axis.to != axis.from || !isWhole) axes.push_back(axis);
      continue;
    }
    // Runtimes differ where a scale that is not one leaves a size as it is.
    if (axis.to == axis.from && axis.scale != 1) return std::nullopt;
    if (axis.to != axis.from) axes.push_back(axis);
  }
  return axes;
}

Result resized(const Known& data, const ResizeStyle& style, const ResizedAxis& axis) {
  const auto taps = tapsOf(style, axis);
  Integers dims = data.dims;
  dims[axis.index] = axis.to;
  Result result = taps ? emptyKnown(data.type, dims) : std::nullopt;
  if (!result) return std::nullopt;
  result->sure.assign(result->count(), 1);
  const std::size_t inner = product(dims, axis.index + 1, dims.size());
  const std::size_t outer = product(dims, 0, axis.index);
  const std::size_t block = inner * static_cast<std::size_t>(axis.from);
  float* out = result->floats.data();
  for (std::size_t o = 0; o < outer; ++o) {
    for (const Taps& each : *taps) {
      for (std::size_t i = 0; i < inner; ++i) {
        double sum = each.places.empty() ? static_cast<double>(style.outside) : 0;
        for (std::size_t k = 0; k < each.places.size(); ++k) {
          const std::size_t row = static_cast<std::size_t>(each.places[k]) * inner;
          sum += static_cast<double>(each.weights[k]) *
                 static_cast<double>(data.floats[o * block + row + i]);
        }
        *out++ = static_cast<float>(sum);
      }
    }
  }
  return result;
}

}  // namespace

Result foldResize(const Call& call) {
  const Known* data = call.input(0);
  const auto style = styleOf(call.node);
  if (!data || !style || call.inputs.size() < 3) return std::nullopt;  // opset 10 has two inputs
  if (!data->isFloat() || !data->isSure() || data->count() == 0) return std::nullopt;
  auto axes = axesOf(call, *style, data->dims);
  constexpr std::size_t kMostAxes = 3;
  if (!axes || axes->size() > kMostAxes) return std::nullopt;
  // Axes that shrink go first: then nothing on the way is larger than the result or the data.
  std::reverse(axes->begin(), axes->end());
  std::stable_sort(axes->begin(), axes->end(), [](const ResizedAxis& a, const ResizedAxis& b) {
    return a.to < a.from && b.to > b.from;
  });
  Result result = *data;
  for (const ResizedAxis& axis : *axes) {
    result = resized(*result, *style, axis);
    if (!result) return std::nullopt;
  }
  return result;
}

}  // namespace mpm::onnx
