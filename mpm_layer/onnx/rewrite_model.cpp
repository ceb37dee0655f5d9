// SPDX-License-Identifier: Apache-2.0
#include "onnx/rewrite_model.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "onnx/error.h"
#include "onnx/input_size.h"
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
  const std::int64_t rows = recognised.height / encoder.patch;
  const std::int64_t columns = recognised.width / encoder.patch;
  if (recognised.height != recognised.ownHeight || recognised.width != recognised.ownWidth) {
    resizeHead(model, {recognised.ownHeight, recognised.ownWidth, recognised.height,
                       recognised.width, encoder.gridHeight, encoder.gridWidth, rows, columns});
  }
  model.setInputSize(recognised.input, recognised.height, recognised.width);
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

}  // namespace

std::vector<int> checkedSchedule(std::vector<int> schedule, int blocks) {
  for (const int block : schedule) {
    if (block >= 0 && block < blocks) continue;
    throw std::invalid_argument("merge before " + std::to_string(block) + ": the encoder has " +
                                std::to_string(blocks) + " blocks, 0 to " +
                                std::to_string(blocks - 1));
  }
  std::sort(schedule.begin(), schedule.end());
  schedule.erase(std::unique(schedule.begin(), schedule.end()), schedule.end());
  return schedule;
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
      throw ModelError("another input size needs an encoder that is known: " + encoder.obstacle);
    return rewriting;
  }
  if (options.schedule) {
    rewriting.schedule = checkedSchedule(*options.schedule, encoder.blocks);
  } else {
    for (const int block : {2, 5}) {
      if (block < encoder.blocks) rewriting.schedule.push_back(block);
    }
  }
  return rewriting;
}

void rewriteInFile(Model& model, Rewriting rewriting) {
  const MergeOutputs outputs = keepMerges(rewriting.recognised.plan, rewriting.schedule);
  rewriting.rows = outputs.rows;
  rewriting.map = outputs.map;
  nameOutputs(model, rewriting);
  apply(model, std::move(rewriting.recognised.plan), Weights::inFile);
  finish(model, rewriting);
}

void rewriteElsewhere(Model& model, Rewriting rewriting,
                      const std::function<void(const Plan::NewNode&)>& take) {
  const MergeOutputs outputs = enableMerges(rewriting.recognised.plan, rewriting.schedule);
  rewriting.rows = outputs.rows;
  rewriting.map = outputs.map;
  nameOutputs(model, rewriting);
  for (const Plan::NewNode& added : rewriting.recognised.plan.nodes) {
    if (!added.weights.empty()) take(added);
  }
  apply(model, std::move(rewriting.recognised.plan), Weights::elsewhere);
  finish(model, rewriting);
  hideDomain(model);
}

bool hasLayers(const Model& model) {
  return std::any_of(model.nodes().begin(), model.nodes().end(),
                     [](const Node* node) { return node->domain() == "mpm"; });
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

}  // namespace mpm::onnx
