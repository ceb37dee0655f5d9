// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "vit/in_precision.h"
#include "vit/kernels.h"
#include "vit/linear.h"
#include "vit/poisoned_rows.h"

namespace mpm::test {

struct ProductShape {
  std::size_t rows, inputs, outputs;
};

constexpr std::uint32_t kProductSeed = 41;

/// Random factors of a product, and what it is: sums in double of the operands as the precision
/// holds them, so what is left to tolerate is float32's sums, in bfloat16 too.
struct ProductCase {
  const vit::Kernels& kernel;
  OwnedRows a, addend, exact, bias;
  vit::PackedMatrix b;
  PoisonedUnits units;  // of a

  ProductCase(vit::Precision precision, const ProductShape& shape)
      : kernel(vit::kernels(precision)),
        a(normalRows(shape.rows, shape.inputs, kProductSeed)),
        addend(normalRows(shape.rows, shape.outputs, kProductSeed + 1)),
        exact(shape.rows, shape.outputs),
        bias(1, vit::padded(shape.outputs)),
        units(shape.rows, kernel.operandStride(shape.inputs)) {
    OwnedRows weight = normalRows(shape.outputs, shape.inputs, kProductSeed + 2);
    for (float& w : weight.data) w /= std::sqrt(static_cast<float>(shape.inputs));
    b.pack(weight.view(), vit::Layout::outByIn, precision);
    kernel.toOperands(a.view(), 1, units.view().data, units.view().stride);
    const OwnedRows left = asOperands(precision, a.view());
    const OwnedRows right = asOperands(precision, weight.view());
    for (std::size_t i = 0; i < shape.rows; ++i) {
      for (std::size_t j = 0; j < shape.outputs; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < shape.inputs; ++k) {
          sum += static_cast<double>(left.view().row(i)[k]) * right.view().row(j)[k];
        }
        exact.row(i)[j] = static_cast<float>(sum);
      }
    }
    const OwnedRows biases = normalRows(1, shape.outputs, kProductSeed + 3);
    std::copy(biases.data.begin(), biases.data.end(), bias.data.begin());
  }

  vit::Product product() {
    return {units.view().data, units.view().stride, a.count, b.view(), 0, a.dim, 0, b.outputs()};
  }

  OwnedRows expected(bool hasBias, bool hasAddend) const {
    OwnedRows out = exact;
    for (std::size_t i = 0; i < out.count; ++i) {
      for (std::size_t j = 0; j < out.dim; ++j) {
        if (hasBias) out.row(i)[j] += bias.data[j];
        if (hasAddend) out.row(i)[j] += addend.view().row(i)[j];
      }
    }
    return out;
  }

  // Floats of the sums plus bias, and GELU.
  OwnedRows rows(const vit::Gelu* gelu = nullptr) {
    OwnedRows out(a.count, b.outputs());
    vit::Finish finish;
    finish.bias = bias.data.data();
    finish.gelu = gelu;
    finish.rows = out.data.data();
    finish.stride = out.dim;
    kernel.multiply(product(), finish);
    return out;
  }
};

}  // namespace mpm::test
