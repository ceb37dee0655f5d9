// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "vit/gelu.h"

namespace mpm::vit {
namespace {

constexpr double kPi = 3.14159265358979323846;

double gelu(Gelu kind, double x) {
  switch (kind) {
    case Gelu::erf:
      return x / 2 * std::erfc(-x / std::sqrt(2.0));
    case Gelu::tanh:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / kPi) * (x + 0.044715 * x * x * x)));
    case Gelu::quick:
      break;
  }
  return x / (1 + std::exp(-1.702 * x));
}

}  // namespace

void geluReference(Gelu kind, Rows rows) {
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t k = 0; k < rows.dim; ++k) {
      rows.row(i)[k] = static_cast<float>(gelu(kind, rows.row(i)[k]));
    }
  }
}

}  // namespace mpm::vit
