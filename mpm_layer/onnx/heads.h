// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "onnx/view.h"

namespace mpm::onnx {

// Where q, k and v by heads stand in the rows that a linear layer or a norm made.

// [B, H, N, d], each with its step; heads that share features have several.
struct Heads {
  Run images, rows, features;
  std::vector<Run> heads;
  std::int64_t offset = 0;
};

// The same for each of so many matrices as a product has, where there was one.
bool spread(View& view, const Integers& lead);

// The four or three axes that a product of matrices has as these four.
std::optional<View> asHeads(View view, std::int64_t batch, std::int64_t heads, bool turned);

// Nothing where images, rows or features do not lie in equal steps.
std::optional<Heads> byHeads(const View& view);

// Whether (b, n) are rows of `width` elements in a dense [B, N, width] or [N, B, width].
bool areRows(const Heads& view, std::int64_t width, std::optional<bool>& rowsFirst);

// The features of all heads, head by head, in rows of `width`; nothing where one is outside.
std::optional<Integers> featuresOf(const Heads& view, std::int64_t width);

}  // namespace mpm::onnx
