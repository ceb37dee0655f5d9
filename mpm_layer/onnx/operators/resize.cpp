// SPDX-License-Identifier: Apache-2.0
// Resize, computed as in ONNX Runtime: coordinates and weights in float32.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"
#include "processor/pool.h"

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

// Sources of one element along an axis; empty if it lies outside the input.
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
  if (style.coordinates == "half_pixel_symmetric") {
    const auto from = static_cast<float>(axis.from);
    const float whole = static_cast<float>(axis.to) / (axis.scale * from);
    return from / 2 * (1 - whole) + (x + 0.5F) / axis.scale - 0.5F;
  }
  if (style.isCut()) {
    const auto last = static_cast<float>(axis.from - 1);
    if (axis.to == 1) return 0.5F * (axis.begin + axis.end) * last;
    return axis.begin * last + x * (axis.end - axis.begin) * last / static_cast<float>(axis.to - 1);
  }
  return (x + 0.5F) / axis.scale - 0.5F;
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

// Returns the weight at this distance in elements.
float filter(const ResizeStyle& style, float away) {
  const float a = style.cubicA, x = std::fabs(away);
  if (style.mode == "linear") return std::max(0.0F, 1 - x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// Widens the filter to the area of a result's element if sizes shrink.
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

// Returns the sources of the elements along an axis of the result.
std::vector<Taps> tapsOf(const ResizeStyle& style, const ResizedAxis& axis) {
  std::vector<Taps> taps;
  for (std::int64_t i = 0; i < axis.to; ++i) {
    const float x = coordinate(style, axis, i);
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

// Before opset 11 a Resize has scales as its second input; before 9 it is an Upsample with them as
// an attribute.
bool isOldResize(const Call& call) {
  return (call.opset > 0 && call.opset < 11) || call.node.op_type() == "Upsample";
}

std::optional<ResizeStyle> styleOf(const Node& node, bool isOld) {
  ResizeStyle style;
  style.mode = stringAttribute(node, "mode").value_or("nearest");
  style.coordinates = stringAttribute(node, "coordinate_transformation_mode")
                          .value_or(isOld ? "asymmetric" : "half_pixel");
  style.nearest =
      stringAttribute(node, "nearest_mode").value_or(isOld ? "floor" : "round_prefer_floor");
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
                                  "half_pixel_symmetric", "tf_crop_and_resize"}) &&
      isOneOf(style.nearest, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) &&
      isOneOf(style.policy, {"stretch", "not_larger", "not_smaller"});
  return isKnown ? std::optional(style) : std::nullopt;
}

// Returns the axes of the lists: the named ones, else all; std::nullopt if one is wrong.
std::optional<std::vector<std::size_t>> placesOf(const Node& node, std::size_t rank) {
  Integers named;
  for (std::size_t i = 0; i < rank; ++i) named.push_back(static_cast<std::int64_t>(i));
  named = intsAttribute(node, "axes").value_or(named);
  if (!markAxes(named, rank)) return std::nullopt;
  std::vector<std::size_t> places;
  for (const std::int64_t axis : named) places.push_back(*axisOf(axis, rank));
  return places;
}

// Returns a rounded size, or 0 if it is not one.
std::int64_t sizeOf(float rounded) {
  const bool isSize = rounded >= 1 && rounded <= static_cast<float>(kMostSize);
  return isSize ? static_cast<std::int64_t>(rounded) : 0;
}

// Returns the axes with a new size; std::nullopt if sizes are unknown or make no sense.
std::optional<std::vector<ResizedAxis>> axesOf(const Call& call, const ResizeStyle& style,
                                               const Integers& dims) {
  const auto places = placesOf(call.node, dims.size());
  const bool isOld = isOldResize(call);
  const KnownTensor *scales = call.input(isOld ? 1 : 2), *sizes = isOld ? nullptr : call.input(3);
  KnownTensor attribute;
  if (const auto given = floatsAttribute(call.node, "scales")) {
    attribute.type = ::onnx::TensorProto::FLOAT;
    attribute.floats = *given;
    scales = &attribute;
  }
  const bool bySizes = sizes && sizes->count() > 0;
  const KnownTensor* list = bySizes ? sizes : scales;
  if (!places || !list || list->count() != places->size() || list->isFloat() == bySizes ||
      !list->isSure())
    return std::nullopt;
  const KnownTensor* part = style.isCut() ? sureFloats(call.input(1)) : nullptr;
  // For a part that is cropped and scaled, runtimes deviate from ONNX's sizes.
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
    if (axis.to != axis.from || axis.scale != 1) axes.push_back(axis);
  }
  return axes;
}

Result resized(const KnownTensor& data, const ResizeStyle& style, const ResizedAxis& axis) {
  const auto taps = tapsOf(style, axis);
  Integers dims = data.dims;
  dims[axis.index] = axis.to;
  Result result = unwritten(data.type, dims);
  if (!result) return std::nullopt;
  const std::size_t inner = product(dims, axis.index + 1, dims.size());
  const std::size_t outer = product(dims, 0, axis.index);
  const std::size_t block = inner * static_cast<std::size_t>(axis.from);
  float* const all = result->floats.write();
  processor::forEachTask(outer, [&](std::size_t o) {
    float* out = all + o * inner * taps.size();
    for (const Taps& each : taps) {
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
  });
  return result;
}

Result foldResize(const Call& call) {
  const KnownTensor* data = call.input(0);
  const auto style = styleOf(call.node, isOldResize(call));
  if (!data || !style) return std::nullopt;
  if (!data->isFloat() || !data->isSure() || data->count() == 0) return std::nullopt;
  auto axes = axesOf(call, *style, data->dims);
  constexpr std::size_t kMostAxes = 3;
  if (!axes || axes->size() > kMostAxes) return std::nullopt;
  // Axes that shrink go first: then no intermediate is larger than the result or the data.
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

// Operators that change the size of axes.

// Returns the axes of a node's lists: the named ones, else all.
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

std::int64_t padded(const KnownTensor& pads, std::size_t i, std::size_t count, std::int64_t size) {
  if (!pads.isSure(i) || !pads.isSure(i + count)) return kUnknown;
  std::int64_t added = 0;
  if (__builtin_add_overflow(pads.integers[i], pads.integers[i + count], &added)) return kUnknown;
  if (added == 0) return size;
  if (!isNumber(size) || __builtin_add_overflow(size, added, &added)) return kUnknown;
  return plus(added, 0);
}

// Computes in float32, as runtimes do.
std::int64_t scaled(float scale, std::int64_t size) {
  if (scale == 1) return size;
  const float result = std::floor(scale * static_cast<float>(size));
  constexpr float kMost = 0x1p40f;
  return isNumber(size) && result >= 0 && result <= kMost ? static_cast<std::int64_t>(result)
                                                          : kUnknown;
}

void resize(Integers& dims, const std::vector<std::size_t>& axes, const KnownTensor* scales,
            const KnownTensor* sizes) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::int64_t& dim = dims[axes[i]];
    if (sizes) {
      const std::int64_t wanted = sizes->integers[i];
      dim = sizes->isSure(i) ? std::max(wanted, kUnknown) : std::min(wanted, kUnknown);
    } else {
      dim = scales && scales->isSure(i) ? scaled(scales->floats[i], dim) : kUnknown;
    }
  }
}

Dims shapeGridSample(const Call& call) {
  const Integers *data = call.dims(0), *grid = call.dims(1);
  if (!data || !grid || data->size() != 4 || grid->size() != 4 || grid->back() != 2)
    return std::nullopt;
  if (isNumber((*data)[0]) && isNumber((*grid)[0]) && (*data)[0] != (*grid)[0]) return std::nullopt;
  return Integers{(*data)[0], (*data)[1], (*grid)[1], (*grid)[2]};
}

// Inputs: X, scales before opset 11 (an attribute before 9); X, roi, scales, sizes from then on.
Dims shapeResize(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims) return std::nullopt;
  const bool isOld = isOldResize(call);
  const KnownTensor* scales = call.list(isOld ? 1 : 2);
  const KnownTensor* sizes = isOld ? nullptr : call.list(3);
  KnownTensor attribute;
  if (const auto given = floatsAttribute(call.node, "scales")) {
    attribute.type = ::onnx::TensorProto::FLOAT;
    attribute.floats = *given;
    scales = &attribute;
  }
  if (scales && scales->count() == 0) scales = nullptr;
  if (sizes && sizes->count() == 0) sizes = nullptr;
  const std::string policy =
      stringAttribute(call.node, "keep_aspect_ratio_policy").value_or("stretch");
  const auto axes = axesOf(intsAttribute(call.node, "axes"), dims->size());
  if (!axes) return std::nullopt;
  const KnownTensor* list = sizes ? sizes : scales;
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

// GridSample and AffineGrid of planes, computed as in ONNX Runtime: coordinates and weights in
// float32.

enum class Padding { zeros, border, reflection };

// Sources of one place of the result along one axis of a plane; -1: none.
struct SampleTaps {
  std::array<std::int64_t, 4> places{};
  std::array<float, 4> weights{};
  std::size_t count = 0;
};

// An axis of the planes, and the mapping of coordinates from -1 to 1 to it.
struct Axis {
  std::int64_t size = 0;
  bool alignsCorners = false;
  Padding padding = Padding::zeros;

  float first() const { return alignsCorners ? 0.0F : -0.5F; }
  float last() const { return static_cast<float>(size) - (alignsCorners ? 1.0F : 0.5F); }

  float at(float coordinate) const {
    const auto length = static_cast<float>(size);
    return alignsCorners ? (coordinate + 1) / 2 * (length - 1)
                         : ((coordinate + 1) * length - 1) / 2;
  }

  // Reflects at the first and the last place, as often as needed.
  float reflected(float place) const {
    const float range = last() - first();
    if (range <= 0) return 0;
    const float away = place < first() ? first() - place : place - last();
    if (away <= 0) return place;
    const float turns = std::floor(away / range), rest = away - turns * range;
    const bool isBack = std::fmod(turns, 2.0F) == 0;
    return (place < first()) == isBack ? first() + rest : last() - rest;
  }

  // Returns the element for an integer place; -1: none.
  std::int64_t element(float place) const {
    if (padding == Padding::reflection) place = reflected(place);
    const auto end = static_cast<float>(size);
    if (padding == Padding::zeros && !(place >= 0 && place < end)) return -1;
    return static_cast<std::int64_t>(std::clamp(place, 0.0F, end - 1));
  }

  // Maps a coordinate to a place on this axis, with padding that applies to coordinates. Border
  // padding does so only if no more than the two adjacent taps count.
  float placeOf(float coordinate, bool isCubic) const {
    const float place = at(coordinate);
    if (!std::isfinite(place)) return -2;  // outside, and far from nothing
    if (place >= first() && place <= last()) return place;
    if (padding == Padding::border && !isCubic)
      return std::clamp(place, 0.0F, static_cast<float>(size - 1));
    return padding == Padding::reflection ? reflected(place) : place;
  }
};

std::array<float, 4> cubicWeights(float s) {
  constexpr float a = -0.75F;
  return {((a * (s + 1) - 5 * a) * (s + 1) + 8 * a) * (s + 1) - 4 * a,
          ((a + 2) * s - (a + 3)) * s * s + 1,
          ((a + 2) * (1 - s) - (a + 3)) * (1 - s) * (1 - s) + 1,
          ((a * (2 - s) - 5 * a) * (2 - s) + 8 * a) * (2 - s) - 4 * a};
}

SampleTaps tapsAt(const Axis& axis, const std::string& mode, float coordinate) {
  float place = axis.placeOf(coordinate, mode == "cubic");
  if (mode == "nearest") {
    place = std::nearbyint(place);
    return {{axis.element(place)}, {1}, 1};
  }
  const float left = std::floor(place), part = place - left;
  if (mode == "linear") {
    return {{axis.element(left), axis.element(left + 1)}, {1 - part, part}, 2};
  }
  SampleTaps taps{{}, cubicWeights(part), 4};
  for (std::size_t i = 0; i < 4; ++i)
    taps.places[i] = axis.element(left - 1 + static_cast<float>(i));
  return taps;
}

float sampled(const float* plane, std::int64_t width, const SampleTaps& rows,
              const SampleTaps& columns) {
  float sum = 0;
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (rows.places[i] < 0) continue;
    float line = 0;
    for (std::size_t j = 0; j < columns.count; ++j) {
      if (columns.places[j] >= 0)
        line += columns.weights[j] * plane[rows.places[i] * width + columns.places[j]];
    }
    sum += rows.weights[i] * line;
  }
  return sum;
}

// Returns the mode's name of new opsets; empty for an unknown one.
std::string modeOf(const Node& node) {
  const std::string mode = stringAttribute(node, "mode").value_or("linear");
  if (mode == "linear" || mode == "bilinear") return "linear";
  if (mode == "cubic" || mode == "bicubic") return "cubic";
  return mode == "nearest" ? mode : "";
}

std::optional<Padding> paddingOf(const Node& node) {
  const std::string padding = stringAttribute(node, "padding_mode").value_or("zeros");
  if (padding == "zeros") return Padding::zeros;
  if (padding == "border") return Padding::border;
  return padding == "reflection" ? std::optional(Padding::reflection) : std::nullopt;
}

Result foldGridSample(const Call& call) {
  const KnownTensor *data = sureFloats(call.input(0)), *grid = sureFloats(call.input(1));
  const std::string mode = modeOf(call.node);
  const auto padding = paddingOf(call.node);
  const Dims made = data && grid && padding && !mode.empty() ? resultDims(call) : std::nullopt;
  Result result = made ? unwritten(data->type, *made) : std::nullopt;
  if (!result || data->dims.size() != 4 || data->dims[2] < 1 || data->dims[3] < 1)
    return std::nullopt;
  float* const out = result->floats.write();
  const bool aligns = intAttribute(call.node, "align_corners").value_or(0) != 0;
  const std::int64_t height = data->dims[2], width = data->dims[3];
  const Axis down{height, aligns, *padding}, across{width, aligns, *padding};
  const auto channels = static_cast<std::size_t>(data->dims[1]);
  const std::size_t area = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  const std::size_t places = product(*made, 2, 4);
  forEachPiece(product(grid->dims, 0, 3), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const SampleTaps columns = tapsAt(across, mode, grid->floats[2 * i]);
      const SampleTaps rows = tapsAt(down, mode, grid->floats[2 * i + 1]);
      const std::size_t first = i / places * channels;
      for (std::size_t c = 0; c < channels; ++c) {
        out[(first + c) * places + i % places] =
            sampled(data->floats.data() + (first + c) * area, width, rows, columns);
      }
    }
  });
  return result;
}

}  // namespace

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

Dims shapePad(const Call& call) {
  Dims dims = call.copyOf(0);
  if (!dims) return std::nullopt;
  KnownTensor attribute;
  const KnownTensor* pads = call.list(1);
  if (const auto given = intsAttribute(call.node, "pads")) {
    attribute.integers = *given;
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

const Operators& resizingOperators() {
  static const Operators rows = {
      {"GridSample", first<shapeGridSample>, one<foldGridSample>},
      {"Resize", first<shapeResize>, one<foldResize>},
      {"Upsample", first<shapeResize>, one<foldResize>},
  };
  return rows;
}

}  // namespace mpm::onnx
