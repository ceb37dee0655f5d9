// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>

#include "models/scenes/light.h"

namespace mpm::scenes {

/// A street in front of a fixed camera: what stands there and what passes by, drawn as an ideal
/// camera would see it, without noise, rain drops or snow flakes (fog, wet and white ground
/// included). The same for the same seed, size, time and light, whatever was drawn before: what
/// stands still is painted once, without light, and lit anew in every picture, and who is where
/// follows from the time.
class Scene {
 public:
  /// std::invalid_argument where a side is shorter than 32 pixels. Things keep their share of the
  /// height; a wider picture shows more of the street.
  Scene(std::uint64_t seed, cv::Size size);
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;
  ~Scene();

  /// `picture`: CV_8UC3, BGR. `labels`: CV_8U, a Class for each pixel: the one that covers most of
  /// it. Both of the scene's size; reused where they have it.
  void draw(double time, const Light& light, const Weather& weather, cv::Mat& picture,
            cv::Mat& labels);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm::scenes
