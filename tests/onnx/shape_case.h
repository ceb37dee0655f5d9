// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnx/fold_case.h"
#include "onnx/graph/attribute.h"
#include "onnx/operators/values.h"

namespace mpm::test {

using InputDims = std::unordered_map<std::string, Integers>;

inline constexpr std::int64_t kOpen = -1;
inline const Integers kNothing = {-999};  // dims of a value of which nothing is known

// A model of an opset with inputs "a", "b", ... of these dims (-1: the symbol "batch").
inline ModelProto opsetModel(std::int64_t opset, const std::vector<Integers>& inputs) {
  auto proto = emptyModel();
  proto.mutable_opset_import(0)->set_version(opset);
  char name = 'a';
  for (const Integers& dims : inputs) addInput(proto, std::string(1, name++), dims);
  return proto;
}

inline Integers dimsIn(ModelProto proto, const std::string& value, const InputDims& inputs = {}) {
  const Model model(std::move(proto));
  const onnx::Values values(model, inputs);
  const Integers* dims = values.dims(value);
  return dims ? *dims : kNothing;
}

// One node over inputs "a", "b", ...; `change` sets its attributes and adds constants, which it
// reads by the names that `more` gives.
struct Case {
  explicit Case(const std::string& type, const std::vector<Integers>& inputs,
                const Strings& more = {}, std::int64_t opset = 17)
      : proto(opsetModel(opset, inputs)) {
    Strings names;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      names.emplace_back(1, static_cast<char>('a' + i));
    names.insert(names.end(), more.begin(), more.end());
    addNode(proto, type, names, {"y", "y2", "y3", "y4"});
  }

  ::onnx::NodeProto& node() { return *proto.mutable_graph()->mutable_node(0); }

  template <typename Content>
  Case& with(const char* attribute, Content content) {
    onnx::setAttribute(node(), attribute, content);
    return *this;
  }
  Case& with(const char* attribute, int value) {
    return with(attribute, static_cast<std::int64_t>(value));
  }
  Case& with(const char* attribute, const char* text) { return with(attribute, std::string(text)); }
  Case& constant(const std::string& name, const Integers& numbers) {
    addIntegers(proto, name, numbers);
    return *this;
  }
  Case& in(const char* domain) {
    node().set_domain(domain);
    auto* opset = proto.add_opset_import();
    opset->set_domain(domain);
    opset->set_version(1);
    return *this;
  }

  Integers dims(const std::string& value = "y") const { return dimsIn(proto, value); }

  ModelProto proto;
};

}  // namespace mpm::test
