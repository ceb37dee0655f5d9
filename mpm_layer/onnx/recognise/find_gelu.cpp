// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/find.h"

#include <cmath>

#include "onnx/recognise/scalar_function.h"

namespace mpm::onnx {
namespace {

// Constants in a file may be rounded to a few digits, or to half precision (1.4140625 for the root
// of 2, which is 3e-5 off); the three functions lie 5e-4 apart and more.
constexpr double kTolerance = 1.2e-4;

bool computes(const ScalarFunction& function, const std::string& argument, Gelu kind) {
  for (int step = -32; step <= 32; ++step) {
    const double x = step / 4.0 + 0.01;
    const std::optional<double> y = function.at(argument, x);
    if (!y || !(std::abs(*y - geluOf(kind, x)) <= kTolerance)) return false;
  }
  return true;
}

}  // namespace

std::optional<FoundGelu> findGelu(const Model& model, const std::string& output) {
  const ScalarFunction function(model, output);
  std::optional<FoundGelu> best;
  for (const std::string& argument : function.candidates()) {
    for (const Gelu kind : kGelus) {
      if (!computes(function, argument, kind)) continue;
      FoundGelu found{kind, argument, function.nodesFrom(argument)};
      if (!best || found.nodes.size() < best->nodes.size()) best = found;
    }
  }
  return best;
}

}  // namespace mpm::onnx
