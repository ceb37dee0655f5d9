// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/window.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"

namespace mpm::onnx {

namespace {

// Limits sizes of images, kernels, strides and padding, so that products of two do not overflow.
constexpr std::int64_t kMost = std::int64_t{1} << 25;

std::int64_t placesOf(const WindowAxis& axis, bool roundsUp) {
  const std::int64_t span = axis.span(), pads = axis.before + axis.behind;
  if (!isNumber(span)) return kUnknown;
  if (axis.stride == 1 && pads == span - 1) return axis.size;
  const std::int64_t padded = plus(axis.size, pads);
  if (!isNumber(padded)) return kUnknown;
  // Rounded up, a window larger than the image has one place, as in EfficientNet's global pooling.
  if (padded < span) return roundsUp && padded > 0 && span - padded < axis.stride ? 1 : kUnknown;
  const std::int64_t room = padded - span, whole = room / axis.stride + 1;
  if (!roundsUp || room % axis.stride == 0) return whole;
  // A window that starts in the padding after the image is left out.
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

// Convolutions of constants, such as the projection of a table of sines and cosines. OpenCV
// computes those of frames.

// A window over planes in groups of channels.
struct Planes {
  std::int64_t in = 0, out = 0, groups = 1;
  WindowAxis down, across;
};

// Returns std::nullopt if the sizes do not fit each other.
std::optional<Planes> planesOf(const Call& call, const KnownTensor& data,
                               const KnownTensor& weight) {
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

Result foldConv(const Call& call) {
  const KnownTensor* data = sureFloats(call.input(0));
  const KnownTensor* weight = sureFloats(call.input(1));
  if (!data || !weight || data->dims.size() != 4 || weight->dims.size() != 4) return std::nullopt;
  const KnownTensor* bias = sureFloats(call.input(2));
  if (call.has(2) && (!bias || bias->dims != Integers{weight->dims[0]})) return std::nullopt;
  const Dims made = resultDims(call);
  const auto planes = made ? planesOf(call, *data, *weight) : std::nullopt;
  Result result = planes ? zeros(data->type, *made) : std::nullopt;
  if (!result) return std::nullopt;
  const auto area = static_cast<std::size_t>(planes->down.places * planes->across.places);
  const auto inArea = static_cast<std::size_t>(planes->down.size * planes->across.size);
  float* out = result->floats.write();
  for (std::int64_t image = 0; image < data->dims[0]; ++image) {
    for (std::size_t i = 0; bias && i < bias->count(); ++i)
      std::fill_n(out + i * area, area, bias->floats[i]);
    convolve(*planes, data->floats.data() + static_cast<std::size_t>(image * planes->in) * inArea,
             weight->floats.data(), out);
    out += static_cast<std::size_t>(planes->out) * area;
  }
  return result;
}

// Pooling as in ONNX Runtime, over rows or planes.

// Returns the window of planes, or of rows as planes of one row; std::nullopt at unknown sizes.
std::optional<Window> poolOf(const Call& call) {
  const KnownTensor* data = sureFloats(call.input(0));
  auto window = data ? windowOf(call.node, data->dims, {}) : std::nullopt;
  if (!window || window->size() > 2) return std::nullopt;
  constexpr std::int64_t kMostTaps = std::int64_t{1} << 13;
  const auto isKnown = [](const WindowAxis& axis) {
    return isNumber(axis.places) && isNumber(axis.kernel) && axis.kernel <= kMostTaps;
  };
  if (!std::all_of(window->begin(), window->end(), isKnown)) return std::nullopt;
  if (window->size() == 1) window->insert(window->begin(), WindowAxis{});
  return window;
}

// Starts each place at `start`, then applies reduce(total, element) to the window's elements.
template <class Reduce>
Result pooled(const Call& call, const Window& window, float start, const Reduce& reduce) {
  const KnownTensor& data = *call.input(0);
  const Dims made = resultDims(call);
  Result result = made ? unwritten(data.type, *made) : std::nullopt;
  if (!result) return std::nullopt;
  float* const all = result->floats.write();
  const WindowAxis &down = window[0], &across = window[1];
  const auto area = static_cast<std::size_t>(down.size * across.size);
  const auto places = static_cast<std::size_t>(down.places * across.places);
  processor::forEachTask(product(*made, 0, 2), [&](std::size_t plane) {
    const float* from = data.floats.data() + plane * area;
    float* to = all + plane * places;
    std::fill_n(to, places, start);
    for (std::int64_t k = 0; k < down.kernel * across.kernel; ++k)
      forEachCovered(down, across, k / across.kernel, k % across.kernel,
                     [&](auto place, auto at) { to[place] = reduce(to[place], from[at]); });
  });
  return result;
}

// Returns the index in all of the data of each window's largest element; the first in a tie.
Result placesOf(const Call& call, const Window& window, const KnownTensor& largest) {
  Result result = unwritten(::onnx::TensorProto::INT64, largest.dims);
  if (!result || intAttribute(call.node, "storage_order").value_or(0) != 0) return std::nullopt;
  std::fill(result->integers.begin(), result->integers.end(), -1);
  const KnownTensor& data = *call.input(0);
  const WindowAxis &down = window[0], &across = window[1];
  const std::int64_t area = down.size * across.size, places = down.places * across.places;
  processor::forEachTask(product(largest.dims, 0, 2), [&](std::size_t plane) {
    const std::int64_t first = static_cast<std::int64_t>(plane) * area;
    const std::int64_t shown = static_cast<std::int64_t>(plane) * places;
    for (std::int64_t k = 0; k < down.kernel * across.kernel; ++k)
      forEachCovered(down, across, k / across.kernel, k % across.kernel, [&](auto place, auto at) {
        std::int64_t& found = result->integers[static_cast<std::size_t>(shown + place)];
        const float value = data.floats[static_cast<std::size_t>(first + at)];
        if (found < 0 && value == largest.floats[static_cast<std::size_t>(shown + place)])
          found = first + at;
      });
  });
  return result;
}

// Counts the window's elements at a place that are in the axis, or in the axis and its padding.
std::int64_t counted(const WindowAxis& axis, std::int64_t place, bool withPadding) {
  std::int64_t count = 0;
  for (std::int64_t k = 0; k < axis.kernel; ++k) {
    const std::int64_t at = axis.at(place, k);
    count += withPadding ? at < axis.size + axis.behind : axis.holds(at);
  }
  return count;
}

Results foldMaxPool(const Call& call) {
  const auto window = poolOf(call);
  if (!window) return {};
  const Result largest = pooled(call, *window, std::numeric_limits<float>::lowest(),
                                [](float most, float each) { return std::max(most, each); });
  if (!largest || call.node.output_size() < 2) return {largest};
  return {largest, placesOf(call, *window, *largest)};
}

Result foldAveragePool(const Call& call) {
  const auto window = poolOf(call);
  Result result = window ? pooled(call, *window, 0, std::plus<>()) : std::nullopt;
  if (!result) return std::nullopt;
  const WindowAxis &down = (*window)[0], &across = (*window)[1];
  const bool countsAll = intAttribute(call.node, "count_include_pad").value_or(0) != 0;
  std::vector<float> counts;
  for (std::int64_t i = 0; i < down.places; ++i) {
    for (std::int64_t j = 0; j < across.places; ++j)
      counts.push_back(
          static_cast<float>(counted(down, i, countsAll) * counted(across, j, countsAll)));
  }
  float* const sums = result->floats.write();
  for (std::size_t i = 0; i < result->count(); ++i) {
    const float count = counts[i % counts.size()];
    sums[i] = count == 0 ? 0.0F : sums[i] / count;
  }
  return result;
}

// Operators on planes: borders, moves between places and channels, and blocks of columns.

// Returns the axis's element for a place that may be outside; -1: none.
std::int64_t sourceOf(const std::string& mode, std::int64_t place, std::int64_t size) {
  if (place >= 0 && place < size) return place;
  if (mode == "edge") return std::clamp<std::int64_t>(place, 0, size - 1);
  if (mode == "wrap") return (place % size + size) % size;
  if (mode == "reflect") {
    const std::int64_t period = std::max<std::int64_t>(1, 2 * (size - 1));
    const std::int64_t at = (place % period + period) % period;
    return at < size ? at : period - at;
  }
  return -1;
}

// Returns how many elements come before each axis and after it.
std::optional<std::pair<Integers, Integers>> padsOf(const Call& call, std::size_t rank) {
  const auto pads = call.list("pads", 1);
  Integers axes;
  for (std::size_t i = 0; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
  if (call.has(3)) {
    const Integers* given = call.parameters(3);
    if (!given) return std::nullopt;
    axes = *given;
  }
  if (!pads || !markAxes(axes, rank) || pads->size() != 2 * axes.size()) return std::nullopt;
  std::pair<Integers, Integers> result{Integers(rank, 0), Integers(rank, 0)};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    result.first[*axisOf(axes[i], rank)] = (*pads)[i];
    result.second[*axisOf(axes[i], rank)] = (*pads)[i + axes.size()];
  }
  return result;
}

// Returns the fill value; std::nullopt if it is unknown.
std::optional<KnownTensor> fillingOf(const Call& call, const KnownTensor& data) {
  if (call.has(2)) {
    const KnownTensor* given = call.input(2);
    if (!given || given->count() != 1 || given->type != data.type) return std::nullopt;
    return *given;
  }
  Result zero = zeros(data.type, {1});
  if (zero->isFloat()) *zero->floats.write() = floatAttribute(call.node, "value").value_or(0);
  return zero;
}

// Pads one axis with `mode`, or with `fill` for constant.
Result paddedAlong(const KnownTensor& data, std::size_t axis, std::int64_t before,
                   std::int64_t behind, const std::string& mode, const KnownTensor& fill) {
  Integers dims = data.dims;
  std::int64_t size = 0;
  if (__builtin_add_overflow(dims[axis], before, &size)) return std::nullopt;
  if (__builtin_add_overflow(size, behind, &size) || size < 0) return std::nullopt;
  std::int64_t farthest = 0;  // of the places in `data` that are looked at below
  if (__builtin_sub_overflow(size, before, &farthest)) return std::nullopt;
  dims[axis] = size;
  const std::int64_t old = data.dims[axis];
  if (!smallCount(dims) || (old == 0 && mode != "constant")) return std::nullopt;
  const std::size_t outer = product(dims, 0, axis);
  const std::size_t inner = product(dims, axis + 1, dims.size());
  Result result = unwritten(data.type, dims);
  const auto copy = [&](auto* to, const auto* from, const auto* beside) {
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::int64_t k = 0; k < size; ++k, to += inner) {
        const std::int64_t place = sourceOf(mode, k - before, old);
        if (place < 0) {
          std::fill_n(to, inner, *beside);
        } else {
          const auto row = o * static_cast<std::size_t>(old) + static_cast<std::size_t>(place);
          std::copy_n(from + row * inner, inner, to);
        }
      }
    }
  };
  withElements(copy, *result, data, fill);
  if (data.sure.empty() && fill.isSure()) return result;
  const std::vector<char> from = data.sure.empty() ? std::vector<char>(data.count(), 1) : data.sure;
  const char beside = static_cast<char>(fill.isSure());
  result->sure.resize(result->count());
  copy(result->sure.data(), from.data(), &beside);
  return result;
}

// Views a value with these dims, permutes its axes, and reshapes it to the node's result.
Result rearranged(const Call& call, const Integers& seen, const std::vector<std::size_t>& order) {
  const auto dims = resultDims(call);
  if (!dims || smallCount(seen) != call.input(0)->count()) return std::nullopt;
  return reshaped(transposed(*call.input(0), seen, order), *dims);
}

// Returns the side of the squares that DepthToSpace and SpaceToDepth move; 0 if they cannot.
std::int64_t blockOf(const Call& call) {
  const std::int64_t block = intAttribute(call.node, "blocksize").value_or(0);
  const bool isImage = call.input(0) && call.input(0)->dims.size() == 4;
  return isImage && block >= 1 && block <= 1024 ? block : 0;
}

Result foldPad(const Call& call) {
  const KnownTensor* data = call.input(0);
  const auto pads = data ? padsOf(call, data->dims.size()) : std::nullopt;
  const auto fill = pads ? fillingOf(call, *data) : std::nullopt;
  const auto mode = stringAttribute(call.node, "mode").value_or("constant");
  if (!fill || (mode != "constant" && mode != "edge" && mode != "wrap" && mode != "reflect")) {
    return std::nullopt;
  }
  Result result = *data;
  for (std::size_t axis = 0; axis < data->dims.size() && result; ++axis) {
    if (pads->first[axis] == 0 && pads->second[axis] == 0) continue;
    result = paddedAlong(*result, axis, pads->first[axis], pads->second[axis], mode, *fill);
  }
  return result;
}

Result foldDepthToSpace(const Call& call) {
  const std::int64_t block = blockOf(call);
  if (block == 0) return std::nullopt;
  const Integers& d = call.input(0)->dims;
  const std::int64_t channels = d[1] / (block * block);
  if (stringAttribute(call.node, "mode").value_or("DCR") == "CRD") {
    return rearranged(call, {d[0], channels, block, block, d[2], d[3]}, {0, 1, 4, 2, 5, 3});
  }
  return rearranged(call, {d[0], block, block, channels, d[2], d[3]}, {0, 3, 4, 1, 5, 2});
}

Result foldSpaceToDepth(const Call& call) {
  const std::int64_t block = blockOf(call);
  if (block == 0) return std::nullopt;
  const Integers& d = call.input(0)->dims;
  return rearranged(call, {d[0], d[1], d[2] / block, block, d[3] / block, block},
                    {0, 3, 5, 1, 2, 4});
}

// Adds up overlapping elements.
Result foldCol2Im(const Call& call) {
  const KnownTensor* data = sureFloats(call.input(0));
  const Integers* block = call.parameters(2);
  const Dims made = data && block ? resultDims(call) : std::nullopt;
  const auto window = made ? windowOf(call.node, *made, *block) : std::nullopt;
  if (!window) return std::nullopt;
  const WindowAxis down = (*window)[0], across = (*window)[1];
  if (Integers{down.kernel, across.kernel} != *block) return std::nullopt;  // a kernel_shape
  const std::int64_t places = data->dims[2], each = down.kernel * across.kernel;
  Result result = zeros(data->type, *made);
  if (!result || across.places < 1 || places % across.places != 0 ||
      places / across.places != down.places)
    return std::nullopt;
  float* const all = result->floats.write();
  const auto area = static_cast<std::size_t>(down.size * across.size);
  processor::forEachTask(product(*made, 0, 2), [&](std::size_t plane) {
    const float* columns = data->floats.data() + plane * static_cast<std::size_t>(each * places);
    float* to = all + plane * area;
    for (std::int64_t k = 0; k < each; ++k, columns += places)
      forEachCovered(down, across, k / across.kernel, k % across.kernel,
                     [&](auto place, auto element) { to[element] += columns[place]; });
  });
  return result;
}

// Operators that look at an image through windows, or rearrange its pixels.

std::int64_t transposedSize(const WindowAxis& axis, std::int64_t added) {
  if (!isNumber(axis.size) || axis.size == 0) return kUnknown;
  const std::int64_t whole = plus(plus(times(axis.stride, axis.size - 1), added), axis.span());
  const std::int64_t pads = axis.before + axis.behind;
  return isNumber(whole) && whole >= pads ? whole - pads : kUnknown;
}

// Returns an image's dims with a window's places as its sides.
Integers withPlaces(Integers dims, const Window& window) {
  for (std::size_t i = 0; i < window.size(); ++i) dims[2 + i] = window[i].places;
  return dims;
}

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
  const KnownTensor *image = call.list(1), *block = call.list(2);
  if (!data || data->size() != 3 || !image || !block || !image->isSure() || !block->isSure() ||
      image->integers.size() != 2 || block->integers.size() != 2)
    return std::nullopt;
  const std::int64_t each = times(block->integers[0], block->integers[1]);
  const std::int64_t columns = (*data)[1];
  if (!isNumber(columns) || each < 1 || columns % each != 0) return std::nullopt;
  return Integers{(*data)[0], columns / each, image->integers[0], image->integers[1]};
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

Integers kernelOf(const Integers& weight) {
  return weight.size() < 3 ? Integers{} : Integers(weight.begin() + 2, weight.end());
}

const Operators& windowOperators() {
  static const Operators rows = {
      {"AveragePool", shapePool, one<foldAveragePool>},
      {"Col2Im", first<shapeCol2Im>, one<foldCol2Im>},
      {"Conv", first<shapeConv>, one<foldConv>},
      {"ConvTranspose", first<shapeConvTranspose>},
      {"DepthToSpace", first<shapeDepthToSpace>, one<foldDepthToSpace>},
      {"GlobalAveragePool", first<shapeGlobalPool>},
      {"GlobalMaxPool", first<shapeGlobalPool>},
      {"MaxPool", shapePool, foldMaxPool},
      {"Pad", first<shapePad>, one<foldPad>},
      {"SpaceToDepth", first<shapeSpaceToDepth>, one<foldSpaceToDepth>},
      {"com.microsoft:FusedConv", first<shapeConv>},
  };
  return rows;
}

}  // namespace mpm::onnx
