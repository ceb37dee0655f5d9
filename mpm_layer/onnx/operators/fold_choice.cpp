// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic, and Where, which exporters use for "this dimension as it is".
#include <functional>

#include "onnx/operators/fold_ops.h"
#include "onnx/operators/fold_places.h"
#include "onnx/operators/shape_call.h"

namespace mpm::onnx {
namespace {

using ::onnx::TensorProto;

template <typename Compare>
Result compare(const Call& call, Compare compare) {
  const auto both = broadcast(call.input(0), call.input(1));
  if (!both) return std::nullopt;
  const auto& [a, b] = *both;
  Result result = emptyKnown(TensorProto::BOOL, a.dims);
  if (!result) return std::nullopt;
  for (std::size_t i = 0; i < a.count(); ++i) {
    result->sure[i] = a.sure[i] && b.sure[i];
    if (!result->sure[i]) continue;
    result->integers[i] =
        a.isFloat() ? compare(a.floats[i], b.floats[i]) : compare(a.integers[i], b.integers[i]);
  }
  return result;
}

template <typename Combine>
Result logic(const Call& call, Combine combine) {
  if (!call.input(0) || call.input(0)->type != TensorProto::BOOL) return std::nullopt;
  return compare(call, [&](auto a, auto b) { return combine(a != 0, b != 0); });
}

// Whether two whole numbers, one or both the name of a size, are equal or not for certain: sizes
// are not negative.
std::optional<bool> equalNames(const Known& a, const Known& b, std::size_t i) {
  const auto isName = [i](const Known& known) { return !known.sure[i] && known.integers[i] < -1; };
  const auto isNegative = [i](const Known& known) {
    return known.sure[i] && known.integers[i] < 0;
  };
  if ((isName(a) && isNegative(b)) || (isName(b) && isNegative(a))) return false;
  if (isName(a) && isName(b) && a.integers[i] == b.integers[i]) return true;
  return std::nullopt;
}

}  // namespace

Result foldEqual(const Call& call) {
  Result result = compare(call, std::equal_to<>());
  const auto both = result ? broadcast(call.input(0), call.input(1)) : std::nullopt;
  if (!both || both->first.isFloat()) return result;
  for (std::size_t i = 0; i < result->count(); ++i) {
    if (result->sure[i]) continue;
    const auto equal = equalNames(both->first, both->second, i);
    result->sure[i] = equal.has_value();
    result->integers[i] = equal.value_or(false);
  }
  return result;
}

Result foldLess(const Call& call) { return compare(call, std::less<>()); }
Result foldLessOrEqual(const Call& call) { return compare(call, std::less_equal<>()); }
Result foldGreater(const Call& call) { return compare(call, std::greater<>()); }
Result foldGreaterOrEqual(const Call& call) { return compare(call, std::greater_equal<>()); }
Result foldAnd(const Call& call) { return logic(call, std::logical_and<>()); }
Result foldOr(const Call& call) { return logic(call, std::logical_or<>()); }
Result foldXor(const Call& call) { return logic(call, std::not_equal_to<>()); }

Result foldNot(const Call& call) {
  if (!call.input(0) || call.input(0)->type != TensorProto::BOOL) return std::nullopt;
  Known result = *call.input(0);
  for (std::int64_t& value : result.integers) value = value == 0;
  return result;
}

Result foldWhere(const Call& call) {
  const Known* condition = call.input(0);
  if (!condition || condition->type != TensorProto::BOOL) return std::nullopt;
  const auto both = broadcast(call.input(1), call.input(2));
  if (!both) return std::nullopt;
  const auto dims = broadcastSizes(condition->dims, both->first.dims);
  if (!dims) return std::nullopt;
  const auto from = broadcastPlaces(condition->dims, *dims);
  const auto places = broadcastPlaces(both->first.dims, *dims);
  if (!from || !places) return std::nullopt;
  Known result = pick(both->first, *dims, *places);
  for (std::size_t i = 0; i < places->size(); ++i) {
    const std::size_t c = (*from)[i];
    if (!condition->integers[c]) {
      const std::size_t place = (*places)[i];
      withElements([&](auto& to, const auto& other) { to[i] = other[place]; }, result,
                   both->second);
      result.sure[i] = both->second.sure[place];
    }
    if (!condition->sure[c]) result.forget(i);
  }
  return result;
}

}  // namespace mpm::onnx
