// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Optional.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

/// Checks of the operators' arguments. Each throws a c10::Error of one sentence: "mpm::restore:
/// map[0, 3] = 9; expected 0 to 4, the image rows of tokens".
namespace mpm::operators {

constexpr char kMerge[] = "mpm::merge_pairs";
constexpr char kRestore[] = "mpm::restore";

using OptionalTensor = c10::optional<at::Tensor>;

/// Sizes of tokens [B, S+M, D]: S special rows, then M image rows.
struct TokenSizes {
  std::int64_t batch = 0, special = 0, image = 0, dim = 0;

  std::int64_t rows() const { return special + image; }
};

/// Requires float32, on a GPU also bfloat16; 3 dimensions, at least one feature and one image row.
TokenSizes checkTokens(const char* op, const at::Tensor& tokens, std::int64_t special);

/// Throws unless `integers` are int64 of one of `shapes`, where -1 stands for any size; `meaning`
/// names the sizes. Returns them contiguous.
at::Tensor checkIntegers(const char* op, const char* name, const at::Tensor& integers,
                         std::initializer_list<std::vector<std::int64_t>> shapes,
                         const char* meaning);

/// Bounds of a list of integers.
struct Bounds {
  std::int64_t low = 0, high = 0;
  const char* meaning = "";
};

/// Reads row `row` of contiguous int64 `integers` [.., count], each within `bounds`.
void readIntegers(const char* op, const char* name, const at::Tensor& integers, std::int64_t row,
                  const Bounds& bounds, std::vector<std::int32_t>& values);

/// Arguments of a merge with checked shapes and types; rows, map and regions are undefined if not
/// given. Values are not checked.
struct MergeInputs {
  TokenSizes sizes;
  std::int64_t originals = 0;
  at::Tensor tokens, rows, map, regions;  ///< contiguous
  int window = 0, gridHeight = 0, gridWidth = 0;
};

MergeInputs checkMerge(const at::Tensor& tokens, const OptionalTensor& rows,
                       const OptionalTensor& map, std::int64_t special, std::int64_t window,
                       at::IntArrayRef grid, const OptionalTensor& regions);

}  // namespace mpm::operators
