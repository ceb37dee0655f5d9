// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/subgraphs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mpm/layer_kinds.h"
#include "onnx/graph/attribute.h"
#include "onnx/operators/window.h"

namespace mpm::onnx {

namespace {

using ::onnx::TensorProto;

// Operators that OpenCV 4.6 does not have, or computes for one image at most; and LogSoftmax, which
// is the logarithm of its Softmax, and so -infinity where that is 0 in float32.
const Names& never() {
  static const Names types = namesIn(
      "And ArgMax ArgMin CastLike Col2Im ConstantOfShape CumSum DepthToSpace Einsum Equal Expand "
      "EyeLike Gather GatherElements GatherND Greater GreaterOrEqual GridSample Hardmax IsInf "
      "IsNaN LayerNormalization Less LessOrEqual LogSoftmax LpNormalization Max Mean "
      "MeanVarianceNormalization Min Mod Not OneHot Or RMSNormalization Range "
      "Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
      "ReduceProd ReduceSum ReduceSumSquare Scatter ScatterElements "
      "ScatterND Shape Sign SimplifiedLayerNormalization Size SpaceToDepth Squeeze Sum Swish Tile "
      "TopK Trilu Unsqueeze Where Xor");
  return types;
}

bool isConstant(const Model& model, const std::string& value) {
  return value.empty() || model.constant(value).has_value();
}

// What OpenCV 4.6 computes wrongly, or not at all.
class Misread {
 public:
  Misread(const Model& model, const DimsOf& dimsOf, const TypeOf& typeOf)
      : model_(model), dimsOf_(dimsOf), typeOf_(typeOf) {}

  bool has(const Node& node) const {
    const auto isOddValue = [&](const std::string& value) { return isOdd(value); };
    if (never().count(node.op_type()) != 0 || hasComputedWeights(node)) return true;
    if (std::any_of(node.input().begin(), node.input().end(), isOddValue)) return true;
    if (std::any_of(node.output().begin(), node.output().end(), isOddValue)) return true;
    if (isAny(node, {"Add", "Sub", "Mul", "Div"})) return isBroadcast(node) || isDeep(node);
    if (isOp(node, "PRelu")) return isOddSlope(node);
    if (isOp(node, "Softplus")) return !isBent(node);
    if (isOp(node, "InstanceNormalization")) return isOddNorm(node);
    if (isOp(node, "Pow")) return isOddPower(node) || isBroadcast(node);
    if (isOp(node, "MatMul")) return isOddProduct(node);
    if (isOp(node, "Split")) return node.output_size() < 2;
    if (isOp(node, "Flatten")) return isOddFlatten(node);
    if (isOp(node, "Clip")) return !areConstant(node, 1);
    if (isOp(node, "Slice")) return isOddSlice(node);
    if (isOp(node, "Resize")) return isOddResize(node);
    if (isOp(node, "Pad")) return isOddPad(node);
    if (isAny(node, {"AveragePool", "MaxPool"})) return isOddPool(node);
    return false;
  }

  // A template that is looked for: 4.6 takes weights as constants alone.
  bool hasComputedWeights(const Node& node) const {
    return isOp(node, "Conv") && onnx::hasInput(node, 1) && !isConstant(model_, node.input(1));
  }

 private:
  // Neither a float32 nor one with two axes or more.
  bool isOdd(const std::string& value) const {
    if (isConstant(model_, value)) return false;
    const int type = typeOf_(value);
    const Integers* dims = dimsOf_(value);
    return (type != 0 && type != TensorProto::FLOAT) || (dims != nullptr && dims->size() < 2);
  }

  // Windows that go over the end, have gaps, or are padded by a word.
  static bool isOddPool(const Node& node) {
    const Integers dilations = intsAttribute(node, "dilations").value_or(Integers{});
    return node.output_size() == 1 &&
           (intAttribute(node, "ceil_mode").value_or(0) != 0 || isPaddedToSame(node) ||
            std::any_of(dilations.begin(), dilations.end(), [](auto gap) { return gap != 1; }));
  }

  bool areConstant(const Node& node, int first) const {
    for (int i = first; i < node.input_size(); ++i) {
      if (!isConstant(model_, node.input(i))) return false;
    }
    return true;
  }

  // Whether an operand has not the result's shape, unless it is a number for all of it, for each
  // of its last axis, or for each channel of planes.
  bool isBroadcast(const Node& node) const {
    const Integers* made = dimsOf_(node.output(0));
    for (const std::string& input : node.input()) {
      const auto constant = model_.constant(input);
      if (made == nullptr) {  // nor can it be spelled as OpenCV reads it
        if (constant && constant->count() > 1) return true;
        continue;
      }
      const Integers* dims = dimsOf_(input);
      if (constant ? !isRowOrPlanes(constant->dims(), made->size())
                   : dims != nullptr && *dims != *made) {
        return true;
      }
    }
    return false;
  }

  // Of more axes than OpenCV adds and multiplies: windows as [B, rows, columns, height, width, D].
  bool isDeep(const Node& node) const {
    constexpr std::size_t kMostAxes = 5;
    const Integers* made = dimsOf_(node.output(0));
    return made != nullptr && made->size() > kMostAxes;
  }

  // Whether only a tanh reads it, as in a Mish, which OpenCV computes at once. All OpenCVs compute
  // log(1 + exp(x)), which is infinite from x = 89 on and has few digits left below -8, where
  // logarithms and quotients behind it show (ZoeDepth): to a tanh the first is the same.
  bool isBent(const Node& node) const {
    const auto& readers = model_.consumers(node.output(0));
    return !model_.isOutput(node.output(0)) && !readers.empty() &&
           std::all_of(readers.begin(), readers.end(),
                       [](const Node* reader) { return isOp(*reader, "Tanh"); });
  }

  // A slope that is no number for each channel of planes, or for all of it.
  bool isOddSlope(const Node& node) const {
    const auto slope = node.input_size() == 2 ? model_.constant(node.input(1)) : std::nullopt;
    return isBroadcast(node) || !slope || (slope->count() != 1 && slope->dims().back() != 1);
  }

  // Of rows, or of planes of one place, where it reads beside them from the second image on.
  bool isOddNorm(const Node& node) const {
    const Integers* dims = dimsOf_(node.input(0));
    if (dims == nullptr || dims->size() < 3) return false;
    return dims->size() == 3 ||
           std::all_of(dims->begin() + 2, dims->end(), [](std::int64_t dim) { return dim == 1; });
  }

  static bool isRowOrPlanes(Integers dims, std::size_t rank) {
    while (dims.size() > 1 && dims[0] == 1) dims.erase(dims.begin());
    return dims.size() <= 1 || (rank == 4 && dims.size() == 3 && dims[1] == 1 && dims[2] == 1);
  }

  // A power that a product follows is computed wrongly, and so is one of several; those that are
  // products or roots are written otherwise.
  bool isOddPower(const Node& node) const {
    const auto power = node.input_size() == 2 ? model_.constant(node.input(1)) : std::nullopt;
    if (!power || power->count() != 1 || !power->isFloating()) return true;
    const float value = power->floats()[0];
    return (value != 2 && value != 3 && value != 0.5F) || power->dims().size() > 1;
  }

  // Of two values whose matrices are not as many, or of a constant that is more than a matrix.
  bool isOddProduct(const Node& node) const {
    const Integers *a = dimsOf_(node.input(0)), *b = dimsOf_(node.input(1));
    if (a == nullptr || b == nullptr) return false;
    for (int i = 0; i < 2; ++i) {
      if (isConstant(model_, node.input(i))) return (i == 0 ? a : b)->size() != 2;
    }
    return a->size() != b->size() || !std::equal(a->begin(), a->end() - 2, b->begin());
  }

  // In front of the first axis, or behind the last one.
  bool isOddFlatten(const Node& node) const {
    const Integers* dims = dimsOf_(node.input(0));
    const std::int64_t axis = intAttribute(node, "axis").value_or(1);
    const auto rank = dims != nullptr ? static_cast<std::int64_t>(dims->size()) : axis + 1;
    return axis == 0 || axis == -rank || axis == rank;
  }

  // Of others than the planes of a picture, or in a way that no importer knows.
  bool isOddResize(const Node& node) const {
    constexpr int kInputs = 3;  // from opset 11 on
    if (node.input_size() < kInputs) return false;
    const Integers* dims = dimsOf_(node.input(0));
    const Integers axes = intsAttribute(node, "axes").value_or(Integers{});
    const auto isPlane = [](auto axis) {
      return axis == 2 || axis == 3 || axis == -1 || axis == -2;
    };
    const bool isCubic = stringAttribute(node, "mode").value_or("") == "cubic";
    return intAttribute(node, "antialias").value_or(0) != 0 ||
           (isCubic && intAttribute(node, "exclude_outside").value_or(0) != 0) ||
           stringAttribute(node, "keep_aspect_ratio_policy").value_or("stretch") != "stretch" ||
           stringAttribute(node, "coordinate_transformation_mode").value_or("") ==
               "tf_crop_and_resize" ||
           (dims != nullptr && dims->size() != 4) ||
           !std::all_of(axes.begin(), axes.end(), isPlane);
  }

  // With bounds of a frame, steps that are not one, or axes that do not follow each other.
  bool isOddSlice(const Node& node) const {
    if (!areConstant(node, 1)) return true;
    const auto axes = node.input_size() > 3 ? model_.constant(node.input(3)) : std::nullopt;
    if (axes && axes->isInteger()) {
      const auto values = axes->integers();
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] < 0 || values[i] != values[0] + static_cast<std::int64_t>(i)) return true;
      }
    }
    const auto steps = node.input_size() > 4 ? model_.constant(node.input(4)) : std::nullopt;
    if (!steps || !steps->isInteger()) return false;
    const auto values = steps->integers();
    return std::any_of(values.begin(), values.end(), [](auto step) { return step != 1; });
  }

  bool isOddPad(const Node& node) const {
    const Integers* dims = dimsOf_(node.input(0));
    const std::string mode = stringAttribute(node, "mode").value_or("constant");
    return mode != "constant" || (dims != nullptr && dims->size() != 4);
  }

  const Model& model_;
  const DimsOf& dimsOf_;
  const TypeOf& typeOf_;
};

}  // namespace

SubgraphChoice::SubgraphChoice(const Model& model, const DimsOf& dimsOf, const TypeOf& typeOf)
    : model_(model) {
  const Misread misread(model, dimsOf, typeOf);
  for (const Node* node : model.nodes()) {
    if (!(isInterpreted(*node) || misread.hasComputedWeights(*node)) || !hasInput(*node)) continue;
    if (isAboutSizes(*node)) sizes_.insert(node);
    if (misread.has(*node) || sizes_.count(node) != 0) taken_.insert(node);
  }
  for (const Node* node : model.nodes()) {
    if (isInterpreted(*node) && isBetween(*node)) taken_.insert(node);
  }
}

bool SubgraphChoice::isGrouped(const Node* node) const {
  if (!has(node) || !isOfSizes(node)) return has(node);
  for (const std::string& output : node->output()) {
    if (output.empty()) continue;
    const auto& readers = model_.consumers(output);
    if (model_.isOutput(output) ||
        std::any_of(readers.begin(), readers.end(), [&](auto* reader) { return !has(reader); })) {
      return true;
    }
  }
  return false;
}

bool SubgraphChoice::isAboutSizes(const Node& node) const {
  return isAny(node, {"Shape", "Size"}) ||
         std::all_of(node.input().begin(), node.input().end(), [&](const std::string& input) {
           return isConstant(model_, input) || sizes_.count(model_.producer(input)) != 0;
         });
}

bool SubgraphChoice::hasInput(const Node& node) const {
  return std::any_of(node.input().begin(), node.input().end(),
                     [&](const std::string& input) { return !isConstant(model_, input); });
}

// Whether all that it reads and all who read it were taken: cheaper than going back and forth.
bool SubgraphChoice::isBetween(const Node& node) const {
  if (!hasInput(node) || has(&node)) return false;
  for (const std::string& input : node.input()) {
    if (!isConstant(model_, input) && !has(model_.producer(input))) return false;
  }
  for (const std::string& output : node.output()) {
    if (output.empty()) continue;
    const auto& readers = model_.consumers(output);
    if (model_.isOutput(output) || readers.empty()) return false;
    if (!std::all_of(readers.begin(), readers.end(),
                     [&](const Node* reader) { return has(reader); })) {
      return false;
    }
  }
  return true;
}

namespace {

// Taken nodes that hang together, in the order of the graph. No way from one of a group to another
// leads through a node outside it: along every way the depth grows where taken nodes and others
// meet, and a group is of one depth.
std::vector<std::vector<const Node*>> groupsOf(const Model& model, const SubgraphChoice& choice) {
  std::unordered_map<const Node*, std::size_t> depth, group;
  std::vector<std::vector<const Node*>> groups;
  for (const Node* node : model.nodes()) {
    const bool isTaken = choice.isGrouped(node);
    std::set<const Node*> producers;
    for (const std::string& input : node->input()) {
      const Node* producer = input.empty() ? nullptr : model.producer(input);
      if (producer != nullptr) producers.insert(producer);
    }
    std::size_t own = 0;
    for (const Node* producer : producers) {
      own = std::max(own, depth[producer] + (choice.isGrouped(producer) != isTaken ? 1 : 0));
    }
    depth[node] = own;
    if (!isTaken) continue;
    std::size_t joined = groups.size();
    for (const Node* producer : producers) {
      if (!choice.isGrouped(producer) || depth[producer] != own) continue;
      const std::size_t other = group[producer];
      if (joined == groups.size()) joined = other;
      if (other == joined) continue;
      for (const Node* moved : groups[other]) group[moved] = joined;
      groups[joined].insert(groups[joined].end(), groups[other].begin(), groups[other].end());
      groups[other].clear();
    }
    if (joined == groups.size()) groups.emplace_back();
    groups[joined].push_back(node);
    group[node] = joined;
  }
  return groups;
}

// One group as a model of its own, and the node that stands for it.
class Subgraph {
 public:
  Subgraph(const Model& model, const std::vector<const Node*>& nodes, const SubgraphChoice& choice,
           const DimsOf& dimsOf, const TypeOf& typeOf)
      : model_(model), group_(nodes.begin(), nodes.end()), dimsOf_(dimsOf), typeOf_(typeOf) {
    nodes_ = group_;
    addSizes(nodes, choice);
    proto_.set_ir_version(model.proto().ir_version());
    *proto_.mutable_opset_import() = model.proto().opset_import();
    ::onnx::GraphProto& graph = *proto_.mutable_graph();
    graph.set_name("subgraph");
    for (const Node* node : model.nodes()) {
      if (nodes_.count(node) == 0) continue;
      *graph.add_node() = *node;
      for (const std::string& input : node->input()) read(input);
      if (group_.count(node) == 0) continue;
      for (const std::string& output : node->output()) give(output);
    }
  }

  Node node(const std::string& name) {
    Node made;
    made.set_domain("mpm");
    made.set_op_type(operatorOf(LayerKind::subgraph));
    made.set_name(name);
    std::string names;
    for (const std::string& input : inputs_) {
      made.add_input(input);
      names += (names.empty() ? "x" : ",x") + std::to_string(made.input_size() - 1);
    }
    for (const auto& output : proto_.graph().output()) made.add_output(output.name());
    setAttribute(made, "inputs", names);
    setAttribute(made, "graph", proto_.SerializeAsString());
    return made;
  }

 private:
  // Copies of the nodes that compute inputs of these from sizes.
  void addSizes(std::vector<const Node*> nodes, const SubgraphChoice& choice) {
    while (!nodes.empty()) {
      const Node* node = nodes.back();
      nodes.pop_back();
      for (const std::string& input : node->input()) {
        const Node* producer = input.empty() ? nullptr : model_.producer(input);
        if (producer == nullptr || !choice.isOfSizes(producer)) continue;
        if (nodes_.insert(producer).second) nodes.push_back(producer);
      }
    }
  }

  void read(const std::string& value) {
    if (value.empty() || !seen_.insert(value).second) return;
    ::onnx::GraphProto& graph = *proto_.mutable_graph();
    if (const auto constant = model_.constant(value)) {
      *graph.add_initializer() = constant->proto();
    } else if (nodes_.count(model_.producer(value)) == 0) {
      inputs_.push_back(value);
      describe(*graph.add_input(), value);
    }
  }

  void give(const std::string& value) {
    if (value.empty()) return;
    const auto& readers = model_.consumers(value);
    const bool isRead = std::any_of(readers.begin(), readers.end(),
                                    [&](const Node* reader) { return group_.count(reader) == 0; });
    if (isRead || model_.isOutput(value)) describe(*proto_.mutable_graph()->add_output(), value);
  }

  // Its type, and its rank where there are no two axes, which a Mat cannot tell.
  void describe(::onnx::ValueInfoProto& info, const std::string& value) {
    info.set_name(value);
    auto& tensor = *info.mutable_type()->mutable_tensor_type();
    const int type = typeOf_(value);
    tensor.set_elem_type(type == 0 ? static_cast<int>(TensorProto::FLOAT) : type);
    const Integers* dims = dimsOf_(value);
    if (dims == nullptr || dims->size() > 1) return;
    tensor.mutable_shape();
    if (dims->size() == 1) tensor.mutable_shape()->add_dim();
  }

  const Model& model_;
  std::unordered_set<const Node*> group_, nodes_;  // and with copies
  const DimsOf& dimsOf_;
  const TypeOf& typeOf_;
  ::onnx::ModelProto proto_;
  std::unordered_set<std::string> seen_;
  std::vector<std::string> inputs_;
};

}  // namespace

int takeSubgraphs(Model& model, const DimsOf& dimsOf, const TypeOf& typeOf) {
  const SubgraphChoice choice(model, dimsOf, typeOf);
  Edit edit;
  int count = 0;
  for (const auto& nodes : groupsOf(model, choice)) {
    if (nodes.empty()) continue;
    Subgraph subgraph(model, nodes, choice, dimsOf, typeOf);
    edit.add.push_back(subgraph.node("mpm/subgraph_" + std::to_string(count++)));
    edit.remove.insert(edit.remove.end(), nodes.begin(), nodes.end());
  }
  if (count == 0) return 0;
  // Nodes that are only copied go with removeDead.
  model.apply(std::move(edit));
  model.removeDead();
  return count;
}

}  // namespace mpm::onnx
