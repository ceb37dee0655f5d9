// SPDX-License-Identifier: Apache-2.0
// Operators that make one element of many.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"

namespace mpm::onnx {

namespace {

// Maps the elements of a value to those of its result.
struct Reduction {
  Strides targets;       // of the result's elements, by axis of the value; 0 for axes that go
  std::size_t each = 1;  // how many elements make one
};

Reduction reductionOf(const Integers& dims, const std::vector<bool>& goes) {
  Reduction reduction;
  Integers kept = dims;  // with ones for the axes that go
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!goes[i]) continue;
    kept[i] = 1;
    reduction.each *= static_cast<std::size_t>(dims[i]);
  }
  reduction.targets = stridesOf(kept);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (goes[i]) reduction.targets[i] = 0;
  }
  return reduction;
}

// Says how a total grows, and how it becomes the result.
struct Kind {
  double begin;
  double (*add)(double total, double value);
  double (*finish)(double total, double each);
};

const std::unordered_map<std::string, Kind>& kinds() {
  using D = double;
  constexpr D kInfinity = std::numeric_limits<D>::infinity();
  static const auto sum = [](D total, D value) { return total + value; };
  static const auto squares = [](D total, D value) { return total + value * value; };
  static const auto asIs = [](D total, D) { return total; };
  static const std::unordered_map<std::string, Kind> all = {
      {"ReduceL1", {0, [](D total, D value) { return total + std::fabs(value); }, asIs}},
      {"ReduceL2", {0, squares, [](D total, D) { return std::sqrt(total); }}},
      {"ReduceLogSum", {0, sum, [](D total, D) { return std::log(total); }}},
      {"ReduceMax", {-kInfinity, [](D a, D b) { return a >= b || std::isnan(a) ? a : b; }, asIs}},
      {"ReduceMean", {0, sum, [](D total, D each) { return total / each; }}},
      {"ReduceMin", {kInfinity, [](D a, D b) { return a <= b || std::isnan(a) ? a : b; }, asIs}},
      {"ReduceProd", {1, [](D total, D value) { return total * value; }, asIs}},
      {"ReduceSum", {0, sum, asIs}},
      {"ReduceSumSquare", {0, squares, asIs}},
  };
  return all;
}

std::vector<double> totalsOf(const Kind& kind, const KnownTensor& data, const Reduction& reduction,
                             std::size_t count) {
  std::vector<double> totals(count, kind.begin);
  forEachPlace(data.dims, reduction.targets, 0, [&](std::size_t i, std::size_t target) {
    totals[target] = kind.add(totals[target], static_cast<double>(data.floats[i]));
  });
  for (double& total : totals) total = kind.finish(total, static_cast<double>(reduction.each));
  return totals;
}

Result ofFloats(const std::string& type, const KnownTensor& data, const Reduction& reduction,
                KnownTensor result) {
  const bool isLogSumExp = type == "ReduceLogSumExp";
  if (!isLogSumExp) {
    const auto totals = totalsOf(kinds().at(type), data, reduction, result.count());
    std::transform(totals.begin(), totals.end(), result.floats.write(),
                   [](double total) { return static_cast<float>(total); });
    return result;
  }
  // Subtracts the largest first, so that nothing overflows.
  auto largest = totalsOf(kinds().at("ReduceMax"), data, reduction, result.count());
  for (double& each : largest) each = std::isfinite(each) ? each : 0;
  std::vector<double> totals(result.count(), 0);
  forEachPlace(data.dims, reduction.targets, 0, [&](std::size_t i, std::size_t target) {
    totals[target] += std::exp(static_cast<double>(data.floats[i]) - largest[target]);
  });
  std::transform(
      totals.begin(), totals.end(), largest.begin(), result.floats.write(),
      [](double total, double most) { return static_cast<float>(std::log(total) + most); });
  return result;
}

bool add(const std::string& type, std::int64_t& total, std::int64_t value) {
  if (type == "ReduceMax") {
    total = std::max(total, value);
  } else if (type == "ReduceMin") {
    total = std::min(total, value);
  } else if (type == "ReduceProd") {
    return !__builtin_mul_overflow(total, value, &total);
  } else {
    return !__builtin_add_overflow(total, value, &total);
  }
  return true;
}

Result ofIntegers(const std::string& type, const KnownTensor& data, const Reduction& reduction,
                  KnownTensor result) {
  using Limits = std::numeric_limits<std::int64_t>;
  const std::int64_t begin = type == "ReduceMax"    ? Limits::min()
                             : type == "ReduceMin"  ? Limits::max()
                             : type == "ReduceProd" ? 1
                                                    : 0;
  result.integers.assign(result.count(), begin);
  bool isSound = true;
  forEachPlace(data.dims, reduction.targets, 0, [&](std::size_t i, std::size_t target) {
    if (data.isSure(i) && !add(type, result.integers[target], data.integers[i])) isSound = false;
  });
  if (!isSound) return std::nullopt;
  for (std::size_t i = 0; i < result.count(); ++i) {
    if (!result.isSure(i)) {
      result.forget(i);
    } else if (!fits(result.integers[i], result.type)) {
      return std::nullopt;
    }
  }
  return result;
}

bool isForIntegers(const std::string& type, bool isBool) {
  const bool isExtreme = type == "ReduceMax" || type == "ReduceMin";
  return isExtreme || (!isBool && (type == "ReduceSum" || type == "ReduceProd"));
}

// Returns the index of the largest or smallest of so many numbers, `step` apart.
template <typename Number>
std::size_t placeOfExtreme(const Number* first, std::size_t size, std::size_t step, bool isMax,
                           bool takesLast) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < size; ++k) {
    const Number value = first[k * step], so = first[best * step];
    const bool isBetter = isMax ? value > so : value < so;
    if (isBetter || (takesLast && value == so)) best = k;
  }
  return best;
}

Result argExtreme(const Call& call, bool isMax) {
  const KnownTensor* data = call.input(0);
  if (!data || !data->isSure() || data->dims.empty()) return std::nullopt;
  const auto axis = axisOf(intAttribute(call.node, "axis").value_or(0), data->dims.size());
  if (!axis || data->dims[*axis] < 1) return std::nullopt;
  const bool takesLast = intAttribute(call.node, "select_last_index").value_or(0) != 0;
  const std::size_t outer = product(data->dims, 0, *axis);
  const std::size_t inner = product(data->dims, *axis + 1, data->dims.size());
  const auto size = static_cast<std::size_t>(data->dims[*axis]);
  const auto dims = resultDims(call);
  Result result = dims ? zeros(::onnx::TensorProto::INT64, *dims) : std::nullopt;
  if (!result) return std::nullopt;
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < inner; ++i) {
      const std::size_t first = o * size * inner + i;
      const auto place = [&](const auto& numbers) {
        return placeOfExtreme(numbers.data() + first, size, inner, isMax, takesLast);
      };
      result->integers[o * inner + i] =
          static_cast<std::int64_t>(data->isFloat() ? place(data->floats) : place(data->integers));
    }
  }
  return result;
}

Result foldReduce(const Call& call) {
  const KnownTensor* data = call.input(0);
  const std::string& type = call.node.op_type();
  if (!data || data->count() == 0) return std::nullopt;
  const bool isBool = data->type == ::onnx::TensorProto::BOOL;
  if (!data->isFloat() && !isForIntegers(type, isBool)) return std::nullopt;
  const auto dims = resultDims(call);
  const auto goes = reducedAxes(call, data->dims.size());
  Result result = dims && goes ? zeros(data->type, *dims) : std::nullopt;
  if (!result) return std::nullopt;
  const Reduction reduction = reductionOf(data->dims, *goes);
  if (!data->sure.empty()) {
    forEachPlace(data->dims, reduction.targets, 0, [&](std::size_t i, std::size_t target) {
      if (!data->isSure(i)) result->setSure(target, false);
    });
  }
  return data->isFloat() ? ofFloats(type, *data, reduction, std::move(*result))
                         : ofIntegers(type, *data, reduction, std::move(*result));
}

Result foldArgMax(const Call& call) { return argExtreme(call, true); }
Result foldArgMin(const Call& call) { return argExtreme(call, false); }

// Rules for the dims of these operators.

Dims reduced(const Integers& data, const std::vector<bool>& marked, bool keepsDims) {
  Integers dims;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!marked[i]) {
      dims.push_back(data[i]);
    } else if (keepsDims) {
      dims.push_back(1);
    }
  }
  return dims;
}

bool keepsDims(const Call& call) { return intAttribute(call.node, "keepdims").value_or(1) != 0; }

Dims shapeReduce(const Call& call) {
  const Integers* data = call.dims(0);
  if (!data) return std::nullopt;
  if (!call.list("axes", 1) && !call.leavesOut("axes", 1))
    return keepsDims(call) ? Dims(Integers(data->size(), kUnknown)) : std::nullopt;
  const auto marked = reducedAxes(call, data->size());
  if (!marked) return std::nullopt;
  return reduced(*data, *marked, keepsDims(call));
}

Dims shapeArg(const Call& call) {
  const Integers* data = call.dims(0);
  if (!data) return std::nullopt;
  const auto axis = axisOf(intAttribute(call.node, "axis").value_or(0), data->size());
  if (!axis) return std::nullopt;
  std::vector<bool> marked(data->size(), false);
  marked[*axis] = true;
  return reduced(*data, marked, keepsDims(call));
}

}  // namespace

bool isReduction(const std::string& type) {
  return type == "ReduceLogSumExp" || kinds().count(type) != 0;
}

std::optional<std::vector<bool>> reducedAxes(const Call& call, std::size_t rank) {
  auto axes = call.list("axes", 1);
  if (!axes && call.leavesOut("axes", 1)) axes.emplace();
  auto marked = axes ? markAxes(*axes, rank) : std::nullopt;
  if (!marked || !axes->empty()) return marked;
  const bool isNoop = intAttribute(call.node, "noop_with_empty_axes").value_or(0) != 0;
  marked->assign(rank, !isNoop);
  return marked;
}

const Operators& reductionOperators() {
  static const Operators rows = {
      {"ArgMax", first<shapeArg>, one<foldArgMax>, always(::onnx::TensorProto::INT64)},
      {"ArgMin", first<shapeArg>, one<foldArgMin>, always(::onnx::TensorProto::INT64)},
  };
  static const Operators all = [] {
    Operators withKinds = rows;
    withKinds.push_back({"ReduceLogSumExp", first<shapeReduce>, one<foldReduce>});
    for (const auto& [name, kind] : kinds())
      withKinds.push_back({name, first<shapeReduce>, one<foldReduce>});
    return withKinds;
  }();
  return all;
}

}  // namespace mpm::onnx
