// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnx/recognise.h"

namespace mpm::onnx {

struct RewriteOptions {
  RecogniseOptions recognise;
  std::optional<std::vector<int>> schedule;  // nothing: before 2 and 5, as far as they are there
};

// A model that is rewritten, but for its weights.
struct Rewriting {
  Recognised recognised;
  std::vector<int> schedule;
  std::string rows, map;  // of the last merge, in the plan
};

// std::invalid_argument where the schedule names a block that is not there.
Rewriting planRewriting(Model& model, const RewriteOptions& options);

// Sorted, each once; std::invalid_argument "merge before 12: the encoder has 12 blocks, 0 to 11".
std::vector<int> checkedSchedule(std::vector<int> schedule, int blocks);

// Rewrites the model. In a file only the merges of the schedule stand; elsewhere all of them do, so
// that a living net can change its schedule, and `take` is given each layer's constants before.
// The outputs mpm_map and mpm_rows are added where there is a merge.
void rewriteInFile(Model& model, Rewriting rewriting);
void rewriteElsewhere(Model& model, Rewriting rewriting,
                      const std::function<void(const Plan::NewNode&)>& take);

// Whether a model was rewritten before: it has nodes of the domain mpm.
bool hasLayers(const Model& model);

// Layers as operators "mpm.X" of the default domain, which OpenCV's importer takes without a word.
void hideDomain(Model& model);

}  // namespace mpm::onnx
