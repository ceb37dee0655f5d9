// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "onnx/known.h"

namespace mpm::onnx {

// Places of elements in a source, in the order of a result: what pick() takes.
using Places = std::vector<std::size_t>;
using Strides = std::vector<std::ptrdiff_t>;

// Strides of a tensor in row-major order.
Strides stridesOf(const Integers& dims);

// The places of a result with these dims, the first at `first`, in which a step along an axis is a
// step of so many elements in the source.
Places stridedPlaces(const Integers& dims, const Strides& strides, std::size_t first = 0);

// The element of `from` that is broadcast to each element of `to`; nothing where `from` does not
// fit or `to` is too large.
std::optional<Places> broadcastPlaces(const Integers& from, const Integers& to);

// Both operands in their common shape; nothing where they have none or differ in type.
std::optional<std::pair<Known, Known>> broadcast(const Known* a, const Known* b);

// The elements at these places of the source, in the shape of dims.
Known pick(const Known& source, Integers dims, const Places& places);

// The same elements in another shape.
Known reshaped(const Known& source, Integers dims);

// Product of dims[begin..end), which are small.
std::size_t product(const Integers& dims, std::size_t begin, std::size_t end);

// Which of the axes are named; nothing where one is out of range or named twice.
std::optional<std::vector<bool>> markAxes(const Integers& axes, std::size_t rank);

}  // namespace mpm::onnx
