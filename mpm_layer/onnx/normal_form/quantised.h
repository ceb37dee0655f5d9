// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/model.h"

namespace mpm::onnx {

// How whole numbers stand for reals: (number - zero) * scale. Names of constants; no zero is 0.
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

// What a constant of whole numbers of 4 to 32 bits stands for; nothing where one of the names is no
// such constant, or the scales fit no axis.
std::optional<Reals> realsOf(const Model& model, const std::string& constant,
                             const Quantisation& quantisation);

// What a constant of reals stands for once it is written in whole numbers: each rounded, ties to
// even, and cut off where the type of the zero ends (uint8 without one). Nothing as above.
std::optional<Reals> roundedOf(const Model& model, const std::string& constant,
                               const Quantisation& quantisation);

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
