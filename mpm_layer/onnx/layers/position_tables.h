// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "onnx/graph/model.h"
#include "onnx/layers/positions.h"
#include "onnx/operators/known_tensor.h"

namespace mpm::onnx {

// Tables of positions that a model resizes to its own grid. Its exporter fixed the sizes: from 37 x
// 37 places to 16 x 16, say. Another grid is then resized from the whole table in the model's own
// way, not from the fewer places that it made.
class PositionTables {
 public:
  PositionTables() = default;
  // Takes a model whose constants are not folded yet.
  PositionTables(const Model& model, const std::unordered_map<std::string, Integers>& inputDims);

  // Returns the positions [rows x columns x dim] of another grid, if a table gives exactly `own`
  // for the model's own grid.
  std::optional<std::vector<float>> onGrid(const std::vector<float>& own, std::int64_t dim,
                                           const GridChange& change) const;

 private:
  struct Table {
    Node resize;
    KnownTensor planes;  // [1, dim, rows, columns]
  };
  std::optional<std::vector<float>> resized(const Table& table, std::int64_t rows,
                                            std::int64_t columns) const;

  std::vector<Table> tables_;
  std::int64_t opset_ = 0;
};

}  // namespace mpm::onnx
