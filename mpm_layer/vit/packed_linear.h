// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "mpm/rows.h"
#include "processor/float_buffer.h"
#include "vit/kernels.h"
#include "vit/linear.h"

namespace mpm::vit {

/// How a matrix of weights is stored.
enum class Layout { outByIn, inByOut };

/// A matrix of weights as products want it: made once, used for every frame.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  PackedMatrix(ConstRows weight, Layout layout, Precision precision) {
    pack(weight, layout, precision);
  }

  /// Anew, in the same memory where it suffices.
  void pack(ConstRows weight, Layout layout, Precision precision);

  PackedView view() const { return view_; }
  Precision precision() const { return precision_; }
  std::size_t inputs() const { return view_.inputs; }
  std::size_t outputs() const { return view_.outputs; }

 private:
  processor::FloatBuffer memory_;
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
};

/// `count` floats and zeros up to a multiple of kColumnStep; nothing of a null pointer.
std::vector<float> paddedBias(const float* bias, std::size_t count);

}  // namespace mpm::vit
