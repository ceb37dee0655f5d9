// SPDX-License-Identifier: Apache-2.0
#include "onnx/rewrite_model.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mpm/layer_kinds.h"
#include "onnx/attribute.h"
#include "onnx/error.h"
#include "onnx/recognise.h"
#include "onnx/upsample.h"

namespace mpm::onnx {
namespace {

constexpr const char* kRows = "mpm_rows";
constexpr const char* kMap = "mpm_map";

void nameOutputs(const Model& model, Rewriting& rewriting) {
  for (const auto& [name, value] :
       {std::pair{kRows, &rewriting.rows}, std::pair{kMap, &rewriting.map}}) {
    if (value->empty()) continue;
    if (model.unusedName(name) != name)
      throw ModelError("it has a value named " + inQuotes(name) + " already, which is ours to add");
    renameValue(rewriting.recognised.plan, *value, name);
  }
}

// What the change of a model's plan cannot do: new outputs, another input size, what stands for
// Resize.
void finish(Model& model, const Rewriting& rewriting) {
  const Recognised& recognised = rewriting.recognised;
  const Encoder& encoder = recognised.encoder;
  std::int64_t rows = encoder.gridHeight, columns = encoder.gridWidth;
  if (recognised.isResized()) {
    rows = recognised.height / encoder.patch;
    columns = recognised.width / encoder.patch;
    resizeHead(model, {recognised.ownHeight, recognised.ownWidth, recognised.height,
                       recognised.width, encoder.gridHeight, encoder.gridWidth, rows, columns});
  }
  model.setInputSize(recognised.input, recognised.sizes());
  useUpsample(model, [&](const std::string& value) { return recognised.values->dims(value); });
  if (rewriting.rows.empty()) return;
  Dim batch{1, ""};
  for (const Value& input : model.inputs()) {
    if (input.name == recognised.input && !input.dims.empty()) batch = input.dims[0];
  }
  if (!batch.isKnown() && batch.symbol.empty()) batch.symbol = "batch";
  model.addOutput({kRows, ::onnx::TensorProto::FLOAT, true, {batch, {1, ""}}});
  model.addOutput({kMap, ::onnx::TensorProto::FLOAT, true, {batch, {rows * columns, ""}}});
}

bool isLayer(const Node& node) {
  return node.domain() == "mpm" || (node.domain().empty() && node.op_type().rfind("mpm.", 0) == 0);
}

bool isOf(const Node& node, LayerKind kind) {
  return isLayer(node) && (node.op_type() == operatorOf(kind) || node.op_type() == typeOf(kind));
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
  return standsFor;
}

std::int64_t readersOf(const Model& model, const std::string& value) {
  std::int64_t readers = model.isOutput(value) ? kOthersRead : 0;
  for (const Node* reader : model.consumers(value))
    readers |= isLayer(*reader) ? kLayersRead : kOthersRead;
  return readers;
}

}  // namespace

Rewriting planRewriting(Model& model, const RewriteOptions& options) {
  Rewriting rewriting;
  rewriting.recognised = recognise(model, options.recognise);
  const Recognised& recognised = rewriting.recognised;
  const Encoder& encoder = recognised.encoder;
  if (!encoder.obstacle.empty()) {
    const RecogniseOptions& wanted = options.recognise;
    if (wanted.width > 0 &&
        (wanted.width != recognised.ownWidth || wanted.height != recognised.ownHeight))
      throw ModelError("another input size needs an encoder that is known: " + encoder.obstacle);
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
  const MergeOutputs outputs = keepMerges(rewriting.recognised.plan, rewriting.schedule);
  rewriting.rows = outputs.rows;
  rewriting.map = outputs.map;
  nameOutputs(model, rewriting);
  StandsFor standsFor = standIns(rewriting.recognised.plan);
  apply(model, std::move(rewriting.recognised.plan), Weights::inFile);
  finish(model, rewriting);
  return standsFor;
}

StandsFor rewriteElsewhere(Model& model, Rewriting rewriting,
                           const std::function<void(const std::vector<Plan::NewNode>&)>& take) {
  const MergeOutputs outputs = enableMerges(rewriting.recognised.plan, rewriting.schedule);
  rewriting.rows = outputs.rows;
  rewriting.map = outputs.map;
  nameOutputs(model, rewriting);
  take(rewriting.recognised.plan.nodes);
  StandsFor standsFor = standIns(rewriting.recognised.plan);
  apply(model, std::move(rewriting.recognised.plan), Weights::elsewhere);
  finish(model, rewriting);
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

void fitOpenCv5(Model& model) {
  model.putLast({kMap, kRows});
  if (othersReadMerged(model)) return;
  Edit edit;
  for (const Node* node : model.nodes()) {
    if (!isLayer(*node)) continue;
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
