// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/tensor.h"

namespace mpm::onnx {

using Integers = std::vector<std::int64_t>;

// A small tensor whose elements are known, or some of them: [batch, 1025, 192] without batch.
struct Known {
  int type = ::onnx::TensorProto::INT64;  // FLOAT, INT64, INT32 or BOOL
  Integers dims;
  Integers integers;          // unless type is FLOAT
  std::vector<float> floats;  // if type is FLOAT
  std::vector<char> sure;     // by element: is it known?

  bool isFloat() const { return type == ::onnx::TensorProto::FLOAT; }
  bool isSure() const;
  std::size_t count() const { return sure.size(); }
};

// Product of dims, nothing where one is negative or the product is over 10^6.
std::optional<std::size_t> smallCount(const Integers& dims);

// A result with these dims and room for its elements: zeros, not sure. Nothing where too large.
std::optional<Known> emptyKnown(int type, const Integers& dims);

// A constant, where its type is one that is folded and it is small.
std::optional<Known> toKnown(const Tensor& tensor);
::onnx::TensorProto toTensor(const Known& known, const std::string& name);

// The elements at these places of the source, in the shape of dims.
Known pick(const Known& source, Integers dims, const std::vector<std::size_t>& places);

// Whether an integer type holds this value.
bool fits(std::int64_t value, int type);

// -rank..rank-1 to 0..rank-1; nothing outside.
std::optional<std::size_t> axisOf(std::int64_t axis, std::size_t rank);

}  // namespace mpm::onnx
