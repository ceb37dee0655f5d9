// SPDX-License-Identifier: Apache-2.0
#include "onnx/simplify.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/find.h"
#include "onnx/linear_numbers.h"
#include "onnx/lower_spelling.h"
#include "onnx/operands.h"
#include "onnx/shape_call.h"
#include "onnx/view.h"

namespace mpm::onnx {
namespace {

// How a value is made of the rows of the input. The numbers are worked out where they are wanted.
struct RowMap {
  std::int64_t out = 0;
  std::function<LinearNumbers()> numbers;
};

using Found = std::optional<RowMap>;

// What makes one value, as far as that is linear.
class Composition {
 public:
  explicit Composition(const Facts& facts) : facts_(facts), model_(facts.model) {}

  // Nothing where `value` is not made of one input by more than one layer, or where one layer in
  // its place would have more weights.
  Found read(const std::string& value) {
    value_ = value;
    Found part = partOf(value);
    return part && isWorthIt(*part) && isReadHereAlone() ? part : std::nullopt;
  }

  const std::string& input() const { return input_; }
  const std::unordered_set<const Node*>& nodes() const { return nodes_; }
  std::int64_t products() const { return products_; }  // of layers behind each other

 private:
  // Values that are looked at, where one that is read twice counts twice: what is added to itself
  // again and again would be read as often as two to the number of sums.
  static constexpr int kMostSteps = 256;

  Found partOf(const std::string& value) {
    const Node* node = model_.producer(value);
    if (node == nullptr || ++steps_ > kMostSteps) return std::nullopt;
    if (const auto linear = findLinear(model_, value)) return layer(*linear);
    // An Expand or a Reshape to the same sizes, as exporters write them in front of what is written
    // over a part.
    const bool isIdle = isAny(*node, {"Expand", "Reshape"}) && keepsDims(node->input(0), value);
    if (isIdle || isPassing(facts_, *node)) {
      nodes_.insert(node);
      return partOf(node->input(0));
    }
    if (isAny(*node, {"Slice", "Split", "Gather"})) return features(*node, value);
    if (isOp(*node, "Concat")) return joined(*node, value);
    if (node->input_size() != 2) return std::nullopt;
    if (isAny(*node, {"Mul", "Div"})) return scaledBy(*node, value);
    return isAny(*node, {"Add", "Sub"}) ? sumOf(*node, value) : std::nullopt;
  }

  // With the layer in front that gives it fewer features than that one reads.
  Found layer(const FoundLinear& linear) {
    const std::int64_t in = inFeatures(model_, linear), out = outFeatures(model_, linear);
    weights_ += times(in, out);
    nodes_.insert(linear.nodes.begin(), linear.nodes.end());
    const auto own = [this, linear] { return numbersOf(model_, linear); };
    const auto before = findLinear(model_, linear.input);
    if (before && outFeatures(model_, *before) < inFeatures(model_, *before)) {
      const Found first = layer(*before);
      if (!first || first->out != in) return std::nullopt;
      const std::int64_t products = times(times(inFeatures(model_, *before), in), out);
      if (products < 0) return std::nullopt;
      hasMore_ = true;
      products_ += products;
      return RowMap{out, [first, own] { return behind(first->numbers(), own()); }};
    }
    if (!input_.empty() && input_ != linear.input) return std::nullopt;
    input_ = linear.input;
    return RowMap{out, own};
  }

  // A number, or one for each feature.
  std::optional<std::vector<float>> vectorOf(const std::string& constant, std::int64_t out) const {
    const auto tensor = model_.constant(constant);
    if (!tensor || !tensor->isFloating()) return std::nullopt;
    const Floats values = tensor->floats();
    const auto count = static_cast<std::size_t>(out);
    if (values.size() == 1) return std::vector<float>(count, values[0]);
    if (!isLastAxisVector(model_, constant) || values.size() != count) return std::nullopt;
    return std::vector<float>(values.begin(), values.end());
  }

  Found scaledBy(const Node& node, const std::string& value) {
    const bool isDivided = isOp(node, "Div");
    const auto operands = constantOperand(model_, value, node.op_type().c_str(), isDivided);
    if (!operands || !keepsDims(operands->value, value)) return std::nullopt;
    nodes_.insert(&node);
    const Found inner = partOf(operands->value);
    auto factors = inner ? vectorOf(operands->constant, inner->out) : std::nullopt;
    if (!factors) return std::nullopt;
    for (float& factor : *factors) {
      if (isDivided && factor == 0) return std::nullopt;
      if (isDivided) factor = 1 / factor;
    }
    hasMore_ = hasMore_ || model_.constant(operands->constant)->count() > 1;
    return RowMap{inner->out, [inner, by = *factors] { return scaled(inner->numbers(), by); }};
  }

  Found sumOf(const Node& node, const std::string& value) {
    nodes_.insert(&node);
    const auto operands = constantOperand(model_, value, "Add");
    if (operands && keepsDims(operands->value, value)) {
      const Found inner = partOf(operands->value);
      const auto added = inner ? vectorOf(operands->constant, inner->out) : std::nullopt;
      if (!added) return std::nullopt;
      hasMore_ = true;
      return RowMap{inner->out, [inner, by = *added] { return shifted(inner->numbers(), by); }};
    }
    if (!keepsDims(node.input(0), value) || !keepsDims(node.input(1), value)) return std::nullopt;
    const Found a = partOf(node.input(0));
    const Found b = a ? partOf(node.input(1)) : std::nullopt;
    if (!b || a->out != b->out) return std::nullopt;
    hasMore_ = true;
    const float sign = isOp(node, "Add") ? 1 : -1;
    return RowMap{a->out, [a, b, sign] { return sum(a->numbers(), b->numbers(), sign); }};
  }

  Found joined(const Node& node, const std::string& value) {
    const Integers* dims = facts_.values.dims(value);
    if (dims == nullptr || dims->empty() ||
        axisOf(intAttribute(node, "axis").value_or(0), dims->size()) != dims->size() - 1)
      return std::nullopt;
    nodes_.insert(&node);
    std::vector<RowMap> parts;
    std::int64_t out = 0;
    for (const std::string& input : node.input()) {
      Found part = partOf(input);
      if (!part) return std::nullopt;
      out += part->out;
      parts.push_back(std::move(*part));
    }
    if (parts.empty() || out != dims->back()) return std::nullopt;
    return RowMap{out, [parts] {
                    LinearNumbers all = parts.front().numbers();
                    for (std::size_t i = 1; i < parts.size(); ++i)
                      all = beside(all, parts[i].numbers());
                    return all;
                  }};
  }

  Found features(const Node& node, const std::string& value) {
    const std::optional<View> view = viewThrough(facts_, node, value);
    const Integers* before = facts_.values.dims(node.input(0));
    const Integers* after = facts_.values.dims(value);
    if (!view || before == nullptr || after == nullptr || before->size() != after->size() ||
        before->empty())
      return std::nullopt;
    const std::size_t last = before->size() - 1;
    const View dense = denseView(view->base, *before);
    const std::optional<Run> run = onnx::joined(view->axes[last]);
    if (!run || run->size < 1 || view->offset >= (*before)[last] ||
        !std::equal(view->axes.begin(), view->axes.end() - 1, dense.axes.begin()))
      return std::nullopt;
    nodes_.insert(&node);
    const Found inner = partOf(node.input(0));
    Integers taken;
    for (std::int64_t i = 0; i < run->size; ++i) taken.push_back(view->offset + i * run->stride);
    if (!inner || taken.back() >= inner->out) return std::nullopt;
    return RowMap{run->size, [inner, taken] { return some(inner->numbers(), taken); }};
  }

  bool keepsDims(const std::string& from, const std::string& to) const {
    const Integers *a = facts_.values.dims(from), *b = facts_.values.dims(to);
    return a != nullptr && b != nullptr && *a == *b;
  }

  // A layer alone is one already, and a factor of what is added to a stream is known as such.
  bool isWorthIt(const RowMap& part) const {
    const Integers *rows = facts_.values.dims(value_), *in = facts_.values.dims(input_);
    if (!hasMore_ || findLinear(model_, value_) || rows == nullptr || in == nullptr ||
        rows->size() != in->size() || rows->back() != part.out ||
        !std::equal(rows->begin(), rows->end() - 1, in->begin()))
      return false;
    const std::int64_t made = times(in->back(), part.out);
    if (made < 1 || made > weights_) return false;
    const auto& readers = model_.consumers(value_);
    return !isAny(*model_.producer(value_), {"Mul", "Div"}) ||
           std::none_of(readers.begin(), readers.end(), [&](const Node* reader) {
             return isOp(*reader, "Add") && !constantOperand(model_, reader->output(0), "Add");
           });
  }

  bool isReadHereAlone() const {
    const auto isInside = [&](const std::string& made) {
      const auto& readers = model_.consumers(made);
      return !model_.isOutput(made) &&
             std::all_of(readers.begin(), readers.end(),
                         [&](const Node* reader) { return nodes_.count(reader) != 0; });
    };
    return std::all_of(nodes_.begin(), nodes_.end(), [&](const Node* node) {
      return std::all_of(node->output().begin(), node->output().end(),
                         [&](const auto& made) { return made == value_ || isInside(made); });
    });
  }

  const Facts& facts_;
  const Model& model_;
  std::string value_, input_;
  std::unordered_set<const Node*> nodes_;
  std::int64_t weights_ = 0, products_ = 0;
  int steps_ = 0;
  bool hasMore_ = false;
};

void spell(Spelling& spelling, const Node& node, const std::string& input,
           const LinearNumbers& linear) {
  spelling.begin(node);
  const Integers dims{static_cast<std::int64_t>(linear.in), static_cast<std::int64_t>(linear.out)};
  const bool hasBias =
      std::any_of(linear.bias.begin(), linear.bias.end(), [](float x) { return x != 0; });
  const std::string product = spelling.add("MatMul", {input, spelling.floats(dims, linear.weight)},
                                           hasBias ? std::string() : node.output(0));
  if (hasBias)
    spelling.add("Add", {product, spelling.floats({dims[1]}, linear.bias)}, node.output(0));
  spelling.replaceNode();
}

}  // namespace

int composeLinears(Model& model, const Values& values) {
  constexpr std::int64_t kMostProducts = std::int64_t{1} << 32;
  const Facts facts{model, values};
  const DimsOf dimsOf = [&](const std::string& value) { return values.dims(value); };
  Spelling spelling(model, dimsOf);
  std::unordered_set<const Node*> done;
  std::int64_t left = kMostProducts;
  for (auto it = model.nodes().rbegin(); it != model.nodes().rend(); ++it) {
    const Node& node = **it;
    if (spelling.isFull()) break;
    if (node.output_size() != 1 || done.count(&node) != 0 ||
        !isAny(node, {"Add", "Sub", "Mul", "Div", "Concat"}))
      continue;
    Composition composition(facts);
    const Found part = composition.read(node.output(0));
    if (!part || composition.products() > left) continue;
    left -= composition.products();
    spell(spelling, node, composition.input(), part->numbers());
    done.insert(composition.nodes().begin(), composition.nodes().end());
  }
  return applySpelled(model, spelling);
}

}  // namespace mpm::onnx
