// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <vector>

#include "models/scenes/camera.h"
#include "models/scenes/chance.h"
#include "models/scenes/light.h"

namespace mpm::scenes {

/// Normal deviates are stored as bin numbers: kNoiseBins of them between -4 and 4.
constexpr int kNoiseBins = 512;
constexpr double deviateOf(int bin) { return (bin - (kNoiseBins - 1) / 2.0) * (8.0 / kNoiseBins); }

/// Normal deviates, drawn once per program: mean 0 and variance 1 to 1e-4. Each row of noise takes
/// a piece of the strip that a hash chose, sometimes reversed, so that no pattern repeats.
class NoiseStrip {
 public:
  static constexpr std::size_t kLongestPiece = 4096;

  struct Piece {
    const std::uint16_t* bins;  ///< kLongestPiece of them
    unsigned turn;              ///< to be xored with every bin
  };

  static const NoiseStrip& get();

  Piece piece(const Chance& chance, std::uint64_t index) const {
    const std::uint64_t bits = chance.bits(index);
    const std::size_t offset = (bits >> 8) % (bins_.size() - kLongestPiece + 1);
    return {bins_.data() + offset, (bits & 1) != 0 ? kNoiseBins - 1U : 0U};
  }

 private:
  NoiseStrip();
  std::vector<std::uint16_t> bins_;
};

/// A pixel's reading, in electrons, for each bin of a normal deviate: quantiles of a Poisson count
/// with mean `electrons`, plus a Gaussian reading error (`reading`, 0 for none). Exact up to
/// kGaussianFrom, to a thousandth of the error; above that a Gaussian of the same mean, variance
/// and skewness.
using Quantiles = std::array<float, kNoiseBins>;
Quantiles photonQuantiles(double electrons, double reading);

constexpr double kGaussianFrom = 24;

/// Looks the quantiles up, for one reading error of at least 1: made for many means.
class PhotonTable {
 public:
  explicit PhotonTable(double reading);
  void quantiles(double electrons, Quantiles& found) const;

 private:
  double reading_;
  std::vector<Quantiles> rows_;  ///< less the mean, at square roots of means that are equally apart
};

/// Returns linear light, 0 to 1, for each pixel value (the curve of sRGB).
const std::array<float, 256>& linearLight();

/// Maps each pixel value under each deviate of noise: a noisy sensor as one table.
class NoisyTones {
 public:
  NoisyTones();

  /// White is `electrons`; `gain` brightens linear light before that, `reading` as in PhotonTable.
  /// `quantiles` returns those of a mean in electrons.
  void set(double gain, double electrons,
           const std::function<void(double mean, Quantiles& found)>& quantiles);

  /// Changes every value of `picture` (8 bits, any number of channels) in place.
  void apply(cv::Mat& picture, const Chance& chance) const;

 private:
  std::vector<std::uint8_t> tones_;  ///< [256][kNoiseBins]
};

struct NightOptions {
  double luminosity = 0.25;  ///< what is left of the picture's linear light, above 0 up to 1
  double thermal = 0.006;    ///< standard deviation of the Gaussian part, in shares of white
  double electrons = 400;    ///< that white stands for: the fewer, the stronger the shot noise
  std::uint64_t seed = 7;
};

/// The paper's night, for any image: less light, Gaussian thermal noise and Poisson shot noise.
class PaperNight {
 public:
  /// Throws std::invalid_argument if an option is out of range.
  explicit PaperNight(const NightOptions& options = {});

  /// Darkens `picture`, 8 bits with any channels, in place. Noise follows from seed and `frame`.
  void darken(cv::Mat& picture, std::uint64_t frame) const;

 private:
  Chance chance_;
  NoisyTones tones_;
};

/// Exposure settings of a frame.
struct Exposure {
  double gain = 1;          ///< of linear light, against what the light asks for
  double electrons = 9000;  ///< that white stands for, as the frame shows it
};

/// Returns the camera's exposure at this time of the scene. It aims at level ^ -kMetering: at night
/// a little more than the light's own 1 / level, since a meter takes dark walls for grey. It
/// follows within about kExposureLag seconds of the camera, first by longer shutter times, then by
/// gain, up to the limits of both.
Exposure exposureAt(const CameraOptions& options, double time);

constexpr double kExposureLag = 2, kMetering = 1.06;
constexpr int kQuality = 88, kLowQuality = 60;  ///< of JPEGs

/// Models a slightly unsharp lens, a sensor that counts electrons, and JPEG.
class Sensor {
 public:
  Sensor();

  /// Turns an ideal image (CV_8UC3) into the camera's output. `chance` gives the noise, `quality`
  /// is the JPEG's.
  void take(cv::Mat& picture, const Exposure& exposure, const Chance& chance,
            int quality = kQuality);

 private:
  PhotonTable photons_;
  NoisyTones tones_;
  Exposure made_{0, 0};  // what tones_ are for
  std::vector<unsigned char> jpeg_;
};

/// Draws what falls between the street and the lens: rain as streaks, snow as flakes. Near ones are
/// larger, faster and less sharp; both add a slight veil. `seconds` are the camera's: drops fall at
/// their own pace however fast the scene's clock is.
void drawPrecipitation(cv::Mat& picture, const Light& light, const Weather& weather,
                       std::uint64_t seed, double seconds);

}  // namespace mpm::scenes
