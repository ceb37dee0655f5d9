// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpm/schedule.h"
#include "onnx/graph/model.h"
#include "onnx/operators/known_tensor.h"

namespace mpm::onnx {

// A constant of a new node. It is read from the model only when it is needed, to save memory.
struct Weight {
  std::string input;  // of the layer: "qkv_weight"
  Integers dims;      // as many elements as `read` writes
  std::function<void(const Model&, float*)> read;
};

// Rows of a linear layer's weight [out x in], which may be stored transposed: those of `features`,
// or all if none are named. Several of them may be stacked.
struct LinearRows {
  std::string weight, bias;
  bool outByIn = false;
  Integers features;  // of out; empty: all
  std::string scale;  // a constant, of `out` factors of weight and bias; or empty
  // Factors of weight and bias for each of the features, and numbers added to the bias after that;
  // or empty.
  std::vector<float> factors = {}, shifts = {};
};

// Changes to a model: nodes to add, with their constants, and values to read instead of others.
struct Plan {
  struct NewNode {
    Node node;                            // its inputs are values; constants come behind them
    std::vector<std::string> inputNames;  // of a layer, for each of its inputs
    std::vector<Weight> weights;
    std::string encoder;  // of a merge, attention, a block: the blob in front of its encoder's
    std::vector<LinearRows> linear;      // of a linear layer: what its constants are made of
    std::vector<std::int64_t> windowOf;  // of attention whose stream is dealt out: of each row
  };

  std::vector<NewNode> nodes;
  std::vector<::onnx::TensorProto> constants;  // small ones: bounds of a slice
  std::vector<std::pair<std::string, std::string>> redirect;
  // New values, and values of the model that have their dimensions.
  std::vector<std::pair<std::string, std::string>> alike;
  std::vector<const Node*> remove;  // those that give what a new node gives
};

// Removes merges that come before none of these blocks, and nodes that only they need. Enables the
// others. Returns the rows and map of each encoder's last merge that is left.
struct MergeOutputs {
  std::string encoder, rows, map;
};
std::vector<MergeOutputs> keepMerges(Plan& plan, const Schedule& schedule);
// Keeps all merges, and enables those of the schedule.
std::vector<MergeOutputs> enableMerges(Plan& plan, const Schedule& schedule);

void renameValue(Plan& plan, const std::string& from, const std::string& to);

// Applies the plan to the model. Weights::inFile puts the layers' constants into the model.
// Weights::elsewhere leaves them out; the layers are then for OpenCV's importer in this process
// ("mpm.Linear" as an operator of the default domain, for which it does not warn). Removes nodes
// that nothing needs.
enum class Weights { inFile, elsewhere };
void apply(Model& model, Plan plan, Weights weights);

// Return constants of the model in the form that a layer takes.
Weight vectorWeight(const Model& model, const std::string& input, const std::string& constant);
Weight ownedWeight(const std::string& input, Integers dims, std::vector<float> values);

Weight matrixWeight(const Model& model, const std::string& input, std::vector<LinearRows> rows);
// Adds the rows' biases, with zeros for a layer without one. Returns false if none has one.
bool addBias(const Model& model, const std::string& input, const std::vector<LinearRows>& rows,
             std::vector<Weight>& weights);

}  // namespace mpm::onnx
