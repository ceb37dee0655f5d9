// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/shape_call.h"

#include <algorithm>
#include <utility>

#include "onnx/graph/attribute.h"

namespace mpm::onnx {
namespace {

std::int64_t size(std::int64_t value) {
  return value >= 0 && value <= kLargestSize ? value : kUnknown;
}

}  // namespace

std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!isNumber(a) || !isNumber(b) || __builtin_add_overflow(a, b, &sum)) return kUnknown;
  return size(sum);
}

std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!isNumber(a) || !isNumber(b) || __builtin_mul_overflow(a, b, &result)) return kUnknown;
  return size(result);
}

std::int64_t collapse(const Integers& sizes, std::size_t begin, std::size_t end) {
  std::int64_t count = 1, name = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (isNumber(sizes[i])) {
      count = times(count, sizes[i]);
    } else {
      name = name == 0 ? sizes[i] : kUnknown;
    }
  }
  if (name == 0) return count;
  return count == 1 ? name : kUnknown;
}

std::int64_t missingSize(const Integers& whole, const Integers& parts) {
  std::int64_t count = 1, others = 1;
  Integers names;
  for (const std::int64_t each : whole) {
    if (isNumber(each)) {
      count = times(count, each);
    } else {
      names.push_back(each);
    }
  }
  for (const std::int64_t each : parts) {
    if (isNumber(each)) {
      others = times(others, each);
    } else if (each != kUnknown) {
      const auto found = std::find(names.begin(), names.end(), each);
      if (found == names.end()) return kUnknown;
      names.erase(found);
    }
  }
  if (!isNumber(count) || !isNumber(others) || names.size() > 1) return kUnknown;
  if (names.size() == 1) return count == others ? names[0] : kUnknown;
  return others != 0 && count % others == 0 ? count / others : kUnknown;
}

Dims broadcastSizes(const Integers& a, const Integers& b) {
  const Integers& longer = a.size() >= b.size() ? a : b;
  const Integers& shorter = a.size() >= b.size() ? b : a;
  Integers dims = longer;
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& dim = dims[longer.size() - shorter.size() + i];
    const std::int64_t other = shorter[i];
    if (dim == other || other == 1) continue;
    if (dim == 1) {
      dim = other;
    } else if (isNumber(dim) && isNumber(other)) {
      return std::nullopt;
    } else if (isNumber(other)) {
      dim = other;  // the unknown one is either 1 or the same
    } else if (!isNumber(dim)) {
      dim = kUnknown;
    }
  }
  return dims;
}

const Integers* Call::dims(std::size_t input) const {
  if (!has(input)) return nullptr;
  if (values) return values->namedDims(node.input(static_cast<int>(input)));
  return this->input(input) ? &inputs[input]->dims : nullptr;
}

Dims Call::copyOf(std::size_t input) const {
  const Integers* found = dims(input);
  return found ? Dims(*found) : std::nullopt;
}

const Integers* Call::parameters(std::size_t i) const {
  const Known* known = input(i);
  return known && !known->isFloat() && known->isSure() ? &known->integers : nullptr;
}

const Known* Call::list(std::size_t input) const {
  const Integers* size = dims(input);
  if (!size || size->size() > 1) return nullptr;
  constexpr std::int64_t kMost = 64;
  if (size->size() == 1 && (!isNumber((*size)[0]) || (*size)[0] > kMost)) return nullptr;
  return values ? values->content(node.input(static_cast<int>(input))) : inputs[input];
}

std::optional<Integers> Call::list(const char* attribute, std::size_t input) const {
  if (auto given = intsAttribute(node, attribute)) return given;
  const Known* known = list(input);
  if (!known || known->isFloat() || !known->isSure()) return std::nullopt;
  return known->integers;
}

bool Call::leavesOut(const char* attribute, std::size_t input) const {
  return !has(input) && !findAttribute(node, attribute);
}

Dims resultDims(const Call& call) {
  Shapes shapes = inferShapes(call);
  if (shapes.empty() || !shapes[0] || !smallCount(*shapes[0])) return std::nullopt;
  return std::move(shapes[0]);
}

}  // namespace mpm::onnx
