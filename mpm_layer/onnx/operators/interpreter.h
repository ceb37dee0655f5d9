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

// Tells whether an Interpreter computes an operator of ONNX, for attributes that it knows.
bool isInterpreted(const Node& node);

// Computes a small model node by node, with the code that folds constants; connected element-wise
// nodes run together. Values that do not depend on a frame are computed once for the sizes of its
// inputs. For one thread at a time.
class Interpreter {
 public:
  // large: multiplies large matrices; null: plain loops do.
  explicit Interpreter(Model model, MatrixProduct large = nullptr);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  std::size_t inputs() const { return inputs_.size(); }
  std::size_t outputs() const { return outputs_.size(); }
  std::map<std::string, int> operators() const;  // how many nodes of each
  // Returns an input as the file describes it; an unstated rank stays open.
  const Value& input(std::size_t i) const { return inputs_[i]; }
  const Value& output(std::size_t i) const { return outputs_[i]; }
  // Tells whether an input's elements are read, and not only its sizes.
  bool isRead(std::size_t input) const { return isRead_[input]; }

  // Returns sizes of the outputs for those of the inputs. Throws a ModelError if they do not fit or
  // depend on a frame. A call with the same sizes as the last one costs nothing.
  const std::vector<Integers>& fit(const std::vector<Integers>& inputDims);

  // Returns the outputs for inputs of the sizes in the last fit(); moves from these. Floats of an
  // output go to its place, if it has one. Throws a ModelError that names a node which failed.
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
