// SPDX-License-Identifier: Apache-2.0
#include "vit/linear.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <string>

#include "processor/pool.h"
#include "vit/row_tiles.h"

namespace mpm::vit {
namespace {

// Inputs at a time: a panel's weights for them stay in the second-level cache.
constexpr std::size_t kInputChunk = 1024;

// Copies columns [first, first + width) to `out` [inputs x width], zeros past the matrix's last.
void copyColumns(ConstRows weight, Layout layout, std::size_t first, std::size_t width,
                 float* out) {
  const bool turned = layout == Layout::outByIn;
  const std::size_t inputs = turned ? weight.dim : weight.count;
  const std::size_t outputs = turned ? weight.count : weight.dim;
  const std::size_t real = std::min(width, outputs - std::min(first, outputs));
  for (std::size_t k = 0; k < inputs && real < width; ++k) {
    std::fill(out + k * width + real, out + (k + 1) * width, 0.0F);
  }
  if (!turned) {
    for (std::size_t k = 0; k < inputs; ++k) {
      std::copy_n(weight.row(k) + first, real, out + k * width);
    }
    return;
  }
  constexpr std::size_t kBlock = 16;  // a cache line of the weight at a time
  for (std::size_t begin = 0; begin < inputs; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, inputs);
    for (std::size_t j = 0; j < real; ++j) {
      const float* const row = weight.row(first + j);
      for (std::size_t k = begin; k < end; ++k) out[k * width + j] = row[k];
    }
  }
}

// Sets out[k] to input k of output j.
void copyOutput(ConstRows weight, Layout layout, std::size_t j, float* out) {
  if (layout == Layout::outByIn) {
    std::copy_n(weight.row(j), weight.dim, out);
    return;
  }
  for (std::size_t k = 0; k < weight.count; ++k) out[k] = weight.row(k)[j];
}

// Returns `count` floats and zeros up to a multiple of kColumnStep; empty for null.
std::vector<float> paddedBias(const float* bias, std::size_t count) {
  if (bias == nullptr) return {};
  std::vector<float> result(padded(count), 0.0F);
  std::copy_n(bias, count, result.begin());
  return result;
}

}  // namespace

void PackedMatrix::pack(ConstRows weight, Layout layout, Precision precision) {
  const Kernels& kernel = kernels(precision);
  const bool turned = layout == Layout::outByIn;
  view_.inputs = turned ? weight.dim : weight.count;
  view_.outputs = turned ? weight.count : weight.dim;
  view_.scales = nullptr;
  precision_ = precision;
  if (kernel.isInt8()) return packInt8(weight, layout);
  const std::size_t columns = padded(view_.outputs), units = kernel.units(view_.inputs);
  const std::size_t panel = kernel.panelColumns;
  Unit* const memory = memory_.reserve(columns * units);
  view_.data = memory;
  const bool converts = kernel.unitValues > 1;
  processor::forEachTask((columns + panel - 1) / panel, [&](std::size_t task) {
    const std::size_t first = task * panel, width = std::min(panel, columns - first);
    float* const out = converts ? processor::threadScratch().reserve(view_.inputs * width)
                                : asFloats(memory + first * view_.inputs);
    copyColumns(weight, layout, first, width, out);
    if (converts) {
      kernel.toUnitColumns({out, view_.inputs, width}, memory + first * units, width);
    }
  });
}

// Quantises each output as a row of operands; the scales come after all units.
void PackedMatrix::packInt8(ConstRows weight, Layout layout) {
  const Kernels& kernel = kernels(Precision::int8);
  const std::size_t inputs = view_.inputs, columns = padded(view_.outputs);
  if (inputs > kMostInt8Inputs)
    throw std::invalid_argument("int8: a linear layer has " + std::to_string(inputs) +
                                " inputs, whose sums may not fit; use fp32");
  const std::size_t units = kernel.operandUnits(inputs), panel = kernel.panelColumns;
  const std::size_t row = padded(inputs), tail = kernel.operandUnits(row);
  Unit* const memory = memory_.reserve(columns * (units + 1));
  float* const scales = asFloats(memory + columns * units);
  view_.data = memory;
  view_.scales = scales;
  processor::forEachTask((columns + panel - 1) / panel, [&](std::size_t task) {
    const std::size_t first = task * panel, width = std::min(panel, columns - first);
    float* const values = processor::threadScratch().reserve(row + kernel.operandStride(inputs));
    Unit* const quantised = asUnits(values + row);
    for (std::size_t j = 0; j < width; ++j) {
      std::fill_n(values, inputs, 0.0F);
      if (first + j < view_.outputs) copyOutput(weight, layout, first + j, values);
      kernel.toOperands({values, 1, inputs}, 1, quantised, kernel.operandStride(inputs));
      for (std::size_t k = 0; k < units; ++k) {
        Unit& packed = memory[first * units + k * width + j];
        packed.whole = quantised[k].whole ^ kernel.weightFlip;
      }
      scales[first + j] = quantised[tail].value;
    }
  });
}

PackedLinear::PackedLinear(const LinearWeights& weights, Precision precision)
    : matrix(weights.weight, Layout::outByIn, precision),
      bias(paddedBias(weights.bias, weights.weight.count)) {}

Product PackedLinear::product(ConstRows rows, Unit* room, std::size_t stride) const {
  const Kernels& kernel = kernels(matrix.precision());
  if (kernel.operandValues == 1) return product(asUnits(rows.data), rows.stride, rows.count);
  kernel.toOperands(rows, 1, room, stride);
  return product(room, stride, rows.count);
}

void linearCpu(ConstRows in, const PackedLinear& linear, Rows out, const Gelu* gelu) {
  assert(in.dim == linear.matrix.inputs() && out.dim == linear.matrix.outputs());
  assert(in.count == out.count);
  const Kernels& kernel = kernels(linear.matrix.precision());
  const RowTiles tiles(in.count, rowsOfTile(in.dim));
  // Splits few rows by columns as well.
  const auto threads = static_cast<std::size_t>(processor::threadCount());
  const std::size_t panels = (out.dim + kernel.panelColumns - 1) / kernel.panelColumns;
  const std::size_t across = tiles.count() >= 2 * threads ? 1 : std::min(panels, 2 * threads);
  const std::size_t columns = (panels + across - 1) / across * kernel.panelColumns;
  const std::size_t stride = kernel.operandStride(in.dim);
  // A GELU needs whole sums, and a row's int8 need all its inputs.
  const std::size_t chunk = gelu != nullptr || kernel.isInt8() ? in.dim : kInputChunk;
  processor::forEachTask(tiles.count() * across, [&](std::size_t task) {
    const std::size_t row = tiles.begin(task / across), rows = tiles.rows(task / across);
    const std::size_t column = task % across * columns;
    if (column >= out.dim) return;
    Unit* const room = asUnits(processor::threadScratch().reserve(rows * stride));
    Product product = linear.product({in.row(row), rows, in.dim, in.stride}, room, stride);
    product.firstColumn = column;
    product.columns = std::min(columns, out.dim - column);
    Finish finish;
    finish.bias = linear.bias.empty() ? nullptr : linear.bias.data() + column;
    finish.gelu = gelu;
    finish.rows = out.row(row) + column;
    finish.stride = out.stride;
    const Unit* const units = product.a;
    std::size_t first = 0;
    do {
      product.a = units + first / kernel.operandValues;
      product.firstInput = first;
      product.inputs = std::min(chunk, in.dim - first);
      kernel.multiply(product, finish);
      finish.bias = nullptr;
      finish.addend = finish.rows;
      finish.addendStride = finish.stride;
      first += chunk;
    } while (first < in.dim);
  });
}

}  // namespace mpm::vit
