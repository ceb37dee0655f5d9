// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "onnx/normal_form/normal_form.h"
#include "onnx/normal_form/rewriter.h"

namespace mpm::onnx {

// For a lowered model that OpenCV 4.6 shall read: writes what its importer refuses or computes
// wrongly in a way that it computes right, where there is one, and declares opset 11, since it
// refuses ReduceSum of opset 13 and later. Values that nothing needs go. The result is for OpenCV
// alone: attributes and inputs of different opsets stand side by side. LayerNormalization stays.
// Returns the number of changes.
int lowerForOpenCv(Model& model, const DimsOf& dimsOf);

// For a model that lowerForOpenCv wrote: nodes with which OpenCV 4.6's importer would read memory
// that is not there, or divide by zero. It looks for data where there are constants alone, for
// inputs that are left out, and for weights of other sizes. ModelError that names the node.
void checkImportable(const Model& model);

// ModelError for nodes that no net of OpenCV 4 or 5 has. Of those that need other nodes or sizes
// for each frame 5 lacks some; 4 lacks all, and attention that was not spelled out.
void checkFlow(const Model& model, int openCv);

// What OpenCV 4.6's importer needs otherwise, by rooms.

// Axes and sizes that new opsets give as inputs, as attributes; counted from the front.
bool spellSplit(Spelling& spelling);
bool spellSoftmax(Spelling& spelling);
bool spellPad(Spelling& spelling);
bool spellReshape(Spelling& spelling);

bool spellConcat(Spelling& spelling);  // constants that several join

// Constants in element-wise nodes.
bool spellSum(Spelling& spelling);  // Add, Sub
bool spellMul(Spelling& spelling);
bool spellDiv(Spelling& spelling);
bool spellPow(Spelling& spelling);
bool spellClip(Spelling& spelling);
bool spellGelu(Spelling& spelling);

// What OpenCV takes for an activation and is none, or is written in another order; how many
// changes.
int spellLookalikesApart(Model& model, const DimsOf& dimsOf);

// Layers.
bool spellGemm(Spelling& spelling);
bool spellMatMul(Spelling& spelling);
bool spellConv(Spelling& spelling);
bool spellTurnedPads(Spelling& spelling, const Integers& kernel);  // of a ConvTranspose
bool spellTurnedNorm(Spelling& spelling);  // a ConvTranspose and its BatchNormalization
int keepTurnedApart(Model& model);         // from what OpenCV would put into it; how many changes
bool spellAveragePool(Spelling& spelling);
bool spellInstanceNorm(Spelling& spelling);
bool spellGroupNorm(Spelling& spelling);
bool spellResize(Spelling& spelling);  // Upsample, too

// The constant of Reshape that gives these dims again; nothing where several are unknown.
std::optional<Integers> targetOf(const Integers& dims);

}  // namespace mpm::onnx
