// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/model.h"
#include "onnx/operators/values.h"

namespace mpm::onnx {

// The two inputs of an operation, one of them a constant.
struct Operands {
  std::string value;     // what the graph computes
  std::string constant;  // what the file holds
};

// Returns the operands of the Add, Mul, ... `type` that makes `value`, if one of them is a
// constant; ordered: only the second may be.
std::optional<Operands> constantOperand(const Model& model, const std::string& value,
                                        const char* type, bool ordered = false);

// Returns the node that makes `value`, if it is a `type` with so many inputs.
const Node* madeBy(const Model& model, const std::string& value, const char* type, int inputs);

// Returns a constant of one element.
std::optional<float> scalarConstant(const Model& model, const std::string& value);

// Tell whether a node is a function of the elements of one value, or of two, element by element.
bool isElementWise(const Node& node);
bool isElementWiseOfOne(const Node& node);
bool isElementWiseOfTwo(const Node& node);

// Tells whether a constant is a vector along the last axis: [n], or with leading ones.
bool isLastAxisVector(const Model& model, const std::string& constant);

// Functions for nodes on rows of [B, rows, dim], or [rows, B, dim] with rowsFirst.

// Tells whether a node turns [a, b, dim] into [b, a, dim].
bool swapsRowsAndBatch(const Node& node);

struct RowRange {
  std::int64_t begin = 0, end = 0;
  bool dropsAxis = false;  // one row, whose axis goes
};

// Returns the rows that a Slice, Split or Gather takes from its first input, with all features;
// std::nullopt for others.
std::optional<RowRange> rowRange(const AnalysedModel& analysed, const Node& node,
                                 const std::string& output, bool rowsFirst);

// Returns a constant as [rows x dim], the same for each image of a batch; it may be broadcast.
// Returns std::nullopt if it is not one.
std::optional<std::vector<float>> constantRows(const AnalysedModel& analysed,
                                               const std::string& value, std::int64_t rows,
                                               std::int64_t dim, bool rowsFirst);

// Returns a constant that is broadcast to a grid of rows [B, H, W, dim], as [H W x dim].
std::optional<std::vector<float>> constantGrid(const AnalysedModel& analysed,
                                               const std::string& value, const Integers& grid);

// Returns a constant that is broadcast to planes [B, dim, H, W], as [H W x dim].
std::optional<std::vector<float>> constantPlanes(const AnalysedModel& analysed,
                                                 const std::string& value, const Integers& planes);

// Returns the value that transpositions reorder and restore as this one, as in backbones with maps
// as outputs. Empty if there is none.
std::string turnedBack(const AnalysedModel& analysed, const std::string& value);

}  // namespace mpm::onnx
