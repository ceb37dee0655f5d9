// SPDX-License-Identifier: Apache-2.0
#include "onnx/normal_form/quantised.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
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
#include "onnx/graph/model.h"
#include "onnx/normal_form/normal_form.h"
#include "onnx/normal_form/rewriter.h"
#include "onnx/normal_form/rules.h"

namespace mpm::onnx {

namespace {

using Numbers = std::vector<std::int64_t>;

// Uses ONNX's numbers, since older headers lack the names.
constexpr int kUint4 = 21, kInt4 = 22;

// Unpacks two numbers from each byte, lower half first; std::nullopt for a wrong count of bytes.
std::optional<Numbers> halfBytes(const Tensor& tensor) {
  const ::onnx::TensorProto& proto = tensor.proto();
  const auto count = static_cast<std::size_t>(tensor.count());
  const bool isRaw = proto.has_raw_data();
  const std::size_t bytes =
      isRaw ? proto.raw_data().size() : static_cast<std::size_t>(proto.int32_data_size());
  if (bytes != count / 2 + count % 2) return std::nullopt;
  Numbers numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned byte = isRaw ? static_cast<unsigned char>(proto.raw_data()[i / 2])
                                : static_cast<unsigned>(proto.int32_data(static_cast<int>(i / 2)));
    const auto half = static_cast<int>(byte >> (i % 2 * 4) & 15U);
    numbers[i] = tensor.type() == kInt4 && half > 7 ? half - 16 : half;
  }
  return numbers;
}

std::optional<Numbers> numbersOf(const Model& model, const std::string& constant) {
  const std::optional<Tensor> tensor = model.constant(constant);
  if (!tensor) return std::nullopt;
  switch (tensor->type()) {
    case ::onnx::TensorProto::INT8:
    case ::onnx::TensorProto::UINT8:
    case ::onnx::TensorProto::INT16:
    case ::onnx::TensorProto::UINT16:
    case ::onnx::TensorProto::INT32:
      return tensor->integers();
    case kUint4:
    case kInt4:
      return halfBytes(*tensor);
    default:
      return std::nullopt;
  }
}

// Says which of the scales belongs to each element.
class Scaling {
 public:
  // Returns false if they fit no axis.
  bool lay(const Numbers& dims, const Tensor& scale, std::int64_t axis, std::int64_t block) {
    if (scale.count() == 1) return true;
    const auto rank = static_cast<std::int64_t>(dims.size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || block < 0) return false;
    const std::int64_t size = dims[static_cast<std::size_t>(axis)];
    for (std::int64_t i = axis + 1; i < rank; ++i) inner_ *= dims[static_cast<std::size_t>(i)];
    size_ = size;
    if (block == 0) return scale.count() == size;
    block_ = block;
    groups_ = size / block + (size % block != 0 ? 1 : 0);
    Numbers expected = dims;
    expected[static_cast<std::size_t>(axis)] = groups_;
    return scale.dims() == expected;
  }

  std::size_t at(std::int64_t element) const {
    if (size_ == 0) return 0;  // one for all
    const std::int64_t along = element / inner_ % size_;
    if (block_ == 0) return static_cast<std::size_t>(along);
    const std::int64_t outer = element / inner_ / size_;
    return static_cast<std::size_t>((outer * groups_ + along / block_) * inner_ + element % inner_);
  }

 private:
  std::int64_t inner_ = 1, size_ = 0, block_ = 0, groups_ = 0;
};

float realOf(std::int64_t number, std::int64_t zero, float scale) {
  return static_cast<float>(number - zero) * scale;
}

// The scale and the zero of each element of a constant with these dims.
struct Scales {
  Scaling scaling;
  Floats scales;
  Numbers zeros;

  float scaleAt(std::size_t element) const { return scales[at(element)]; }
  std::int64_t zeroAt(std::size_t element) const { return zeros[at(element)]; }
  std::size_t at(std::size_t element) const {
    return scaling.at(static_cast<std::int64_t>(element));
  }
};

std::optional<Scales> scalesOf(const Model& model, const Numbers& dims,
                               const Quantisation& quantisation) {
  const std::optional<Tensor> scale = model.constant(quantisation.scale);
  if (!scale || !scale->isFloating() || scale->count() < 1) return std::nullopt;
  Numbers zeros(static_cast<std::size_t>(scale->count()), 0);
  if (!quantisation.zero.empty()) {
    const std::optional<Numbers> given = numbersOf(model, quantisation.zero);
    if (!given || (given->size() != 1 && given->size() != zeros.size())) return std::nullopt;
    for (std::size_t i = 0; i < zeros.size(); ++i) zeros[i] = (*given)[given->size() == 1 ? 0 : i];
  }
  Scaling scaling;
  if (!scaling.lay(dims, *scale, quantisation.axis, quantisation.block)) return std::nullopt;
  return Scales{scaling, scale->floats(), std::move(zeros)};
}

// Returns the smallest and the largest number of the zero's type; unsigned 8 bits without one.
std::optional<std::pair<float, float>> limitsOf(const Model& model, const std::string& zero) {
  if (zero.empty()) return std::pair(0.0F, 255.0F);
  const std::optional<Tensor> tensor = model.constant(zero);
  switch (tensor ? tensor->type() : 0) {
    case ::onnx::TensorProto::INT8:
      return std::pair(-128.0F, 127.0F);
    case ::onnx::TensorProto::UINT8:
      return std::pair(0.0F, 255.0F);
    case ::onnx::TensorProto::INT16:
      return std::pair(-32768.0F, 32767.0F);
    case ::onnx::TensorProto::UINT16:
      return std::pair(0.0F, 65535.0F);
    case kUint4:
      return std::pair(0.0F, 15.0F);
    case kInt4:
      return std::pair(-8.0F, 7.0F);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Reals> realsOf(const Model& model, const std::string& constant,
                             const Quantisation& quantisation) {
  const std::optional<Numbers> numbers = numbersOf(model, constant);
  if (!numbers) return std::nullopt;
  Reals reals{model.constant(constant)->dims(), std::vector<float>(numbers->size())};
  const std::optional<Scales> scales = scalesOf(model, reals.dims, quantisation);
  if (!scales) return std::nullopt;
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    reals.values[i] = realOf((*numbers)[i], scales->zeroAt(i), scales->scaleAt(i));
  }
  return reals;
}

std::optional<Reals> roundedOf(const Model& model, const std::string& constant,
                               const Quantisation& quantisation) {
  const std::optional<Tensor> tensor = model.constant(constant);
  const auto limits = limitsOf(model, quantisation.zero);
  if (!tensor || !tensor->isFloating() || !limits) return std::nullopt;
  const Floats values = tensor->floats();
  Reals reals{tensor->dims(), {values.begin(), values.end()}};
  const std::optional<Scales> scales = scalesOf(model, reals.dims, quantisation);
  if (!scales) return std::nullopt;
  for (std::size_t i = 0; i < reals.values.size(); ++i) {
    const auto zero = static_cast<float>(scales->zeroAt(i));
    const float number = std::nearbyint(reals.values[i] / scales->scaleAt(i)) + zero;
    reals.values[i] =
        (std::clamp(number, limits->first, limits->second) - zero) * scales->scaleAt(i);
  }
  return reals;
}

namespace {

using ::onnx::TensorProto;

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr int kDeepest = 12;           // nodes, as a GELU or a norm has them
constexpr std::int64_t kLargest = 64;  // elements of a constant that is part of one

// Returns a lower bound of a value, if the nodes that make it give one.
double least(const Model& model, const std::string& value, int depth) {
  if (const auto constant = model.constant(value)) {
    if (!constant->isFloating() || constant->count() == 0 || constant->count() > kLargest)
      return kNone;
    const Floats floats = constant->floats();
    return static_cast<double>(*std::min_element(floats.begin(), floats.end()));
  }
  const Node* node = model.producer(value);
  if (node == nullptr || depth > kDeepest) return kNone;
  const auto of = [&](int i) {
    const std::string input = inputOf(*node, i);
    if (!isOp(*node, "DequantizeLinear") || !model.constant(input))
      return least(model, input, depth + 1);
    const auto reals = realsOf(model, input, {inputOf(*node, 1), inputOf(*node, 2), 0});
    return reals && !reals->values.empty()
               ? static_cast<double>(*std::min_element(reals->values.begin(), reals->values.end()))
               : kNone;
  };
  if (isAny(*node, {"Abs", "Exp", "Relu", "Sigmoid", "Softmax", "Softplus", "Sqrt"})) return 0;
  if (isAny(*node, {"Erf", "Tanh"})) return -1;
  if (isAny(*node, {"Expand", "Flatten", "Gather", "Identity", "MaxPool", "QuantizeLinear",
                    "DequantizeLinear", "ReduceMax", "ReduceMean", "Reshape", "Slice", "Squeeze",
                    "Transpose", "Unsqueeze"}))
    return of(0);
  if (isOp(*node, "Add")) return of(0) + of(1);
  const bool isSquare = isOp(*node, "Mul") && inputOf(*node, 0) == inputOf(*node, 1);
  if (isSquare || (isOp(*node, "Pow") && least(model, inputOf(*node, 1), depth) == 2)) return 0;
  if (isAny(*node, {"Mul", "Div"})) return of(0) >= 0 && of(1) >= 0 ? 0 : kNone;
  return kNone;
}

// Tells whether a convolution made a value, perhaps with a bias or a norm after it.
bool isConvolved(const Model& model, std::string value) {
  for (int i = 0; i < kDeepest; ++i) {
    const Node* node = model.producer(value);
    if (node == nullptr) return false;
    if (isAny(*node, {"Conv", "ConvTranspose"})) return true;
    if (!isAny(*node, {"Add", "BatchNormalization", "Mul", "QuantizeLinear", "DequantizeLinear"}))
      return false;
    value = inputOf(*node, 0);
  }
  return false;
}

}  // namespace

std::optional<Bound> boundOf(const Model& model, const std::string& value, const std::string& scale,
                             const std::string& zero) {
  const std::optional<Tensor> scales = model.constant(scale), zeros = model.constant(zero);
  const int type = zeros ? zeros->type() : TensorProto::UINT8;
  const bool isWide = type == TensorProto::INT16 || type == TensorProto::UINT16;
  const std::int64_t steps = isWide ? 65535 : 255;
  std::int64_t lowest = 0;
  if (type == TensorProto::INT8) lowest = -128;
  if (type == TensorProto::INT16) lowest = -32768;
  if (zeros) {
    if (!zeros->isInteger()) return std::nullopt;
    const std::vector<std::int64_t> all = zeros->integers();
    if (std::any_of(all.begin(), all.end(), [&](std::int64_t one) { return one != lowest; }))
      return std::nullopt;
  }
  if (model.producer(value) == nullptr || least(model, value, 0) >= 0) return std::nullopt;
  Bound bound;
  bound.isBelowAlone =
      !scales || !scales->isFloating() || scales->count() != 1 || !isConvolved(model, value);
  if (!bound.isBelowAlone) bound.high = static_cast<float>(steps) * scales->floats()[0];
  return bound;
}

// Models with scaled integers as weights, and perhaps as values, rewritten with reals.

namespace {

using Strings = std::vector<std::string>;

// Returns operators that only move or select numbers, whatever these represent.
const Names& movers() {
  static const Names names = namesIn(
      "Expand Flatten Gather Identity MaxPool Reshape Slice Split Squeeze Tile Transpose "
      "Unsqueeze");
  return names;
}

// An operator's input of integers.
struct Quantised {
  std::string value;
  Quantisation by;
};

// Walks once over a model, producers first. Computed values of integers become real ones.
class Dequantising {
 public:
  explicit Dequantising(const Model& model) : model_(model) {
    for (const auto& constant : model.proto().graph().initializer()) {
      const Tensor tensor(constant);
      budget_ += 2 * tensor.count();  // more there are only where many nodes read one constant
    }
  }

  // Returns std::nullopt if one node cannot be rewritten, since reals and integers do not mix.
  std::optional<Edit> edit() {
    for (const Node* node : model_.nodes()) {
      node_ = node;
      if (node->output_size() == 0 || out().empty() ? readsReals() : !write()) return std::nullopt;
    }
    return std::move(edit_);
  }

  // Returns former integer values that keep their names.
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

  // Returns the final name of a value.
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

  // Moved numbers keep their meaning.
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

  // Returns the elements of a scale or a zero; no zero is 0.
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
  // Tells whether a value that became real is read with the scale and zero that it was written
  // with. Others would change it.
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

  // Returns the name of an input's reals: a value that became real, or a new constant. Empty if it
  // is neither.
  std::string realOf(const Quantised& input) {
    if (isReal(input.value))
      return isReadAsWritten(input.value, input.by) ? now(input.value) : std::string();
    const std::string name = newName("real");
    return addConstant(realsOf(model_, input.value, input.by), name) ? name : std::string();
  }
  // Returns the nodes that move a constant on its way to a value, from the value back. Empty if any
  // other node, or no constant, is there.
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

  // Moves the reals of a constant that is moved before it is dequantised, such as rows from a
  // table. It needs one scale, which holds for each element wherever it is.
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

  // Rounds weights that were trained as integers but are stored as reals. Unlike the rounding of
  // values on their way, this is part of the weights.
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
