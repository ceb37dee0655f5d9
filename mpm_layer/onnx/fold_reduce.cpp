// SPDX-License-Identifier: Apache-2.0
// Operators that make one element of many.
#include <vector>

#include "onnx/attribute.h"
#include "onnx/fold_ops.h"
#include "onnx/fold_places.h"

namespace mpm::onnx {
namespace {

// Where the elements of a value go to.
struct Reduction {
  Integers dims;
  Places targets;        // by element of the value
  std::size_t each = 1;  // how many elements make one
};

std::optional<Reduction> reductionOf(const Call& call, const Known& data) {
  auto axes = call.list("axes", 1);
  if (!axes && call.leavesOut("axes", 1)) axes.emplace();
  auto marked = axes ? markAxes(*axes, data.dims.size()) : std::nullopt;
  if (!marked) return std::nullopt;
  if (axes->empty()) {
    const bool isNoop = intAttribute(call.node, "noop_with_empty_axes").value_or(0) != 0;
    marked->assign(data.dims.size(), !isNoop);
  }
  const bool keepsDims = intAttribute(call.node, "keepdims").value_or(1) != 0;
  Reduction reduction;
  Integers kept;  // with ones for the axes that go
  for (std::size_t i = 0; i < data.dims.size(); ++i) {
    const bool goes = (*marked)[i];
    kept.push_back(goes ? 1 : data.dims[i]);
    if (goes) reduction.each *= static_cast<std::size_t>(data.dims[i]);
    if (!goes || keepsDims) reduction.dims.push_back(kept.back());
  }
  const auto targets = broadcastPlaces(kept, data.dims);
  if (!targets) return std::nullopt;
  reduction.targets = *targets;
  return reduction;
}

enum class Kind { mean, product, sum };

bool add(Kind kind, std::int64_t& total, std::int64_t value) {
  if (kind == Kind::product) return !__builtin_mul_overflow(total, value, &total);
  return !__builtin_add_overflow(total, value, &total);
}

Result ofFloats(Kind kind, const Known& data, const Reduction& reduction, Known result) {
  std::vector<double> totals(result.count(), kind == Kind::product ? 1 : 0);
  for (std::size_t i = 0; i < data.count(); ++i) {
    double& total = totals[reduction.targets[i]];
    const double value = static_cast<double>(data.floats[i]);
    total = kind == Kind::product ? total * value : total + value;
  }
  for (std::size_t i = 0; i < result.count(); ++i) {
    const double each = kind == Kind::mean ? static_cast<double>(reduction.each) : 1;
    result.floats[i] = static_cast<float>(totals[i] / each);
  }
  return result;
}

Result ofIntegers(Kind kind, const Known& data, const Reduction& reduction, Known result) {
  result.integers.assign(result.count(), kind == Kind::product ? 1 : 0);
  for (std::size_t i = 0; i < data.count(); ++i) {
    std::int64_t& total = result.integers[reduction.targets[i]];
    if (data.sure[i] && !add(kind, total, data.integers[i])) return std::nullopt;
  }
  for (std::size_t i = 0; i < result.count(); ++i) {
    if (!result.sure[i]) {
      result.forget(i);
    } else if (!fits(result.integers[i], result.type)) {
      return std::nullopt;
    }
  }
  return result;
}

Result reduce(const Call& call, Kind kind) {
  const Known* data = call.input(0);
  if (!data || data->count() == 0 || data->type == ::onnx::TensorProto::BOOL) return std::nullopt;
  if (kind == Kind::mean && !data->isFloat()) return std::nullopt;
  const auto reduction = reductionOf(call, *data);
  Result result = reduction ? emptyKnown(data->type, reduction->dims) : std::nullopt;
  if (!result) return std::nullopt;
  result->sure.assign(result->count(), 1);
  for (std::size_t i = 0; i < data->count(); ++i) {
    if (!data->sure[i]) result->sure[reduction->targets[i]] = 0;
  }
  return data->isFloat() ? ofFloats(kind, *data, *reduction, std::move(*result))
                         : ofIntegers(kind, *data, *reduction, std::move(*result));
}

}  // namespace

Result foldReduceMean(const Call& call) { return reduce(call, Kind::mean); }
Result foldReduceProd(const Call& call) { return reduce(call, Kind::product); }
Result foldReduceSum(const Call& call) { return reduce(call, Kind::sum); }

}  // namespace mpm::onnx
