// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/file.h"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/graph/model.h"

namespace mpm::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::GraphProto;
using ::onnx::ModelProto;

constexpr int kDeepest = 32;
constexpr std::size_t kMostNodes = std::size_t{1} << 18;  // a few bytes can ask for any number

using Attributes = std::unordered_map<std::string, const AttributeProto*>;

bool isOnnx(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

std::string keyOf(const std::string& domain, const std::string& name) {
  return (isOnnx(domain) ? "" : domain) + ":" + name;
}

// Returns a function's attributes in this call; null for optional ones that are missing.
Attributes attributesOf(const FunctionProto& function, const Node& call) {
  Attributes given;
  for (const std::string& name : function.attribute()) given[name] = nullptr;
  for (const auto& attribute : call.attribute()) given[attribute.name()] = &attribute;
  return given;
}

// Replaces references to a function's attributes by their values, and removes those without one.
// ONNX's classes before 1.13 do not know default values.
void fillAttributes(Node& node, const Attributes& given) {
  auto* own = node.mutable_attribute();
  for (int i = own->size() - 1; i >= 0; --i) {
    AttributeProto& attribute = *own->Mutable(i);
    if (!attribute.ref_attr_name().empty()) {
      const auto found = given.find(attribute.ref_attr_name());
      if (found == given.end())
        throw ModelError(nameOf(node) + " leaves " + inQuotes(attribute.ref_attr_name()) +
                         " to a function's default value; please export the model without "
                         "functions");
      if (found->second == nullptr) {
        own->DeleteSubrange(i, 1);
        continue;
      }
      const std::string name = attribute.name();
      attribute = *found->second;
      attribute.set_name(name);
    } else if (attribute.has_g()) {
      for (Node& inner : *attribute.mutable_g()->mutable_node()) fillAttributes(inner, given);
    }
  }
}

class Calls {
 public:
  explicit Calls(const ModelProto& model) {
    for (const auto& entry : model.opset_import()) {
      if (isOnnx(entry.domain())) opset_ = entry.version();
    }
    for (const FunctionProto& function : model.functions())
      functions_[keyOf(function.domain(), function.name())] = &function;
  }

  void replaceIn(GraphProto& graph, int depth) {
    bool calls = false;
    for (Node& node : *graph.mutable_node()) {
      calls = calls || find(node) != nullptr;
      for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g()) replaceIn(*attribute.mutable_g(), depth);
      }
    }
    if (!calls) return;
    std::vector<Node> nodes;
    for (Node& node : *graph.mutable_node()) {
      if (const FunctionProto* function = find(node)) {
        expand(node, *function, nodes, depth);
      } else {
        nodes.push_back(std::move(node));
      }
    }
    graph.clear_node();
    for (Node& node : nodes) *graph.add_node() = std::move(node);
  }

 private:
  const FunctionProto* find(const Node& node) const {
    const auto found = functions_.find(keyOf(node.domain(), node.op_type()));
    return found == functions_.end() ? nullptr : found->second;
  }

  void check(const Node& call, const FunctionProto& function, int depth) {
    const std::string text = "the function " + inQuotes(function.name());
    for (const auto& entry : function.opset_import()) {
      if (isOnnx(entry.domain()) && entry.version() != opset_)
        throw ModelError(text + " is written in opset " + std::to_string(entry.version()) +
                         " and its model in " + std::to_string(opset_) +
                         "; please export the model without functions");
    }
    if (call.input_size() > function.input_size() || call.output_size() > function.output_size())
      throw ModelError(nameOf(call) + " has more inputs or outputs than " + text);
    made_ += static_cast<std::size_t>(function.node_size());
    if (depth >= kDeepest || made_ > kMostNodes)
      throw ModelError(text + " calls others, or itself, without end");
  }

  void expand(const Node& call, const FunctionProto& function, std::vector<Node>& nodes,
              int depth) {
    check(call, function, depth);
    const std::string stem = "mpm/call_" + std::to_string(count_++) + "/";
    std::unordered_map<std::string, std::string> names{{"", ""}};
    for (int i = 0; i < function.input_size(); ++i)
      names[function.input(i)] = i < call.input_size() ? call.input(i) : "";
    std::vector<std::pair<std::string, std::string>> passed;  // inputs that are outputs
    for (int i = 0; i < call.output_size(); ++i) {
      if (call.output(i).empty()) continue;
      const auto [place, isNew] = names.emplace(function.output(i), call.output(i));
      if (!isNew) passed.emplace_back(place->second, call.output(i));
    }
    for (const Node& inner : function.node()) {
      for (const std::string& output : inner.output()) names.emplace(output, stem + output);
    }
    const auto rename = [&](std::string& value) {
      if (const auto found = names.find(value); found != names.end()) value = found->second;
    };
    const Attributes given = attributesOf(function, call);
    GraphProto body;
    for (Node inner : function.node()) {
      for (auto& input : *inner.mutable_input()) rename(input);
      for (auto& output : *inner.mutable_output()) rename(output);
      forEachNestedUse(inner, rename);
      fillAttributes(inner, given);
      if (!call.name().empty()) inner.set_name(call.name() + "/" + inner.name());
      *body.add_node() = std::move(inner);
    }
    for (const auto& [from, to] : passed) {
      Node& identity = *body.add_node();
      identity.set_op_type("Identity");
      identity.add_input(from);
      identity.add_output(to);
    }
    replaceIn(body, depth + 1);
    for (Node& node : *body.mutable_node()) nodes.push_back(std::move(node));
  }

  std::unordered_map<std::string, const FunctionProto*> functions_;
  std::int64_t opset_ = 0;
  std::size_t made_ = 0, count_ = 0;
};

}  // namespace

void callFunctions(ModelProto& model) {
  if (model.functions_size() == 0) return;
  Calls(model).replaceIn(*model.mutable_graph(), 0);
  model.clear_functions();
}

}  // namespace mpm::onnx
