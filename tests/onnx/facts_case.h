// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnx/fold_case.h"
#include "onnx/graph/attribute.h"
#include "onnx/graph/model.h"
#include "onnx/operators/values.h"
#include "onnx/proto_model.h"

namespace mpm::test {

// A model, and what is known of its values where an open batch is two images.
class Looked {
 public:
  explicit Looked(ModelProto proto, std::int64_t batch = 2)
      : model_(std::move(proto)), values_(model_, dimsOf(model_, batch)) {}

  const Model& model() const { return model_; }
  onnx::Facts facts() const { return {model_, values_}; }

 private:
  static std::unordered_map<std::string, Integers> dimsOf(const Model& model, std::int64_t batch) {
    std::unordered_map<std::string, Integers> all;
    for (const onnx::Value& input : model.inputs()) {
      Integers& dims = all[input.name];
      for (const onnx::Dim& dim : input.dims) dims.push_back(dim.isKnown() ? dim.size : batch);
    }
    return all;
  }

  Model model_;
  onnx::Values values_;
};

// Numbers that differ from each other.
inline std::vector<float> someValues(const Integers& dims, float from = 0.1F) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(from + 0.01F * static_cast<float>(i));
  return values;
}

inline void addSome(ModelProto& proto, const std::string& name, const Integers& dims,
                    float from = 0.1F) {
  addConstant(proto, name, dims, someValues(dims, from));
}

inline void addNumber(ModelProto& proto, const std::string& name, float value) {
  addConstant(proto, name, {}, {value});
}

inline void addReshape(ModelProto& proto, const std::string& from, const Integers& dims,
                       const std::string& to) {
  addIntegers(proto, to + "_dims", dims);
  addNode(proto, "Reshape", {from, to + "_dims"}, {to});
}

inline void addTranspose(ModelProto& proto, const std::string& from, const Integers& perm,
                         const std::string& to) {
  onnx::setAttribute(addNode(proto, "Transpose", {from}, {to}), "perm", perm);
}

inline void addSlice(ModelProto& proto, const std::string& from, std::int64_t axis,
                     std::int64_t begin, std::int64_t end, const std::string& to,
                     std::int64_t step = 1) {
  const std::pair<const char*, std::int64_t> bounds[] = {
      {"_begin", begin}, {"_end", end}, {"_axis", axis}, {"_step", step}};
  for (const auto& [name, number] : bounds) addIntegers(proto, to + name, {number});
  addNode(proto, "Slice", {from, to + "_begin", to + "_end", to + "_axis", to + "_step"}, {to});
}

inline void addConcat(ModelProto& proto, const Strings& from, std::int64_t axis,
                      const std::string& to) {
  onnx::setAttribute(addNode(proto, "Concat", from, {to}), "axis", axis);
}

// from W (+ bias), W [in x out].
inline void addLinear(ModelProto& proto, const std::string& from, std::int64_t in, std::int64_t out,
                      const std::string& to, bool hasBias = true) {
  addSome(proto, to + "_weight", {in, out});
  addNode(proto, "MatMul", {from, to + "_weight"}, {hasBias ? to + "_product" : to});
  if (!hasBias) return;
  addSome(proto, to + "_bias", {out});
  addNode(proto, "Add", {to + "_product", to + "_bias"}, {to});
}

inline void addNorm(ModelProto& proto, const std::string& from, std::int64_t dim,
                    const std::string& to) {
  addSome(proto, to + "_scale", {dim});
  addSome(proto, to + "_shift", {dim});
  addNode(proto, "LayerNormalization", {from, to + "_scale", to + "_shift"}, {to});
}

}  // namespace mpm::test
