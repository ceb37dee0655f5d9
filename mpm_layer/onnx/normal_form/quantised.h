// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/model.h"

namespace mpm::onnx {

// Meaning of integers as reals: (number - zero) * scale. Names of constants; no zero is 0.
struct Quantisation {
  std::string scale, zero;
  std::int64_t axis = 1;   // along which scales differ, where there are several; < 0: from the end
  std::int64_t block = 0;  // this many along the axis share one, where it is not 0
};

// Values of a model that are known before it runs.
struct Reals {
  std::vector<std::int64_t> dims;
  std::vector<float> values;
};

// Returns the reals of a constant of integers with 4 to 32 bits. Returns std::nullopt if a name is
// not such a constant, or the scales fit no axis.
std::optional<Reals> realsOf(const Model& model, const std::string& constant,
                             const Quantisation& quantisation);

// Returns the reals of a constant after quantisation: rounded, ties to even, and clamped to the
// zero's type (uint8 without one). Returns std::nullopt as above.
std::optional<Reals> roundedOf(const Model& model, const std::string& constant,
                               const Quantisation& quantisation);

// Bounds of a value that follow from its few bits. Exporters rely on them: they leave out a ReLU if
// its numbers start at zero.
struct Bound {
  float low = 0, high = 0;
  bool isBelowAlone =
      false;  // what is above `high` is an outlier that calibration has not seen, and may stay
};

// Returns the bound of numbers with this scale and zero if a model may rely on it. It may if they
// start at zero, and the value may be lower. After a convolution the bound is upper too, since
// activations are clamped above as well.
std::optional<Bound> boundOf(const Model& model, const std::string& value, const std::string& scale,
                             const std::string& zero);

}  // namespace mpm::onnx
