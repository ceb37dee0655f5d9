// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/rewrite_model.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/layers/planes.h"
#include "onnx/layers/recognise.h"

namespace mpm::onnx {
namespace {

constexpr const char* kRows = "mpm_rows";
constexpr const char* kMap = "mpm_map";

// Outputs of a merge of one encoder, and its number of tokens.
struct Added {
  std::string map, rows;
  std::int64_t tokens = 0;
};

// Names the outputs of each encoder's last merge. The main encoder comes first.
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

// Returns the outputs of the plan's nodes.
std::unordered_set<std::string> plannedIn(const Plan& plan) {
  std::unordered_set<std::string> planned;
  for (const Plan::NewNode& added : plan.nodes)
    planned.insert(added.node.output().begin(), added.node.output().end());
  return planned;
}

// Makes the changes that the plan cannot: new outputs, another input size, and replacements for
// Resize.
void finish(Model& model, const Recognised& recognised,
            const std::unordered_set<std::string>& planned, const std::vector<Added>& added) {
  if (recognised.isResized()) resizeHead(model, sizeChangeOf(recognised), planned);
  if (recognised.height > 0) model.setInputSize(recognised.input, recognised.sizes());
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

StandsFor standIns(const Plan& plan) {
  StandsFor standsFor;
  for (const auto& [value, name] : plan.redirect) standsFor.emplace(name, value);
  for (const auto& [name, value] : plan.alike) standsFor.emplace(name, value);
  return standsFor;
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
  const std::unordered_set<std::string> planned = plannedIn(recognised.plan);
  apply(model, std::move(recognised.plan), Weights::inFile);
  finish(model, recognised, planned, added);
  return standsFor;
}

StandsFor rewriteElsewhere(Model& model, Rewriting rewriting,
                           const std::function<void(const std::vector<Plan::NewNode>&)>& take) {
  Recognised& recognised = rewriting.recognised;
  const auto added =
      nameOutputs(model, recognised, enableMerges(recognised.plan, rewriting.schedule));
  take(recognised.plan.nodes);
  StandsFor standsFor = standIns(recognised.plan);
  const std::unordered_set<std::string> planned = plannedIn(recognised.plan);
  apply(model, std::move(recognised.plan), Weights::elsewhere);
  finish(model, recognised, planned, added);
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

}  // namespace mpm::onnx
