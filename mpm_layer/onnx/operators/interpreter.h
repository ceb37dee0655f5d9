// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "onnx/graph/model.h"
#include "onnx/operators/chain.h"
#include "onnx/operators/known_tensor.h"
#include "onnx/operators/table.h"
#include "onnx/operators/values.h"

namespace mpm::onnx {

// Whether an operator of ONNX is one that an Interpreter computes, for attributes that it knows.
bool isInterpreted(const Node& node);

// Computes a small model node by node, with what folds constants; element-wise nodes that hang
// together at once. What does not depend on a frame is computed once for the sizes of its inputs.
// For one thread at a time.
class Interpreter {
 public:
  // large: how large matrices are multiplied; null: plainly.
  explicit Interpreter(Model model, MatrixProduct large = nullptr);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  std::size_t inputs() const { return inputs_.size(); }
  std::size_t outputs() const { return outputs_.size(); }
  std::map<std::string, int> operators() const;  // how many nodes of each
  // As the file says; what it does not say of a rank is nothing.
  const Value& input(std::size_t i) const { return inputs_[i]; }
  const Value& output(std::size_t i) const { return outputs_[i]; }
  // Whether an input's elements are read, and not only its sizes.
  bool isRead(std::size_t input) const { return isRead_[input]; }

  // Sizes of the outputs for those of the inputs. ModelError where they do not fit or can't be told
  // without a frame. Calling it with the sizes of the last call costs nothing.
  const std::vector<Integers>& fit(const std::vector<Integers>& inputDims);

  // The outputs, for inputs of the sizes that fit() was last told of; moved from. Floats of an
  // output go to its place, where it has one. ModelError that names the node which could not be
  // computed.
  std::vector<KnownTensor> run(std::vector<KnownTensor> inputs,
                               const std::vector<float*>& places = {});

 private:
  using Named = std::unordered_map<std::string, KnownTensor>;

  // A node, or element-wise nodes that are computed together.
  struct Step {
    std::vector<const Node*> nodes;
    std::optional<Chain> chain;
    std::vector<std::string> sources;  // of the chain
    std::vector<std::pair<std::size_t, std::string>> results;
  };
  class Planner;

  bool isSettled(const Node& node) const;
  const KnownTensor* find(const std::string& value, const Named& values) const;
  void compute(const Node& node, Named& values) const;
  void compute(const Step& step, Named& values,
               const std::unordered_map<std::string, float*>& places) const;

  Model model_;
  MatrixProduct large_;
  std::vector<Value> inputs_, outputs_;
  std::vector<bool> isRead_;

  std::vector<Integers> inputDims_, outputDims_;
  std::unique_ptr<Values> known_;  // for those
  std::vector<Step> steps_;
};

}  // namespace mpm::onnx
