// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mpm::onnx {

// A run of a value's rows: some special rows of a token blob, or all of its image rows.
struct Part {
  bool isImage = false;
  std::int64_t begin = 0, end = 0;  // special rows, if not the image's

  bool operator==(const Part&) const = default;
};

// Windows of a grid of patches: so many down and across, all of one size.
struct Windows {
  std::int64_t down = 0, across = 0, height = 0, width = 0;

  std::int64_t count() const { return down * across; }
  bool areThere() const { return count() > 0; }
  bool operator==(const Windows&) const = default;
};

// A value of the model in a token blob (see mpm/layers.h): special rows first, then live image
// rows. The model may have its rows in another order, or only some of them. If it has them window
// by window, every window has its share of one part, then of the next. The blob's image rows are in
// the order of the grid even so.
struct Tokens {
  std::string blob;
  std::string rows;                              // live rows; empty: all
  std::string map;                               // of original tokens; empty: nothing was merged
  std::int64_t special = 0, image = 0, dim = 0;  // of the blob
  std::int64_t ownImage = 0;  // image rows in the model, which was made for its own input size
  std::int64_t gridHeight = 0, gridWidth = 0;
  bool hasOwnGrid = true;   // of the size for which the model was made
  std::vector<Part> parts;  // the value's rows, in its order
  bool rowsFirst = false;   // the value is [rows, B, dim]
  bool flat = false;        // the value has its rows in other dimensions
  bool dropsRows = false;   // the value is [B, dim]: one row, whose axis is gone
  Windows windows;          // see above
  // Size of the grid after the model padded it below and to the right; 0 without padding. The blob
  // has no padding.
  std::int64_t paddedHeight = 0, paddedWidth = 0;
  bool isScores = false;   // what `rows` says holds for what the blob was made from
  bool inEncoder = false;  // a block on it is the encoder's
  int blocks = 0;          // of the encoder, behind it
  std::string encoder;     // the blob in front of its blocks

  bool isImageOnly() const { return parts.size() == 1 && parts[0].isImage; }
  bool isSpecialOnly() const {
    for (const Part& part : parts) {
      if (part.isImage) return false;
    }
    return true;
  }
  // Tells whether the value has all rows of the blob in order; special ones may be several parts.
  bool isWhole() const {
    std::int64_t next = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].isImage) return next == special && i + 1 == parts.size();
      if (parts[i].begin != next) return false;
      next = parts[i].end;
    }
    return false;
  }
  // Returns the window of each row of the blob before all merges, special ones included.
  std::vector<std::int64_t> windowOfRows() const {
    std::vector<std::int64_t> window(static_cast<std::size_t>(special), 0);
    for (const Part& part : parts) {
      const std::int64_t share = (part.end - part.begin) / windows.count();
      for (std::int64_t row = part.begin; !part.isImage && row < part.end; ++row)
        window[static_cast<std::size_t>(row)] = (row - part.begin) / share;
    }
    for (std::int64_t y = 0; y < gridHeight; ++y) {
      for (std::int64_t x = 0; x < gridWidth; ++x)
        window.push_back(y / windows.height * windows.across + x / windows.width);
    }
    return window;
  }
  bool isPadded() const { return paddedHeight > 0; }
  // Returns the number of the value's rows in the model, without padding.
  std::int64_t count() const {
    std::int64_t sum = 0;
    for (const Part& part : parts) sum += part.isImage ? ownImage : part.end - part.begin;
    return sum;
  }
  // Tells whether the value has every row of the blob once, in any order.
  bool hasAll() const {
    std::vector<int> times(static_cast<std::size_t>(special) + 1, 0);
    for (const Part& part : parts) {
      if (part.isImage) ++times.back();
      for (std::int64_t row = part.begin; !part.isImage && row < part.end; ++row)
        ++times[static_cast<std::size_t>(row)];
    }
    return std::all_of(times.begin(), times.end(), [](int each) { return each == 1; });
  }
};

}  // namespace mpm::onnx
