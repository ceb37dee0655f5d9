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

// Tables of positions that a model resizes to its own grid, by sizes that its exporter wrote down:
// 37 x 37 places of which its 16 x 16 are made, say. Another grid is then resized from the table in
// the model's own way, and not from the few that are left of it.
class PositionTables {
 public:
  PositionTables() = default;
  // Of a model whose constants are not folded yet.
  PositionTables(const Model& model, const std::unordered_map<std::string, Integers>& inputDims);

  // The positions [rows x columns x dim] of another grid, where a table gives just `own` for the
  // model's own one.
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
