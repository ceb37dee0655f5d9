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

// A constant of a new node. It is read from the model only when it is needed, so that weights are
// in memory no more often than they have to be.
struct Weight {
  std::string input;  // of the layer: "qkv_weight"
  Integers dims;      // as many elements as `read` writes
  std::function<void(const Model&, float*)> read;
};

// Some rows of a linear layer's weight [out x in], or all of them (no features named): the layer
// may hold it the other way round. Several layers may stand one below the other.
struct LinearRows {
  std::string weight, bias;
  bool outByIn = false;
  Integers features;  // of out; empty: all
  std::string scale;  // a constant, of `out` factors of weight and bias; or empty
  // For each of the features: factors of weight and bias, and what is added to the bias then; or
  // empty.
  std::vector<float> factors = {}, shifts = {};
};

// What shall become of a model: nodes to add, with their constants, and who reads them instead of
// what was there.
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

// Merges that stand in front of none of these blocks go, with what depends on them alone; the
// others are enabled. Returns the rows and map of the last merge of each encoder that has one left.
struct MergeOutputs {
  std::string encoder, rows, map;
};
std::vector<MergeOutputs> keepMerges(Plan& plan, const Schedule& schedule);
// All stay, those of the schedule enabled.
std::vector<MergeOutputs> enableMerges(Plan& plan, const Schedule& schedule);

void renameValue(Plan& plan, const std::string& from, const std::string& to);

// Puts the plan into the model: with the layers' constants in the file; or without them, and with
// layers that only OpenCV's importer in this process is to read ("mpm.Linear" as an operator of the
// default domain, about which it does not warn). Nodes that nothing needs any more go.
enum class Weights { inFile, elsewhere };
void apply(Model& model, Plan plan, Weights weights);

// Constants of the model, as a layer takes them.
Weight vectorWeight(const Model& model, const std::string& input, const std::string& constant);
Weight ownedWeight(const std::string& input, Integers dims, std::vector<float> values);

Weight matrixWeight(const Model& model, const std::string& input, std::vector<LinearRows> rows);
// Their biases, zeros for a layer without; nothing where none has one.
bool addBias(const Model& model, const std::string& input, const std::vector<LinearRows>& rows,
             std::vector<Weight>& weights);

}  // namespace mpm::onnx
