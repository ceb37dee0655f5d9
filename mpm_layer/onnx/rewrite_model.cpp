// SPDX-License-Identifier: Apache-2.0
#include "onnx/rewrite_model.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mpm/layer_kinds.h"
#include "onnx/attribute.h"
#include "onnx/error.h"
#include "onnx/other_size.h"
#include "onnx/plane_layers.h"
#include "onnx/recognise.h"

namespace mpm::onnx {
namespace {

constexpr const char* kRows = "mpm_rows";
constexpr const char* kMap = "mpm_map";

// What a merge of one of the encoders gives, and how large it is.
struct Added {
  std::string map, rows;
  std::int64_t tokens = 0;
};

// The last merges' outputs get their names. The main encoder comes first.
std::vector<Added> nameOutputs(const Model& model, Recognised& recognised,
                               std::vector<MergeOutputs> outputs) {
  const Encoder& encoder = recognised.encoder;
  std::stable_partition(outputs.begin(), outputs.end(),
                        [&](const auto& each) { return each.encoder == encoder.stream; });
  const std::vector<std::string> names = mergeOutputs(outputs.size());
  std::vector<Added> added;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Added& each = added.emplace_back(Added{names[2 * i], names[2 * i + 1], 0});
    const auto isOf = [&](const Encoder& any) { return any.stream == outputs[i].encoder; };
    const auto other = std::find_if(encoder.others.begin(), encoder.others.end(), isOf);
    const Encoder& own = other == encoder.others.end() ? encoder : *other;
    each.tokens = recognised.isResized()
                      ? recognised.height / own.patch * (recognised.width / own.patch)
                      : own.gridHeight * own.gridWidth;
    for (const auto& [name, value] :
         {std::pair{each.rows, outputs[i].rows}, std::pair{each.map, outputs[i].map}}) {
      if (model.unusedName(name) != name)
        throw ModelError("it has a value named " + inQuotes(name) +
                         " already, which this library adds");
      renameValue(recognised.plan, value, name);
    }
  }
  return added;
}

// What finish() needs from a model that is still its own size's, without layers.
struct Former {
  std::unordered_set<std::string> planned;  // what the plan's nodes give
  std::vector<TokenCount> counts;
};

Former formerOf(const Model& model, const Recognised& recognised) {
  Former former;
  for (const Plan::NewNode& added : recognised.plan.nodes)
    former.planned.insert(added.node.output().begin(), added.node.output().end());
  if (recognised.isResized())
    former.counts = tokenCounts({model, *recognised.values}, sizeChangeOf(recognised));
  return former;
}

// What the change of a model's plan cannot do: new outputs, another input size, what stands for
// Resize.
void finish(Model& model, const Recognised& recognised, const Former& former,
            const std::vector<Added>& added) {
  if (recognised.isResized()) resizeHead(model, sizeChangeOf(recognised), former.planned);
  replaceCounts(model, former.counts);
  model.setInputSize(recognised.input, recognised.sizes());
  const DimsOf dimsOf = [&](const std::string& value) { return recognised.values->dims(value); };
  useUpsample(model, dimsOf);
  useConvolve(model, dimsOf);
  if (added.empty()) return;
  Dim batch{1, ""};
  for (const Value& input : model.inputs()) {
    if (input.name == recognised.input && !input.dims.empty()) batch = input.dims[0];
  }
  if (!batch.isKnown() && batch.symbol.empty()) batch.symbol = "batch";
  for (auto each = added.rbegin(); each != added.rend(); ++each) {  // each is put in front
    model.addOutput({each->rows, ::onnx::TensorProto::FLOAT, true, {batch, {1, ""}}});
    model.addOutput({each->map, ::onnx::TensorProto::FLOAT, true, {batch, {each->tokens, ""}}});
  }
}

bool isOf(const Node& node, LayerKind kind) {
  return isLayer(node) && (node.op_type() == operatorOf(kind) || node.op_type() == typeOf(kind));
}

// Whether a layer stands behind all tokens.
bool isOfPlanes(const Node& node) {
  return isOf(node, LayerKind::convolve) || isOf(node, LayerKind::upsample);
}

// Whether nodes that are left to OpenCV compute on rows that a merge left over.
bool othersReadMerged(const Model& model) {
  std::set<std::string> merged;
  for (const Node* node : model.nodes()) {  // each stands behind what it reads
    const bool reads = std::any_of(node->input().begin(), node->input().end(),
                                   [&](const std::string& name) { return merged.contains(name); });
    if (reads && !isLayer(*node)) return true;
    const bool restores = isOf(*node, LayerKind::mergeRestore) || isOf(*node, LayerKind::meanRows);
    if ((reads && !restores) || isOf(*node, LayerKind::mutualPairMerge))
      merged.insert(node->output(0));
  }
  return false;
}

StandsFor standIns(const Plan& plan) {
  StandsFor standsFor;
  for (const auto& [value, name] : plan.redirect) standsFor.emplace(name, value);
  for (const auto& [name, value] : plan.alike) standsFor.emplace(name, value);
  return standsFor;
}

std::int64_t readersOf(const Model& model, const std::string& value) {
  std::int64_t readers = model.isOutput(value) ? kOthersRead : 0;
  for (const Node* reader : model.consumers(value))
    readers |= isLayer(*reader) ? kLayersRead : kOthersRead;
  return readers;
}

}  // namespace

bool isLayer(const Node& node) {
  return node.domain() == "mpm" || (node.domain().empty() && node.op_type().rfind("mpm.", 0) == 0);
}

std::vector<std::string> mergeOutputs(std::size_t encoders) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < encoders; ++i) {
    const std::string number = i == 0 ? "" : "_" + std::to_string(i + 1);
    names.push_back(kMap + number);
    names.push_back(kRows + number);
  }
  return names;
}

bool isMergeOutput(const std::string& name) {
  for (const std::string stem : {kMap, kRows}) {
    if (name == stem) return true;
    if (name.rfind(stem + "_", 0) == 0)
      return name.find_first_not_of("0123456789", stem.size() + 1) == std::string::npos;
  }
  return false;
}

Rewriting planRewriting(Model& model, const RewriteOptions& options) {
  Rewriting rewriting;
  rewriting.recognised = recognise(model, options.recognise);
  const Recognised& recognised = rewriting.recognised;
  const Encoder& encoder = recognised.encoder;
  if (!encoder.obstacle.empty()) {
    const RecogniseOptions& wanted = options.recognise;
    if (wanted.width > 0 &&
        (wanted.width != recognised.ownWidth || wanted.height != recognised.ownHeight))
      throw ModelError("another input size needs an encoder that is recognised: " +
                       encoder.obstacle);
    return rewriting;
  }
  if (options.schedule) {
    options.schedule->check(encoder.blocks);
    rewriting.schedule = *options.schedule;
  } else {
    std::vector<int> usual;
    for (const int block : {2, 5}) {
      if (block < encoder.blocks) usual.push_back(block);
    }
    rewriting.schedule = usual;
  }
  return rewriting;
}

StandsFor rewriteInFile(Model& model, Rewriting rewriting) {
  Recognised& recognised = rewriting.recognised;
  const auto added =
      nameOutputs(model, recognised, keepMerges(recognised.plan, rewriting.schedule));
  StandsFor standsFor = standIns(recognised.plan);
  const Former former = formerOf(model, recognised);
  apply(model, std::move(recognised.plan), Weights::inFile);
  finish(model, recognised, former, added);
  return standsFor;
}

StandsFor rewriteElsewhere(Model& model, Rewriting rewriting,
                           const std::function<void(const std::vector<Plan::NewNode>&)>& take) {
  Recognised& recognised = rewriting.recognised;
  const auto added =
      nameOutputs(model, recognised, enableMerges(recognised.plan, rewriting.schedule));
  take(recognised.plan.nodes);
  StandsFor standsFor = standIns(recognised.plan);
  const Former former = formerOf(model, recognised);
  apply(model, std::move(recognised.plan), Weights::elsewhere);
  finish(model, recognised, former, added);
  hideDomain(model);
  return standsFor;
}

bool hasLayers(const Model& model) {
  return std::any_of(model.nodes().begin(), model.nodes().end(),
                     [](const Node* node) { return isLayer(*node); });
}

void hideDomain(Model& model) {
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (node->domain() != "mpm") continue;
    edit.remove.push_back(node);
    edit.add.push_back(*node);
    edit.add.back().clear_domain();
    edit.add.back().set_op_type("mpm." + node->op_type());
  }
  model.apply(std::move(edit));
}

namespace {

// 5.0 folds a norm into the convolution in front of it even where a function that the convolution
// has taken in (GELU, sigmoid, tanh, ...) stands between the two.
bool isFoldedNorm(const Model& model, const Node& node) {
  if (node.op_type() != "BatchNormalization" || node.input_size() == 0) return false;
  const Node* before = model.producer(node.input(0));
  return before != nullptr && before->op_type() != "Conv";
}

// 5.0 leaves out a reshape in front of another, whose zeros then are dims of what the first one
// reads.
bool isReshapedAgain(const Model& model, const Node& node) {
  if (!isOp(node, "Reshape") || node.input_size() != 2) return false;
  const Node* before = model.producer(node.input(0));
  if (before == nullptr || !isAny(*before, {"Flatten", "Reshape"})) return false;
  const auto dims = model.constant(node.input(1));
  if (!dims || !dims->isInteger()) return true;
  const auto sizes = dims->integers();
  return std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
}

void putApart(Model& model) {
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (!isFoldedNorm(model, *node) && !isReshapedAgain(model, *node)) continue;
    Node apart;
    apart.set_op_type("Identity");
    apart.add_input(node->input(0));
    apart.add_output(model.unusedName(node->output(0) + "_apart"));
    edit.remove.push_back(node);
    edit.add.push_back(*node);
    edit.add.back().set_input(0, apart.output(0));
    edit.add.push_back(std::move(apart));
  }
  model.apply(std::move(edit));
}

// 5.0 computes tanh as (e^2x - 1) / (e^2x + 1), which is no number from x = 44.4 on, where GELUs by
// tanh are from 12.4 on. At 10 it is 1.
void boundTanh(Model& model) {
  constexpr float kBound = 10;
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (!isOp(*node, "Tanh") || node->input_size() != 1) continue;
    Node bounded;
    bounded.set_op_type("Clip");
    bounded.add_input(node->input(0));
    bounded.add_output(model.unusedName(node->output(0) + "_bounded"));
    setAttribute(bounded, "min", -kBound);
    setAttribute(bounded, "max", kBound);
    edit.remove.push_back(node);
    edit.add.push_back(*node);
    edit.add.back().set_input(0, bounded.output(0));
    edit.add.push_back(std::move(bounded));
  }
  model.apply(std::move(edit));
}

// 5.0 puts uneven padding on the other side; where sizes are known it is numbers by now.
void refuseSamePads(const Model& model) {
  for (const Node* node : model.nodes()) {
    if (isOp(*node, "Conv") && stringAttribute(*node, "auto_pad").value_or("") == "SAME_UPPER")
      throw ModelError(nameOf(*node) +
                       " pads with SAME_UPPER at a size that is not known, which OpenCV 5 does on "
                       "the wrong side");
  }
}

// Files may leave it to whoever reads them to work out the types of outputs; importers want one,
// and a shape, whatever they are.
void nameOutputTypes(Model& model) {
  model.changeInPlace([](::onnx::ModelProto& proto) {
    for (auto& output : *proto.mutable_graph()->mutable_output()) {
      auto& type = *output.mutable_type();
      if (type.value_case() == ::onnx::TypeProto::VALUE_NOT_SET) type.mutable_tensor_type();
      if (!type.has_tensor_type()) continue;
      auto& tensor = *type.mutable_tensor_type();
      if (tensor.elem_type() == ::onnx::TensorProto::UNDEFINED)
        tensor.set_elem_type(::onnx::TensorProto::FLOAT);
      tensor.mutable_shape();
    }
  });
}

// OpenCV 4 counts the inputs that are read, and runs only where as many are set. What is added
// stands first: the last layer is what forward() gives.
void readEachInput(Model& model) {
  if (model.nodes().empty()) return;
  const Node* first = model.nodes()[0];
  Edit edit;
  for (const Value& input : model.inputs()) {
    if (!model.consumers(input.name).empty() || model.isOutput(input.name)) continue;
    Node reader;
    reader.set_op_type("Identity");
    reader.add_input(input.name);
    reader.add_output(model.unusedName(input.name + "_unread"));
    edit.add.push_back(std::move(reader));
  }
  if (edit.add.empty()) return;
  edit.remove.push_back(first);
  edit.add.push_back(*first);
  model.apply(std::move(edit));
}

bool isWholeType(std::int64_t type) {
  using ::onnx::TensorProto;
  return (type >= TensorProto::UINT8 && type <= TensorProto::INT64) || type == TensorProto::BOOL ||
         type == TensorProto::UINT32 || type == TensorProto::UINT64;
}

// 5.0 takes an input in the type that the file says alone, and OpenCV 4 takes float32 for all: so
// does this one, and makes of it what nodes read.
void takeFloats(Model& model) {
  Edit edit;
  for (const Value& input : model.inputs()) {
    if (!isWholeType(input.type) || model.isOutput(input.name)) continue;
    Node cast;
    cast.set_op_type("Cast");
    cast.add_input(input.name);
    cast.add_output(model.unusedName(input.name + "_whole"));
    setAttribute(cast, "to", std::int64_t{input.type});
    edit.redirect.emplace_back(input.name, cast.output(0));
    edit.add.push_back(std::move(cast));
  }
  if (edit.add.empty()) return;
  model.apply(std::move(edit));
  model.changeInPlace([](::onnx::ModelProto& proto) {
    for (auto& input : *proto.mutable_graph()->mutable_input()) {
      auto& type = *input.mutable_type()->mutable_tensor_type();
      if (isWholeType(type.elem_type())) type.set_elem_type(::onnx::TensorProto::FLOAT);
    }
  });
}

}  // namespace

void fitOpenCv4(Model& model) {
  nameOutputTypes(model);
  readEachInput(model);
  model.changeInPlace([](::onnx::ModelProto& proto) {
    for (auto& input : *proto.mutable_graph()->mutable_input()) {
      if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape()) continue;
      auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
      if (shape.dim_size() > 0 && shape.dim_size() < 3) shape.mutable_dim(0)->clear_dim_param();
    }
  });
}

void fitOpenCv5(Model& model) {
  nameOutputTypes(model);
  takeFloats(model);
  refuseSamePads(model);
  putApart(model);
  boundTanh(model);
  std::vector<std::string> added;
  for (const Value& output : model.outputs()) {
    if (isMergeOutput(output.name)) added.push_back(output.name);
  }
  model.putLast(added);
  if (othersReadMerged(model)) return;
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (!isLayer(*node) || isOfPlanes(*node)) continue;
    const std::string names = "," + stringAttribute(*node, "inputs").value_or("tokens,map") + ",";
    if (names.find(",map,") != std::string::npos && !intAttribute(*node, "special")) return;
    if (!isOf(*node, LayerKind::mutualPairMerge)) continue;
    edit.remove.push_back(node);
    edit.add.push_back(*node);
    setAttribute(edit.add.back(), "short", std::int64_t{1});
  }
  model.apply(std::move(edit));
}

void noteReaders(Model& model) {
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (!isLayer(*node)) continue;
    std::vector<std::int64_t> readers;
    for (const std::string& output : node->output()) readers.push_back(readersOf(model, output));
    edit.remove.push_back(node);
    edit.add.push_back(*node);
    setAttribute(edit.add.back(), "readers", readers);
  }
  model.apply(std::move(edit));
}

}  // namespace mpm::onnx
