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

// Addresses of a repeated field's elements; they stay when others are added.
template <typename Field>
auto pointersTo(const Field& field) {
  std::vector<const typename Field::value_type*> pointers;
  for (const auto& element : field) pointers.push_back(&element);
  return pointers;
}

// Who makes and who reads each value of a graph. Points into what it was made from.
struct Index {
  std::unordered_set<std::string> inputs;  // of the graph
  std::unordered_set<std::string> outputs;
  std::unordered_map<std::string, const ::onnx::ValueInfoProto*> infos;  // the first of each name
  std::unordered_map<std::string, const ::onnx::TensorProto*> constants;
  std::unordered_set<std::string> sparse;  // constants that stay unread
  std::unordered_map<std::string, const Node*> producers;
  std::unordered_map<std::string, std::vector<const Node*>> consumers;  // each node once
  std::vector<const Node*> order;                                       // producers first

  // Whether the outer graph has a value of this name.
  bool knows(const std::string& value) const;
};

// Indexes a graph made of these nodes and constants (graph gives inputs, outputs and sparse
// constants; its own nodes and initialisers are not read). Nodes keep their order where it is a
// topological one already. ModelError, naming node and value, where two things give the same value,
// a node's input or a graph's output comes from nowhere, or nodes wait for each other in a cycle.
Index indexOf(const ::onnx::GraphProto& graph, const std::vector<const Node*>& nodes,
              const std::vector<const ::onnx::TensorProto*>& constants);

// One dimension: a number, or a symbol such as "batch" (empty where the file says nothing).
struct Dim {
  std::int64_t size = -1;  // -1: not a number
  std::string symbol;
  bool isKnown() const { return size >= 0; }
};

// What a file says about a value. type is ::onnx::TensorProto::FLOAT and so on, 0 where unknown.
struct Value {
  std::string name;
  int type = 0;
  bool hasShape = false;
  std::vector<Dim> dims;
};

// Values in a Constant node, as a tensor in `constant`; false for other nodes, and for kinds that
// stay nodes (sparse, strings).
bool takeConstant(Node& node, ::onnx::TensorProto& constant);

// A change of a graph, made in one step.
struct Edit {
  std::vector<const Node*> remove;
  std::vector<Node> add;  // placed where the first removed node stood, else at the end
  std::vector<::onnx::TensorProto> constants;
  // Whoever reads the first value will read the second, subgraphs too. Graph outputs keep their
  // names, so a graph output cannot be redirected.
  std::vector<std::pair<std::string, std::string>> redirect;
};

// A model's main graph: acyclic, every value given once, every input there. Constants are the
// initialisers and the Constant nodes of the file alike; inputs are those without a default value.
// What the class does not know (unknown attributes, subgraphs, functions) is kept and written back.
// A null pointer or nothing answers for names that are not there.
class Model {
 public:
  // Checks everything that this header promises, and every constant (see Tensor). ModelError names
  // the fault. Constant nodes become initialisers; weights are moved, not copied.
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

  // All or nothing: an edit that would break the graph is a ModelError and changes nothing.
  // Pointers to nodes that were neither removed nor redirected stay valid, as do constants.
  void apply(Edit edit);

  // For changes of constants, types and attributes: an edit would keep every constant that it
  // replaces until it is done. Names, nodes and what they read have to stay.
  void changeInPlace(const std::function<void(::onnx::ModelProto&)>& change);

  // Removes nodes, constants and descriptions of values that no output needs; how many nodes. Graph
  // inputs stay.
  int removeDead();

  // In front of the model's own, so that its last output stays the last: that is the one a runtime
  // gives where none is named. ModelError if no value has this name; twice is once.
  void addOutput(const Value& value);
  // Puts outputs behind the others, in this order.
  void putLast(const std::vector<std::string>& outputs);
  // The first dimension of an input.
  void setBatch(const std::string& input, std::int64_t images);
  // All but the first of an input's four dimensions.
  void setInputSize(const std::string& input, const std::vector<std::int64_t>& sizes);
  void importOpset(const std::string& domain, std::int64_t version);
  void setMetadata(const std::string& key, const std::string& text);
  void removeMetadata(const std::string& key);

  // A name that no value has yet: the stem, or the stem with a number.
  std::string unusedName(const std::string& stem) const;

 private:
  void adoptConstants();
  void dropDefaultedInputs();
  void checkOpsets() const;
  void reindex();

  std::unique_ptr<::onnx::ModelProto> proto_;
  Index index_;
};

// Every tensor of a model, wherever a file can put one: initialisers, sparse ones, attributes,
// subgraphs, functions and training graphs. Works through a list, so nesting costs no stack.
void forEachTensor(::onnx::ModelProto& model,
                   const std::function<void(::onnx::TensorProto&)>& visit);

// Every value that the subgraphs of a node (the branches of an If, the body of a Loop) read or give
// out, at any depth. Those that the outer graph knows are inputs of the node too, unwritten ones;
// the others are the subgraphs' own.
void forEachNestedUse(const Node& node, const std::function<void(const std::string&)>& visit);

// The same names, to be changed in place.
void forEachNestedUse(Node& node, const std::function<void(std::string&)>& visit);

// Whether something holds of a value, or of any that it is made from.
bool isAnyBehind(const Model& model, const std::string& value,
                 const std::function<bool(const std::string&)>& holds);

}  // namespace mpm::onnx
