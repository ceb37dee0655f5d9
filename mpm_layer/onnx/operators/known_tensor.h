// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "onnx/graph/proto.h"
#include "onnx/graph/tensor.h"
#include "processor/pool.h"

namespace mpm::onnx {

using Integers = std::vector<std::int64_t>;

// Floats that copies share until one of them is written. They may belong to a caller; then they
// have to outlive all that share them, and are copied before a write.
class SharedFloats {
 public:
  SharedFloats() = default;
  SharedFloats(std::vector<float> values);      // NOLINT(google-explicit-constructor)
  static SharedFloats unset(std::size_t size);  // elements of any value
  static SharedFloats of(const float* values, std::size_t size);  // somebody else's

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const float* data() const { return data_; }
  const float* begin() const { return data_; }
  const float* end() const { return data_ + size_; }
  float operator[](std::size_t i) const { return data_[i]; }
  std::vector<float> copy() const { return {begin(), end()}; }
  bool operator==(const SharedFloats& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

  // For one thread: several may write through the pointer until the floats are copied again.
  float* write();

 private:
  std::shared_ptr<void> owner_;
  float* data_ = nullptr;
  std::size_t size_ = 0;
};

// A small tensor with known elements, or some of them: [batch, 1025, 192] without batch. An integer
// that is not sure is either above -2 or the name of a size (see Values::namedDims).
struct KnownTensor {
  int type = ::onnx::TensorProto::INT64;  // FLOAT, INT64, INT32, BOOL or a narrow one
  Integers dims;
  Integers integers;       // unless type is FLOAT
  SharedFloats floats;     // if type is FLOAT
  std::vector<char> sure;  // by element: is it known? Empty: all of them are

  bool isFloat() const { return type == ::onnx::TensorProto::FLOAT; }
  bool isSure() const;
  bool isSure(std::size_t i) const { return sure.empty() || sure[i] != 0; }
  std::size_t count() const { return isFloat() ? floats.size() : integers.size(); }
  void setSure(std::size_t i, bool isSure);
  void forget(std::size_t i);
};

// Calls visit with the first element of each tensor; all have floats or all have integers. Those of
// constants are to read, others to write.
template <class Visit, class First, class... Others>
void withElements(const Visit& visit, First& first, Others&... others) {
  const auto floats = [](auto& known) {
    if constexpr (std::is_const_v<std::remove_reference_t<decltype(known)>>) {
      return known.floats.data();
    } else {
      return known.floats.write();
    }
  };
  if (first.isFloat()) {
    visit(floats(first), floats(others)...);
  } else {
    visit(first.integers.data(), others.integers.data()...);
  }
}

inline constexpr std::size_t kMostRank = 16;

// Returns how many elements results of this thread may have: 2^25, since a few bytes of a file can
// ask for any number. While a LargeResults lives it is 2^31, for computing with a frame.
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

// Returns the product of dims; std::nullopt if one is negative, the product is over mostElements(),
// or dims has more than kMostRank entries.
std::optional<std::size_t> smallCount(const Integers& dims);

// Matches integers of 8 or 16 bits: bytes of a picture, labels.
bool isNarrow(std::int64_t type);

// Tells whether values of a type can be a KnownTensor.
bool isFolded(std::int64_t type);

// Return a tensor with these dims, all its elements sure: zeros, or unset ones that are written
// next. Return std::nullopt if it is too large.
std::optional<KnownTensor> zeros(int type, const Integers& dims);
std::optional<KnownTensor> unwritten(int type, const Integers& dims);

// Copies a constant; std::nullopt if its type is not folded or it is large.
std::optional<KnownTensor> toKnownTensor(const Tensor& tensor);
::onnx::TensorProto toTensor(const KnownTensor& known, const std::string& name);

// Tells whether an integer type holds this value.
bool fits(std::int64_t value, int type);

// Maps -rank..rank-1 to 0..rank-1; std::nullopt outside.
std::optional<std::size_t> axisOf(std::int64_t axis, std::size_t rank);

// An Einsum with a letter for each axis. Axes of an ellipsis have digits, the same ones from an
// operand's last such axis on, since they are broadcast that way.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

// Returns std::nullopt if the equation has another number of operands, or does not fit their ranks.
std::optional<Equation> readEquation(const Node& node, const std::vector<std::size_t>& ranks);

// Indices of elements in a source, in the order of a result, for pick().
using Places = std::vector<std::size_t>;
using Strides = std::vector<std::ptrdiff_t>;

// Returns the strides of a tensor in row-major order.
Strides stridesOf(const Integers& dims);

// Copies so many elements, `step` apart, to consecutive ones.
template <class Element>
void copyRun(const Element* from, std::ptrdiff_t step, std::size_t count, Element* to) {
  if (step == 1) {
    std::copy_n(from, count, to);
  } else if (step == 0) {
    std::fill_n(to, count, *from);
  } else {
    for (std::size_t i = 0; i < count; ++i, from += step) to[i] = *from;
  }
}

// Calls visit(i, place, run, step) for each row along the last axis of a result with these dims, in
// order. Its `run` elements are i and the next ones; in the source they are at `place` and every
// `step` after it. The first one is at `first`. `strides` are steps along the axes there.
template <class Visit>
void forEachRun(const Integers& dims, const Strides& strides, std::size_t first,
                const Visit& visit) {
  // Axes of one element are left out, so that rows are long.
  Integers sizes;
  Strides steps;
  std::size_t count = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    count *= static_cast<std::size_t>(dims[i]);
    if (dims[i] == 1) continue;
    sizes.push_back(dims[i]);
    steps.push_back(strides[i]);
  }
  const auto run = sizes.empty() ? std::size_t{1} : static_cast<std::size_t>(sizes.back());
  const std::ptrdiff_t step = steps.empty() ? 0 : steps.back();
  Integers at(sizes.size(), 0);
  auto place = static_cast<std::ptrdiff_t>(first);
  for (std::size_t done = 0; done < count; done += run) {
    visit(done, place, run, step);
    for (std::size_t i = sizes.empty() ? 0 : sizes.size() - 1; i-- > 0;) {
      place += steps[i];
      if (++at[i] < sizes[i]) break;
      place -= steps[i] * at[i];
      at[i] = 0;
    }
  }
}

// Calls visit(i, place) for each element: i counts them, and place is its index in the source.
template <class Visit>
void forEachPlace(const Integers& dims, const Strides& strides, std::size_t first,
                  const Visit& visit) {
  forEachRun(dims, strides, first,
             [&](std::size_t i, std::ptrdiff_t place, std::size_t run, std::ptrdiff_t step) {
               for (std::size_t k = 0; k < run; ++k, place += step)
                 visit(i + k, static_cast<std::size_t>(place));
             });
}

// Returns the strides that broadcast elements of `from` to `to`; std::nullopt if `from` does not
// fit or `to` is too large.
std::optional<Strides> broadcastStrides(const Integers& from, const Integers& to);

// Returns the index in `from` for each element of `to`; std::nullopt if `from` does not fit or `to`
// is too large.
std::optional<Places> broadcastPlaces(const Integers& from, const Integers& to);

// Returns both operands in their common shape; std::nullopt if they have none or differ in type.
std::optional<std::pair<KnownTensor, KnownTensor>> broadcast(const KnownTensor* a,
                                                             const KnownTensor* b);

// Returns the source's elements at these places, with these dims; or those of forEachPlace.
KnownTensor pick(const KnownTensor& source, Integers dims, const Places& places);
KnownTensor pickStrided(const KnownTensor& source, const Integers& dims, const Strides& strides,
                        std::size_t first = 0);

// Returns the source with dims `seen`, which have as many elements, and its axes in this order.
KnownTensor transposed(const KnownTensor& source, const Integers& seen,
                       const std::vector<std::size_t>& order);

// Returns the source broadcast to dims; std::nullopt if it does not fit or they are too large.
std::optional<KnownTensor> broadcastTo(const KnownTensor& source, const Integers& dims);

// Returns the same elements in another shape.
KnownTensor reshaped(const KnownTensor& source, Integers dims);

// Returns the product of dims[begin..end), which are small.
std::size_t product(const Integers& dims, std::size_t begin, std::size_t end);

// Positions along an axis: `count` of them, from start on.
struct Stretch {
  std::int64_t start = 0, step = 1, count = 0;
};

// Returns positions from start to before end of an axis, clamped as in ONNX. The step is not 0.
Stretch stretchOf(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t size);

// Calls body(begin, end) over pieces of [0, count), which threads share if there are many.
template <class Body>
void forEachPiece(std::size_t count, const Body& body) {
  constexpr std::size_t kPiece = std::size_t{1} << 14;
  if (count <= 2 * kPiece) return body(std::size_t{0}, count);
  processor::forEachTask((count + kPiece - 1) / kPiece, [&](std::size_t piece) {
    body(piece * kPiece, std::min(count, (piece + 1) * kPiece));
  });
}

// Returns the order of a Transpose's axes; std::nullopt if it is not one.
std::optional<std::vector<std::size_t>> orderOf(const Node& transpose, std::size_t rank);

// Marks the named axes; std::nullopt if one is out of range or named twice.
std::optional<std::vector<bool>> markAxes(const Integers& axes, std::size_t rank);

}  // namespace mpm::onnx
