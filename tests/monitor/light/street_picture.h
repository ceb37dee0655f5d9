// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "monitor/clock/manual_clock.h"
#include "monitor/light/light_meter.h"

namespace mpm::test {

/// A street of a few coloured areas whose mean luma is about `brightness`.
inline cv::Mat streetPicture(double brightness, std::uint64_t seed = 1) {
  cv::Mat picture(120, 160, CV_8UC3, cv::Scalar(90, 95, 100));
  picture.rowRange(0, 40).setTo(cv::Scalar(190, 150, 120));
  picture(cv::Rect(10, 30, 45, 50)).setTo(cv::Scalar(60, 90, 170));
  picture(cv::Rect(100, 20, 50, 65)).setTo(cv::Scalar(70, 150, 80));
  picture.convertTo(picture, CV_8U, brightness / (cv::mean(picture)[1] / 255));
  cv::Mat noise(picture.size(), CV_16SC3), noisy;
  cv::RNG rng(seed);
  rng.fill(noise, cv::RNG::NORMAL, cv::Scalar::all(0), cv::Scalar::all(4));
  cv::add(picture, noise, noisy, cv::noArray(), CV_8U);
  return noisy;
}

/// As a camera's infrared light shows it, and JPEG hands it out: next to no colour.
inline cv::Mat infraredPicture(double brightness, std::uint64_t seed = 1) {
  cv::Mat grey, picture;
  cv::cvtColor(streetPicture(brightness, seed), grey, cv::COLOR_BGR2GRAY);
  cv::cvtColor(grey, picture, cv::COLOR_GRAY2BGR);
  cv::Mat cast(picture.size(), CV_16SC3), tinted;
  cv::RNG rng(seed + 1);
  rng.fill(cast, cv::RNG::NORMAL, cv::Scalar::all(0), cv::Scalar::all(2));
  cv::add(picture, cast, tinted, cv::noArray(), CV_8U);
  std::vector<unsigned char> jpeg;
  cv::imencode(".jpg", tinted, jpeg, {cv::IMWRITE_JPEG_QUALITY, 70});
  return cv::imdecode(jpeg, cv::IMREAD_COLOR);
}

/// A camera in front of a meter, and which states it has shown.
class Watch {
 public:
  explicit Watch(const monitor::LightOptions& options = {}, std::int64_t utcMs = 1700000000000)
      : meter_(options), clock_(utcMs) {}

  monitor::LightState see(const cv::Mat& picture, std::int64_t afterMs = 100) {
    clock_.advance(afterMs);
    reading_ = meter_.update(picture, clock_.now());
    if (states_.empty() || states_.back() != reading_.state) states_.push_back(reading_.state);
    return reading_.state;
  }
  /// The same picture with fresh noise, ten times a second.
  template <typename Picture>
  monitor::LightState see(const Picture& picture, double seconds) {
    for (double time = 0; time < seconds; time += 0.1) see(picture(++seed_));
    return reading_.state;
  }
  monitor::LightState seeStreet(double brightness, double seconds) {
    return see([&](std::uint64_t seed) { return streetPicture(brightness, seed); }, seconds);
  }
  monitor::LightState seeInfrared(double brightness, double seconds) {
    return see([&](std::uint64_t seed) { return infraredPicture(brightness, seed); }, seconds);
  }

  const monitor::LightReading& reading() const { return reading_; }
  const std::vector<monitor::LightState>& states() const { return states_; }
  void forgetStates() { states_.clear(); }
  monitor::ManualClock& clock() { return clock_; }

 private:
  monitor::LightMeter meter_;
  monitor::ManualClock clock_;
  monitor::LightReading reading_;
  std::vector<monitor::LightState> states_;
  std::uint64_t seed_ = 0;
};

}  // namespace mpm::test
