// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/model.h"
#include "onnx/normal_form/normal_form.h"
#include "onnx/normal_form/quantised.h"
#include "onnx/normal_form/rewriter.h"
#include "onnx/normal_form/rules.h"

namespace mpm::onnx {

namespace {

using ::onnx::TensorProto;

bool isOtherFloat(std::int64_t type) { return isFloatingType(type) && type != TensorProto::FLOAT; }

// Matches nodes with scaled integers as weights; their results depend on the types.
bool isQuantised(const Node& node) {
  for (const char* part :
       {"uantize", "QLinear", "Integer", "NBits", "Bnb4", "QGemm", "QAttention"}) {
    if (node.op_type().find(part) != std::string::npos) return true;
  }
  return false;
}

// A node list of a model, with the graph that describes its values.
struct Part {
  google::protobuf::RepeatedPtrField<Node>* nodes;
  ::onnx::GraphProto* graph;  // null for a function
};

std::vector<Part> partsOf(::onnx::ModelProto& model) {
  std::vector<Part> parts = {{model.mutable_graph()->mutable_node(), model.mutable_graph()}};
  for (auto& function : *model.mutable_functions()) {
    parts.push_back({function.mutable_node(), nullptr});
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto nodes = parts[i].nodes;
    const auto take = [&](::onnx::GraphProto* graph) {
      parts.push_back({graph->mutable_node(), graph});
    };
    for (auto& node : *nodes) {
      for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g()) take(attribute.mutable_g());
        for (auto& graph : *attribute.mutable_graphs()) take(&graph);
      }
    }
  }
  return parts;
}

// Returns the attribute in which a node names its output's type, or null.
const char* typeAttribute(const Node& node) {
  for (const char* type : {"EyeLike", "RandomNormal", "RandomUniform", "RandomNormalLike",
                           "RandomUniformLike", "Bernoulli"}) {
    if (isOp(node, type)) return "dtype";
  }
  if (isOp(node, "Cast")) return "to";
  if (isOp(node, "LayerNormalization")) return "stash_type";
  return isOp(node, "Attention") ? "softmax_precision" : nullptr;
}

int widenNode(Node& node) {
  const char* name = typeAttribute(node);
  if (name == nullptr || !isOtherFloat(intAttribute(node, name).value_or(0))) return 0;
  setAttribute(node, name, std::int64_t{TensorProto::FLOAT});
  return 1;
}

template <typename Infos>
int widenTypes(Infos& infos) {
  int count = 0;
  for (auto& info : infos) {
    if (!info.type().has_tensor_type()) continue;
    if (!isOtherFloat(info.type().tensor_type().elem_type())) continue;
    info.mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
    ++count;
  }
  return count;
}

int widenConstant(TensorProto& constant) {
  if (!isOtherFloat(constant.data_type())) return 0;
  const Tensor tensor(constant);
  TensorProto wide = floatTensor(constant.name(), tensor.dims(), tensor.floats().data());
  constant.Swap(&wide);
  return 1;
}

// Returns the number of changes; std::nullopt for a model that stays as it is.
std::optional<int> widenAll(::onnx::ModelProto& proto) {
  const std::vector<Part> parts = partsOf(proto);
  for (const Part& part : parts) {
    for (const Node& node : *part.nodes) {
      if (isQuantised(node)) return std::nullopt;
    }
  }
  int count = 0;
  for (const Part& part : parts) {
    for (Node& node : *part.nodes) count += widenNode(node);
    if (part.graph == nullptr) continue;
    count += widenTypes(*part.graph->mutable_input());
    count += widenTypes(*part.graph->mutable_output());
    count += widenTypes(*part.graph->mutable_value_info());
  }
  forEachTensor(proto, [&](TensorProto& tensor) { count += widenConstant(tensor); });
  return count;
}

// Returns operators with a first output of their first input's type.
const Names& sameType() {
  static const Names names = namesIn(
      "Abs Add AveragePool BatchNormalization Ceil Clip Concat Conv ConvTranspose Cos "
      "DepthToSpace Div Dropout Einsum Elu Erf Erfc Exp Expand Flatten Floor Gather GatherElements "
      "GatherND Gelu Gemm GlobalAveragePool GlobalMaxPool GroupNormalization HardSigmoid "
      "HardSwish Identity InstanceNormalization LayerNormalization LeakyRelu Log LogSoftmax "
      "LpNormalization MatMul Max MaxPool Mean Min Mish Mul Neg PRelu Pad Pow Reciprocal "
      "ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare "
      "Relu Reshape Resize Sigmoid Sin Slice Softmax Softplus SpaceToDepth Split Sqrt Squeeze "
      "Sub Sum Tanh Tile Transpose Unsqueeze Upsample");
  return names;
}

// Returns the input that gives the first output's type; -1 if none does for certain.
int typeGiver(const Node& node) {
  if (isOp(node, "Where")) return 1;
  return isOp(node, node.op_type().c_str()) && sameType().count(node.op_type()) != 0 ? 0 : -1;
}

// Returns the values of the main graph that are float32 for certain.
std::unordered_set<std::string> floatValues(const Model& model) {
  std::unordered_set<std::string> values;
  const auto& graph = model.proto().graph();
  const auto take = [&](const auto& infos) {
    for (const auto& info : infos) {
      if (info.type().tensor_type().elem_type() == TensorProto::FLOAT) values.insert(info.name());
    }
  };
  take(graph.input());
  take(graph.value_info());
  for (const auto& constant : graph.initializer()) {
    if (constant.data_type() == TensorProto::FLOAT) values.insert(constant.name());
  }
  for (const Node* node : model.nodes()) {
    const int giver = typeGiver(*node);
    const bool isCast = isOp(*node, "Cast") && intAttribute(*node, "to") == TensorProto::FLOAT;
    if (!isCast && !(giver >= 0 && values.count(inputOf(*node, giver)))) continue;
    const int made = isOp(*node, "Split") ? node->output_size() : 1;
    for (int i = 0; i < std::min(made, node->output_size()); ++i) values.insert(node->output(i));
  }
  return values;
}

// Removes casts of float32 values to float32 from the main graph. Returns how many.
int dropCasts(Model& model) {
  const auto floats = floatValues(model);
  std::vector<const Node*> idle;
  for (const Node* node : model.nodes()) {
    if (!isOp(*node, "Cast") || node->input_size() != 1 || node->output_size() != 1) continue;
    if (intAttribute(*node, "to") != TensorProto::FLOAT || node->output(0).empty()) continue;
    if (floats.count(node->input(0))) idle.push_back(node);
  }
  return bypass(model, idle);
}

}  // namespace

int widen(Model& model) {
  std::optional<int> count;
  model.changeInPlace([&](::onnx::ModelProto& proto) { count = widenAll(proto); });
  return count ? *count + dropCasts(model) : 0;
}

// Products with integer weights. The other operand is quantised while the model runs, or not at
// all.

namespace {

// Adds a constant of the weights' reals; empty if there are none.
std::string weightOf(Spelling& spelling, const std::optional<Reals>& reals) {
  return reals ? spelling.floats(reals->dims, reals->values) : std::string();
}
std::string weightOf(Spelling& spelling, int weight, int scale, int zero) {
  const Node& node = spelling.node();
  return weightOf(spelling, realsOf(spelling.model(), inputOf(node, weight),
                                    {inputOf(node, scale), inputOf(node, zero), -1}));
}

// Source of an integer operand that the model quantises while it runs.
struct Dynamic {
  std::string value, scale, zero;
};
std::optional<Dynamic> dynamicOf(const Model& model, const std::string& numbers) {
  const Node* maker = model.producer(numbers);
  if (maker == nullptr || !isOp(*maker, "DynamicQuantizeLinear")) return std::nullopt;
  if (maker->output_size() != 3 || maker->output(0) != numbers) return std::nullopt;
  return Dynamic{maker->input(0), maker->output(1), maker->output(2)};
}

const Node* castTo(const Model& model, const std::string& value, std::int64_t type) {
  const Node* node = model.producer(value);
  const bool is = node != nullptr && isOp(*node, "Cast") && intAttribute(*node, "to") == type;
  return is ? node : nullptr;
}

// A product of integers, then a Cast and a Mul with the scales of both operands.
struct Scaled {
  const Node* product;
  std::string value;  // the first operand before it became whole numbers
  Quantisation weight;
};
std::optional<Scaled> scaledProduct(const Model& model, const Node& mul) {
  if (!isOp(mul, "Mul") || mul.input_size() != 2) return std::nullopt;
  const int i = castTo(model, mul.input(0), ::onnx::TensorProto::FLOAT) != nullptr ? 0 : 1;
  const Node* cast = castTo(model, mul.input(i), ::onnx::TensorProto::FLOAT);
  const Node* product = cast == nullptr ? nullptr : model.producer(cast->input(0));
  if (product == nullptr) return std::nullopt;
  const bool isConv = isOp(*product, "ConvInteger");
  if (!isConv && !isOp(*product, "MatMulInteger")) return std::nullopt;
  const std::optional<Dynamic> made = dynamicOf(model, inputOf(*product, 0));
  if (!made || inputOf(*product, 2) != made->zero) return std::nullopt;
  const Node* scales = model.producer(mul.input(1 - i));
  if (scales == nullptr || !isOp(*scales, "Mul") || scales->input_size() != 2) return std::nullopt;
  const int own = scales->input(0) == made->scale ? 0 : 1;
  if (scales->input(own) != made->scale) return std::nullopt;
  return Scaled{
      product, made->value, {scales->input(1 - own), inputOf(*product, 3), isConv ? 0 : -1}};
}

// Writes the product with the weights' reals, and a bias if there is one.
bool spellProduct(Spelling& spelling, const Scaled& scaled, const std::string& bias) {
  const auto reals = realsOf(spelling.model(), inputOf(*scaled.product, 1), scaled.weight);
  if (!reals) return false;
  std::vector<std::string> inputs = {scaled.value, weightOf(spelling, reals)};
  if (!bias.empty()) inputs.push_back(bias);
  const bool isConv = isOp(*scaled.product, "ConvInteger");
  spelling.add(isConv ? "Conv" : "MatMul", inputs, spelling.node().output(0));
  *spelling.last().mutable_attribute() = scaled.product->attribute();
  return true;
}

bool lowerScaledProduct(Spelling& spelling) {
  const auto scaled = scaledProduct(spelling.model(), spelling.node());
  return scaled && spellProduct(spelling, *scaled, "");
}

// Takes in the bias of a convolution, which is added after it as [1, C, 1, 1].
bool lowerConvBias(Spelling& spelling) {
  const Model& model = spelling.model();
  const Node& node = spelling.node();
  for (int i = 0; i < 2 && node.input_size() == 2; ++i) {
    const Node* mul = model.producer(node.input(i));
    const auto scaled = mul == nullptr ? std::nullopt : scaledProduct(model, *mul);
    if (!scaled || !isOp(*scaled->product, "ConvInteger")) continue;
    const Node* reshape = model.producer(node.input(1 - i));
    if (reshape == nullptr || !isOp(*reshape, "Reshape")) continue;
    const auto bias = model.constant(reshape->input(0)),
               weight = model.constant(inputOf(*scaled->product, 1));
    const auto shape = spelling.integersIn(inputOf(*reshape, 1));
    if (!bias || !weight || weight->dims().empty() || bias->dims() != Integers{weight->dims()[0]})
      continue;
    if (shape == Integers{1, -1, 1, 1} || shape == Integers{1, weight->dims()[0], 1, 1})
      return spellProduct(spelling, *scaled, reshape->input(0));
  }
  return false;
}

bool spellMatMul(Spelling& spelling, const std::string& value, const std::string& weight,
                 const std::string& bias) {
  if (value.empty() || weight.empty()) return false;
  const std::string output = spelling.node().output(0);
  const std::string product = spelling.add("MatMul", {value, weight}, bias.empty() ? output : "");
  if (!bias.empty()) spelling.add("Add", {product, bias}, output);
  return true;
}

// Inputs: A, B, scale of B, zero of B?, bias?.
bool lowerDynamicMatMul(Spelling& spelling) {
  const Node& node = spelling.node();
  return spellMatMul(spelling, inputOf(node, 0), weightOf(spelling, 1, 2, 3), inputOf(node, 4));
}

// Inputs: A and B, their scales, their zeros, bias?.
bool lowerMatMulToFloat(Spelling& spelling) {
  const Node& node = spelling.node();
  const auto made = dynamicOf(spelling.model(), inputOf(node, 0));
  if (!made || inputOf(node, 2) != made->scale || inputOf(node, 4) != made->zero) return false;
  return spellMatMul(spelling, made->value, weightOf(spelling, 1, 3, 5), inputOf(node, 6));
}

const Rules& dynamicRules() {
  static const Rules rules = {
      {"Add", lowerConvBias},
      {"Mul", lowerScaledProduct},
      {"com.microsoft:DynamicQuantizeMatMul", lowerDynamicMatMul},
      {"com.microsoft:MatMulIntegerToFloat", lowerMatMulToFloat},
  };
  return rules;
}

}  // namespace

int lowerDynamic(Model& model) {
  std::size_t weights = 0;
  for (const auto& constant : model.proto().graph().initializer())
    weights += static_cast<std::size_t>(Tensor(constant).count());
  // One element has at most two numbers of 4 bits; there are more only if many nodes read one
  // constant.
  const std::size_t passes = 1 + 2 * weights / Spelling::kMostWeights;
  const DimsOf unknown = [](const std::string&) { return nullptr; };
  int total = 0;
  for (std::size_t i = 0; i < passes; ++i) {
    const int count = spellOut(model, dynamicRules(), unknown);
    if (count == 0) break;
    total += count + model.removeDead();
  }
  return total;
}

}  // namespace mpm::onnx
