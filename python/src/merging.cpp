// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "models.h"
#include "mpm/merge.h"
#include "released.h"

namespace mpm::python {
namespace {

using Integers = std::vector<std::int64_t>;

[[noreturn]] void refuse(const std::string& sentence) { throw std::invalid_argument(sentence); }

// tokens [B, S+M, D].
struct Tokens {
  std::size_t batch, rows, dim, special;

  Tokens(const cv::Mat& mat, int special_) {
    if (mat.dims != 3) refuse("tokens: expected rows x features, or images x rows x features");
    if (special_ < 0 || special_ > mat.size[1]) {
      refuse("special = " + std::to_string(special_) + "; expected 0 to " +
             std::to_string(mat.size[1]) + ", the rows of tokens");
    }
    batch = static_cast<std::size_t>(mat.size[0]), rows = static_cast<std::size_t>(mat.size[1]);
    dim = static_cast<std::size_t>(mat.size[2]), special = static_cast<std::size_t>(special_);
  }
  std::size_t image() const { return rows - special; }
};

// [B or 1, N] whole numbers, or nothing.
class Table {
 public:
  Table(nb::handle given, std::string name, std::size_t batch, bool isShared)
      : name_(std::move(name)) {
    if (given.is_none()) return;
    Integers shape;
    values_ = integersOf(given, name_, shape);
    const bool fits = shape.size() == 2 &&
                      (shape[0] == static_cast<std::int64_t>(batch) || (isShared && shape[0] == 1));
    if (!fits) {
      refuse(name_ + ": it is " + shapeText(shape) + "; expected " + std::to_string(batch) +
             (isShared ? " (or 1)" : "") + " x a number for each original token");
    }
    columns_ = static_cast<std::size_t>(shape[1]);
    isShared_ = shape[0] == 1;
    isThere_ = true;
  }

  bool isThere() const { return isThere_; }
  std::size_t columns() const { return columns_; }

  /// A row's numbers, each from `low` to `high`.
  std::vector<std::int32_t> row(std::size_t image, std::int64_t low, std::int64_t high) const {
    const std::int64_t* from = values_.data() + (isShared_ ? 0 : image * columns_);
    std::vector<std::int32_t> numbers(columns_);
    for (std::size_t i = 0; i < columns_; ++i) {
      if (from[i] < low || from[i] > high) {
        refuse(name_ + "[" + std::to_string(image) + ", " + std::to_string(i) +
               "] = " + std::to_string(from[i]) + "; expected " + std::to_string(low) + " to " +
               std::to_string(high));
      }
      numbers[i] = static_cast<std::int32_t>(from[i]);
    }
    return numbers;
  }

 private:
  std::string name_;
  Integers values_;
  std::size_t columns_ = 0;
  bool isShared_ = false, isThere_ = false;
};

Integers liveRows(nb::handle given, const Tokens& tokens) {
  if (given.is_none()) return Integers(tokens.batch, static_cast<std::int64_t>(tokens.rows));
  Integers shape;
  Integers rows = integersOf(given, "rows", shape);
  if (shape.size() != 1 || rows.size() != tokens.batch)
    refuse("rows: it is " + shapeText(shape) + "; expected " + std::to_string(tokens.batch) +
           ", one for each image");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < static_cast<std::int64_t>(tokens.special) ||
        rows[i] > static_cast<std::int64_t>(tokens.rows)) {
      refuse("rows[" + std::to_string(i) + "] = " + std::to_string(rows[i]) + "; expected " +
             std::to_string(tokens.special) + " to " + std::to_string(tokens.rows) +
             ", the special rows to all rows of tokens");
    }
  }
  return rows;
}

struct Merge {
  Tokens sizes;
  MergeOptions options;
  Integers rows;
  Table map, regions;
  Integers mergedMap;
  std::size_t originals;

  void image(const cv::Mat& tokens, std::size_t image, cv::Mat& merged) {
    thread_local PairMerger merger;
    const auto live = static_cast<std::size_t>(rows[image]) - sizes.special;
    std::vector<std::int32_t> imageMap(originals);
    if (map.isThere()) {
      imageMap = map.row(image, 0, static_cast<std::int64_t>(live) - 1);
    } else if (live != sizes.image()) {
      refuse("rows[" + std::to_string(image) + "] leaves " + std::to_string(live) + " of " +
             std::to_string(sizes.image()) + " image rows live; expected all of them, or a map");
    } else {
      identityMap(imageMap.data(), originals);
    }
    std::vector<std::int32_t> labels;
    if (regions.isThere()) {
      labels = regions.row(image, std::numeric_limits<std::int32_t>::min(),
                           std::numeric_limits<std::int32_t>::max());
      options.regions = labels.data();
    }
    const float* from = tokens.ptr<float>(static_cast<int>(image));
    float* to = merged.ptr<float>(static_cast<int>(image));
    const std::size_t special = sizes.special * sizes.dim;
    const std::size_t left =
        merger.merge({from + special, live, sizes.dim}, options, imageMap.data(), originals,
                     {to + special, live, sizes.dim});
    std::copy_n(from, special, to);
    std::fill(to + special + left * sizes.dim, to + sizes.rows * sizes.dim, 0.0F);
    rows[image] = static_cast<std::int64_t>(sizes.special + left);
    std::copy(imageMap.begin(), imageMap.end(),
              mergedMap.begin() + static_cast<std::ptrdiff_t>(image * originals));
  }
};

nb::tuple mergePairs(nb::handle given, nb::handle rows, nb::handle map, int special, int window,
                     std::pair<int, int> grid, nb::handle regions) {
  const ArrayView tokens = floatsOf(given, "tokens");
  const Tokens sizes(tokens.mat, special);
  Merge merge{sizes,
              {},
              liveRows(rows, sizes),
              Table(map, "map", sizes.batch, false),
              Table(regions, "regions", sizes.batch, true),
              {},
              sizes.image()};
  if (merge.map.isThere()) merge.originals = merge.map.columns();
  if (merge.regions.isThere() && merge.regions.columns() != merge.originals) {
    refuse("regions: it has labels for " + std::to_string(merge.regions.columns()) +
           " original tokens; expected " + std::to_string(merge.originals));
  }
  merge.options.window = window;
  merge.options.gridHeight = grid.first, merge.options.gridWidth = grid.second;
  merge.mergedMap.resize(sizes.batch * merge.originals);
  cv::Mat merged(tokens.mat.dims, tokens.mat.size.p, CV_32F);
  {
    const Released released;
    for (std::size_t image = 0; image < sizes.batch; ++image)
      merge.image(tokens.mat, image, merged);
  }
  return nb::make_tuple(arrayOf(merged), arrayOf(std::move(merge.rows), {sizes.batch}),
                        arrayOf(std::move(merge.mergedMap), {sizes.batch, merge.originals}));
}

nb::object restoreTokens(nb::handle given, nb::handle givenMap, int special) {
  const ArrayView tokens = floatsOf(given, "tokens");
  const Tokens sizes(tokens.mat, special);
  const Table map(givenMap, "map", sizes.batch, false);
  if (!map.isThere()) throw nb::type_error("map: expected an array of whole numbers, got None");
  const std::size_t originals = map.columns();
  const int shape[] = {static_cast<int>(sizes.batch), static_cast<int>(sizes.special + originals),
                       static_cast<int>(sizes.dim)};
  cv::Mat full(3, shape, CV_32F);
  {
    const Released released;
    const std::size_t specialFloats = sizes.special * sizes.dim;
    for (std::size_t image = 0; image < sizes.batch; ++image) {
      const std::vector<std::int32_t> rows =
          map.row(image, 0, static_cast<std::int64_t>(sizes.image()) - 1);
      const float* from = tokens.mat.ptr<float>(static_cast<int>(image));
      float* to = full.ptr<float>(static_cast<int>(image));
      std::copy_n(from, specialFloats, to);
      restore({from + specialFloats, sizes.image(), sizes.dim}, rows.data(),
              {to + specialFloats, originals, sizes.dim});
    }
  }
  return arrayOf(full);
}

}  // namespace

void addMerging(nb::module_& module) {
  module.def("merge_pairs", &mergePairs, nb::arg("tokens").none(), nb::arg("rows").none(),
             nb::arg("map").none(), nb::arg("special"), nb::arg("window"), nb::arg("grid"),
             nb::arg("regions").none());
  module.def("restore", &restoreTokens, nb::arg("tokens").none(), nb::arg("map").none(),
             nb::arg("special"));
}

}  // namespace mpm::python
