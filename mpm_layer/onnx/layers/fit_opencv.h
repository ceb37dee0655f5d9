// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/graph/model.h"

namespace mpm::onnx {

// Changes a model for OpenCV 4: its importer takes one that has an input of less than three axes,
// the first of them open by name, for a model whose sizes all change, and asks layers for what they
// make of sizes of -1. Without the name the batch is open as a picture's is. An input that nothing
// reads is read by a node.
void fitOpenCv4(Model& model);

// For a net of OpenCV 5, which gives the first output where it is asked for none, and outputs of
// sizes that depend on the frame: outputs that were added stand last, and every merge has a note,
// its attribute `short`, that its tokens may be as long as the rows that live. No merge has one
// where a layer that reads a map does not say how many special rows there are, or where OpenCV's
// own layers read merged rows: 5.0 lays them out once, for the rows of the first frame. And a
// BatchNormalization behind anything but a convolution is put apart by an Identity, what a Tanh
// reads is bounded, and inputs of whole numbers are float32, as OpenCV 4 takes them, with a Cast
// behind. ModelError where a convolution is padded by a word still, which 5.0 does on the wrong
// side.
void fitOpenCv5(Model& model);

}  // namespace mpm::onnx
