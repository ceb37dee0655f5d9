// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "mpm/rows.h"
#include "processor/float_buffer.h"
#include "vit/kernels.h"

namespace mpm::vit {

/// Weights of a linear layer from K features to M: weight [M x K], bias [M] or null.
struct LinearWeights {
  ConstRows weight;
  const float* bias = nullptr;
};

/// Storage order of a matrix of weights.
enum class Layout { outByIn, inByOut };

/// A matrix of weights packed for products: made once, used for every frame.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  PackedMatrix(ConstRows weight, Layout layout, Precision precision) {
    pack(weight, layout, precision);
  }

  /// Packs again, in the same memory if it suffices. Throws std::invalid_argument for int8 with
  /// more inputs than kMostInt8Inputs.
  void pack(ConstRows weight, Layout layout, Precision precision);

  PackedView view() const { return view_; }
  Precision precision() const { return precision_; }
  std::size_t inputs() const { return view_.inputs; }
  std::size_t outputs() const { return view_.outputs; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  void packInt8(ConstRows weight, Layout layout);

  processor::Buffer<Unit> memory_;
  PackedView view_;
  Precision precision_ = Precision::fp32;
};

/// A linear layer, packed.
struct PackedLinear {
  PackedMatrix matrix;
  std::vector<float> bias;  ///< padded, as `Finish` wants it; empty: none

  PackedLinear() = default;
  PackedLinear(const LinearWeights& weights, Precision precision);

  const float* biasOrNull() const { return bias.empty() ? nullptr : bias.data(); }
  /// Returns the product of `rows` rows of units with the whole matrix.
  Product product(const Unit* a, std::size_t stride, std::size_t rows) const {
    return {a, stride, rows, matrix.view(), 0, matrix.inputs(), 0, matrix.outputs()};
  }
  /// Returns the product with rows of floats. They are used in place if a unit is a float, else
  /// converted into `room`, at least the kernels' operandStride apart.
  Product product(ConstRows rows, Unit* room, std::size_t stride) const;
};

/// Computes out [n x M] = in [n x K] weightT + bias, then GELU if there is one. `out` does not
/// overlap `in`. Sums are float32; the result does not depend on the number of threads.
void linearCpu(ConstRows in, const PackedLinear& linear, Rows out, const Gelu* gelu = nullptr);

}  // namespace mpm::vit
