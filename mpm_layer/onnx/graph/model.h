// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "onnx/graph/proto.h"
#include "onnx/graph/tensor.h"

namespace mpm::onnx {

// Returns addresses of a repeated field's elements; they stay valid when others are added.
template <typename Field>
auto pointersTo(const Field& field) {
  std::vector<const typename Field::value_type*> pointers;
  for (const auto& element : field) pointers.push_back(&element);
  return pointers;
}

// Makers and readers of each value of a graph. Points into its source.
struct Index {
  std::unordered_set<std::string> inputs;  // of the graph
  std::unordered_set<std::string> outputs;
  std::unordered_map<std::string, const ::onnx::ValueInfoProto*> infos;  // the first of each name
  std::unordered_map<std::string, const ::onnx::TensorProto*> constants;
  std::unordered_set<std::string> sparse;  // constants that stay unread
  std::unordered_map<std::string, const Node*> producers;
  std::unordered_map<std::string, std::vector<const Node*>> consumers;  // each node once
  std::vector<const Node*> order;                                       // producers first

  // Tells whether the outer graph has a value of this name.
  bool knows(const std::string& value) const;
};

// Indexes a graph of these nodes and constants. `graph` gives inputs, outputs and sparse constants;
// its own nodes and initialisers are not read. Nodes keep a topological order if they have one.
// Throws a ModelError if a value is made twice, an input or output has no maker, or nodes form a
// cycle.
Index indexOf(const ::onnx::GraphProto& graph, const std::vector<const Node*>& nodes,
              const std::vector<const ::onnx::TensorProto*>& constants);

// One dimension: a number, or a symbol such as "batch" (empty if the file gives none).
struct Dim {
  std::int64_t size = -1;  // -1: not a number
  std::string symbol;
  bool isKnown() const { return size >= 0; }
};

// A file's description of a value. type is ::onnx::TensorProto::FLOAT and so on, 0 if unknown.
struct Value {
  std::string name;
  int type = 0;
  bool hasShape = false;
  std::vector<Dim> dims;
};

// Moves the values of a Constant node to the tensor `constant`. Returns false for other nodes, and
// for kinds that stay nodes (sparse, strings).
bool takeConstant(Node& node, ::onnx::TensorProto& constant);

// A change of a graph, made in one step.
struct Edit {
  std::vector<const Node*> remove;
  std::vector<Node> add;  // placed where the first removed node stood, else at the end
  std::vector<::onnx::TensorProto> constants;
  // Readers of the first value read the second instead, in subgraphs too. Graph outputs keep their
  // names, so a graph output cannot be redirected.
  std::vector<std::pair<std::string, std::string>> redirect;
};

// A model's main graph: acyclic, every value made once, every input present. Constants are both
// initialisers and Constant nodes; inputs are those without a default value. Unknown parts
// (attributes, subgraphs, functions) are kept and written back. Queries for unknown names return a
// null pointer or std::nullopt.
class Model {
 public:
  // Checks everything that this header promises, and every constant (see Tensor). Throws a
  // ModelError with the reason. Makes Constant nodes initialisers. Moves weights without a copy.
  explicit Model(::onnx::ModelProto&& proto);

  std::vector<Value> inputs() const;
  std::vector<Value> outputs() const;
  std::optional<Value> info(const std::string& value) const;  // of any value the file describes
  bool isInput(const std::string& value) const { return index_.inputs.count(value) != 0; }
  bool isOutput(const std::string& value) const { return index_.outputs.count(value) != 0; }

  const std::vector<const Node*>& nodes() const { return index_.order; }  // producers first
  const Node* producer(const std::string& value) const;
  const std::vector<const Node*>& consumers(const std::string& value) const;  // each node once
  std::optional<Tensor> constant(const std::string& value) const;

  std::int64_t irVersion() const { return proto_->ir_version(); }
  const std::string& producerName() const { return proto_->producer_name(); }
  std::int64_t opset(const std::string& domain = "") const;  // 0: not imported
  std::map<std::string, std::string> metadata() const;
  const ::onnx::ModelProto& proto() const { return *proto_; }  // nodes in topological order

  // Applies an edit, or throws a ModelError and changes nothing if it would break the graph.
  // Pointers to constants stay valid, and to nodes that were neither removed nor redirected.
  void apply(Edit edit);

  // Changes constants, types and attributes in place; an edit would keep every replaced constant
  // until it is done. Names, nodes and their inputs have to stay.
  void changeInPlace(const std::function<void(::onnx::ModelProto&)>& change);

  // Removes nodes, constants and descriptions of values that no output needs. Returns how many
  // nodes. Graph inputs stay.
  int removeDead();

  // Adds an output before the model's own, so that its last output, a runtime's default, stays the
  // last. Throws a ModelError if no value has this name. Adding it twice is no error.
  void addOutput(const Value& value);
  // Puts outputs after the others, in this order.
  void putLast(const std::vector<std::string>& outputs);
  // Sets the first dimension of an input.
  void setBatch(const std::string& input, std::int64_t images);
  // Sets all but the first of an input's four dimensions.
  void setInputSize(const std::string& input, const std::vector<std::int64_t>& sizes);
  void importOpset(const std::string& domain, std::int64_t version);
  void setMetadata(const std::string& key, const std::string& text);
  void removeMetadata(const std::string& key);

  // Returns a name that no value has yet: the stem, or the stem with a number.
  std::string unusedName(const std::string& stem) const;

 private:
  void adoptConstants();
  void dropDefaultedInputs();
  void checkOpsets() const;
  void reindex();

  std::unique_ptr<::onnx::ModelProto> proto_;
  Index index_;
};

// Visits every tensor of a model, wherever a file can have one: initialisers, sparse ones,
// attributes, subgraphs, functions and training graphs. Works on a list, so nesting uses no stack.
void forEachTensor(::onnx::ModelProto& model,
                   const std::function<void(::onnx::TensorProto&)>& visit);

// Visits every value that the subgraphs of a node (the branches of an If, the body of a Loop) read
// or return, at any depth. Values that the outer graph knows are implicit inputs of the node;
// others are the subgraphs' own.
void forEachNestedUse(const Node& node, const std::function<void(const std::string&)>& visit);

// Visits the same names, for changes in place.
void forEachNestedUse(Node& node, const std::function<void(std::string&)>& visit);

// Tells whether `holds` is true for a value, or for any that it is made from.
bool isAnyBehind(const Model& model, const std::string& value,
                 const std::function<bool(const std::string&)>& holds);

}  // namespace mpm::onnx
