// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/upsample_cpu.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "processor/float_buffer.h"
#include "processor/pool.h"
#include "vit/upsample.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
// Computes the rest of a row as the row itself, rounding included, so that a value does not depend
// on where memory begins.
using One = hn::CappedTag<float, 1>;

template <class Tag>
hn::Vec<Tag> alongColumns(Tag d, const float* row, const Taps& columns, std::size_t x) {
  const hn::RebindToSigned<Tag> integers;
  const auto first = hn::GatherIndex(d, row, hn::LoadU(integers, columns.first.data() + x));
  const auto second = hn::GatherIndex(d, row, hn::LoadU(integers, columns.second.data() + x));
  return hn::MulAdd(hn::LoadU(d, columns.weight.data() + x), hn::Sub(second, first), first);
}

// Interpolates a row of the source at the columns of the result.
void widen(const float* HWY_RESTRICT row, const Taps& columns, float* HWY_RESTRICT out) {
  const D d;
  const std::size_t count = columns.out();
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    hn::StoreU(alongColumns(d, row, columns, x), d, out + x);
  }
  for (; x < count; ++x) hn::StoreU(alongColumns(One(), row, columns, x), One(), out + x);
}

template <class Tag>
hn::Vec<Tag> between(Tag d, const float* first, const float* second, float weight) {
  const auto a = hn::LoadU(d, first), b = hn::LoadU(d, second);
  return hn::MulAdd(hn::Set(d, weight), hn::Sub(b, a), a);
}

// Blends two rows of `count` floats into a row of the result.
void blend(const float* HWY_RESTRICT first, const float* HWY_RESTRICT second, float weight,
           std::size_t count, float* HWY_RESTRICT out) {
  const D d;
  std::size_t x = 0;
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    hn::StoreU(between(d, first + x, second + x, weight), d, out + x);
  }
  for (; x < count; ++x) {
    hn::StoreU(between(One(), first + x, second + x, weight), One(), out + x);
  }
}

// Does the same past the caches: other stores first read each line that they are about to fill.
void blendPastCaches(const float* HWY_RESTRICT first, const float* HWY_RESTRICT second,
                     float weight, std::size_t count, float* HWY_RESTRICT out) {
  const D d;
  const std::size_t bytes = hn::Lanes(d) * sizeof(float);
  std::size_t x = 0;
  for (; x < count && reinterpret_cast<std::uintptr_t>(out + x) % bytes != 0; ++x) {
    hn::StoreU(between(One(), first + x, second + x, weight), One(), out + x);
  }
  for (; x + hn::Lanes(d) <= count; x += hn::Lanes(d)) {
    hn::Stream(between(d, first + x, second + x, weight), d, out + x);
  }
  for (; x < count; ++x) {
    hn::StoreU(between(One(), first + x, second + x, weight), One(), out + x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::vit {

HWY_EXPORT(widen);
HWY_EXPORT(blend);
HWY_EXPORT(blendPastCaches);

namespace {

// Rows of the source at the columns of the result, each made when first needed. Two neighbours are
// kept at a time.
class WideRows {
 public:
  WideRows(const UpsampleSource& source, const Taps& rows, const Taps& columns)
      : source_(source), rows_(rows), columns_(columns), widen_(HWY_DYNAMIC_DISPATCH(widen)) {
    float* scratch = processor::threadScratch().reserve(2 * columns.out() + columns.in);
    wide_ = {scratch, scratch + columns.out()};
    narrow_ = scratch + 2 * columns.out();
  }

  const float* row(std::size_t channel, std::int32_t y) {
    const std::size_t row = channel * rows_.in + static_cast<std::size_t>(y);
    const std::size_t slot = static_cast<std::size_t>(y) % 2;
    if (held_[slot] != row) widen_(narrow(channel, row), columns_, wide_[slot]);
    held_[slot] = row;
    return wide_[slot];
  }

 private:
  const float* narrow(std::size_t channel, std::size_t row) {
    if (!source_.isRows) return source_.data + row * columns_.in;
    const std::size_t y = row - channel * rows_.in;
    const float* from = source_.data + y * columns_.in * source_.channels + channel;
    for (std::size_t x = 0; x < columns_.in; ++x) narrow_[x] = from[x * source_.channels];
    return narrow_;
  }

  const UpsampleSource& source_;
  const Taps &rows_, &columns_;
  void (*widen_)(const float* row, const Taps& columns, float* out);
  std::array<float*, 2> wide_{};
  float* narrow_ = nullptr;
  std::array<std::size_t, 2> held_{SIZE_MAX, SIZE_MAX};
};

}  // namespace

void upsampleCpu(const UpsampleSource& source, const Taps& rows, const Taps& columns, float* out) {
  constexpr std::size_t kTaskFloats = std::size_t{1} << 16;
  constexpr std::size_t kPastCaches = std::size_t{1} << 23;  // floats: more than caches keep
  const std::size_t wide = columns.out(), count = source.channels * rows.out();
  const std::size_t taskRows = std::max<std::size_t>(kTaskFloats / wide, 1);
  const bool pastCaches = count * wide >= kPastCaches;
  const auto blend =
      pastCaches ? HWY_DYNAMIC_DISPATCH(blendPastCaches) : HWY_DYNAMIC_DISPATCH(blend);
  processor::forEachTask((count + taskRows - 1) / taskRows, [&](std::size_t task) {
    WideRows wideRows(source, rows, columns);
    const std::size_t end = std::min((task + 1) * taskRows, count);
    for (std::size_t row = task * taskRows; row < end; ++row) {
      const std::size_t channel = row / rows.out(), y = row % rows.out();
      const float* first = wideRows.row(channel, rows.first[y]);
      const float* second = wideRows.row(channel, rows.second[y]);
      blend(first, second, rows.weight[y], wide, out + row * wide);
    }
    if (pastCaches) hwy::FlushStream();  // before anybody is told that the task has ended
  });
}

}  // namespace mpm::vit
#endif  // HWY_ONCE
