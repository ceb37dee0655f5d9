// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/tensor.h"

namespace mpm::onnx {

using Integers = std::vector<std::int64_t>;

// A small tensor whose elements are known, or some of them: [batch, 1025, 192] without batch. A
// whole number that is not sure is either above -2 or the name of a size (see Values::namedDims).
struct Known {
  int type = ::onnx::TensorProto::INT64;  // FLOAT, INT64, INT32, BOOL or a narrow one
  Integers dims;
  Integers integers;          // unless type is FLOAT
  std::vector<float> floats;  // if type is FLOAT
  std::vector<char> sure;     // by element: is it known?

  bool isFloat() const { return type == ::onnx::TensorProto::FLOAT; }
  bool isSure() const;
  std::size_t count() const { return sure.size(); }
  void forget(std::size_t i);
};

// Calls visit with the elements of each, all of them floats or all of them whole numbers.
template <class Visit, class First, class... Others>
void withElements(const Visit& visit, First& first, Others&... others) {
  if (first.isFloat()) {
    visit(first.floats, others.floats...);
  } else {
    visit(first.integers, others.integers...);
  }
}

inline constexpr std::size_t kMostRank = 16;

// How many elements the results that this thread makes may have: 2^25, since a few bytes of a file
// can ask for any number; while a LargeResults lives, 2^31: what a net computes with a frame.
std::int64_t mostElements();

class LargeResults {
 public:
  LargeResults();
  ~LargeResults();
  LargeResults(const LargeResults&) = delete;
  LargeResults& operator=(const LargeResults&) = delete;

 private:
  bool outer_;
};

// Product of dims, nothing where one is negative, the product is over mostElements(), or dims has
// more than kMostRank entries.
std::optional<std::size_t> smallCount(const Integers& dims);

// Whole numbers of 8 or 16 bits: bytes of a picture, labels.
bool isNarrow(std::int64_t type);

// Whether values of a type can be Known.
bool isFolded(std::int64_t type);

// A result with these dims and room for its elements: zeros, not sure. Nothing where too large.
std::optional<Known> emptyKnown(int type, const Integers& dims);

// A constant, where its type is one that is folded and it is small. Takes a copy.
std::optional<Known> toKnown(const Tensor& tensor);
::onnx::TensorProto toTensor(const Known& known, const std::string& name);

// Whether an integer type holds this value.
bool fits(std::int64_t value, int type);

// -rank..rank-1 to 0..rank-1; nothing outside.
std::optional<std::size_t> axisOf(std::int64_t axis, std::size_t rank);

}  // namespace mpm::onnx
