// SPDX-License-Identifier: Apache-2.0
// Blocks that each compute the same table.
#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/simplify.h"

namespace mpm::onnx {
namespace {

constexpr std::size_t kMostBytes = 1 << 18;  // of a constant that is compared with others

class Sharing {
 public:
  explicit Sharing(const Model& model) : model_(model) {
    for (const auto& constant : model.proto().graph().initializer()) {
      constants_.insert(constant.name());
      if (constant.ByteSizeLong() > kMostBytes ||
          constant.data_location() == ::onnx::TensorProto::EXTERNAL)
        continue;
      ::onnx::TensorProto nameless = constant;
      nameless.clear_name();
      nameless.clear_doc_string();
      note(constant.name(), nameless.SerializeAsString());
    }
  }

  Edit run() {
    for (const Node* node : model_.nodes()) {
      if (isOfConstants(*node)) visit(*node);
    }
    return std::move(edit_);
  }

 private:
  bool isOfConstants(const Node& node) const {
    if (!isOp(node, node.op_type().c_str()) || node.input_size() == 0) return false;
    // What draws numbers draws others each time.
    if (isAny(node,
              {"Bernoulli", "Dropout", "Multinomial", "RandomNormalLike", "RandomUniformLike"})) {
      return false;
    }
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g() || attribute.graphs_size() > 0) return false;
    }
    for (const std::string& input : node.input()) {
      if (!input.empty() && constants_.count(input) == 0) return false;
    }
    return true;
  }

  void visit(const Node& node) {
    Node nameless;
    nameless.set_op_type(node.op_type());
    *nameless.mutable_attribute() = node.attribute();
    bool isGiven = false;
    for (const std::string& input : node.input()) {
      const auto same = sameAs_.find(input);
      nameless.add_input(same == sameAs_.end() ? input : same->second);
    }
    for (const std::string& output : node.output()) {
      constants_.insert(output);
      std::string& made = *nameless.add_output();
      if (!output.empty()) made.push_back('y');
      isGiven = isGiven || model_.isOutput(output);
    }
    const auto [found, isFirst] = nodes_.emplace(nameless.SerializeAsString(), &node);
    if (isFirst || isGiven) return;
    for (int i = 0; i < node.output_size(); ++i) {
      if (node.output(i).empty()) continue;
      sameAs_[node.output(i)] = found->second->output(i);
      edit_.redirect.emplace_back(node.output(i), found->second->output(i));
    }
    edit_.remove.push_back(&node);
  }

  void note(const std::string& constant, std::string content) {
    const auto [found, isFirst] = contents_.emplace(std::move(content), constant);
    if (!isFirst) sameAs_[constant] = found->second;
  }

  const Model& model_;
  std::unordered_set<std::string> constants_;  // values that depend on no frame
  std::unordered_map<std::string, std::string> contents_, sameAs_;
  std::unordered_map<std::string, const Node*> nodes_;
  Edit edit_;
};

}  // namespace

int shareConstants(Model& model) {
  Edit edit = Sharing(model).run();
  const int shared = static_cast<int>(edit.remove.size());
  if (shared > 0) model.apply(std::move(edit));
  return shared;
}

}  // namespace mpm::onnx
