// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "mpm/layer_kinds.h"
#include "onnx/graph/attribute.h"
#include "onnx/layers/plan.h"

namespace mpm::onnx {
namespace {

constexpr const char* kMerge = operatorOf(LayerKind::mutualPairMerge);

int blockOf(const Plan::NewNode& merge) {
  return static_cast<int>(intAttribute(merge.node, "before_block").value_or(-1));
}

bool isScheduled(const Plan::NewNode& merge, const Schedule& schedule) {
  return schedule.contains(blockOf(merge));
}

// Gives a node's inputs their new names; those that are nothing now are left out.
void rename(Plan::NewNode& added, const std::unordered_map<std::string, std::string>& names) {
  std::vector<std::string> inputs, inputNames;
  for (int i = 0; i < added.node.input_size(); ++i) {
    const auto found = names.find(added.node.input(i));
    const std::string& input = found == names.end() ? added.node.input(i) : found->second;
    if (input.empty()) continue;
    inputs.push_back(input);
    if (!added.inputNames.empty())
      inputNames.push_back(added.inputNames[static_cast<std::size_t>(i)]);
  }
  added.node.clear_input();
  for (const std::string& input : inputs) added.node.add_input(input);
  added.inputNames = inputNames;
}

void writeInputNames(Plan::NewNode& added) {
  std::string names;
  const auto append = [&](const std::string& name) {
    if (!names.empty()) names += ',';
    names += name;
  };
  for (const std::string& name : added.inputNames) append(name);
  for (const Weight& weight : added.weights) append(weight.input);
  setAttribute(added.node, "inputs", names);
}

::onnx::TensorProto toConstant(const Model& model, const Weight& weight, const std::string& name) {
  std::size_t count = 1;
  for (const std::int64_t dim : weight.dims) count *= static_cast<std::size_t>(dim);
  ::onnx::TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  for (const std::int64_t dim : weight.dims) tensor.add_dims(dim);
  std::vector<float> values(count);
  weight.read(model, values.data());
  tensor.set_raw_data(values.data(), count * sizeof(float));
  return tensor;
}

}  // namespace

void renameValue(Plan& plan, const std::string& from, const std::string& to) {
  for (Plan::NewNode& added : plan.nodes) {
    for (std::string& input : *added.node.mutable_input()) {
      if (input == from) input = to;
    }
    for (std::string& output : *added.node.mutable_output()) {
      if (output == from) output = to;
    }
  }
  for (auto& [value, name] : plan.redirect) {
    if (name == from) name = to;
  }
}

std::vector<MergeOutputs> enableMerges(Plan& plan, const Schedule& schedule) {
  std::vector<MergeOutputs> last;
  for (Plan::NewNode& added : plan.nodes) {
    if (added.node.op_type() != kMerge) continue;
    setAttribute(added.node, "enabled", std::int64_t{isScheduled(added, schedule)});
    const auto found = std::find_if(last.begin(), last.end(), [&](const MergeOutputs& each) {
      return each.encoder == added.encoder;
    });
    MergeOutputs& outputs = found == last.end() ? last.emplace_back() : *found;
    outputs = {added.encoder, added.node.output(1), added.node.output(2)};
  }
  return last;
}

std::vector<MergeOutputs> keepMerges(Plan& plan, const Schedule& schedule) {
  std::unordered_map<std::string, std::string> names;
  std::vector<Plan::NewNode> kept;
  for (Plan::NewNode& added : plan.nodes) {
    rename(added, names);
    const auto& type = added.node.op_type();
    const bool goes = (type == kMerge && !isScheduled(added, schedule)) ||
                      (type == operatorOf(LayerKind::mergeRestore) && added.node.input_size() < 2);
    if (!goes) {
      kept.push_back(std::move(added));
      continue;
    }
    for (int i = 0; i < added.node.output_size(); ++i) {
      names[added.node.output(i)] = i < added.node.input_size() ? added.node.input(i) : "";
    }
  }
  plan.nodes = std::move(kept);
  for (auto& [value, name] : plan.redirect) {
    const auto found = names.find(name);
    if (found != names.end()) name = found->second;
  }
  return enableMerges(plan, schedule);
}

void apply(Model& model, Plan plan, Weights weights) {
  Edit edit;
  edit.remove = std::move(plan.remove);
  edit.redirect = std::move(plan.redirect);
  edit.constants = std::move(plan.constants);
  bool hasLayers = false;
  for (Plan::NewNode& added : plan.nodes) {
    if (added.node.domain() == "mpm") {
      hasLayers = true;
      writeInputNames(added);
      if (weights == Weights::elsewhere) {
        added.node.clear_domain();
        added.node.set_op_type("mpm." + added.node.op_type());
      }
    }
    if (weights == Weights::inFile) {
      for (const Weight& weight : added.weights) {
        const std::string name = added.node.name() + "/" + weight.input;
        added.node.add_input(name);
        edit.constants.push_back(toConstant(model, weight, name));
      }
    }
    edit.add.push_back(std::move(added.node));
  }
  model.apply(std::move(edit));
  model.removeDead();
  if (hasLayers && weights == Weights::inFile) model.importOpset("mpm", 1);
}

}  // namespace mpm::onnx
