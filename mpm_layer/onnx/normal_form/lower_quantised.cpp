// SPDX-License-Identifier: Apache-2.0
// Models whose weights, and maybe values, are whole numbers with scales, as what they stand for.
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/walk.h"
#include "onnx/normal_form/lower.h"
#include "onnx/normal_form/lower_rules.h"
#include "onnx/normal_form/quantised.h"

namespace mpm::onnx {
namespace {

using ::onnx::TensorProto;
using Strings = std::vector<std::string>;

// Operators that give some of the numbers they are given, whatever these stand for.
const Names& movers() {
  static const Names names = namesIn(
      "Expand Flatten Gather Identity MaxPool Reshape Slice Split Squeeze Tile Transpose "
      "Unsqueeze");
  return names;
}

// A value of whole numbers, as an operator is given it.
struct Quantised {
  std::string value;
  Quantisation by;
};

// One walk over a model, producers first. Values of whole numbers that nodes compute become real
// ones.
class Dequantising {
 public:
  explicit Dequantising(const Model& model) : model_(model) {
    for (const auto& constant : model.proto().graph().initializer()) {
      const Tensor tensor(constant);
      budget_ += 2 * tensor.count();  // more there are only where many nodes read one constant
    }
  }

  // Nothing where one node cannot be written: reals and whole numbers do not mix.
  std::optional<Edit> edit() {
    for (const Node* node : model_.nodes()) {
      node_ = node;
      if (node->output_size() == 0 || out().empty() ? readsReals() : !write()) return std::nullopt;
    }
    return std::move(edit_);
  }

  // Values that keep their names and were of whole numbers.
  const std::unordered_set<std::string>& renewed() const { return renewed_; }

 private:
  using Write = bool (Dequantising::*)();

  std::string in(int i) const { return inputOf(*node_, i); }
  const std::string& out() const { return node_->output(0); }
  bool isReal(const std::string& value) const { return reals_.count(value) != 0; }
  bool readsReals() const {
    bool reads = false;
    const auto look = [&](const std::string& value) { reads = reads || isReal(value); };
    for (const std::string& input : node_->input()) look(input);
    forEachNestedUse(*node_, look);
    return reads;
  }

  // What a value is called when all is done.
  std::string now(const std::string& value) const {
    const auto found = names_.find(value);
    return found == names_.end() ? value : found->second;
  }

  bool write() {
    static const std::unordered_map<std::string, Write> writers = {
        {"DequantizeLinear", &Dequantising::dequantize},
        {"QuantizeLinear", &Dequantising::quantize},
        {"com.microsoft:QuantizeLinear", &Dequantising::quantize},
        {"com.microsoft:DequantizeLinear", &Dequantising::dequantize}};
    const bool isPlain = isOp(*node_, node_->op_type().c_str());
    const auto writer =
        writers.find(isPlain ? node_->op_type() : node_->domain() + ":" + node_->op_type());
    if (writer != writers.end()) return (this->*writer->second)();
    return !readsReals() || (isPlain && move());
  }

  // Numbers that are moved stand for what they stood for.
  bool move() {
    if (movers().count(node_->op_type()) == 0 || !isReal(in(0))) return false;
    const Quantisation by = reals_.at(in(0));
    for (int i = 1; i < node_->input_size(); ++i) {
      if (isReal(node_->input(i))) return false;
    }
    for (const std::string& output : node_->output()) {
      if (model_.isOutput(output)) return false;
      reals_[output] = by;
      renewed_.insert(output);
    }
    return true;
  }

  // What a scale or a zero is; no zero is 0.
  std::vector<double> contentOf(const std::string& name) const {
    const std::optional<Tensor> constant = model_.constant(name);
    if (name.empty()) return {0};
    if (constant && constant->isInteger()) {
      const std::vector<std::int64_t> all = constant->integers();
      return {all.begin(), all.end()};
    }
    if (!constant || !constant->isFloating()) return {};
    const Floats all = constant->floats();
    return {all.begin(), all.end()};
  }
  // Whether a value that is real now was written with the scale and zero that it is read with:
  // others would change it.
  bool isReadAsWritten(const std::string& value, const Quantisation& by) const {
    const auto isSame = [&](const std::string& a, const std::string& b) {
      return a == b || (!contentOf(a).empty() && contentOf(a) == contentOf(b));
    };
    const Quantisation& written = reals_.at(value);
    return isSame(written.scale, by.scale) && isSame(written.zero, by.zero);
  }

  void replaceNode() { edit_.remove.push_back(node_); }

  void rename(const std::string& value, const std::string& name) {
    names_[value] = name;
    edit_.redirect.emplace_back(value, name);
  }

  std::string newName(const char* what) {
    return model_.unusedName(out() + "/" + what + "_" + std::to_string(newNames_++));
  }

  Node& add(const std::string& type, const Strings& inputs, const std::string& output) {
    Node node;
    node.set_op_type(type);
    node.set_name(output);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
    edit_.add.push_back(std::move(node));
    return edit_.add.back();
  }

  bool addConstant(const std::optional<Reals>& reals, const std::string& name) {
    if (!reals) return false;
    budget_ -= static_cast<std::int64_t>(reals->values.size());
    if (budget_ < 0) return false;
    edit_.constants.push_back(floatTensor(name, reals->dims, reals->values.data()));
    return true;
  }

  // The name of what an input stands for: a value that is real now, or a new constant. Empty where
  // it is neither.
  std::string realOf(const Quantised& input) {
    if (isReal(input.value))
      return isReadAsWritten(input.value, input.by) ? now(input.value) : std::string();
    const std::string name = newName("real");
    return addConstant(realsOf(model_, input.value, input.by), name) ? name : std::string();
  }
  // The nodes that move a constant on its way to a value, from the value on; nothing where it does
  // not come from one in this way.
  std::vector<const Node*> moversOf(const std::string& value) const {
    std::vector<const Node*> chain;
    const Node* node = model_.producer(value);
    for (; node != nullptr; node = model_.producer(inputOf(*node, 0))) {
      if (!isOp(*node, node->op_type().c_str()) || movers().count(node->op_type()) == 0 ||
          node->output_size() != 1)
        return {};
      chain.push_back(node);
    }
    return chain.empty() || !model_.constant(inputOf(*chain.back(), 0)) ? decltype(chain)() : chain;
  }

  // A constant that is moved before it becomes real, as rows are taken out of a table: the real one
  // is moved. With one scale, which holds for each element wherever it is.
  bool dequantizeMoved() {
    const std::vector<const Node*> chain = moversOf(in(0));
    const std::optional<Tensor> scale = model_.constant(in(1));
    if (chain.empty() || !scale || scale->count() != 1) return false;
    std::string value = realOf({inputOf(*chain.back(), 0), {in(1), in(2)}});
    if (value.empty()) return false;
    for (auto mover = chain.rbegin(); mover != chain.rend(); ++mover) {
      const std::string moved = *mover == chain.front() ? out() : newName("moved");
      edit_.add.push_back(**mover);
      edit_.add.back().set_input(0, value);
      edit_.add.back().set_output(0, moved);
      value = moved;
    }
    replaceNode();
    return true;
  }

  bool dequantize() {
    if (!isReal(in(0)) && model_.producer(in(0)) != nullptr) return dequantizeMoved();
    const std::int64_t axis = intAttribute(*node_, "axis").value_or(1);
    const std::int64_t block = intAttribute(*node_, "block_size").value_or(0);
    if (isReal(in(0)) && !isReadAsWritten(in(0), {in(1), in(2), axis, block})) return false;
    if (isReal(in(0)) && model_.isOutput(out())) {
      add("Identity", {now(in(0))}, out());
    } else if (isReal(in(0))) {
      rename(out(), now(in(0)));
    } else if (model_.isOutput(out()) ||
               !addConstant(realsOf(model_, in(0), {in(1), in(2), axis, block}), out())) {
      return false;
    }
    replaceNode();
    return true;
  }

  bool quantize() {
    if (model_.isOutput(out())) return false;
    if (model_.constant(in(0))) return quantizeConstant();
    const std::optional<Bound> bound = boundOf(model_, in(0), in(1), in(2));
    if (bound) {
      addBound(*bound, now(in(0)), out());
    } else {
      rename(out(), now(in(0)));
    }
    reals_[out()] = {in(1), in(2)};
    replaceNode();
    return true;
  }

  // Weights that were trained to be whole numbers, which the file has as reals: unlike what values
  // are rounded by on their way, this is part of what they are.
  bool quantizeConstant() {
    const Quantisation by{in(1), in(2), intAttribute(*node_, "axis").value_or(1),
                          intAttribute(*node_, "block_size").value_or(0)};
    if (findAttribute(*node_, "output_dtype") != nullptr && by.zero.empty()) return false;
    const std::string name = newName("rounded");
    if (!addConstant(roundedOf(model_, in(0), by), name)) return false;
    rename(out(), name);
    reals_[out()] = by;
    replaceNode();
    return true;
  }

  void addBound(const Bound& bound, const std::string& value, const std::string& output) {
    renewed_.insert(output);
    if (bound.isBelowAlone) {
      add("Relu", {value}, output);
      return;
    }
    const std::string low = newName("low"), high = newName("high");
    edit_.constants.push_back(floatTensor(low, {}, &bound.low));
    edit_.constants.push_back(floatTensor(high, {}, &bound.high));
    add("Clip", {value, low, high}, output);
  }

  const Model& model_;
  const Node* node_ = nullptr;
  Edit edit_;
  std::int64_t budget_ = 0;
  int newNames_ = 0;
  std::unordered_map<std::string, std::string> names_;
  std::unordered_map<std::string, Quantisation> reals_;  // values, and what they were written with
  std::unordered_set<std::string> renewed_;
};

}  // namespace

int dequantise(Model& model) {
  const int products = lowerDynamic(model);
  Dequantising walk(model);
  std::optional<Edit> edit = walk.edit();
  const int count = edit ? static_cast<int>(edit->remove.size()) : 0;
  if (count == 0) return products;
  model.apply(std::move(*edit));
  model.changeInPlace([&](::onnx::ModelProto& proto) {
    for (auto& info : *proto.mutable_graph()->mutable_value_info()) {
      if (walk.renewed().count(info.name()) != 0)
        info.mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
    }
  });
  return products + count + model.removeDead();
}

}  // namespace mpm::onnx
