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

/// Normal deviates are kept as numbers of bins: kNoiseBins of them between -4 and 4.
constexpr int kNoiseBins = 512;
constexpr double deviateOf(int bin) { return (bin - (kNoiseBins - 1) / 2.0) * (8.0 / kNoiseBins); }

/// Normal deviates, drawn once for the whole program: mean 0 and variance 1 to 1e-4. Whoever needs
/// noise for a row of pixels takes a piece of the strip that a hash chose, turned over or not, so
/// that no pattern comes back.
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

/// Linear light, 0 to 1, of the values of a picture (the curve of sRGB).
const std::array<float, 256>& linearLight();

/// What each value of a picture becomes under each deviate of noise: a noisy sensor as one table.
class NoisyTones {
 public:
  NoisyTones();

  /// White stands for `electrons`; `gain` brightens linear light before that, `reading` as in
  /// PhotonTable. `quantiles` gives those of a mean in electrons.
  void set(double gain, double electrons,
           const std::function<void(double mean, Quantiles& found)>& quantiles);

  /// Every value of `picture` (8 bits, any number of channels) by itself, in place.
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

/// The paper's night, for any picture: less light, Gaussian thermal noise and Poisson shot noise.
class PaperNight {
 public:
  /// std::invalid_argument where an option is out of range.
  explicit PaperNight(const NightOptions& options = {});

  /// `picture`: 8 bits, any number of channels, in place. The noise follows from seed and `frame`.
  void darken(cv::Mat& picture, std::uint64_t frame) const;

 private:
  Chance chance_;
  NoisyTones tones_;
};

/// How a frame is exposed.
struct Exposure {
  double gain = 1;          ///< of linear light, against what the light asks for
  double electrons = 9000;  ///< that white stands for, as the frame shows it
};

/// What the camera's exposure has come to at this time of the scene. It wants level ^ -kMetering:
/// by night a little more than the light's own 1 / level, since a meter takes dark walls for grey.
/// It follows within about kExposureLag seconds of the camera, with longer shutter times first,
/// then with amplification, until neither has any more.
Exposure exposureAt(const CameraOptions& options, double time);

constexpr double kExposureLag = 2, kMetering = 1.06;
constexpr int kQuality = 88, kLowQuality = 60;  ///< of JPEGs

/// A lens that is not quite sharp, a sensor that counts electrons, and JPEG.
class Sensor {
 public:
  Sensor();

  /// Turns an ideal picture (CV_8UC3) into what the camera hands out. The noise is the chance's.
  /// `quality`: of the JPEG.
  void take(cv::Mat& picture, const Exposure& exposure, const Chance& chance,
            int quality = kQuality);

 private:
  PhotonTable photons_;
  NoisyTones tones_;
  Exposure made_{0, 0};  // what tones_ are for
  std::vector<unsigned char> jpeg_;
};

/// Draws what falls between the street and the lens: rain as streaks, snow as flakes that are
/// larger, faster and less sharp the nearer they are, both with a slight veil. `seconds` are the
/// camera's: drops fall at their own pace however fast the scene's clock is.
void drawPrecipitation(cv::Mat& picture, const Light& light, const Weather& weather,
                       std::uint64_t seed, double seconds);

}  // namespace mpm::scenes
