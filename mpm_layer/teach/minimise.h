// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace mpm::teach {

/// A function's value at x; its gradient, of as many numbers, is written.
using Objective =
    std::function<double(const std::vector<double>& x, std::vector<double>& gradient)>;

struct Minimum {
  std::vector<double> x;
  double value = 0;
  int steps = 0;
};

/// Where a smooth convex function is smallest, by L-BFGS from `start` on. Ends where a step gains
/// less than `tolerance` of the value, where no step gains anything, or after `mostSteps`. The same
/// start gives the same end.
Minimum minimise(const Objective& objective, std::vector<double> start, int mostSteps,
                 double tolerance);

}  // namespace mpm::teach
