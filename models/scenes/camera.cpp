// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/camera.h"

#include <bit>
#include <cstdint>
#include <stdexcept>

#include "models/scenes/chance.h"
#include "models/scenes/exposure.h"
#include "models/scenes/precipitation.h"
#include "models/scenes/scene.h"
#include "models/scenes/sensor.h"

namespace mpm::scenes {
namespace {

CameraOptions checked(const CameraOptions& options) {
  const auto fits = [](int side) { return side >= kShortestSide && side <= kLongestSide; };
  if (!fits(options.size.width) || !fits(options.size.height)) {
    throw std::invalid_argument(cv::format(
        "a drawn camera's picture is %d to %d pixels wide and high; %d x %d is asked for",
        kShortestSide, kLongestSide, options.size.width, options.size.height));
  }
  if (!(options.clock > 0)) throw std::invalid_argument("a drawn camera's clock is more than 0");
  return options;
}

}  // namespace

class Camera::Impl {
 public:
  explicit Impl(const CameraOptions& options)
      : options_(checked(options)), scene_(options.seed, options.size) {}

  void shoot(double time, cv::Mat& picture, cv::Mat& labels) {
    const Weather weather = weatherAt(options_.seed, time, options_.weather);
    const Light light = lightAt(options_.seed, time, weather);
    scene_.draw(time, light, weather, picture, labels);
    if (!options_.sensor) return;
    drawPrecipitation(picture, light, weather, options_.seed, time / options_.clock);
    const Chance noise = Chance(options_.seed, 7600).stream(std::bit_cast<std::uint64_t>(time));
    sensor_.take(picture, exposureAt(options_, time), noise);
  }

 private:
  CameraOptions options_;
  Scene scene_;
  Sensor sensor_;
};

Camera::Camera(const CameraOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Camera::Camera(Camera&&) noexcept = default;
Camera& Camera::operator=(Camera&&) noexcept = default;
Camera::~Camera() = default;

void Camera::shoot(double time, cv::Mat& picture, cv::Mat& labels) {
  impl_->shoot(time, picture, labels);
}

}  // namespace mpm::scenes
