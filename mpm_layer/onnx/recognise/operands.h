// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "onnx/graph/model.h"

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

}  // namespace mpm::onnx
