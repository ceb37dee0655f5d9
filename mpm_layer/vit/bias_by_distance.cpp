// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/bias_by_distance.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "vit/bias_by_distance.h"
#include "vit/positions.h"

#ifndef MPM_VIT_BIAS_BY_DISTANCE_
#define MPM_VIT_BIAS_BY_DISTANCE_
namespace mpm::vit {
namespace {

constexpr std::size_t kQueries = 4;  // that are placed at once

// Biases of a query's members to the first key, and one over their number.
struct QueryPlaces {
  const float* const* begin;
  const float* const* end;
  float share;
};

struct Grid {
  std::size_t height, width, stride;
};

}  // namespace
}  // namespace mpm::vit
#endif

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, kColumnStep>;

#if HWY_TARGET == HWY_SCALAR
template <class V>
HWY_INLINE void placeRows(V a, V b, V c, V e, float* out) {
  const float numbers[] = {hn::GetLane(a), hn::GetLane(b), hn::GetLane(c), hn::GetLane(e)};
  std::copy_n(numbers, kQueries, out);
}
#else
// Stores vectors in which each 128 bits are four queries' numbers of one key. The next block
// belongs to the key `kQueries` further on.
template <class D, class V>
HWY_INLINE void storeKeys(D d, V keys, float* out) {
  if constexpr (hn::MaxLanes(d) == kQueries) {
    hn::StoreU(keys, d, out);
  } else {
    const hn::Half<D> half;
    storeKeys(half, hn::LowerHalf(half, keys), out);
    storeKeys(half, hn::UpperHalf(half, keys), out + hn::MaxLanes(half) * kColumnStep);
  }
}

// Transposes four queries' rows of keys to keys' rows of four queries, in each block of 128 bits.
template <class V>
HWY_INLINE void placeRows(V a, V b, V c, V e, float* out) {
  const F d;
  const hn::Repartition<double, F> pairs;
  const auto asPairs = [&](V x) { return hn::BitCast(pairs, x); };
  const auto store = [&](std::size_t key, auto x) {
    storeKeys(d, hn::BitCast(d, x), out + key * kColumnStep);
  };
  const auto lower0 = asPairs(hn::InterleaveLower(d, a, b));
  const auto lower1 = asPairs(hn::InterleaveLower(d, c, e));
  const auto upper0 = asPairs(hn::InterleaveUpper(d, a, b));
  const auto upper1 = asPairs(hn::InterleaveUpper(d, c, e));
  store(0, hn::InterleaveLower(pairs, lower0, lower1));
  store(1, hn::InterleaveUpper(pairs, lower0, lower1));
  store(2, hn::InterleaveLower(pairs, upper0, upper1));
  store(3, hn::InterleaveUpper(pairs, upper0, upper1));
}

#endif

// Handles kColumnStep queries line by line of the grid, so that output stays near the core until it
// is complete. Keys past a line's end are overwritten by the next line's first ones.
void placeQueries(const QueryPlaces* queries, const Grid& grid, float* out) {
  const F d;
  for (std::size_t y = 0; y < grid.height; ++y) {
    for (std::size_t x = 0; x < grid.width; x += hn::Lanes(d)) {
      const std::size_t at = y * grid.stride + x;
      const auto row = [&](const QueryPlaces& query) {
        if (query.end - query.begin == 1) return hn::LoadU(d, *query.begin + at);
        auto sum = hn::Zero(d);
        for (const float* const* from = query.begin; from != query.end; ++from)
          sum = hn::Add(sum, hn::LoadU(d, *from + at));
        return hn::Mul(sum, hn::Set(d, query.share));
      };
      float* const to = out + (y * grid.width + x) * kColumnStep;
      for (std::size_t r = 0; r < kColumnStep; r += kQueries) {
        const QueryPlaces* const four = queries + r;
        placeRows(row(four[0]), row(four[1]), row(four[2]), row(four[3]), to + r);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::vit {
namespace {

HWY_EXPORT(placeQueries);

// Rows that a query stands for.
struct Originals {
  std::int32_t own = 0;
  const std::int32_t *first = nullptr, *last = nullptr;

  Originals(const Members* members, std::size_t query)
      : own(static_cast<std::int32_t>(query)),
        first(members == nullptr ? &own : members->begin(query)),
        last(members == nullptr ? &own + 1 : members->end(query)) {}
  Originals(const Originals&) = delete;
  Originals& operator=(const Originals&) = delete;

  const std::int32_t* begin() const { return first; }
  const std::int32_t* end() const { return last; }
  float share() const { return 1 / static_cast<float>(std::max<std::ptrdiff_t>(last - first, 1)); }
};

}  // namespace

BiasByDistance::BiasByDistance(std::size_t heads, std::size_t special, std::size_t height,
                               std::size_t width)
    : heads_(heads), special_(special), height_(height), width_(width) {}

std::optional<BiasByDistance> BiasByDistance::find(ConstRows table, std::size_t heads,
                                                   std::size_t special) {
  if (heads == 0 || table.dim <= special || table.count != heads * table.dim) return std::nullopt;
  const std::size_t patches = table.dim - special;
  for (std::size_t width = 1; width <= patches; ++width) {
    if (patches % width != 0) continue;
    BiasByDistance found(heads, special, patches / width, width);
    found.read(table);
    if (found.isAllOf(table)) return found;
  }
  return std::nullopt;
}

// Takes each distance's bias from the first two patches that are that far apart.
void BiasByDistance::read(ConstRows table) {
  for (std::size_t head = 0; head < heads_; ++head) {
    for (std::size_t special = 0; special < special_; ++special) {
      const float* const own = table.row(head * rows() + special);
      ofSpecial_.insert(ofSpecial_.end(), own, own + rows());
      for (std::size_t query = 0; query < rows(); ++query)
        toSpecial_.push_back(table.row(head * rows() + query)[special]);
    }
  }
  byDistance_.assign(heads_ * headSize() + kColumnStep, 0.0F);
  float* out = byDistance_.data();
  for (std::size_t head = 0; head < heads_; ++head) {
    for (std::size_t down = 0; down < 2 * height_ - 1; ++down) {
      for (std::size_t across = 0; across < stride(); ++across) {
        const std::size_t queryY = height_ - 1 - std::min(height_ - 1, down);
        const std::size_t queryX = width_ - 1 - std::min(width_ - 1, across);
        const std::size_t keyY = queryY + down + 1 - height_, keyX = queryX + across + 1 - width_;
        const float* const row =
            table.row(head * rows() + special_ + queryY * width_ + queryX) + special_;
        *out++ = row[keyY * width_ + keyX];
      }
    }
  }
}

bool BiasByDistance::isAllOf(ConstRows table) const {
  for (std::size_t head = 0; head < heads_; ++head) {
    for (std::size_t patch = 0; patch < height_ * width_; ++patch) {
      const float* const row = table.row(head * rows() + special_ + patch) + special_;
      const float* const own = toFirst(head, patch);
      for (std::size_t y = 0; y < height_; ++y) {
        if (std::memcmp(row + y * width_, own + y * stride(), width_ * sizeof(float)) != 0)
          return false;
      }
    }
  }
  return true;
}

void BiasByDistance::change(float (*to)(float)) {
  for (std::vector<float>* all : {&byDistance_, &ofSpecial_, &toSpecial_})
    std::transform(all->begin(), all->end(), all->begin(), to);
}

const float* BiasByDistance::toFirst(std::size_t head, std::size_t patch) const {
  const std::size_t y = patch / width_, x = patch % width_;
  return byDistance_.data() + head * headSize() + (height_ - 1 - y) * stride() + width_ - 1 - x;
}

void BiasByDistance::columns(std::size_t head, const Members* members, std::size_t first,
                             std::size_t count, float* out) const {
  assert(count <= kColumnStep);
  static thread_local std::vector<const float*> places;  // of all queries' members
  std::array<std::size_t, kColumnStep + 1> ends{};
  std::array<float, kColumnStep> shares{};
  places.clear();
  for (std::size_t r = 0; r < kColumnStep; ++r) {
    if (r < count) {
      const Originals originals(members, first + r);
      shares[r] = originals.share();
      for (const std::int32_t original : originals) {
        const auto row = static_cast<std::size_t>(original);
        if (row >= special_) places.push_back(toFirst(head, row - special_));
      }
    }
    ends[r + 1] = places.size();
  }
  std::array<QueryPlaces, kColumnStep> queries;
  for (std::size_t r = 0; r < kColumnStep; ++r)
    queries[r] = {places.data() + ends[r], places.data() + ends[r + 1], shares[r]};
  HWY_DYNAMIC_DISPATCH(placeQueries)
  (queries.data(), {height_, width_, stride()}, out + special_ * kColumnStep);
  placeSpecial(head, members, first, count, out);
}

void BiasByDistance::placeSpecial(std::size_t head, const Members* members, std::size_t first,
                                  std::size_t count, float* out) const {
  const auto rowOf = [&](const std::vector<float>& all, std::size_t special) {
    return all.data() + (head * special_ + special) * rows();
  };
  std::fill_n(out, special_ * kColumnStep, 0.0F);
  for (std::size_t r = 0; r < count && special_ > 0; ++r) {
    const Originals originals(members, first + r);
    const float share = originals.share();
    for (const std::int32_t original : originals) {
      const auto row = static_cast<std::size_t>(original);
      for (std::size_t key = 0; key < special_; ++key)
        out[key * kColumnStep + r] += share * rowOf(toSpecial_, key)[row];
      if (row >= special_) continue;
      for (std::size_t key = special_; key < rows(); ++key)
        out[key * kColumnStep + r] += share * rowOf(ofSpecial_, row)[key];
    }
  }
}

}  // namespace mpm::vit
#endif  // HWY_ONCE
