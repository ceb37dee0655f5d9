// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/normal_form/normal_form.h"

// OpenCV computes what every version of it computes right and fast: convolutions and transposed
// ones, poolings, Relu and Sigmoid behind convolutions, and a linear layer of constant weights on a
// matrix. All else of a model is a layer of this library or a part of mpm.Subgraph.
namespace mpm::onnx {

// Whether a node stays for OpenCV; also those that nothing here computes, which checkFlow and
// checkImportable refuse or leave to a version that has them.
bool isForOpenCv(const Model& model, const Node& node);

// For a lowered model: writes the nodes that stay for OpenCV as all of its importers read them, and
// takes out what passes values on. Values that nothing needs go. Returns the number of changes.
int spellForOpenCv(Model& model, const DimsOf& dimsOf);

// ModelError that names a node with which an importer would read memory that is not there, or
// divide by zero: it looks for data where there are constants alone, for inputs that are left out,
// and for weights of other sizes.
void checkImportable(const Model& model);

// ModelError for nodes that no net of OpenCV 4 or 5 has. Of those that need other nodes or sizes
// for each frame 5 lacks some; 4 lacks all, and attention that was not spelled out.
void checkFlow(const Model& model, int openCv);

// Changes a model for OpenCV 4: its importer takes one that has an input of less than three axes,
// the first of them open by name, for a model whose sizes all change, and asks layers for what they
// make of sizes of -1. Without the name the batch is open as a picture's is. An input that nothing
// reads is read by a node.
void fitOpenCv4(Model& model);

// For a net of OpenCV 5, which gives the first output where it is asked for none, and outputs of
// sizes that depend on the frame: outputs that were added stand last, and every merge has a note,
// its attribute `short`, that its tokens may be as long as the rows that live. No merge has one
// where a layer that reads a map does not say how many special rows there are, or where OpenCV's
// own layers read merged rows, which 5.0 lays out once, for the rows of the first frame, or groups
// of nodes do, which are planned anew for each number of rows. And inputs of whole numbers are
// float32, as OpenCV 4 takes them, with a Cast behind. ModelError where a convolution is padded by
// a word still, which 5.0 does on the wrong side.
void fitOpenCv5(Model& model);

}  // namespace mpm::onnx
