// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnx/lower_spelling.h"

namespace mpm::onnx {

// What a Resize or Upsample of [B C H W] says that changes height and width alone. ONNX's names.
struct Resizing {
  std::string mode, place, rounding;
  float bend = -0.75F;        // cubic_coeff_a
  Integers from, to;          // of 4; batch may be -1
  std::vector<float> scales;  // of 4, or none: to / from
};

// Of spelling.node(); nothing where sizes are not known, or where it is another kind of resizing.
std::optional<Resizing> readResizing(Spelling& spelling);

}  // namespace mpm::onnx
