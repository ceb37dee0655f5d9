// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/convolve_tiles.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "processor/float_buffer.h"
#include "vit/convolve-inl.h"
#include "vit/convolve_tiles.h"
#include "vit/kernels.h"
#include "vit/stretches.h"

#ifndef MPM_VIT_CONVOLVE_TILES_
#define MPM_VIT_CONVOLVE_TILES_
namespace mpm::vit {
namespace {

// Places of a tile, and of the source that they sum, along an axis. A tile has a number in each of
// the kParts products.
constexpr std::size_t kTile = 4, kTileReach = 6, kParts = kTileReach * kTileReach, kTaps = 3;

// Winograd's points besides 0 and infinity: these and their opposites. They are exact. Sums of 64
// channels have less than twice the root-mean-square error of direct products; the usual points 1
// and 2 have five times as much.
constexpr float kNear = 0.625F, kFar = 1.5F;

// Limits the tiles of a task.
constexpr std::size_t kMostTiles = 128;
using Tiles = Stretches<kMostTiles>;

// Transformed tiles: [rows x width] for each part, with parts `stride` apart. A part is followed by
// room for kColumnStep floats, so that vectors may end past a row's end.
struct Parts {
  float* data = nullptr;
  std::size_t width = 0, stride = 0;
};

// Receives a convolution's result.
struct Planes {
  float* data = nullptr;
  std::size_t height = 0, width = 0;
};

// Operations on sums.
struct Ending {
  const float* bias = nullptr;
  Activation activation = Activation::none;
};

}  // namespace
}  // namespace mpm::vit
#endif  // MPM_VIT_CONVOLVE_TILES_

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr std::size_t kLanes = hn::MaxLanes(D());

HWY_INLINE void turnReach(const V (&x)[kTileReach], V (&y)[kTileReach]) {
  const D d;
  const V nears = hn::Set(d, kNear * kNear), fars = hn::Set(d, kFar * kFar);
  const V both = hn::Set(d, kNear * kNear * kFar * kFar);
  const V sum = hn::Set(d, kNear * kNear + kFar * kFar);
  y[0] = hn::MulAdd(both, x[0], hn::NegMulAdd(sum, x[2], x[4]));
  const V even = hn::NegMulAdd(fars, x[2], x[4]), odd = hn::NegMulAdd(fars, x[1], x[3]);
  y[1] = hn::MulAdd(hn::Set(d, kNear), odd, even);
  y[2] = hn::NegMulAdd(hn::Set(d, kNear), odd, even);
  const V evens = hn::NegMulAdd(nears, x[2], x[4]), odds = hn::NegMulAdd(nears, x[1], x[3]);
  y[3] = hn::MulAdd(hn::Set(d, kFar), odds, evens);
  y[4] = hn::NegMulAdd(hn::Set(d, kFar), odds, evens);
  y[5] = hn::MulAdd(both, x[1], hn::NegMulAdd(sum, x[3], x[5]));
}

HWY_INLINE void turnSums(const V (&x)[kTileReach], V (&y)[kTile]) {
  const D d;
  const V sum = hn::Add(x[1], x[2]), difference = hn::Sub(x[1], x[2]);
  const V sums = hn::Add(x[3], x[4]), differences = hn::Sub(x[3], x[4]);
  y[0] = hn::Add(hn::Add(x[0], sum), sums);
  y[1] = hn::MulAdd(hn::Set(d, kFar), differences, hn::Mul(hn::Set(d, kNear), difference));
  y[2] = hn::MulAdd(hn::Set(d, kFar * kFar), sums, hn::Mul(hn::Set(d, kNear * kNear), sum));
  y[3] = hn::MulAdd(hn::Set(d, kFar * kFar * kFar), differences,
                    hn::MulAdd(hn::Set(d, kNear * kNear * kNear), difference, x[5]));
}

// Row length of the source for a stretch of tiles, with room for a vector of tiles past it.
constexpr std::size_t kPatchStride = kTile * (kMostTiles + kLanes) + kTile;

// Transforms a vector of tiles that begins at `patch`; `out` is its place in the first part.
HWY_INLINE void turnTiles(const float* HWY_RESTRICT patch, float* HWY_RESTRICT out,
                          std::size_t stride) {
  const D d;
  V across[kTileReach][kTileReach];
  for (std::size_t y = 0; y < kTileReach; ++y, patch += kPatchStride) {
    V x[kTileReach], unused, other;
    hn::LoadInterleaved4(d, patch, x[0], x[1], x[2], x[3]);
    hn::LoadInterleaved4(d, patch + kTile, x[4], x[5], unused, other);
    turnReach(x, across[y]);
  }
  for (std::size_t x = 0; x < kTileReach; ++x) {
    V down[kTileReach], turned[kTileReach];
    for (std::size_t y = 0; y < kTileReach; ++y) down[y] = across[y][x];
    turnReach(down, turned);
    for (std::size_t y = 0; y < kTileReach; ++y)
      hn::StoreU(turned[y], d, out + (y * kTileReach + x) * stride);
  }
}

// Gathers a channel's rows that `stretch` sums.
HWY_INLINE void gatherPatch(const Image& source, std::size_t channel, const Reach& rows,
                            const Reach& columns, const Stretch& stretch,
                            float* HWY_RESTRICT patch) {
  const auto height = static_cast<Distance>(source.height);
  const auto width = static_cast<Distance>(source.width);
  const float* const plane = source.data + channel * source.height * source.width;
  const std::size_t tiles = (stretch.count + kLanes - 1) / kLanes * kLanes;
  const auto count = static_cast<Distance>(kTile * (tiles + 1));
  const Distance top =
      static_cast<Distance>(kTile * stretch.y) - static_cast<Distance>(rows.padding);
  const Distance left =
      static_cast<Distance>(kTile * stretch.x) - static_cast<Distance>(columns.padding);
  for (Distance y = top; y < top + static_cast<Distance>(kTileReach); ++y, patch += kPatchStride) {
    if (y < 0 || y >= height) {
      clearFloats(count, patch);
    } else {
      gatherStretch(plane + y * width, width, left, 1, count, patch);
    }
  }
}

// Transforms the tiles of each channel. `out` is a panel's place in the first part; columns past
// the tiles become zeros.
void turnSource(const Image& source, const Reach& rows, const Reach& columns, const Tiles& tiles,
                const Parts& out) {
  alignas(64) float patch[kTileReach * kPatchStride];
  for (std::size_t channel = 0; channel < source.channels; ++channel) {
    float* const row = out.data + channel * out.width;
    for (const Stretch& stretch : tiles) {
      gatherPatch(source, channel, rows, columns, stretch, patch);
      for (std::size_t tile = 0; tile < stretch.count; tile += kLanes)
        turnTiles(patch + kTile * tile, row + stretch.column + tile, out.stride);
    }
    if (tiles.columns == out.width) continue;
    for (std::size_t part = 0; part < kParts; ++part)
      std::fill(row + part * out.stride + tiles.columns, row + part * out.stride + out.width, 0.0F);
  }
}

// Transforms the sums of a vector of tiles back; `sums` is their place in the first part.
HWY_INLINE void turnBack(const float* HWY_RESTRICT sums, std::size_t stride,
                         V (&out)[kTile][kTile]) {
  const D d;
  V down[kTileReach][kTile];
  for (std::size_t x = 0; x < kTileReach; ++x) {
    V column[kTileReach];
    for (std::size_t y = 0; y < kTileReach; ++y)
      column[y] = hn::LoadU(d, sums + (y * kTileReach + x) * stride);
    turnSums(column, down[x]);
  }
  for (std::size_t y = 0; y < kTile; ++y) {
    V row[kTileReach];
    for (std::size_t x = 0; x < kTileReach; ++x) row[x] = down[x][y];
    turnSums(row, out[y]);
  }
}

// Stores the first `count` tiles of a vector. `y` and `x` are the first tile's first place.
HWY_INLINE void storeTiles(const V (&sums)[kTile][kTile], float bias, bool isRelu,
                           std::size_t count, std::size_t y, std::size_t x, const Planes& out) {
  const D d;
  const V b = hn::Set(d, bias);
  const std::size_t rows = std::min(kTile, out.height - y);
  const std::size_t columns = std::min(kTile * count, out.width - x);
  for (std::size_t row = 0; row < rows; ++row) {
    float* const to = out.data + (y + row) * out.width + x;
    alignas(64) float part[kTile * kLanes];
    const V* const sum = sums[row];
    hn::StoreInterleaved4(finishSum(d, sum[0], b, isRelu), finishSum(d, sum[1], b, isRelu),
                          finishSum(d, sum[2], b, isRelu), finishSum(d, sum[3], b, isRelu), d,
                          columns == kTile * kLanes ? to : part);
    if (columns < kTile * kLanes) copyFloats(part, static_cast<Distance>(columns), to);
  }
}

// Finishes `sums`, which have a row for each of `outputs` planes.
void finishTiles(const Parts& sums, const Tiles& tiles, std::size_t outputs, const Ending& ending,
                 const Planes& out) {
  const bool isRelu = ending.activation == Activation::relu;
  for (std::size_t output = 0; output < outputs; ++output) {
    const float* const row = sums.data + output * sums.width;
    const Planes plane = {out.data + output * out.height * out.width, out.height, out.width};
    for (const Stretch& stretch : tiles) {
      for (std::size_t tile = 0; tile < stretch.count; tile += kLanes) {
        V turned[kTile][kTile];
        turnBack(row + stretch.column + tile, sums.stride, turned);
        storeTiles(turned, ending.bias[output], isRelu, std::min(kLanes, stretch.count - tile),
                   kTile * stretch.y, kTile * (stretch.x + tile), plane);
      }
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::vit {

HWY_EXPORT(turnSource);
HWY_EXPORT(finishTiles);

namespace {

// Filters multiplied at once: their sums, for as many tiles, stay near the core.
constexpr std::size_t kMostSums = 2048, kFewTiles = 32;

constexpr std::size_t kLeastTiledWidth = 16, kMostChannels = 2048;
constexpr std::size_t kMostTiledWeights = std::size_t{1} << 20;  // times 144 bytes

// Reads filters once for many tiles if there are many filters.
std::size_t tilesOfTask(const PackedConvolve& convolve) {
  constexpr std::size_t kKept = std::size_t{1} << 18;  // floats of filters that stay near the core
  return convolve.filters.size() <= kKept ? kFewTiles : kMostTiles;
}

class TileConvolver {
 public:
  TileConvolver(const Image& source, const PackedConvolve& convolve, Activation activation,
                const Planes& out)
      : source_(source), convolve_(convolve), activation_(activation), out_(out) {}

  void compute(const Tiles& tiles, const Share& share) const {
    const std::size_t width = padded(tiles.columns), channels = source_.channels;
    const std::size_t most = std::min(share.outputs, kMostSums / width);
    const Parts turned = {nullptr, width, channels * width + kColumnStep};
    const Parts sums = {nullptr, width, most * width + kColumnStep};
    float* const scratch =
        processor::threadScratch().reserve(kParts * (turned.stride + sums.stride));
    turn(tiles, share.first, {scratch, width, turned.stride});
    const Parts products = {scratch + kParts * turned.stride, width, sums.stride};
    for (std::size_t first = 0; first < share.outputs; first += most) {
      const std::size_t count = std::min(most, share.outputs - first);
      const std::size_t output = share.output + first;
      multiply(scratch, turned.stride, tiles.columns, output, count, products);
      finish_(products, tiles, count, {convolve_.bias.data() + output, activation_},
              {out_.data + output * out_.height * out_.width, out_.height, out_.width});
    }
  }

 private:
  // Transforms panel by panel, the layout of a product's right factor.
  void turn(const Tiles& tiles, std::size_t firstTile, const Parts& out) const {
    const std::size_t across = (out_.width + kTile - 1) / kTile;
    for (std::size_t column = 0; column < out.width; column += kernel_.panelColumns) {
      const std::size_t width = std::min(kernel_.panelColumns, out.width - column);
      const std::size_t left = tiles.columns - std::min(column, tiles.columns);
      const Tiles panel(firstTile + column, std::min(width, left), across);
      turn_(source_, convolve_.rows, convolve_.columns, panel,
            {out.data + column * source_.channels, width, out.stride});
    }
  }

  void multiply(const float* turned, std::size_t stride, std::size_t tiles, std::size_t output,
                std::size_t outputs, const Parts& sums) const {
    for (std::size_t part = 0; part < kParts; ++part) {
      Product product;
      product.a = asUnits(convolve_.filters.data() +
                          (part * convolve_.outputs + output) * convolve_.stride);
      product.aStride = convolve_.stride;
      product.rows = outputs;
      product.b = {asUnits(turned + part * stride), source_.channels, tiles};
      product.inputs = source_.channels;
      product.columns = tiles;
      Finish finish;
      finish.rows = sums.data + part * sums.stride;
      finish.stride = sums.width;
      kernel_.multiply(product, finish);
    }
  }

  const Image& source_;
  const PackedConvolve& convolve_;
  Activation activation_;
  Planes out_;
  const Kernels& kernel_ = kernels(Precision::fp32);
  // Spells the types out: for a single instruction set a dispatch is no pointer.
  void (*turn_)(const Image& source, const Reach& rows, const Reach& columns, const Tiles& tiles,
                const Parts& out) = HWY_DYNAMIC_DISPATCH(turnSource);
  void (*finish_)(const Parts& sums, const Tiles& tiles, std::size_t outputs, const Ending& ending,
                  const Planes& out) = HWY_DYNAMIC_DISPATCH(finishTiles);
};

// Transforms a filter's three taps along an axis for the six products.
void turnTaps(const double* taps, std::size_t step, double* out, std::size_t outStep) {
  const double a = taps[0], b = taps[step], c = taps[2 * step];
  constexpr double kNears = double{kNear} * kNear, kFars = double{kFar} * kFar;
  const double near = 2 * kNears * (kNears - kFars), far = 2 * kFars * (kFars - kNears);
  const double turned[kTileReach] = {a / (kNears * kFars),
                                     (a + kNear * b + kNears * c) / near,
                                     (a - kNear * b + kNears * c) / near,
                                     (a + kFar * b + kFars * c) / far,
                                     (a - kFar * b + kFars * c) / far,
                                     c};
  for (std::size_t i = 0; i < kTileReach; ++i) out[i * outStep] = turned[i];
}

}  // namespace

bool takesTiles(const ConvolveWeights& weights) {
  const auto isTap = [](const Reach& reach) {
    return reach.taps == kTaps && reach.stride == 1 && reach.dilation == 1;
  };
  if (!isTap(weights.rows) || !isTap(weights.columns)) return false;
  const std::size_t outputs = weights.filters.weight.count;
  const std::size_t channels = weights.filters.weight.dim / (kTaps * kTaps);
  return std::min(channels, outputs) >= kLeastTiledWidth && channels <= kMostChannels &&
         channels * outputs <= kMostTiledWeights;
}

std::vector<float> tileFilters(const ConvolveWeights& weights, std::size_t stride) {
  const ConstRows& filters = weights.filters.weight;
  std::vector<float> turned(kParts * filters.count * stride);
  for (std::size_t output = 0; output < filters.count; ++output) {
    for (std::size_t channel = 0; channel < filters.dim / (kTaps * kTaps); ++channel) {
      const float* const filter = filters.row(output) + channel * kTaps * kTaps;
      double taps[kTaps * kTaps], across[kTaps * kTileReach], all[kParts];
      std::copy_n(filter, kTaps * kTaps, taps);
      for (std::size_t y = 0; y < kTaps; ++y)
        turnTaps(taps + y * kTaps, 1, across + y * kTileReach, 1);
      for (std::size_t x = 0; x < kTileReach; ++x)
        turnTaps(across + x, kTileReach, all + x, kTileReach);
      for (std::size_t part = 0; part < kParts; ++part)
        turned[(part * filters.count + output) * stride + channel] = static_cast<float>(all[part]);
    }
  }
  return turned;
}

void convolveTiles(const Image& source, const PackedConvolve& convolve, Activation activation,
                   std::size_t height, std::size_t width, float* out) {
  const TileConvolver convolver(source, convolve, activation, {out, height, width});
  const std::size_t across = (width + kTile - 1) / kTile;
  const std::size_t tiles = across * ((height + kTile - 1) / kTile);
  forEachShare(tiles, tilesOfTask(convolve), convolve.outputs, [&](const Share& share) {
    convolver.compute({share.first, share.count, across}, share);
  });
}

}  // namespace mpm::vit
#endif  // HWY_ONCE
