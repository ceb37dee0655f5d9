// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/plan.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "contract/layer_kinds.h"
#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/graph/model.h"
#include "onnx/layers/needed_layers.h"

namespace mpm::onnx {

namespace {

std::int64_t outFeatures(const Model& model, const LinearRows& rows) {
  return model.constant(rows.weight)->dims()[rows.outByIn ? 0 : 1];
}

std::int64_t featureCount(const Model& model, const LinearRows& rows) {
  return rows.features.empty() ? outFeatures(model, rows)
                               : static_cast<std::int64_t>(rows.features.size());
}

std::int64_t featureAt(const LinearRows& rows, std::size_t i) {
  return rows.features.empty() ? static_cast<std::int64_t>(i) : rows.features[i];
}

// Reads rows of a weight. Transposes a matrix [in x out] in tiles, because a column of a large one
// spreads over as many pages as it has rows.
void readRows(const Model& model, const LinearRows& rows, float* out) {
  const Tensor tensor = *model.constant(rows.weight);
  const Floats weight = tensor.floats();
  const auto first = static_cast<std::size_t>(tensor.dims()[0]);
  const auto second = static_cast<std::size_t>(tensor.dims()[1]);
  const auto count = static_cast<std::size_t>(featureCount(model, rows));
  if (rows.outByIn) {
    for (std::size_t i = 0; i < count; ++i) {
      const float* row = weight.data() + static_cast<std::size_t>(featureAt(rows, i)) * second;
      std::copy_n(row, second, out + i * second);
    }
    return;
  }
  constexpr std::size_t kTile = 32;
  for (std::size_t i0 = 0; i0 < count; i0 += kTile) {
    for (std::size_t j0 = 0; j0 < first; j0 += kTile) {
      for (std::size_t i = i0; i < std::min(i0 + kTile, count); ++i) {
        const float* column = weight.data() + static_cast<std::size_t>(featureAt(rows, i));
        for (std::size_t j = j0; j < std::min(j0 + kTile, first); ++j) {
          out[i * first + j] = column[j * second];
        }
      }
    }
  }
}

// Multiplies rows by their factors, if any.
void scaleRows(const Model& model, const LinearRows& rows, std::size_t width, float* out) {
  for (std::size_t i = 0; i < rows.factors.size(); ++i) {
    for (std::size_t j = 0; j < width; ++j) out[i * width + j] *= rows.factors[i];
  }
  if (rows.scale.empty()) return;
  const Tensor tensor = *model.constant(rows.scale);
  const Floats factors = tensor.floats();
  const auto count = static_cast<std::size_t>(featureCount(model, rows));
  for (std::size_t i = 0; i < count; ++i) {
    const float factor = factors[static_cast<std::size_t>(featureAt(rows, i))];
    for (std::size_t j = 0; j < width; ++j) out[i * width + j] *= factor;
  }
}

void readBias(const Model& model, const LinearRows& rows, float* out) {
  const auto count = static_cast<std::size_t>(featureCount(model, rows));
  if (rows.bias.empty()) {
    std::fill_n(out, count, 0.0F);
    return;
  }
  const Tensor tensor = *model.constant(rows.bias);
  const Floats bias = tensor.floats();
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = bias[static_cast<std::size_t>(featureAt(rows, i))];
  }
}

std::int64_t sumOfFeatures(const Model& model, const std::vector<LinearRows>& rows) {
  std::int64_t sum = 0;
  for (const LinearRows& each : rows) sum += featureCount(model, each);
  return sum;
}

}  // namespace

Weight vectorWeight(const Model& model, const std::string& input, const std::string& constant) {
  return {input, {model.constant(constant)->count()}, [constant](const Model& from, float* out) {
            const Tensor tensor = *from.constant(constant);
            const Floats floats = tensor.floats();
            std::copy(floats.begin(), floats.end(), out);
          }};
}

Weight ownedWeight(const std::string& input, Integers dims, std::vector<float> values) {
  return {input, std::move(dims), [values = std::move(values)](const Model&, float* out) {
            std::copy(values.begin(), values.end(), out);
          }};
}

Weight matrixWeight(const Model& model, const std::string& input, std::vector<LinearRows> rows) {
  const Tensor tensor = *model.constant(rows.front().weight);
  const std::int64_t in = tensor.dims()[rows.front().outByIn ? 1 : 0];
  return {input, {sumOfFeatures(model, rows), in}, [rows, in](const Model& from, float* out) {
            for (const LinearRows& each : rows) {
              readRows(from, each, out);
              scaleRows(from, each, static_cast<std::size_t>(in), out);
              out += featureCount(from, each) * in;
            }
          }};
}

bool addBias(const Model& model, const std::string& input, const std::vector<LinearRows>& rows,
             std::vector<Weight>& weights) {
  if (std::all_of(rows.begin(), rows.end(),
                  [](const auto& each) { return each.bias.empty() && each.shifts.empty(); }))
    return false;
  weights.push_back({input, {sumOfFeatures(model, rows)}, [rows](const Model& from, float* out) {
                       for (const LinearRows& each : rows) {
                         readBias(from, each, out);
                         scaleRows(from, each, 1, out);
                         for (std::size_t i = 0; i < each.shifts.size(); ++i)
                           out[i] += each.shifts[i];
                         out += featureCount(from, each);
                       }
                     }});
  return true;
}

namespace {

constexpr const char* kMerge = operatorOf(LayerKind::mutualPairMerge);

int blockOf(const Plan::NewNode& merge) {
  return static_cast<int>(intAttribute(merge.node, "before_block").value_or(-1));
}

bool isScheduled(const Plan::NewNode& merge, const Schedule& schedule) {
  return schedule.contains(blockOf(merge));
}

// Renames a node's inputs, and leaves out those whose new name is empty.
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
  for (auto& [name, value] : plan.alike) {
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

namespace {

void renameInputs(Plan& plan, const std::string& from, const std::string& to) {
  for (Plan::NewNode& added : plan.nodes) {
    for (std::string& input : *added.node.mutable_input()) {
      if (input == from) input = to;
    }
  }
}

}  // namespace

void NeededLayers::look() {
  std::vector<std::string> waiting;
  for (const Value& output : analysed_.model.outputs()) waiting.push_back(output.name);
  while (!waiting.empty()) {
    const std::string value = std::move(waiting.back());
    waiting.pop_back();
    if (values_.insert(value).second) need(value, waiting);
  }
}

void NeededLayers::need(const std::string& value, std::vector<std::string>& waiting) {
  if (analysed_.model.constant(value) || analysed_.model.isInput(value)) return;
  if (const std::optional<std::string> name = tokenValues_.whole(value)) {
    replacements_.emplace_back(value, *name);
    return needPlanned(*name, waiting);
  }
  const Node* node = analysed_.model.producer(value);
  if (node == nullptr || !kept_.insert(node).second) return;
  for (const std::string& input : node->input()) {
    if (!input.empty()) waiting.push_back(input);
  }
  forEachNestedUse(*node, [&](const std::string& name) { waiting.push_back(name); });
}

void NeededLayers::needPlanned(const std::string& name, std::vector<std::string>& waiting) {
  std::vector<std::string> names{name};
  while (!names.empty()) {
    const std::string next = std::move(names.back());
    names.pop_back();
    const auto made = std::find_if(plan_.nodes.begin(), plan_.nodes.end(), [&](const auto& each) {
      const auto& outputs = each.node.output();
      return std::find(outputs.begin(), outputs.end(), next) != outputs.end();
    });
    if (made == plan_.nodes.end()) {
      waiting.push_back(next);  // a value of the model: the image
      continue;
    }
    const auto index = static_cast<std::size_t>(made - plan_.nodes.begin());
    if (!planned_.insert(index).second) continue;
    for (const std::string& input : made->node.input()) names.push_back(input);
  }
}

bool NeededLayers::hasMerge() const {
  return std::any_of(planned_.begin(), planned_.end(), [&](std::size_t i) {
    return plan_.nodes[i].node.op_type() == operatorOf(LayerKind::mutualPairMerge);
  });
}

void NeededLayers::finish() {
  std::vector<Plan::NewNode> nodes;
  for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
    if (planned_.count(i) != 0) nodes.push_back(std::move(plan_.nodes[i]));
  }
  plan_.nodes = std::move(nodes);
  keepOtherOutputs();
  for (const auto& [value, name] : replacements_) {
    renameInputs(plan_, value, name);
    if (!analysed_.model.isOutput(value)) {
      plan_.redirect.emplace_back(value, name);
      continue;
    }
    const Node* old = analysed_.model.producer(value);
    if (std::find(plan_.remove.begin(), plan_.remove.end(), old) == plan_.remove.end())
      plan_.remove.push_back(old);
    emit_.plain("Identity", {name});
    emit_.last().node.set_output(0, value);
  }
}

// Renames an output of a node that stays if a new node gives it under its own name.
void NeededLayers::keepOtherOutputs() {
  std::unordered_map<const Node*, Node> copies;
  for (const auto& [value, name] : replacements_) {
    const Node* node = analysed_.model.producer(value);
    if (!analysed_.model.isOutput(value) || kept_.count(node) == 0) continue;
    Node& copy = copies.emplace(node, *node).first->second;
    for (std::string& output : *copy.mutable_output()) {
      if (output == value) output = analysed_.model.unusedName("mpm/replaced_" + value);
    }
  }
  for (auto& [node, copy] : copies) plan_.nodes.push_back({std::move(copy), {}, {}, {}, {}, {}});
}

}  // namespace mpm::onnx
