// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "mpm/schedule.h"
#include "onnx/graph/model.h"
#include "onnx/layers/recognise.h"
#include "onnx/normal_form/normal_form.h"

namespace mpm::onnx {

struct RewriteOptions {
  RecogniseOptions recognise;
  std::optional<Schedule> schedule;  // nothing: before 2 and 5, as far as they are there
};

// A planned rewriting of a model.
struct Rewriting {
  Recognised recognised;
  Schedule schedule;
};

// Returns the outputs that merges of so many encoders add, map and rows of each: mpm_map, mpm_rows,
// mpm_map_2, mpm_rows_2, ...
std::vector<std::string> mergeOutputs(std::size_t encoders);
bool isMergeOutput(const std::string& name);

// Throws std::invalid_argument if the schedule names a block that does not exist.
Rewriting planRewriting(Model& model, const RewriteOptions& options);

// Maps a new node's value to the value of the old graph that it stands for.
using StandsFor = std::unordered_map<std::string, std::string>;

// Rewrite the model. A file only has the merges of the schedule. Elsewhere all merges are there, so
// that a loaded net can change its schedule. `take` gets the plan's nodes with the layers'
// constants while the model still has them. Outputs mpm_map and mpm_rows are added if there is a
// merge, with a number for each further encoder. A model that cannot merge still gets the known
// layers.
StandsFor rewriteInFile(Model& model, Rewriting rewriting);
StandsFor rewriteElsewhere(Model& model, Rewriting rewriting,
                           const std::function<void(const std::vector<Plan::NewNode>&)>& take);

// Tells whether a node is one of this library's.
bool isLayer(const Node& node);

// Tells whether a model was rewritten before: it has nodes of the domain mpm.
bool hasLayers(const Model& model);

// Makes layers operators "mpm.X" of the default domain, which OpenCV's importer takes without a
// warning.
void hideDomain(Model& model);

struct ResizedInput {
  std::string name;
  Integers sizes;  // all but the batch
  SizeChange change;
};

// Returns the dims of a rewritten model's values at another input size. Those before its layers are
// inferred. Those after them are `ownDims`, changed as the head's sizes are (replaceSizes); each is
// -1 if the change is unknown.
std::unordered_map<std::string, Integers> dimsAtSize(const Model& model, const ResizedInput& input,
                                                     const DimsOf& ownDims);

}  // namespace mpm::onnx
