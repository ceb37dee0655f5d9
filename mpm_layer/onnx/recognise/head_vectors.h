// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "onnx/recognise/parts.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

inline constexpr std::int64_t kMostHeadFeatures = 1 << 16;  // more than those of any layer

// Where each of [B, H, N, d] is among a value's axes.
using HeadAxes = std::array<std::size_t, 4>;

// Which axis of a value of these dims each of the four is, where the value has no others: of
// [B H, N, d] the first is two. Nothing where `view`, of its elements, is anything else.
std::optional<HeadAxes> headAxesOf(const View& view, const Integers& dims);

// Behind a product or a sum with numbers for each head and feature, or for each of one of these:
// they become the projection's scale and shift. Nothing where `value` is neither.
std::optional<std::string> behindHeadVector(const Facts& facts, const std::string& value,
                                            const Integers& dims, const HeadAxes& axes,
                                            FoundAttention& attention, FoundProjection& projection);

}  // namespace mpm::onnx
