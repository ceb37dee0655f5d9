// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "onnx/model.h"

namespace mpm::onnx {

// Between what a value lies because it is written in few bits. Exporters rely on it: they leave out
// a ReLU whose numbers begin at zero.
struct Bound {
  float low = 0, high = 0;
  bool isBelowAlone =
      false;  // what is above `high` is an outlier that calibration has not seen, and may stay
};

// The bound that numbers with this scale and zero set a value, where somebody may have relied on
// it: they begin at zero, and the value is not known to. Behind a convolution, where activations
// are cut off above as well, it is both ways.
std::optional<Bound> boundOf(const Model& model, const std::string& value, const std::string& scale,
                             const std::string& zero);

}  // namespace mpm::onnx
