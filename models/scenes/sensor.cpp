// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/sensor.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

namespace mpm::scenes {
namespace {

constexpr double kReading = 1.8;  // electrons
constexpr double kBlur = 0.5;     // pixels
constexpr int kQuality = 88;

}  // namespace

Sensor::Sensor() : photons_(kReading) {}

void Sensor::take(cv::Mat& picture, const Exposure& exposure, const Chance& chance) {
  if (exposure.gain != made_.gain || exposure.electrons != made_.electrons) {
    tones_.set(exposure.gain, exposure.electrons,
               [&](double mean, Quantiles& found) { photons_.quantiles(mean, found); });
    made_ = exposure;
  }
  cv::GaussianBlur(picture, picture, {3, 3}, kBlur, kBlur, cv::BORDER_REPLICATE);
  tones_.apply(picture, chance);
  cv::imencode(".jpg", picture, jpeg_, {cv::IMWRITE_JPEG_QUALITY, kQuality});
  cv::imdecode(jpeg_, cv::IMREAD_COLOR, &picture);
}

}  // namespace mpm::scenes
