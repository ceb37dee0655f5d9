// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "mpm/rows.h"
#include "processor/float_buffer.h"
#include "vit/kernels.h"

namespace mpm::vit {

/// Of a linear layer from K features to M: weight [M x K], bias [M] or null.
struct LinearWeights {
  ConstRows weight;
  const float* bias = nullptr;
};

/// How a matrix of weights is stored.
enum class Layout { outByIn, inByOut };

/// A matrix of weights as products want it: made once, used for every frame.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  PackedMatrix(ConstRows weight, Layout layout, Precision precision) {
    pack(weight, layout, precision);
  }

  /// Anew, in the same memory where it suffices. std::invalid_argument of int8 with more inputs
  /// than kMostInt8Inputs.
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
  /// The product of `rows` rows of units with the whole matrix.
  Product product(const Unit* a, std::size_t stride, std::size_t rows) const {
    return {a, stride, rows, matrix.view(), 0, matrix.inputs(), 0, matrix.outputs()};
  }
  /// The same of rows of floats: as they lie where a unit is a float, else converted into `room`,
  /// `stride` or more than the kernels' operandStride apart.
  Product product(ConstRows rows, Unit* room, std::size_t stride) const;
};

/// out [n x M] = in [n x K] weightT + bias, and of that the GELU where there is one. `out` does not
/// overlap `in`. Sums are in float32; the result does not depend on the number of threads.
void linearCpu(ConstRows in, const PackedLinear& linear, Rows out, const Gelu* gelu = nullptr);

}  // namespace mpm::vit
