// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "processor/threads.h"
#include "vit/packed_linear.h"
#include "vit/row_tiles.h"

namespace mpm::vit {
namespace {

// A tile's rows as units: the rows themselves where a unit is a float.
Product leftFactor(ConstRows rows, const PackedLinear& linear, const Kernels& kernel) {
  if (kernel.unitValues == 1) return linear.product(rows.data, rows.stride, rows.count);
  const std::size_t stride = kernel.units(padded(rows.dim));
  float* const units = processor::threadScratch().reserve(rows.count * stride);
  kernel.toUnits(rows, 1, units, stride);
  return linear.product(units, stride, rows.count);
}

}  // namespace

void linearCpu(ConstRows in, const PackedLinear& linear, Rows out) {
  assert(in.dim == linear.matrix.inputs() && out.dim == linear.matrix.outputs());
  assert(in.count == out.count);
  const Kernels& kernel = kernels(linear.matrix.precision());
  const RowTiles tiles(in.count);
  // Few rows are shared out by columns as well.
  const auto threads = static_cast<std::size_t>(processor::threadCount());
  const std::size_t panels = (out.dim + kernel.panelColumns - 1) / kernel.panelColumns;
  const std::size_t across = tiles.count() >= 2 * threads ? 1 : std::min(panels, 2 * threads);
  const std::size_t columns = (panels + across - 1) / across * kernel.panelColumns;
  processor::forEachTask(tiles.count() * across, [&](std::size_t task) {
    const std::size_t row = tiles.begin(task / across), rows = tiles.rows(task / across);
    const std::size_t column = task % across * columns;
    if (column >= out.dim) return;
    Product product = leftFactor({in.row(row), rows, in.dim, in.stride}, linear, kernel);
    product.firstColumn = column;
    product.columns = std::min(columns, out.dim - column);
    Finish finish;
    finish.bias = linear.bias.empty() ? nullptr : linear.bias.data() + column;
    finish.rows = out.row(row) + column;
    finish.stride = out.stride;
    kernel.multiply(product, finish);
  });
}

}  // namespace mpm::vit
