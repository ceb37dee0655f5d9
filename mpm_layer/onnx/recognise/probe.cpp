// SPDX-License-Identifier: Apache-2.0
// Runs regions of a graph, and recognises them as functions of single numbers and of rows.
#include "onnx/recognise/probe.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/operators/table.h"
#include "onnx/recognise/linear.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

Probed& probedOf(const AnalysedModel& analysed) {
  if (analysed.probed == nullptr) {
    analysed.probed = std::make_shared<Probed>();
    for (const Node* node : analysed.model.nodes())
      analysed.probed->places.emplace(node, analysed.probed->places.size());
  }
  return *analysed.probed;
}

namespace {

bool isKnown(const AnalysedModel& analysed, const std::string& value) {
  if (analysed.model.constant(value)) return true;
  const KnownTensor* known = analysed.values.content(value);
  return known != nullptr && known->isSure();
}

}  // namespace

std::vector<Region> regionsBehind(const AnalysedModel& analysed, const std::string& exit,
                                  std::size_t most, TakesNode takes) {
  const auto& places = probedOf(analysed).places;
  std::vector<Region> regions;
  Region region{exit, exit, {}};
  std::unordered_set<std::string> open{exit};  // values that nodes of the region read
  while (region.nodes.size() < most) {
    const Node* last = nullptr;
    for (const std::string& value : open) {
      const Node* node = analysed.model.producer(value);
      if (node != nullptr && (last == nullptr || places.at(node) > places.at(last))) last = node;
    }
    if (last == nullptr || !takes(analysed, *last)) break;
    for (const std::string& made : last->output()) open.erase(made);
    region.nodes.push_back(last);
    for (const std::string& input : last->input()) {
      if (!input.empty() && !isKnown(analysed, input)) open.insert(input);
    }
    if (open.size() != 1) continue;
    region.entry = *open.begin();
    regions.push_back(region);
  }
  return regions;
}

namespace {

// Returns the dims of a value in a short run.
Integers shortened(Integers dims) {
  for (std::size_t i = 0; i + 1 < dims.size(); ++i) dims[i] = dims[i] == 1 ? 1 : 2;
  return dims;
}

// Computes a node with stated dims in a short run, unless an axis would lose its steps.
Result arrangeShort(const AnalysedModel& analysed, const Node& node, const KnownTensor& data) {
  const Integers* own = analysed.values.dims(node.output(0));
  if (own == nullptr || own->empty() || own->back() < 1) return std::nullopt;
  Integers dims = shortened(*own);
  if (isOp(node, "Expand")) return broadcastTo(data, dims);
  const std::size_t others = product(dims, 1, dims.size());
  if (data.count() % others != 0) return std::nullopt;
  dims.front() = static_cast<std::int64_t>(data.count() / others);
  return own->front() == 1 || dims.front() > 1 ? Result(reshaped(data, dims)) : std::nullopt;
}

}  // namespace

Computed run(const AnalysedModel& analysed, const Region& region, KnownTensor entry, bool isShort) {
  const LargeResults scope;
  Computed values;
  values.emplace(region.entry, std::move(entry));
  for (auto each = region.nodes.rbegin(); each != region.nodes.rend(); ++each) {
    const Node& node = **each;
    Call call{node, {}, analysed.model.opset()};
    for (const std::string& input : node.input()) {
      const auto made = values.find(input);
      call.inputs.push_back(made != values.end() ? &made->second : analysed.values.content(input));
      if (call.inputs.back() == nullptr && !input.empty()) return {};
    }
    const bool namesDims = isShort && (isReshaping(node) || isOp(node, "Expand"));
    Results results =
        namesDims ? Results{arrangeShort(analysed, node, *call.inputs.front())} : compute(call);
    for (int i = 0; i < node.output_size(); ++i) {
      Result& result = results[static_cast<std::size_t>(i)];
      if (node.output(i).empty()) continue;
      if (!result || !result->isSure()) return {};
      values.insert_or_assign(node.output(i), std::move(*result));
    }
  }
  return values;
}

// Functions of single numbers.

namespace {

bool isOfNumbers(const AnalysedModel& analysed, const Node& node) {
  if (!isElementWise(node) && !isAny(node, {"Identity", "Cast"})) return false;
  return std::all_of(node.input().begin(), node.input().end(), [&](const std::string& input) {
    const std::optional<Tensor> constant = analysed.model.constant(input);
    return !constant || constant->count() == 1;
  });
}

double gelu(Gelu kind, double x) {
  constexpr double kSlope = 0.7978845608028654;  // sqrt(2 / pi)
  switch (kind) {
    case Gelu::erf:
      return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Gelu::tanh:
      return x / 2 * (1 + std::tanh(kSlope * (x + 0.044715 * x * x * x)));
    case Gelu::quick:
      break;
  }
  return x / (1 + std::exp(-1.702 * x));
}

bool isGelu(const KnownTensor& x, const KnownTensor& y, Gelu kind) {
  // Files may round constants to a few digits or to half precision: 1.4140625 for the root of 2 is
  // 3e-5 off. The three functions differ by at least 5e-4.
  constexpr double kTolerance = 1.2e-4;
  for (std::size_t i = 0; i < x.count(); ++i) {
    const double expected = gelu(kind, static_cast<double>(x.floats[i]));
    if (!(std::abs(static_cast<double>(y.floats[i]) - expected) <= kTolerance)) return false;
  }
  return true;
}

}  // namespace

std::optional<FoundGelu> findGelu(const AnalysedModel& analysed, const std::string& output) {
  constexpr std::size_t kMostNodes = 24, kPoints = 65;
  KnownTensor points = *unwritten(::onnx::TensorProto::FLOAT, {kPoints});
  for (std::size_t i = 0; i < kPoints; ++i)
    points.floats.write()[i] = static_cast<float>(i) / 4 - 7.99F;
  for (Region& region : regionsBehind(analysed, output, kMostNodes, isOfNumbers)) {
    const Computed made = run(analysed, region, points, false);
    const auto result = made.find(output);
    if (result == made.end() || !result->second.isFloat() || result->second.count() != kPoints)
      continue;
    for (const Gelu kind : kGelus) {
      if (isGelu(points, result->second, kind))
        return FoundGelu{kind, std::move(region.entry), std::move(region.nodes)};
    }
  }
  return std::nullopt;
}

// Functions of rows.

namespace {

bool isOfRows(const AnalysedModel& analysed, const Node& node) {
  static const Names others = namesIn(
      "And Cast Equal Expand Flatten Greater GreaterOrEqual GroupNormalization Identity "
      "InstanceNormalization IsInf IsNaN LayerNormalization Less LessOrEqual LogSoftmax "
      "LpNormalization Not Or Reshape RMSNormalization Softmax Squeeze Transpose Unsqueeze Where");
  const bool isOwn = isOp(node, node.op_type().c_str());
  if (!isElementWise(node) &&
      !(isOwn && (isReduction(node.op_type()) || others.count(node.op_type()) != 0)))
    return false;
  return std::all_of(node.input().begin(), node.input().end(), [&](const std::string& input) {
    const std::optional<Tensor> constant = analysed.model.constant(input);
    return !constant || constant->count() == 1 || !constant->isFloating() ||
           isLastAxisVector(analysed.model, input);
  });
}

bool looksAlongRows(const Node& node) {
  return isReduction(node.op_type()) ||
         isAny(node, {"GroupNormalization", "InstanceNormalization", "LayerNormalization",
                      "LogSoftmax", "LpNormalization", "RMSNormalization", "Softmax"});
}

// Describes (x - mean) / sqrt(variance + eps) scale + shift of a row, or the same without the mean.
// A null pointer means no scale, or no shift.
struct Norm {
  bool isCentred = true;
  double eps = 0;
  const float* scale = nullptr;
  const float* shift = nullptr;
  double factor = 1;  // of the scale
};

bool isNorm(const float* x, const float* y, std::size_t d, const Norm& norm) {
  const auto sum = std::accumulate(x, x + d, 0.0);
  const double mean = norm.isCentred ? sum / static_cast<double>(d) : 0;
  double squares = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const double off = static_cast<double>(x[i]) - mean;
    squares += off * off;
  }
  const double factor = norm.factor / std::sqrt(squares / static_cast<double>(d) + norm.eps);
  for (std::size_t i = 0; i < d; ++i) {
    const double scale = norm.scale != nullptr ? static_cast<double>(norm.scale[i]) : 1;
    const double shift = norm.shift != nullptr ? static_cast<double>(norm.shift[i]) : 0;
    const double expected = (static_cast<double>(x[i]) - mean) * factor * scale + shift;
    const double tolerance = 1e-4 * std::abs(norm.factor * scale) + 1e-6 * std::abs(shift) + 1e-12;
    if (!(std::abs(static_cast<double>(y[i]) - expected) <= tolerance)) return false;
  }
  return true;
}

bool isSoftmax(const float* x, const float* y, std::size_t d) {
  const double largest = *std::max_element(x, x + d);
  double sum = 0;
  for (std::size_t i = 0; i < d; ++i) sum += std::exp(static_cast<double>(x[i]) - largest);
  for (std::size_t i = 0; i < d; ++i) {
    const double expected = std::exp(static_cast<double>(x[i]) - largest) / sum;
    if (!(std::abs(static_cast<double>(y[i]) - expected) <= 1e-4 * expected + 1e-9)) return false;
  }
  return true;
}

// Probes a region with made-up rows.
class RowProbe {
 public:
  RowProbe(const AnalysedModel& analysed, const Region& region)
      : analysed_(analysed), region_(region) {
    for (const Node* node : region.nodes) {
      if (isAny(*node, {"GroupNormalization", "InstanceNormalization", "LayerNormalization",
                        "RMSNormalization"}))
        epsilons_.push_back(floatAttribute(*node, "epsilon").value_or(1e-5F));
      for (const std::string& input : node->input()) take(input);
    }
  }

  RowFunction ask() {
    constexpr std::int64_t kMost = 1 << 18;
    const Integers* dims = analysed_.values.dims(region_.entry);
    if (dims == nullptr || dims->empty()) return {};
    dims_ = shortened(*dims);
    const auto count = smallCount(dims_);
    if (!count || *count == 0 || *count > kMost) return {};
    for (const std::string& input : inputs()) {
      const RowFunction found = askOf(input);
      if (found.kind != RowFunction::Kind::none) return found;
    }
    return {};
  }

 private:
  using IsRow = std::function<bool(const float* x, const float* y, std::size_t d)>;

  static constexpr float kLarge = 1e5F;  // more than half precision holds

  void take(const std::string& constant) {
    const std::optional<float> number = scalarConstant(analysed_.model, constant);
    const std::int64_t features = analysed_.values.dims(region_.exit)->back();
    if (number && *number > 0 && *number < 1) epsilons_.push_back(*number);
    if (isLastAxisVector(analysed_.model, constant) &&
        analysed_.model.constant(constant)->count() == features && elementsOf(constant) != nullptr)
      vectors_.push_back(constant);
  }

  // Returns the entry, and the entry with its axes in another order: ONNX Runtime moves
  // transpositions after reductions of an axis.
  std::vector<std::string> inputs() const {
    std::vector<std::string> inputs;
    const auto add = [&](const std::string& value) {
      const Integers* dims = analysed_.values.dims(value);
      if (dims != nullptr && *dims == *analysed_.values.dims(region_.exit)) inputs.push_back(value);
    };
    add(region_.entry);
    for (const Node* node : region_.nodes) {
      if (isOp(*node, "Transpose") && node->input(0) == region_.entry) add(node->output(0));
    }
    return inputs;
  }

  // Runs the region on elements of about this size, with rows of different sizes.
  const Computed& at(float size) {
    const auto [place, isNew] = computed_.try_emplace(size);
    if (!isNew) return place->second;
    KnownTensor entry = *unwritten(::onnx::TensorProto::FLOAT, dims_);
    const auto last = static_cast<std::size_t>(dims_.back());
    float* const elements = entry.floats.write();
    for (std::size_t i = 0; i < entry.count(); ++i)
      elements[i] = size * (noise(i) + 0.25F) * static_cast<float>(1 + i / last % 3);
    return place->second = run(analysed_, region_, std::move(entry), true);
  }

  bool holds(const std::string& input, std::initializer_list<float> sizes, const IsRow& isRow) {
    for (const float size : sizes) {
      const Computed& values = at(size);
      const auto x = values.find(input), y = values.find(region_.exit);
      if (x == values.end() || y == values.end() || x->second.dims != y->second.dims ||
          !y->second.isFloat())
        return false;
      const auto d = static_cast<std::size_t>(y->second.dims.back());
      for (std::size_t at = 0; at < y->second.count(); at += d) {
        if (!isRow(x->second.floats.begin() + at, y->second.floats.begin() + at, d)) return false;
      }
    }
    return true;
  }

  RowFunction askOf(const std::string& input) {
    RowFunction found;
    found.norm.input = input;
    found.norm.nodes = region_.nodes;
    if (isSoftmaxOf(input)) {
      found.kind = RowFunction::Kind::softmax;
    } else if (isUnit(input)) {
      found.kind = RowFunction::Kind::unit;
      found.norm.isCentred = false;
      found.norm.eps = 1e-24F;  // of a length of 1e-12, from which on PyTorch has it
    } else if (readNorm(found.norm)) {
      found.kind = RowFunction::Kind::norm;
    }
    return found;
  }

  // Large rows show whether powers are kept finite. Without a shift they are not.
  bool isSoftmaxOf(const std::string& input) {
    return holds(input, {1, 8}, isSoftmax) &&
           holds(input, {kLarge}, [](const float* x, const float* y, std::size_t d) {
             return std::any_of(y, y + d, [](float each) { return std::isnan(each); }) ||
                    isSoftmax(x, y, d);
           });
  }

  // Tells whether rows are divided by their length, which may have a lower limit up to 1e-6.
  bool isUnit(const std::string& input) {
    const auto width = static_cast<float>(analysed_.values.dims(region_.exit)->back());
    const float least = 4e-6F / std::sqrt(width);
    return holds(input, {1, kLarge, least}, [](const float* x, const float* y, std::size_t d) {
      return isNorm(x, y, d, {false, 0, nullptr, nullptr, 1 / std::sqrt(static_cast<double>(d))});
    });
  }

  // Fills in the names of the constants with which a norm gives the region's results.
  bool readNorm(FoundNormalize& found) {
    if (epsilons_.empty() || !readShift(found)) return false;
    vectors_.emplace_back();  // without a scale
    for (const std::string& vector : vectors_) {
      for (const float eps : epsilons_) {
        for (const bool isCentred : {true, false}) {
          const Norm norm{isCentred, static_cast<double>(eps), elementsOf(vector),
                          elementsOf(found.shift)};
          const auto isRow = [&](const float* x, const float* y, std::size_t d) {
            return isNorm(x, y, d, norm);
          };
          // Rows with a variance of about eps distinguish it from others.
          if (!holds(found.input, {1, kLarge, std::sqrt(eps)}, isRow)) continue;
          found.scale = vector;
          found.eps = eps;
          found.isCentred = isCentred;
          return true;
        }
      }
    }
    return false;
  }

  // Rows of zeros become the shift.
  bool readShift(FoundNormalize& found) {
    std::vector<std::string> shifts = vectors_;
    shifts.emplace_back();
    for (const std::string& vector : shifts) {
      const float* const shift = elementsOf(vector);
      const auto isRow = [&](const float* /*x*/, const float* y, std::size_t d) {
        return shift != nullptr ? std::equal(y, y + d, shift)
                                : std::all_of(y, y + d, [](float each) { return each == 0; });
      };
      if (!holds(found.input, {0}, isRow)) continue;
      found.shift = vector;
      return true;
    }
    return false;
  }

  const float* elementsOf(const std::string& constant) const {
    const KnownTensor* known = constant.empty() ? nullptr : analysed_.values.content(constant);
    return known != nullptr ? known->floats.data() : nullptr;
  }

  const AnalysedModel& analysed_;
  const Region& region_;
  Integers dims_;  // of the entry
  std::vector<float> epsilons_;
  std::vector<std::string> vectors_;
  std::map<float, Computed> computed_;
};

// Finds the largest region that ends at a value and is a function of rows.
const RowFunction& rowFunction(const AnalysedModel& analysed, const std::string& exit) {
  constexpr std::size_t kMostNodes = 48;
  constexpr std::int64_t kMostFeatures = 1 << 14;  // more are planes, not rows
  const auto [place, isNew] = probedOf(analysed).rows.try_emplace(exit);
  const Integers* dims = analysed.values.dims(exit);
  if (!isNew || dims == nullptr || dims->empty() || dims->back() < 2 ||
      dims->back() > kMostFeatures || madeBy(analysed.model, exit, "InstanceNormalization", 3))
    return place->second;  // a norm of planes, if nothing makes rows of it
  for (const Region& region : regionsBehind(analysed, exit, kMostNodes, isOfRows)) {
    const auto has = [&](const auto& test) {
      return std::any_of(region.nodes.begin(), region.nodes.end(),
                         [&](const Node* node) { return test(*node); });
    };
    // A transpose and a reshape together may move rows in a way that a short run does not show.
    const bool mayMoveRows =
        has([](const Node& node) { return isOp(node, "Transpose"); }) && has(isReshaping);
    if (mayMoveRows || !has(looksAlongRows)) continue;
    RowFunction found = RowProbe(analysed, region).ask();
    if (found.kind != RowFunction::Kind::none && found.norm.input != place->second.norm.input)
      place->second = std::move(found);
  }
  return place->second;
}

std::optional<FoundNormalize> rowsOf(const AnalysedModel& analysed, const std::string& exit,
                                     RowFunction::Kind kind) {
  const RowFunction& found = rowFunction(analysed, exit);
  return found.kind == kind ? std::optional(found.norm) : std::nullopt;
}

std::optional<FoundNormalize> normOfOneNode(const AnalysedModel& analysed, const Node& node) {
  const bool isRms = !isOp(node, "LayerNormalization");
  FoundNormalize found;
  if (node.input_size() < 2) return std::nullopt;
  found.input = node.input(0);
  found.scale = node.input(1);
  found.shift = !isRms && node.input_size() > 2 ? node.input(2) : "";
  found.isCentred = !isRms;
  found.eps = floatAttribute(node, "epsilon").value_or(1e-5F);
  found.nodes = {&node};
  const std::int64_t axis = intAttribute(node, "axis").value_or(-1);
  const Integers* dims = analysed.values.dims(found.input);
  const bool fits =
      (axis == -1 || (dims != nullptr && axis + 1 == static_cast<std::int64_t>(dims->size()))) &&
      isLastAxisVector(analysed.model, found.scale) &&
      (found.shift.empty() || isLastAxisVector(analysed.model, found.shift));
  return fits ? std::optional(found) : std::nullopt;
}

}  // namespace

std::optional<FoundNormalize> findNormalize(const AnalysedModel& analysed,
                                            const std::string& output) {
  const Node* node = analysed.model.producer(output);
  const bool isOne = node != nullptr && isAny(*node, {"LayerNormalization", "RMSNormalization",
                                                      "SimplifiedLayerNormalization"});
  if (!isOne) return rowsOf(analysed, output, RowFunction::Kind::norm);
  return node->output(0) == output ? normOfOneNode(analysed, *node) : std::nullopt;
}

bool fits(const Model& model, const FoundNormalize& norm, std::int64_t dim) {
  const auto isVector = [&](const std::string& constant) {
    return constant.empty() || model.constant(constant)->count() == dim;
  };
  return isVector(norm.scale) && isVector(norm.shift);
}

std::optional<FoundNormalize> findUnit(const AnalysedModel& analysed, const std::string& value) {
  return rowsOf(analysed, value, RowFunction::Kind::unit);
}

std::optional<FoundNormalize> findSoftmax(const AnalysedModel& analysed, const std::string& value) {
  return rowsOf(analysed, value, RowFunction::Kind::softmax);
}

}  // namespace mpm::onnx
