// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/model.h"
#include "onnx/subgraph_choice.h"

namespace mpm::onnx {

// Takes what OpenCV 4.6's importer refuses or computes wrongly, and an Interpreter can compute, out
// of a graph whose constants are folded: operators that it does not have, whole numbers and truth
// values, values of one axis or none, broadcasts, and whatever changes the number of axes, which it
// does wrongly where there are several images. What was taken and hangs together becomes a node
// mpm.Subgraph, whose attribute `graph` is a model of its own. Gives the number of these nodes.
int takeSubgraphs(Model& model, const DimsOf& dimsOf, const TypeOf& typeOf);

}  // namespace mpm::onnx
