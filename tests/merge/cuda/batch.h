// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "merge/cuda/device.h"
#include "merge/merge_cuda.h"
#include "random_rows.h"

/// Ragged batches on the host, and on the device.
namespace mpm::test {

inline const char* nameOf(merge::Element element) {
  return element == merge::Element::float32 ? "float32" : "bfloat16";
}

/// To nearest, ties to even; a NaN stays one.
inline std::uint16_t toBf16(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  if (x != x) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

inline float fromBf16(std::uint16_t half) {
  const std::uint32_t bits = std::uint32_t{half} << 16;
  float x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// What the element can hold of the rows.
inline OwnedRows heldBy(merge::Element element, OwnedRows rows) {
  if (element == merge::Element::bfloat16) {
    for (float& x : rows.data) x = fromBf16(toBf16(x));
  }
  return rows;
}

/// Rows as a device has them.
using Bytes = std::vector<unsigned char>;

inline Bytes encoded(merge::Element element, const OwnedRows& rows) {
  const std::size_t size = element == merge::Element::float32 ? 4 : 2;
  Bytes bytes(rows.data.size() * size);
  for (std::size_t i = 0; i < rows.data.size(); ++i) {
    const std::uint16_t half = toBf16(rows.data[i]);
    if (size == 4) std::memcpy(&bytes[i * size], &rows.data[i], size);
    if (size == 2) std::memcpy(&bytes[i * size], &half, size);
  }
  return bytes;
}

inline OwnedRows decoded(const merge::MergeSizes& sizes, const Bytes& bytes, std::size_t first,
                         std::size_t count) {
  OwnedRows rows(count, static_cast<std::size_t>(sizes.dim));
  const std::size_t size = sizes.element == merge::Element::float32 ? 4 : 2;
  for (std::size_t i = 0; i < rows.data.size(); ++i) {
    const unsigned char* at = bytes.data() + (first * rows.dim + i) * size;
    std::uint16_t half = 0;
    if (size == 4) std::memcpy(&rows.data[i], at, size);
    if (size == 2) std::memcpy(&half, at, size), rows.data[i] = fromBf16(half);
  }
  return rows;
}

struct Batch {
  merge::MergeSizes sizes;
  std::vector<std::int32_t> first, count;
  Bytes data;

  std::size_t rows() const { return data.size() / rowBytes(); }
  std::size_t rowBytes() const {
    return static_cast<std::size_t>(sizes.dim) * (sizes.element == merge::Element::float32 ? 4 : 2);
  }
  std::size_t imageRows(std::size_t image) const {
    return static_cast<std::size_t>(count[image] - sizes.special);
  }
  /// Those behind the special ones.
  OwnedRows image(std::size_t at) const {
    return decoded(sizes, data, static_cast<std::size_t>(first[at] + sizes.special), imageRows(at));
  }
};

/// `images`: special rows in front. `gap` rows of NaN lie behind each image. Every image's rows but
/// the special ones are its originals, of which the largest image says how many there are.
inline Batch batchOf(const std::vector<OwnedRows>& images, int special = 0,
                     merge::Element element = merge::Element::float32, std::size_t gap = 0) {
  Batch batch;
  batch.sizes.batch = static_cast<int>(images.size());
  batch.sizes.special = special;
  batch.sizes.dim = images.empty() ? 1 : static_cast<int>(images[0].dim);
  batch.sizes.element = element;
  for (const OwnedRows& rows : images) {
    batch.first.push_back(static_cast<std::int32_t>(batch.rows()));
    batch.count.push_back(static_cast<std::int32_t>(rows.count));
    batch.sizes.mostRows = std::max(batch.sizes.mostRows, batch.count.back());
    const Bytes bytes = encoded(element, rows);
    batch.data.insert(batch.data.end(), bytes.begin(), bytes.end());
    batch.data.resize(batch.data.size() + gap * batch.rowBytes(), 0xFF);
  }
  batch.sizes.originals = std::max(0, batch.sizes.mostRows - special);
  return batch;
}

class DeviceBatch {
 public:
  explicit DeviceBatch(const Batch& batch)
      : data_(batch.data), first_(batch.first), count_(batch.count) {}
  merge::DeviceRows rows() const { return {data_.data(), first_.data(), count_.data()}; }

 private:
  DeviceArray<unsigned char> data_;
  DeviceArray<std::int32_t> first_, count_;
};

}  // namespace mpm::test
