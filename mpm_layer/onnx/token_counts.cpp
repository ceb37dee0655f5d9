// SPDX-License-Identifier: Apache-2.0
#include "onnx/other_size.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "onnx/attribute.h"
#include "onnx/error.h"
#include "onnx/operands.h"
#include "onnx/shape_rules.h"

namespace mpm::onnx {
namespace {

// Of how many elements each element of a value was summed up.
struct Sum {
  std::string first;             // the value where that began
  double before = 1, after = 1;  // at the model's own size, and at the other
  bool isSure = true;            // whether the second is known
  bool isRoot = false;           // of the sum
};

using Sums = std::unordered_map<std::string, Sum>;

// What a node takes the sums of, and along which axes.
struct Summed {
  std::string value;
  std::vector<bool> goes;
};

std::optional<Summed> summedBy(const Facts& facts, const Node& node) {
  if (node.input_size() == 0 || node.output_size() != 1) return std::nullopt;
  const bool isProduct = isOp(node, "MatMul") && node.input_size() == 2 &&
                         !facts.model.constant(node.input(0)) &&
                         !facts.model.constant(node.input(1));
  Summed summed{node.input(isProduct ? 1 : 0), {}};
  const Integers* dims = facts.values.dims(summed.value);
  if (dims == nullptr) return std::nullopt;
  summed.goes.assign(dims->size(), false);
  if (isProduct && dims->size() > 1) {
    summed.goes[dims->size() - 2] = true;
  } else if (isOp(node, "GlobalAveragePool") && dims->size() > 2) {
    std::fill(summed.goes.begin() + 2, summed.goes.end(), true);
  } else if (isAny(node, {"ReduceMean", "ReduceSum", "ReduceSumSquare", "ReduceL1", "ReduceL2"})) {
    const auto goes = reducedAxes(callOf(facts, node), dims->size());
    if (!goes) return std::nullopt;
    summed.goes = *goes;
  } else {
    return std::nullopt;
  }
  return summed;
}

// Whether an axis of a size that changes is for certain that of rows or a side of a picture.
bool isOfTokens(const Integers& dims, std::size_t axis, const SizeChange& change) {
  const auto areSides = [&](std::size_t first) {
    if (first + 1 >= dims.size()) return false;
    const std::pair sides{dims[first], dims[first + 1]};
    return sides == std::pair{change.oldRows, change.oldColumns} ||
           sides == std::pair{change.oldHeight, change.oldWidth};
  };
  if (areSides(axis) || (axis > 0 && areSides(axis - 1))) return true;
  const std::int64_t all = change.oldRows * change.oldColumns + change.special;
  return (change.special > 0 && dims[axis] == all) ||
         (dims.size() == 3 && (axis == 1 || dims[1] == change.features));
}

// Along these axes of what may be a sum already.
std::optional<Sum> sumOf(const Integers& dims, const Summed& summed, const SizeChange& change,
                         Sum sum) {
  Integers other = dims;
  const bool isTold = replaceSizes(other, change);
  sum.isSure = sum.isSure && isTold;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!summed.goes[i]) continue;
    if (dims[i] < 1) return std::nullopt;
    sum.before *= static_cast<double>(dims[i]);
    sum.after *= static_cast<double>(other[i]);
    sum.isSure = sum.isSure && (other[i] == dims[i] || isOfTokens(dims, i, change));
  }
  return sum;
}

std::int64_t elements(const Integers* dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims != nullptr ? *dims : Integers{0}) {
    if (dim != -1 && __builtin_mul_overflow(count, dim, &count)) return 0;
  }
  return count;
}

// The input that a node passes on, element by element, arranged in another way perhaps; null where
// none of its inputs is a sum.
const std::string* passedOn(const Facts& facts, const Node& node, const Sums& sums) {
  if (!isAny(node,
             {"Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Reciprocal", "Identity", "Cast", "Clip",
              "Max", "Neg", "Abs", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose"}))
    return nullptr;
  const std::int64_t count = elements(facts.values.dims(node.output(0)));
  for (const std::string& input : node.input()) {
    if (count > 0 && sums.count(input) != 0 && elements(facts.values.dims(input)) == count)
      return &input;
  }
  return nullptr;
}

// Whether a node gives a root, if it is given one or not.
bool givesRoot(const Model& model, const Node& node, bool isRoot) {
  const float power = isOp(node, "Pow") ? scalarConstant(model, node.input(1)).value_or(1) : 1;
  if (isOp(node, "Sqrt") || std::abs(power) == 0.5F) return true;
  const bool squares = isOp(node, "Mul") && node.input(0) == node.input(1);
  return isRoot && !squares && std::abs(power) != 2;
}

bool isNear(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

// What a number that is made from the first count is of the second.
std::optional<double> ofOtherCount(double number, const Sum& sum) {
  const auto numbersOf = [](double n) { return std::vector<double>{n, n - 1, n / (n - 1)}; };
  const std::vector<double> before = numbersOf(sum.before), after = numbersOf(sum.after);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (isNear(number, before[i])) return after[i];
    if (isNear(number, 1 / before[i])) return 1 / after[i];
  }
  return std::nullopt;
}

// Whether what is summed up may be rows or pixels, where it cannot be told.
bool mayBeTokens(const Sum& sum, const SizeChange& change) {
  const auto count = static_cast<double>(change.oldRows * change.oldColumns);
  return std::fmod(sum.before, count) == 0 ||
         std::fmod(sum.before, count + static_cast<double>(change.special)) == 0;
}

struct Found {
  TokenCount count;
  std::string first;  // of the sum
  bool isOfFeatures = false;
};

std::optional<Found> countIn(const Model& model, const Node& node, int at, const Sum& sum,
                             const SizeChange& change) {
  constexpr double kFewest = 3;  // of fewer, one less is 1
  const std::optional<float> constant = scalarConstant(model, node.input(at));
  const bool mayChange = sum.isSure ? sum.before != sum.after : mayBeTokens(sum, change);
  if (!constant || !(*constant > 0) || !mayChange || sum.before < kFewest) return std::nullopt;
  const double number = sum.isRoot ? std::pow(*constant, 2.0) : *constant;
  const std::optional<double> other = ofOtherCount(number, sum);
  if (!other) return std::nullopt;
  Found found{{node.output(0), at, std::nullopt}, sum.first, false};
  if (sum.isSure) found.count.number = static_cast<float>(sum.isRoot ? std::sqrt(*other) : *other);
  const auto features = static_cast<double>(change.features);
  found.isOfFeatures = isNear(number, features) || isNear(number, 1 / features);
  return found;
}

}  // namespace

std::vector<TokenCount> tokenCounts(const Facts& facts, const SizeChange& change) {
  Sums sums;
  std::vector<Found> all;
  std::unordered_set<std::string> certain;
  for (const Node* node : facts.model.nodes()) {
    if (const auto summed = summedBy(facts, *node)) {
      const auto former = sums.find(summed->value);
      const Sum begin = former == sums.end() ? Sum{node->output(0)} : former->second;
      auto sum = sumOf(*facts.values.dims(summed->value), *summed, change, begin);
      if (!sum) continue;
      sum->isRoot = isOp(*node, "ReduceL2");
      sums.emplace(node->output(0), std::move(*sum));
      continue;
    }
    const std::string* input = passedOn(facts, *node, sums);
    if (input == nullptr) continue;
    Sum sum = sums.at(*input);
    for (int i = 0; isAny(*node, {"Mul", "Div"}) && i < node->input_size(); ++i) {
      auto found = countIn(facts.model, *node, i, sum, change);
      if (!found) continue;
      if (!found->isOfFeatures) certain.insert(found->first);
      all.push_back(std::move(*found));
    }
    sum.isRoot = givesRoot(facts.model, *node, sum.isRoot);
    sums.emplace(node->output(0), std::move(sum));
  }
  std::vector<TokenCount> counts;
  for (Found& each : all) {
    if (each.isOfFeatures && certain.count(each.first) == 0) each.count.number.reset();
    counts.push_back(std::move(each.count));
  }
  return counts;
}

void replaceCounts(Model& model, const std::vector<TokenCount>& counts) {
  Edit edit;
  for (const TokenCount& count : counts) {
    const Node* node = model.producer(count.value);
    if (node == nullptr || !isAny(*node, {"Mul", "Div"})) continue;  // it is in a layer now
    if (!count.number)
      throw ModelError(
          "another input size is not possible: a number of " + nameOf(*node) +
          " may have been made from how many tokens there are, or from something else");
    const std::string name = model.unusedName("mpm/count_" + std::to_string(edit.add.size()));
    edit.constants.push_back(floatTensor(name, {}, &*count.number));
    edit.remove.push_back(node);
    edit.add.push_back(*node);
    edit.add.back().set_input(count.input, name);
  }
  model.apply(std::move(edit));
}

}  // namespace mpm::onnx
