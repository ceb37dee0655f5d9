// SPDX-License-Identifier: Apache-2.0
// What lies in regions of planes, brought to one size: as detectors look at what they found.
// Computed as ONNX Runtime does, in float32.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "onnx/attribute.h"
#include "onnx/fold_ops.h"
#include "onnx/fold_places.h"

namespace mpm::onnx {
namespace {

constexpr std::int64_t kMostSamples = std::int64_t{1} << 10;  // along one side of a cell

// A few bytes of a file ask for any number of samples: no more elements are looked at than a result
// of this thread may have.
class Allowance {
 public:
  bool take(std::int64_t elements) { return (left_ -= elements) >= 0; }

 private:
  std::int64_t left_ = mostElements();
};

struct Planes {
  const Known& data;  // [B C H W]
  std::int64_t images = data.dims[0], channels = data.dims[1];
  std::int64_t height = data.dims[2], width = data.dims[3];

  const float* plane(std::int64_t image, std::int64_t channel) const {
    return data.floats.data() + (image * channels + channel) * height * width;
  }
};

bool isImage(const Known* data) {
  return data && data->dims.size() == 4 && data->dims[2] > 0 && data->dims[3] > 0;
}

// The four elements around a point, and how much each of them counts.
struct Sample {
  std::array<std::int64_t, 4> places{};
  std::array<float, 4> weights{};
};

// A point further than one element outside counts nothing.
Sample sampleAt(const Planes& planes, float y, float x) {
  const auto height = static_cast<float>(planes.height), width = static_cast<float>(planes.width);
  if (!(y >= -1 && y <= height && x >= -1 && x <= width)) return {};
  const auto around = [](float at, std::int64_t size) {
    at = std::max(at, 0.0F);
    const auto low = std::min(static_cast<std::int64_t>(at), size - 1);
    const float part = low == size - 1 ? 0 : at - static_cast<float>(low);
    return std::pair{low, part};
  };
  const auto [top, down] = around(y, planes.height);
  const auto [left, across] = around(x, planes.width);
  const std::int64_t bottom = std::min(top + 1, planes.height - 1);
  const std::int64_t right = std::min(left + 1, planes.width - 1);
  return {{top * planes.width + left, top * planes.width + right, bottom * planes.width + left,
           bottom * planes.width + right},
          {(1 - down) * (1 - across), (1 - down) * across, down * (1 - across), down * across}};
}

// One side of a region: where it begins, how long a cell of it is, and how many samples that takes.
struct Side {
  float begin = 0, cell = 0;
  std::int64_t samples = 1;

  float at(std::int64_t place, std::int64_t sample) const {
    return begin + static_cast<float>(place) * cell +
           (static_cast<float>(sample) + 0.5F) * cell / static_cast<float>(samples);
  }
};

struct Alignment {
  std::int64_t rows = 1, columns = 1, samples = 0;  // 0: as many as a cell is long
  float scale = 1;
  bool isHalfPixel = true, takesLargest = false;

  // Nothing where a region is no place of a picture.
  std::optional<Side> side(float from, float to, std::int64_t cells) const {
    const float offset = isHalfPixel ? 0.5F : 0;
    const float begin = from * scale - offset, end = to * scale - offset;
    const float length = isHalfPixel ? end - begin : std::max(end - begin, 1.0F);
    const float cell = length / static_cast<float>(cells);
    if (!(std::fabs(begin) < 0x1p24F && std::fabs(end) < 0x1p24F)) return std::nullopt;
    const auto own = static_cast<std::int64_t>(std::ceil(cell));
    const std::int64_t count = samples > 0 ? samples : own;
    if (count > kMostSamples) return std::nullopt;
    return Side{begin, cell, count};
  }
};

std::optional<Alignment> alignmentOf(const Call& call) {
  constexpr std::int64_t kMostCells = 1 << 12;
  Alignment found;
  found.rows = intAttribute(call.node, "output_height").value_or(1);
  found.columns = intAttribute(call.node, "output_width").value_or(1);
  found.samples = intAttribute(call.node, "sampling_ratio").value_or(0);
  found.scale = floatAttribute(call.node, "spatial_scale").value_or(1);
  const bool isOld = call.opset > 0 && call.opset < 16;
  const std::string places = stringAttribute(call.node, "coordinate_transformation_mode")
                                 .value_or(isOld ? "output_half_pixel" : "half_pixel");
  const std::string mode = stringAttribute(call.node, "mode").value_or("avg");
  found.isHalfPixel = places == "half_pixel";
  found.takesLargest = mode == "max";
  const bool isKnown =
      (found.isHalfPixel || places == "output_half_pixel") && (found.takesLargest || mode == "avg");
  const auto isSize = [](std::int64_t size) { return size >= 1 && size <= kMostCells; };
  if (!isKnown || !isSize(found.rows) || !isSize(found.columns) || found.samples < 0)
    return std::nullopt;
  return found;
}

// The mean of a cell's samples. The largest is that of the four weighted elements of each sample,
// as ONNX's own reference has it, and not of their sums.
float valueOf(const std::vector<Sample>& samples, const float* plane, bool takesLargest) {
  float value = takesLargest && !samples.empty() ? std::numeric_limits<float>::lowest() : 0;
  for (const Sample& sample : samples) {
    for (std::size_t i = 0; i < 4; ++i) {
      const float each = sample.weights[i] * plane[sample.places[i]];
      value = takesLargest ? std::max(value, each) : value + each;
    }
  }
  return takesLargest || samples.empty() ? value : value / static_cast<float>(samples.size());
}

// Which image a region lies in; nothing where there is no such one.
std::optional<std::int64_t> imageOf(std::int64_t index, const Planes& planes) {
  return index >= 0 && index < planes.images ? std::optional(index) : std::nullopt;
}

bool alignRegion(const Planes& planes, const Alignment& alignment, const float* region,
                 std::int64_t image, Allowance& allowance, float* out) {
  const auto down = alignment.side(region[1], region[3], alignment.rows);
  const auto across = alignment.side(region[0], region[2], alignment.columns);
  if (!down || !across) return false;
  const std::int64_t perCell = std::max<std::int64_t>(down->samples, 1) *
                               std::max<std::int64_t>(across->samples, 1) *
                               std::max<std::int64_t>(planes.channels, 1);
  std::vector<Sample> samples;
  for (std::int64_t cell = 0; cell < alignment.rows * alignment.columns; ++cell) {
    if (!allowance.take(perCell)) return false;
    samples.clear();
    for (std::int64_t i = 0; i < down->samples; ++i) {
      for (std::int64_t j = 0; j < across->samples; ++j)
        samples.push_back(sampleAt(planes, down->at(cell / alignment.columns, i),
                                   across->at(cell % alignment.columns, j)));
    }
    for (std::int64_t channel = 0; channel < planes.channels; ++channel)
      out[channel * alignment.rows * alignment.columns + cell] =
          valueOf(samples, planes.plane(image, channel), alignment.takesLargest);
  }
  return true;
}

// Which elements of a side a cell covers, in whole ones.
struct Cover {
  std::int64_t begin = 0, end = 0;
};

Cover coverOf(float from, float to, std::int64_t cells, std::int64_t cell, std::int64_t size) {
  const float length = std::max(to - from + 1, 1.0F) / static_cast<float>(cells);
  const auto inside = [&](float place) {
    return static_cast<std::int64_t>(std::clamp(place + from, 0.0F, static_cast<float>(size)));
  };
  return {inside(std::floor(static_cast<float>(cell) * length)),
          inside(std::ceil(static_cast<float>(cell + 1) * length))};
}

}  // namespace

Result foldRoiAlign(const Call& call) {
  const Known *data = sureFloats(call.input(0)), *regions = sureFloats(call.input(1));
  const Integers* images = call.parameters(2);
  const auto alignment = alignmentOf(call);
  const Dims made = isImage(data) && regions && images && alignment ? resultDims(call) : Dims{};
  Result result = made ? emptyKnown(data->type, *made) : std::nullopt;
  if (!result || regions->dims != Integers{made->front(), 4} ||
      static_cast<std::int64_t>(images->size()) != made->front())
    return std::nullopt;
  result->sure.assign(result->count(), 1);
  const Planes planes{*data};
  Allowance allowance;
  const std::size_t each = product(*made, 1, 4);
  for (std::size_t i = 0; i < images->size(); ++i) {
    const auto image = imageOf((*images)[i], planes);
    if (!image || !alignRegion(planes, *alignment, regions->floats.data() + 4 * i, *image,
                               allowance, result->floats.data() + i * each))
      return std::nullopt;
  }
  return result;
}

// Regions are rows of an image's number and two corners.
Result foldMaxRoiPool(const Call& call) {
  const Known *data = sureFloats(call.input(0)), *regions = sureFloats(call.input(1));
  const Dims made = isImage(data) && regions ? resultDims(call) : Dims{};
  Result result = made ? emptyKnown(data->type, *made) : std::nullopt;
  if (!result || regions->dims != Integers{made->front(), 5}) return std::nullopt;
  result->sure.assign(result->count(), 1);
  const float scale = floatAttribute(call.node, "spatial_scale").value_or(1);
  const Planes planes{*data};
  const std::int64_t rows = (*made)[2], columns = (*made)[3];
  Allowance allowance;
  float* out = result->floats.data();
  for (std::int64_t i = 0; i < made->front(); ++i) {
    const float* const region = regions->floats.data() + 5 * i;
    std::array<float, 4> corners{};
    for (std::size_t k = 0; k < 4; ++k) corners[k] = std::round(region[k + 1] * scale);
    const bool isPlace = std::all_of(corners.begin(), corners.end(),
                                     [](float at) { return std::fabs(at) < 0x1p24F; });
    const bool isIndex = region[0] >= 0 && region[0] < static_cast<float>(planes.images);
    if (!isPlace || !isIndex) return std::nullopt;
    for (std::int64_t cell = 0; cell < planes.channels * rows * columns; ++cell, ++out) {
      const float* const plane =
          planes.plane(static_cast<std::int64_t>(region[0]), cell / (rows * columns));
      const Cover down =
          coverOf(corners[1], corners[3], rows, cell / columns % rows, planes.height);
      const Cover across = coverOf(corners[0], corners[2], columns, cell % columns, planes.width);
      const bool isEmpty = down.end <= down.begin || across.end <= across.begin;
      if (!isEmpty && !allowance.take((down.end - down.begin) * (across.end - across.begin)))
        return std::nullopt;
      *out = isEmpty ? 0 : std::numeric_limits<float>::lowest();
      for (std::int64_t y = down.begin; y < down.end && !isEmpty; ++y)
        *out = std::max(*out, *std::max_element(plane + y * planes.width + across.begin,
                                                plane + y * planes.width + across.end));
    }
  }
  return result;
}

}  // namespace mpm::onnx
