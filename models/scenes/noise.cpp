// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/noise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace mpm::scenes {
namespace {

// With 16 bits each it stays in a second-level cache.
constexpr std::size_t kLength = std::size_t{1} << 17;

// Of a normal distribution.
double shareBelow(double deviate) { return 0.5 * std::erfc(-deviate / std::sqrt(2.0)); }

}  // namespace

const NoiseStrip& NoiseStrip::get() {
  static const NoiseStrip strip;
  return strip;
}

// Every bin as often as the normal distribution has it, in an order by chance.
NoiseStrip::NoiseStrip() {
  bins_.reserve(kLength);
  for (int bin = 0; bin < kNoiseBins; ++bin) {
    const double share =
        bin + 1 == kNoiseBins ? 1 : shareBelow((deviateOf(bin) + deviateOf(bin + 1)) / 2);
    const auto end = static_cast<std::size_t>(std::lround(share * kLength));
    while (bins_.size() < end) bins_.push_back(static_cast<std::uint16_t>(bin));
  }
  const Chance chance(7400);
  for (std::size_t i = kLength; i > 1; --i) std::swap(bins_[i - 1], bins_[chance.bits(i) % i]);
}

namespace {

constexpr int kSteps = 49;  // of the table, from no electron to kGaussianFrom

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

namespace {

// Fine enough for sRGB's straight part: a fifth of a value for each step.
constexpr int kLightSteps = 16384;

double encoded(double light) {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

const std::vector<std::uint8_t>& valuesOfLight() {
  static const std::vector<std::uint8_t> values = [] {
    std::vector<std::uint8_t> made(kLightSteps);
    for (int i = 0; i < kLightSteps; ++i) {
      const double light = static_cast<double>(i) / (kLightSteps - 1);
      made[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(255 * encoded(light) + 0.5);
    }
    return made;
  }();
  return values;
}

}  // namespace

const std::array<float, 256>& linearLight() {
  static const std::array<float, 256> light = [] {
    std::array<float, 256> made{};
    for (std::size_t value = 0; value < made.size(); ++value) {
      const double v = static_cast<double>(value) / 255;
      made[value] =
          static_cast<float>(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
    }
    return made;
  }();
  return light;
}

NoisyTones::NoisyTones() : tones_(256 * std::size_t{kNoiseBins}) {}

void NoisyTones::set(double gain, double electrons,
                     const std::function<void(double mean, Quantiles& found)>& quantiles) {
  const std::uint8_t* values = valuesOfLight().data();
  const auto scale = static_cast<float>((kLightSteps - 1) / electrons);
  Quantiles found;
  for (std::size_t value = 0; value < 256; ++value) {
    quantiles(gain * electrons * linearLight()[value], found);
    std::uint8_t* row = tones_.data() + value * kNoiseBins;
    for (std::size_t bin = 0; bin < kNoiseBins; ++bin) {
      const float light = std::clamp(found[bin] * scale + 0.5F, 0.0F, kLightSteps - 1.0F);
      row[bin] = values[static_cast<std::size_t>(light)];
    }
  }
}

void NoisyTones::apply(cv::Mat& picture, const Chance& chance) const {
  const NoiseStrip& strip = NoiseStrip::get();
  const std::size_t width = static_cast<std::size_t>(picture.cols) * picture.elemSize();
  std::uint64_t index = 0;
  for (int y = 0; y < picture.rows; ++y) {
    std::uint8_t* row = picture.ptr(y);
    for (std::size_t from = 0; from < width; from += NoiseStrip::kLongestPiece) {
      const std::size_t end = std::min(width, from + NoiseStrip::kLongestPiece);
      const auto [bins, turn] = strip.piece(chance, index++);
      for (std::size_t i = from; i < end; ++i) {
        row[i] = tones_[row[i] * std::size_t{kNoiseBins} + (bins[i - from] ^ turn)];
      }
    }
  }
}

PaperNight::PaperNight(const NightOptions& options) : chance_(options.seed, 7700) {
  if (!(options.luminosity > 0 && options.luminosity <= 1)) {
    throw std::invalid_argument("a night's luminosity is above 0 and at most 1");
  }
  if (!(options.thermal >= 0 && options.thermal < 1)) {
    throw std::invalid_argument("a night's thermal noise is from 0 to less than 1, in white");
  }
  if (!(options.electrons >= 1 && options.electrons <= 1e6)) {
    throw std::invalid_argument("a night's white stands for 1 to 1000000 electrons");
  }
  const double reading = options.thermal * options.electrons;
  tones_.set(options.luminosity, options.electrons,
             [&](double mean, Quantiles& found) { found = photonQuantiles(mean, reading); });
}

void PaperNight::darken(cv::Mat& picture, std::uint64_t frame) const {
  CV_Assert(picture.depth() == CV_8U);
  tones_.apply(picture, chance_.stream(frame));
}

}  // namespace mpm::scenes
