// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "onnx/normal_form/rewriter.h"

namespace mpm::onnx {

// Columns [B, features, rows], or planes [B, features, height, width]: rows with their last axis in
// second place.

// What a node computes of them: layers (convolutions that make each column of that column alone),
// numbers for each column (sums and means along its features), and functions element by element.
enum class ColumnStep { none, layer, sum, function };

// `rank`: of the columns that it would give.
ColumnStep columnStep(const Model& model, const DimsOf& dimsOf, const Node& node,
                      std::size_t& rank);

// Whether a constant is a number, or has one for each feature of columns.
bool isBesideColumns(const Model& model, const std::string& value, std::size_t rank);

Integers toRows(std::size_t rank);     // the order of axes that makes rows of columns,
Integers toColumns(std::size_t rank);  // and columns of rows

}  // namespace mpm::onnx
