// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/photon_noise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace mpm::scenes {
namespace {

constexpr int kSteps = 49;  // of the table, from no electron to kGaussianFrom

double shareBelow(double deviate) { return 0.5 * std::erfc(-deviate / std::sqrt(2.0)); }

// Probabilities of 0, 1, 2, ... electrons, up to where nothing is left to a float.
std::vector<double> poisson(double mean) {
  std::vector<double> shares = {std::exp(-mean)};
  const int last = static_cast<int>(mean + 8 * std::sqrt(mean) + 12);
  for (int k = 1; k <= last; ++k) shares.push_back(shares.back() * mean / k);
  return shares;
}

Quantiles countQuantiles(const std::vector<double>& shares) {
  Quantiles found;
  std::size_t count = 0;
  double below = shares[0];
  for (int bin = 0; bin < kNoiseBins; ++bin) {
    while (below < shareBelow(deviateOf(bin)) && count + 1 < shares.size())
      below += shares[++count];
    found[static_cast<std::size_t>(bin)] = static_cast<float>(count);
  }
  return found;
}

// Share of readings below x: the counts' Gaussians summed; those far from x are 0 or 1.
double readingsBelow(const std::vector<double>& shares, double reading, double x) {
  double sum = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const double deviate = (x - static_cast<double>(k)) / reading;
    if (deviate < -6) break;
    sum += deviate > 6 ? shares[k] : shares[k] * shareBelow(deviate);
  }
  return sum;
}

Quantiles exactQuantiles(double electrons, double reading) {
  const std::vector<double> shares = poisson(electrons);
  if (reading <= 0) return countQuantiles(shares);
  Quantiles found;
  const double step = reading / 8;
  double x = -4.5 * reading, below = readingsBelow(shares, reading, x), before = below;
  for (int bin = 0; bin < kNoiseBins; ++bin) {
    const double wanted = shareBelow(deviateOf(bin));
    while (below < wanted && x < static_cast<double>(shares.size()) + 6 * reading) {
      before = below;
      x += step;
      below = readingsBelow(shares, reading, x);
    }
    const double part =
        below > before ? std::clamp((below - wanted) / (below - before), 0.0, 1.0) : 0;
    found[static_cast<std::size_t>(bin)] = static_cast<float>(x - step * part);
  }
  return found;
}

void gaussianQuantiles(double electrons, double reading, Quantiles& found) {
  const double variance = electrons + reading * reading, sigma = std::sqrt(variance);
  const double skew = electrons / (6 * variance * sigma);
  for (int bin = 0; bin < kNoiseBins; ++bin) {
    const double z = deviateOf(bin);
    found[static_cast<std::size_t>(bin)] =
        static_cast<float>(electrons + sigma * (z + skew * (z * z - 1)));
  }
}

}  // namespace

Quantiles photonQuantiles(double electrons, double reading) {
  if (electrons < kGaussianFrom) return exactQuantiles(electrons, reading);
  Quantiles found;
  gaussianQuantiles(electrons, reading, found);
  return found;
}

PhotonTable::PhotonTable(double reading) : reading_(reading) {
  for (int step = 0; step < kSteps; ++step) {
    const double root = std::sqrt(kGaussianFrom) * step / (kSteps - 1);
    rows_.push_back(exactQuantiles(root * root, reading));
    for (float& quantile : rows_.back()) quantile -= static_cast<float>(root * root);
  }
}

void PhotonTable::quantiles(double electrons, Quantiles& found) const {
  if (electrons >= kGaussianFrom) {
    gaussianQuantiles(electrons, reading_, found);
    return;
  }
  const double place = std::sqrt(std::max(electrons, 0.0) / kGaussianFrom) * (kSteps - 1);
  const auto step = std::min(static_cast<std::size_t>(place), rows_.size() - 2);
  const auto part = static_cast<float>(place - static_cast<double>(step));
  for (std::size_t bin = 0; bin < found.size(); ++bin) {
    found[bin] = static_cast<float>(electrons) + rows_[step][bin] +
                 (rows_[step + 1][bin] - rows_[step][bin]) * part;
  }
}

}  // namespace mpm::scenes
