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

// A model that is rewritten, but for its weights.
struct Rewriting {
  Recognised recognised;
  Schedule schedule;
};

// The outputs that merges of so many encoders add, map and rows of each: mpm_map, mpm_rows,
// mpm_map_2, mpm_rows_2, ...
std::vector<std::string> mergeOutputs(std::size_t encoders);
bool isMergeOutput(const std::string& name);

// std::invalid_argument where the schedule names a block that is not there.
Rewriting planRewriting(Model& model, const RewriteOptions& options);

// The value of the old graph that a value of a new node stands for.
using StandsFor = std::unordered_map<std::string, std::string>;

// Rewrites the model. In a file only the merges of the schedule stand; elsewhere all of them do, so
// that a loaded net can change its schedule, and `take` is given the plan's nodes, with the layers'
// constants, while the model still has them. The outputs mpm_map and mpm_rows are added where there
// is a merge; of further encoders with their number. A model that cannot merge gets the layers that
// are known all the same.
StandsFor rewriteInFile(Model& model, Rewriting rewriting);
StandsFor rewriteElsewhere(Model& model, Rewriting rewriting,
                           const std::function<void(const std::vector<Plan::NewNode>&)>& take);

// Whether a node is one of this library's.
bool isLayer(const Node& node);

// Whether a model was rewritten before: it has nodes of the domain mpm.
bool hasLayers(const Model& model);

// Layers as operators "mpm.X" of the default domain, which OpenCV's importer takes without a word.
void hideDomain(Model& model);

struct ResizedInput {
  std::string name;
  Integers sizes;  // all but the batch
  SizeChange change;
};

// The dims of a rewritten model's values at another input size than its own. In front of its layers
// they are worked out anew; behind them they are those at its own size, by `ownDims`, changed as
// sizes of its head are (replaceSizes). Where it cannot be told what these become, each is -1.
std::unordered_map<std::string, Integers> dimsAtSize(const Model& model, const ResizedInput& input,
                                                     const DimsOf& ownDims);

}  // namespace mpm::onnx
