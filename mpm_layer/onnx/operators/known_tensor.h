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

// Floats that copies share until one of them is written; or those of somebody else, which have to
// outlive all that share them and are copied before they are written.
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

  // For one thread: what it gives may be written by several until something else gets a copy.
  float* write();

 private:
  std::shared_ptr<void> owner_;
  float* data_ = nullptr;
  std::size_t size_ = 0;
};

// A small tensor whose elements are known, or some of them: [batch, 1025, 192] without batch. A
// whole number that is not sure is either above -2 or the name of a size (see Values::namedDims).
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

// Calls visit with the first element of each, all of them floats or all of them whole numbers:
// those of a constant to read, all others to write.
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

// Whether values of a type can be a KnownTensor.
bool isFolded(std::int64_t type);

// A result with these dims and room for its elements, all of them sure: zeros, or what is to be
// written anyway. Nothing where too large.
std::optional<KnownTensor> zeros(int type, const Integers& dims);
std::optional<KnownTensor> unwritten(int type, const Integers& dims);

// A constant, where its type is one that is folded and it is small. Takes a copy.
std::optional<KnownTensor> toKnownTensor(const Tensor& tensor);
::onnx::TensorProto toTensor(const KnownTensor& known, const std::string& name);

// Whether an integer type holds this value.
bool fits(std::int64_t value, int type);

// -rank..rank-1 to 0..rank-1; nothing outside.
std::optional<std::size_t> axisOf(std::int64_t axis, std::size_t rank);

// A letter for each axis; those of an ellipsis have digits, which are the same ones counted from an
// operand's last such axis: that is how they are broadcast.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

// Nothing where the equation has another number of operands, or does not fit their ranks.
std::optional<Equation> readEquation(const Node& node, const std::vector<std::size_t>& ranks);

// Places of elements in a source, in the order of a result: what pick() takes.
using Places = std::vector<std::size_t>;
using Strides = std::vector<std::ptrdiff_t>;

// Strides of a tensor in row-major order.
Strides stridesOf(const Integers& dims);

// So many elements, `step` apart, side by side.
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
// order: its `run` elements are i and what follows, and lie in a source from place on, by steps of
// `step`; the result's first at `first`. A step along an axis is one of so many elements there.
template <class Visit>
void forEachRun(const Integers& dims, const Strides& strides, std::size_t first,
                const Visit& visit) {
  // Without axes of one element, so that rows are long.
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

// Calls visit(i, place) for each element: i counts them, and place is where it lies.
template <class Visit>
void forEachPlace(const Integers& dims, const Strides& strides, std::size_t first,
                  const Visit& visit) {
  forEachRun(dims, strides, first,
             [&](std::size_t i, std::ptrdiff_t place, std::size_t run, std::ptrdiff_t step) {
               for (std::size_t k = 0; k < run; ++k, place += step)
                 visit(i + k, static_cast<std::size_t>(place));
             });
}

// The strides by which the elements of `from` are broadcast to those of `to`; nothing where `from`
// does not fit or `to` is too large.
std::optional<Strides> broadcastStrides(const Integers& from, const Integers& to);

// The element of `from` that is broadcast to each element of `to`; nothing where `from` does not
// fit or `to` is too large.
std::optional<Places> broadcastPlaces(const Integers& from, const Integers& to);

// Both operands in their common shape; nothing where they have none or differ in type.
std::optional<std::pair<KnownTensor, KnownTensor>> broadcast(const KnownTensor* a,
                                                             const KnownTensor* b);

// The elements at these places of the source, in the shape of dims; those that forEachPlace visits.
KnownTensor pick(const KnownTensor& source, Integers dims, const Places& places);
KnownTensor pickStrided(const KnownTensor& source, const Integers& dims, const Strides& strides,
                        std::size_t first = 0);

// The source, seen with dims of as many elements, with its axes in this order.
KnownTensor transposed(const KnownTensor& source, const Integers& seen,
                       const std::vector<std::size_t>& order);

// The source broadcast to dims; nothing where it does not fit or they are too large.
std::optional<KnownTensor> broadcastTo(const KnownTensor& source, const Integers& dims);

// The same elements in another shape.
KnownTensor reshaped(const KnownTensor& source, Integers dims);

// Product of dims[begin..end), which are small.
std::size_t product(const Integers& dims, std::size_t begin, std::size_t end);

// Positions along an axis: `count` of them, from start on.
struct Stretch {
  std::int64_t start = 0, step = 1, count = 0;
};

// From start to before end of an axis, by ONNX's rules of clamping. The step is not 0.
Stretch stretchOf(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t size);

// body(begin, end) over pieces of [0, count): shared out among threads where they are many.
template <class Body>
void forEachPiece(std::size_t count, const Body& body) {
  constexpr std::size_t kPiece = std::size_t{1} << 14;
  if (count <= 2 * kPiece) return body(std::size_t{0}, count);
  processor::forEachTask((count + kPiece - 1) / kPiece, [&](std::size_t piece) {
    body(piece * kPiece, std::min(count, (piece + 1) * kPiece));
  });
}

// The order of a Transpose's axes; nothing where it is none.
std::optional<std::vector<std::size_t>> orderOf(const Node& transpose, std::size_t rank);

// Which of the axes are named; nothing where one is out of range or named twice.
std::optional<std::vector<bool>> markAxes(const Integers& axes, std::size_t rank);

}  // namespace mpm::onnx
