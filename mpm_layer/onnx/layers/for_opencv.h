// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/normal_form/normal_form.h"

// OpenCV keeps the nodes that all its versions compute correctly and fast. These are convolutions
// and transposed ones, poolings, Relu and Sigmoid after convolutions, and a linear layer of
// constant weights on a matrix. All others become layers of this library or parts of mpm.Subgraph.
namespace mpm::onnx {

// Tells whether a node stays for OpenCV. Nodes that nothing here computes stay too; checkFlow and
// checkImportable refuse them or leave them to a version that has them.
bool isForOpenCv(const Model& model, const Node& node);

// Rewrites the nodes of a lowered model that stay for OpenCV so that all its importers read them.
// Removes nodes that pass values on, and unused values. Returns the number of changes.
int spellForOpenCv(Model& model, const DimsOf& dimsOf);

// Throws a ModelError that names a node with which an importer would read invalid memory or divide
// by zero. The importer takes computed data, all inputs and fitting weights for granted.
void checkImportable(const Model& model);

// Throws a ModelError for nodes that no net of OpenCV 4 or 5 has. OpenCV 5 lacks some of those that
// need other nodes or sizes for each frame. OpenCV 4 lacks all of these, and attention nodes.
void checkFlow(const Model& model, int openCv);

// Adapts a model to OpenCV 4. Removes the name of the open first axis of inputs with fewer than
// three axes. With it, the importer takes all sizes for variable, and asks layers for output sizes
// at -1. Without it only the batch is open, as for pictures. Adds a node that reads each unread
// input.
void fitOpenCv4(Model& model);

// Adapts a model to OpenCV 5, which returns the first output by default, and takes outputs of sizes
// that depend on the frame. Added outputs come last. Each merge gets the attribute `short`: its
// tokens may be shortened to the live rows. Merges get none if a layer that reads a map does not
// say how many special rows there are. Nor do they if other nodes read merged rows. OpenCV's own
// layers in 5.0 keep the first frame's sizes, and subgraphs are planned again for each size.
// Integer inputs become float32 as in OpenCV 4, with a Cast after them. Throws a ModelError for a
// convolution with auto_pad SAME_UPPER left, which 5.0 pads on the wrong side.
void fitOpenCv5(Model& model);

}  // namespace mpm::onnx
