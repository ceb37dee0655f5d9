// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/sensor.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

namespace mpm::scenes {
namespace {

constexpr double kFullWell = 9000;      // electrons of white at noon's shutter time
constexpr double kLongestShutter = 32;  // noon's is 1: a thousandth of a second and a thirtieth
constexpr double kMostExposure = 700;   // shutter time and amplification together
constexpr double kLeastExposure = 0.5;
constexpr double kHighGain = 80;                 // ISO 6400, where noon's is 80
constexpr double kPump = 0.5, kPumpSeconds = 3;  // in doublings

// Tables of tones are made for such steps of gain and electrons: less than anyone sees.
constexpr double kGainSteps = 128, kElectronSteps = 16;  // in a doubling

double inSteps(double value, double steps) {
  return std::exp2(std::round(std::log2(value) * steps) / steps);
}

double wantedExposure(const CameraOptions& options, double time) {
  const Light light = lightAt(options.seed, time, weatherAt(options.seed, time, options.weather));
  return std::clamp(std::pow(light.level, -kMetering), kLeastExposure, kMostExposure);
}

// The mean of what was wanted, the more recent the heavier: exp(-age / lag), as so many ages that
// weigh the same.
double reachedExposure(const CameraOptions& options, double time) {
  constexpr int kAges = 12;
  double sum = 0;
  for (int i = 0; i < kAges; ++i) {
    const double age = -kExposureLag * std::log(1 - (i + 0.5) / kAges);
    sum += std::log(wantedExposure(options, time - age * options.clock));
  }
  return std::exp(sum / kAges);
}

}  // namespace

Exposure exposureAt(const CameraOptions& options, double time) {
  const Light light = lightAt(options.seed, time, weatherAt(options.seed, time, options.weather));
  const double exposure = reachedExposure(options, time);
  double gain = exposure * light.level, amplified = std::max(1.0, exposure / kLongestShutter);
  if (options.trouble == Trouble::noise) amplified *= kHighGain;
  if (options.trouble == Trouble::pumping)
    gain *= std::exp2(kPump * std::sin(2 * CV_PI * time / options.clock / kPumpSeconds));
  return {inSteps(gain, kGainSteps), inSteps(kFullWell / amplified, kElectronSteps)};
}

namespace {

constexpr double kReading = 1.8;  // electrons
constexpr double kBlur = 0.5;     // pixels

}  // namespace

Sensor::Sensor() : photons_(kReading) {}

void Sensor::take(cv::Mat& picture, const Exposure& exposure, const Chance& chance, int quality) {
  if (exposure.gain != made_.gain || exposure.electrons != made_.electrons) {
    tones_.set(exposure.gain, exposure.electrons,
               [&](double mean, Quantiles& found) { photons_.quantiles(mean, found); });
    made_ = exposure;
  }
  cv::GaussianBlur(picture, picture, {3, 3}, kBlur, kBlur, cv::BORDER_REPLICATE);
  tones_.apply(picture, chance);
  cv::imencode(".jpg", picture, jpeg_, {cv::IMWRITE_JPEG_QUALITY, quality});
  cv::imdecode(jpeg_, cv::IMREAD_COLOR, &picture);
}

}  // namespace mpm::scenes
