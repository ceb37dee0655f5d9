// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "segment/prepare_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>

#include "processor/pool.h"
#include "segment/prepare.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::segment {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Caps vectors, so that they have a size at compile time.
using Vectors = hn::CappedTag<float, 16>;
// Computes the rest of a row as the row itself, rounding included. The rest begins where the number
// of channels says, and no pixel's value may depend on that.
using One = hn::CappedTag<float, 1>;

template <class Tag>
hn::Vec<Tag> toFloats(Tag d, const std::uint8_t* bytes) {
  const hn::Rebind<std::int32_t, Tag> d32;
  const hn::Rebind<std::uint8_t, Tag> d8;
  return hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, bytes)));
}

template <class Tag>
void blendHere(Tag d, const std::uint8_t* above, const std::uint8_t* below, float weight,
               float* out) {
  const auto a = toFloats(d, above), b = toFloats(d, below);
  hn::StoreU(hn::MulAdd(hn::Set(d, weight), hn::Sub(b, a), a), d, out);
}

// Computes out = above + weight (below - above), of `count` bytes each.
void blendBytes(const std::uint8_t* HWY_RESTRICT above, const std::uint8_t* HWY_RESTRICT below,
                float weight, std::size_t count, float* HWY_RESTRICT out) {
  const Vectors d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    blendHere(d, above + i, below + i, weight, out + i);
  for (; i < count; ++i) blendHere(One(), above + i, below + i, weight, out + i);
}

template <class Tag>
void blendPlacesHere(Tag d, const float* row, const std::int32_t* left, const std::int32_t* right,
                     const float* weight, float scale, float shift, float* out) {
  const hn::Rebind<std::int32_t, Tag> d32;
  const auto a = hn::GatherIndex(d, row, hn::LoadU(d32, left));
  const auto b = hn::GatherIndex(d, row, hn::LoadU(d32, right));
  const auto value = hn::MulAdd(hn::LoadU(d, weight), hn::Sub(b, a), a);
  hn::StoreU(hn::MulAdd(value, hn::Set(d, scale), hn::Set(d, shift)), d, out);
}

// Computes out[i] = scale (row[left[i]] + weight[i] (row[right[i]] - row[left[i]])) + shift.
void blendPlaces(const float* HWY_RESTRICT row, const std::int32_t* HWY_RESTRICT left,
                 const std::int32_t* HWY_RESTRICT right, const float* HWY_RESTRICT weight,
                 std::size_t count, float scale, float shift, float* HWY_RESTRICT out) {
  const Vectors d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    blendPlacesHere(d, row, left + i, right + i, weight + i, scale, shift, out + i);
  for (; i < count; ++i)
    blendPlacesHere(One(), row, left + i, right + i, weight + i, scale, shift, out + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::segment
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::segment {

HWY_EXPORT(blendBytes);
HWY_EXPORT(blendPlaces);

void Preparer::prepare(const Picture& picture, const View& view, const Colours& colours,
                       float* planes) {
  const auto blendRow = HWY_DYNAMIC_DISPATCH(blendBytes);
  const auto blendColumns = HWY_DYNAMIC_DISPATCH(blendPlaces);
  const int right = std::min(view.left + view.width, view.resizedWidth);
  const int bottom = std::min(view.top + view.height, view.resizedHeight);
  across_.assign(picture.width, view.resizedWidth, view.left, right);
  down_.assign(picture.height, view.resizedHeight, view.top, bottom);
  const std::int32_t from = across_.first.front();  // pixels left of it are not needed
  for (auto& offsets : offsets_) offsets.resize(across_.first.size());
  for (std::size_t i = 0; i < across_.first.size(); ++i) {
    offsets_[0][i] = (across_.first[i] - from) * picture.channels;
    offsets_[1][i] = (across_.second[i] - from) * picture.channels;
  }

  constexpr std::size_t kTaskRows = 16;
  const auto width = static_cast<std::size_t>(view.width);
  const auto height = static_cast<std::size_t>(view.height);
  const std::size_t columns = across_.first.size(), rows = down_.first.size();
  const auto bytes =
      static_cast<std::size_t>((across_.second.back() + 1 - from) * picture.channels);
  const std::uint8_t* pixels = picture.pixels + from * picture.channels;
  const std::size_t tasks = (height + kTaskRows - 1) / kTaskRows;
  float* scratch = rows_.reserve(tasks * bytes);
  processor::forEachTask(tasks, [&](std::size_t task) {
    float* blended = scratch + task * bytes;
    const std::size_t end = std::min((task + 1) * kTaskRows, height);
    for (std::size_t y = task * kTaskRows; y < end; ++y) {
      if (y < rows) {
        blendRow(pixels + down_.first[y] * picture.rowBytes,
                 pixels + down_.second[y] * picture.rowBytes, down_.weight[y], bytes, blended);
      }
      for (int plane = 0; plane < 3; ++plane) {
        const int channel = picture.channels == 1 ? 0 : colours.rgb ? 2 - plane : plane;
        float* out = planes + (static_cast<std::size_t>(plane) * height + y) * width;
        const std::size_t filled = y < rows ? columns : 0;
        blendColumns(blended + channel, offsets_[0].data(), offsets_[1].data(),
                     across_.weight.data(), filled, 1 / (255 * colours.std[plane]),
                     -colours.mean[plane] / colours.std[plane], out);
        std::fill(out + filled, out + width, 0.0F);
      }
    }
  });
}

}  // namespace mpm::segment
#endif  // HWY_ONCE
