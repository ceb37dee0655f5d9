// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/model.h"
#include "onnx/operators/values.h"

namespace mpm::onnx {

// The two inputs of an operation of which one is a constant.
struct Operands {
  std::string value;     // what the graph computes
  std::string constant;  // what the file holds
};

// The operands of the Add, Mul, ... `type` that makes `value`, if one of them is a constant;
// ordered: only the second may be.
std::optional<Operands> constantOperand(const Model& model, const std::string& value,
                                        const char* type, bool ordered = false);

// The node that makes `value`, if it is a `type` with so many inputs.
const Node* madeBy(const Model& model, const std::string& value, const char* type, int inputs);

// A constant of one element.
std::optional<float> scalarConstant(const Model& model, const std::string& value);

// A function of the elements of one value, or of two, element by element.
bool isElementWise(const Node& node);
bool isElementWiseOfOne(const Node& node);
bool isElementWiseOfTwo(const Node& node);

// Whether a constant is a vector along the last axis: [n], or with leading ones.
bool isLastAxisVector(const Model& model, const std::string& constant);

// What nodes do to the rows of [B, rows, dim], or [rows, B, dim] with rowsFirst.

// [a, b, dim] to [b, a, dim]
bool swapsRowsAndBatch(const Node& node);

struct RowRange {
  std::int64_t begin = 0, end = 0;
  bool dropsAxis = false;  // one row, whose axis goes
};

// The rows that a Slice, Split or Gather takes from its first input, all of their features; nothing
// for any other node.
std::optional<RowRange> rowRange(const AnalysedModel& analysed, const Node& node,
                                 const std::string& output, bool rowsFirst);

// A constant value as [rows x dim], the same for each image of a batch; broadcast where it has
// fewer dimensions, or ones. Nothing where it is no constant.
std::optional<std::vector<float>> constantRows(const AnalysedModel& analysed,
                                               const std::string& value, std::int64_t rows,
                                               std::int64_t dim, bool rowsFirst);

// The same of a constant that is broadcast to a grid of rows [B, H, W, dim], as [H W x dim].
std::optional<std::vector<float>> constantGrid(const AnalysedModel& analysed,
                                               const std::string& value, const Integers& grid);

// The same of a constant that is broadcast to planes [B, dim, H, W].
std::optional<std::vector<float>> constantPlanes(const AnalysedModel& analysed,
                                                 const std::string& value, const Integers& planes);

// The value that transpositions turn and turn back to this one, as a backbone does whose maps are
// outputs; empty where they do not.
std::string turnedBack(const AnalysedModel& analysed, const std::string& value);

}  // namespace mpm::onnx
