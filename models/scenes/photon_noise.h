// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "models/scenes/noise_strip.h"

namespace mpm::scenes {

/// What a pixel reads, in electrons, for each bin of a normal deviate: the quantiles of a count of
/// `electrons` on average (Poisson) and reading it with an error of `reading` (Gaussian, 0 for
/// none). Exact up to kGaussianFrom, to a thousandth of the error; above that a Gaussian of the
/// same mean, variance and skewness.
using Quantiles = std::array<float, kNoiseBins>;
Quantiles photonQuantiles(double electrons, double reading);

constexpr double kGaussianFrom = 24;

/// The same by looking up, for one reading error of at least 1: what is made for many means.
class PhotonTable {
 public:
  explicit PhotonTable(double reading);
  void quantiles(double electrons, Quantiles& found) const;

 private:
  double reading_;
  std::vector<Quantiles> rows_;  ///< less the mean, at square roots of means that are equally apart
};

}  // namespace mpm::scenes
