// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>

#include "models/scenes/light.h"

namespace mpm::scenes {

/// Causes that change a fixed camera's frame although the scene hardly changes.
enum class Trouble {
  none,
  jpeg,     ///< compressed at quality 60
  noise,    ///< ISO 6400 in bright light: an eightieth of the electrons
  pumping,  ///< exposure that never settles: half a stop up and down every three seconds
  gale,     ///< trees sway as in a storm
  nudged,   ///< kTroubleAfter seconds behind the start the picture moves by four pixels, and stays
  turned    ///< the same by a quarter of its width
};
constexpr double kTroubleAfter = 20;  ///< of the camera

struct CameraOptions {
  std::uint64_t seed = 7;
  cv::Size size{512, 512};
  double clock = 1;  ///< seconds of the scene in a second of the camera: how fast exposure follows
  double start = 12 * 3600.0;  ///< of the scene's time, for who plays it
  bool sensor = true;  ///< drops and flakes, exposure, noise, blur, JPEG; without: what Scene draws
  WeatherKind weather = WeatherKind::changing;
  Trouble trouble = Trouble::none;  ///< of the lens and the sensor: none where that is off
  bool puddles = false;             ///< rain leaves some on road and pavement, as `puddlesAt` says
};

/// Parses "scene:", or "scene:?seed=7&clock=600x&hour=17.5&size=640x480&weather=rain&sensor=off&
/// trouble=nudged&puddles=on": parts in any order, with defaults for missing ones. Throws
/// std::invalid_argument, one sentence that names the part, if it is unknown, repeated or out of
/// range.
CameraOptions parseSceneAddress(const std::string& address);
bool isSceneAddress(const std::string& address);

constexpr int kShortestSide = 64, kLongestSide = 4096;  ///< of a camera's picture, in pixels

/// Films a drawn street: weather in between, exposure that follows the light with a lag, gain, shot
/// noise, read noise, slight blur, JPEG. A frame depends on options and time only, not on earlier
/// frames.
class Camera {
 public:
  explicit Camera(const CameraOptions& options);  ///< std::invalid_argument on an impossible size
  Camera(Camera&&) noexcept;
  Camera& operator=(Camera&&) noexcept;
  ~Camera();

  /// `time` is in seconds since the first day's midnight. `picture` is BGR CV_8UC3, `labels` CV_8U
  /// (classes.h); weather and sensor do not change labels.
  void shoot(double time, cv::Mat& picture, cv::Mat& labels);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Parse parts of a scene's address; std::nullopt if the text is invalid.
std::optional<std::uint64_t> seedOf(const std::string& text);   ///< "7"
std::optional<double> hourOf(const std::string& text);          ///< "17.5": from 0 to 24
std::optional<double> clockOf(const std::string& text);         ///< "600x": from 0.001x to 100000x
std::optional<cv::Size> sizeOf(const std::string& text);        ///< "640x480", of a camera's size
std::optional<WeatherKind> weatherOf(const std::string& text);  ///< "fair", "rain", "snow", "fog"
std::optional<Trouble> troubleOf(const std::string& text);      ///< "jpeg", ..., "turned"
bool hasRain(WeatherKind kind);                                 ///< at one hour or another
const char* nameOf(WeatherKind kind);                           ///< "changing", "fair", ...

}  // namespace mpm::scenes
