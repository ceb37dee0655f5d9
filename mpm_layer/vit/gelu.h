// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpm/rows.h"

namespace mpm::vit {

/// x times the normal distribution's integral up to x, or one of the two shapes that trained
/// networks have in its place.
enum class Gelu {
  erf,    ///< x / 2 (1 + erf(x / sqrt 2))
  tanh,   ///< x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  quick,  ///< x / (1 + exp(-1.702 x))
};

/// Every float of `rows` in place. Within 5e-7 of max(1, |x|) of the exact value.
void geluReference(Gelu kind, Rows rows);
void geluCpu(Gelu kind, Rows rows);

}  // namespace mpm::vit
