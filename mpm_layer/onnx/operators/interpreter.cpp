// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/interpreter.h"

#include <algorithm>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/operators/table.h"

namespace mpm::onnx {
namespace {

bool readsSizesAlone(const Node& node) { return isAny(node, {"Shape", "Size"}); }

std::string sizesText(const Integers& dims) {
  std::string text = "[";
  for (const std::int64_t dim : dims) {
    if (text.size() > 1) text += " x ";
    text += dim < 0 ? "?" : std::to_string(dim);
  }
  return text + "]";
}

}  // namespace

bool isInterpreted(const Node& node) {
  // Convolutions of a frame belong to libraries that compute them fast.
  if (!isOp(node, node.op_type().c_str()) || isOp(node, "Conv")) return false;
  return readsSizesAlone(node) || isOp(node, "Identity") ||
         (findFolder(node) != nullptr && hasShapeRule(node));
}

Interpreter::Interpreter(Model model, MatrixProduct large)
    : model_(std::move(model)),
      large_(std::move(large)),
      inputs_(model_.inputs()),
      outputs_(model_.outputs()) {
  for (const Value& input : inputs_) {
    const auto& readers = model_.consumers(input.name);
    isRead_.push_back(model_.isOutput(input.name) ||
                      std::any_of(readers.begin(), readers.end(),
                                  [](const Node* reader) { return !readsSizesAlone(*reader); }));
  }
}

std::map<std::string, int> Interpreter::operators() const {
  std::map<std::string, int> counts;
  for (const Node* node : model_.nodes()) ++counts[node->op_type()];
  return counts;
}

// Makes steps of the nodes that depend on a frame. Element-wise nodes of the same dims form one
// step if only nodes that read none of their results come between them.
class Interpreter::Planner {
 public:
  explicit Planner(const Interpreter& of) : of_(of), known_(*of.known_) {}

  std::vector<Step> plan() {
    for (const Node* node : of_.model_.nodes()) {
      if (of_.isSettled(*node)) continue;
      const auto rule = ruleOf(*node);
      const bool fits = rule && chain_ && chain_->dims() == *known_.dims(node->output(0)) &&
                        nodes_.size() < kMostNodes;
      if (rule ? !fits : readsChain(*node)) finish();
      if (!rule || !add(*node, *rule)) steps_.push_back({{node}, {}, {}, {}});
    }
    finish();
    return std::move(steps_);
  }

 private:
  static constexpr std::size_t kMostNodes = 32;  // whose pieces a cache holds

  // Returns rules only for nodes of floats alone with known sizes.
  std::optional<ElementRule> ruleOf(const Node& node) const {
    const Integers* dims = node.output_size() == 1 ? known_.dims(node.output(0)) : nullptr;
    if (dims == nullptr || !smallCount(*dims)) return std::nullopt;
    Call call{node, {}, of_.model_.opset()};
    for (const auto& input : node.input())
      call.inputs.push_back(input.empty() ? nullptr : known_.content(input));
    const auto rule = elementRule(call);
    for (int i = 0; rule && i < rule->operands; ++i) {
      if (known_.type(node.input(i)) != ::onnx::TensorProto::FLOAT) return std::nullopt;
    }
    return rule;
  }

  bool readsChain(const Node& node) const {
    return std::any_of(node.input().begin(), node.input().end(),
                       [&](const std::string& input) { return made_.count(input) != 0; });
  }

  bool add(const Node& node, const ElementRule& rule) {
    if (!chain_) chain_.emplace(*known_.dims(node.output(0)));
    const auto made = chain_->addRule(rule, [&](int i) { return slotOf(node.input(i)); });
    if (!made) {
      finish();
      return false;
    }
    made_.emplace(node.output(0), *made);
    nodes_.push_back(&node);
    return true;
  }

  std::optional<std::size_t> slotOf(const std::string& value) {
    const auto made = made_.find(value), source = given_.find(value);
    if (made != made_.end()) return made->second;
    if (source != given_.end()) return source->second;
    const Integers* dims = known_.dims(value);
    const auto slot = dims != nullptr ? chain_->addSource(*dims) : std::nullopt;
    if (!slot) return std::nullopt;
    given_.emplace(value, *slot);
    sources_.push_back(value);
    return slot;
  }

  // Ends a chain; its results are the values that other nodes read.
  void finish() {
    Step step{std::move(nodes_), std::move(chain_), std::move(sources_), {}};
    for (const auto& [value, slot] : made_) {
      const auto& readers = of_.model_.consumers(value);
      const auto isOutside = [&](const Node* reader) {
        return std::find(step.nodes.begin(), step.nodes.end(), reader) == step.nodes.end();
      };
      if (of_.model_.isOutput(value) || std::any_of(readers.begin(), readers.end(), isOutside))
        step.results.emplace_back(slot, value);
    }
    if (!step.nodes.empty()) steps_.push_back(std::move(step));
    chain_.reset();
    nodes_.clear();
    sources_.clear();
    made_.clear();
    given_.clear();
  }

  const Interpreter& of_;
  const Values& known_;
  std::vector<Step> steps_;
  std::optional<Chain> chain_;  // that is being made
  std::vector<const Node*> nodes_;
  std::vector<std::string> sources_;
  std::unordered_map<std::string, std::size_t> made_, given_;
};

const std::vector<Integers>& Interpreter::fit(const std::vector<Integers>& inputDims) {
  if (known_ && inputDims == inputDims_) return outputDims_;
  known_.reset();
  std::unordered_map<std::string, Integers> dims;
  for (std::size_t i = 0; i < inputs_.size(); ++i) dims[inputs_[i].name] = inputDims.at(i);
  const LargeResults scope;
  auto known = std::make_unique<Values>(model_, dims);
  std::vector<Integers> outputDims;
  for (const Value& output : outputs_) {
    const Integers* found = known->dims(output.name);
    if (!found || std::any_of(found->begin(), found->end(), [](auto dim) { return dim < 0; })) {
      throw ModelError("the size of " + inQuotes(output.name) + ", " +
                       (found ? sizesText(*found) : "of no known rank") +
                       ", is not known until a frame has been computed");
    }
    outputDims.push_back(*found);
  }
  inputDims_ = inputDims;
  outputDims_ = std::move(outputDims);
  known_ = std::move(known);
  steps_ = Planner(*this).plan();
  return outputDims_;
}

// Tells whether all of a node's results are known from the inputs' sizes.
bool Interpreter::isSettled(const Node& node) const {
  return std::all_of(node.output().begin(), node.output().end(), [&](const std::string& output) {
    const KnownTensor* known = output.empty() ? nullptr : known_->content(output);
    return output.empty() || (known && known->isSure());
  });
}

const KnownTensor* Interpreter::find(const std::string& value, const Named& values) const {
  const auto found = values.find(value);
  if (found != values.end()) return &found->second;
  return value.empty() ? nullptr : known_->content(value);
}

void Interpreter::compute(const Node& node, Named& values) const {
  Call call{node, {}, model_.opset(), nullptr, large_ ? &large_ : nullptr};
  for (const auto& input : node.input()) call.inputs.push_back(find(input, values));
  call.keepsSecond = node.input_size() > 1 && values.count(node.input(1)) == 0;
  Results results = onnx::compute(call);
  for (int i = 0; i < node.output_size(); ++i) {
    Result& result = results[static_cast<std::size_t>(i)];
    if (node.output(i).empty()) continue;
    if (!result || !result->isSure()) {
      throw ModelError(nameOf(node) + " cannot be computed from the inputs that it has");
    }
    values.insert_or_assign(node.output(i), std::move(*result));
  }
}

void Interpreter::compute(const Step& step, Named& values,
                          const std::unordered_map<std::string, float*>& places) const {
  if (!step.chain) return compute(*step.nodes.front(), values);
  std::vector<const float*> sources;
  for (const std::string& name : step.sources) {
    const KnownTensor* source = sureFloats(find(name, values));
    if (!source) throw ModelError(nameOf(*step.nodes.front()) + " reads what is not known");
    sources.push_back(source->floats.data());
  }
  std::vector<std::pair<std::size_t, float*>> results;
  std::vector<std::pair<std::string, KnownTensor>> made;
  for (const auto& [slot, name] : step.results) {
    const auto place = places.find(name);
    KnownTensor known;
    known.type = ::onnx::TensorProto::FLOAT;
    known.dims = step.chain->dims();
    const std::size_t count = *smallCount(known.dims);
    const bool isPlaced = place != places.end();
    known.floats = isPlaced ? SharedFloats::of(place->second, count) : SharedFloats::unset(count);
    results.emplace_back(slot, isPlaced ? place->second : known.floats.write());
    made.emplace_back(name, std::move(known));
  }
  step.chain->run(sources, results);
  for (auto& [name, known] : made) values.insert_or_assign(name, std::move(known));
}

std::vector<KnownTensor> Interpreter::run(std::vector<KnownTensor> inputs,
                                          const std::vector<float*>& places) {
  const LargeResults scope;
  Named values;
  std::unordered_map<std::string, std::size_t> readers;  // that are still to come
  std::unordered_map<std::string, float*> placeOf;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    values.emplace(inputs_[i].name, std::move(inputs.at(i)));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != nullptr) placeOf[outputs_[i].name] = places[i];
  }
  for (const Node* node : model_.nodes()) {
    for (const auto& input : node->input()) ++readers[input];
  }
  for (const Step& step : steps_) {
    compute(step, values, placeOf);
    for (const Node* node : step.nodes) {
      for (const auto& input : node->input()) {
        if (--readers[input] == 0 && !model_.isOutput(input)) values.erase(input);
      }
    }
  }
  std::vector<KnownTensor> outputs;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    outputs.push_back(*find(outputs_[i].name, values));
    KnownTensor& output = outputs.back();
    if (output.dims != outputDims_[i]) {
      throw ModelError(inQuotes(outputs_[i].name) + " came out as " + sizesText(output.dims) +
                       " where " + sizesText(outputDims_[i]) + " was expected");
    }
    float* const place = i < places.size() ? places[i] : nullptr;
    if (place == nullptr || !output.isFloat() || output.floats.data() == place) continue;
    forEachPiece(output.count(), [&](std::size_t begin, std::size_t end) {
      std::copy(output.floats.begin() + begin, output.floats.begin() + end, place + begin);
    });
  }
  return outputs;
}

}  // namespace mpm::onnx
