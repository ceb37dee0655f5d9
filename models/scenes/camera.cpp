// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/camera.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "models/scenes/chance.h"
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
    Weather weather = weatherAt(options_.seed, time, options_.weather);
    const Light light = lightAt(options_.seed, time, weather);
    if (options_.sensor && options_.trouble == Trouble::gale) weather.wind = 1;
    if (options_.puddles) weather.puddles = puddlesAt(options_.seed, time, options_.weather);
    scene_.draw(time, light, weather, picture, labels);
    if (!options_.sensor) return;
    if (const int by = movedBy(time); by > 0) {
      move(picture, by);
      move(labels, by);
    }
    drawPrecipitation(picture, light, weather, options_.seed, time / options_.clock);
    const Chance noise = Chance(options_.seed, 7600).stream(std::bit_cast<std::uint64_t>(time));
    sensor_.take(picture, exposureAt(options_, time), noise,
                 options_.trouble == Trouble::jpeg ? kLowQuality : kQuality);
  }

 private:
  // Returns the shift to the left, in pixels.
  int movedBy(double time) const {
    if (time < options_.start + kTroubleAfter * options_.clock) return 0;
    if (options_.trouble == Trouble::nudged) return 4;
    return options_.trouble == Trouble::turned ? options_.size.width / 4 : 0;
  }

  // Fills the uncovered edge with the mirrored image.
  static void move(cv::Mat& image, int by) {
    cv::Mat wide;
    cv::copyMakeBorder(image, wide, 0, 0, 0, by, cv::BORDER_REFLECT);
    wide.colRange(by, wide.cols).copyTo(image);
  }

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

namespace {

constexpr std::string_view kScheme = "scene:";
constexpr std::array<std::pair<const char*, WeatherKind>, 5> kKinds = {
    {{"changing", WeatherKind::changing},
     {"fair", WeatherKind::fair},
     {"rain", WeatherKind::rain},
     {"snow", WeatherKind::snow},
     {"fog", WeatherKind::fog}}};

constexpr std::array<std::pair<const char*, Trouble>, 6> kTroubles = {
    {{"jpeg", Trouble::jpeg},
     {"noise", Trouble::noise},
     {"pumping", Trouble::pumping},
     {"gale", Trouble::gale},
     {"nudged", Trouble::nudged},
     {"turned", Trouble::turned}}};

template <class Number>
std::optional<Number> wholly(std::string_view text) {
  Number number{};
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last) return {};
  return number;
}

std::optional<double> between(std::optional<double> number, double low, double high) {
  if (!number || !(*number >= low && *number <= high)) return {};
  return number;
}

template <class Value>
Value valueOf(const std::optional<Value>& read, const std::string& part, const char* right) {
  if (!read) throw std::invalid_argument("the address of a scene has " + part + "; " + right);
  return *read;
}

bool switchOf(const std::string& text, const std::string& part, const char* right) {
  std::optional<bool> isOn;
  if (text == "on" || text == "off") isOn = text == "on";
  return valueOf(isOn, part, right);
}

void set(CameraOptions& options, const std::string& name, const std::string& text) {
  const std::string part = name + "=" + text;
  if (name == "seed") {
    options.seed = valueOf(seedOf(text), part, "a seed is a whole number from 0 on, as seed=7");
  } else if (name == "clock") {
    options.clock = valueOf(clockOf(text), part,
                            "a clock is a number with an x, from 0.001x to 100000x, as clock=600x");
  } else if (name == "hour") {
    const double hour = valueOf(hourOf(text), part, "an hour is from 0 to 24, as hour=17.5");
    options.start = hour * 3600;
  } else if (name == "size") {
    options.size = valueOf(sizeOf(text), part,
                           "a size is width x height in pixels, each from 64 to 4096, as "
                           "size=640x480");
  } else if (name == "sensor") {
    options.sensor = switchOf(text, part, "sensor is on or off");
  } else if (name == "weather") {
    options.weather = valueOf(weatherOf(text), part,
                              "weather is fair, rain, snow or fog, or left out where it changes");
  } else if (name == "puddles") {
    options.puddles = switchOf(text, part, "puddles is on or off");
  } else if (name == "trouble") {
    options.trouble =
        valueOf(troubleOf(text), part, "trouble is jpeg, noise, pumping, gale, nudged or turned");
  } else {
    throw std::invalid_argument("the address of a scene has the part '" + name +
                                "', which is not known; seed, clock, hour, size, sensor, "
                                "weather, puddles and trouble are");
  }
}

}  // namespace

std::optional<std::uint64_t> seedOf(const std::string& text) { return wholly<std::uint64_t>(text); }

std::optional<double> hourOf(const std::string& text) {
  return between(wholly<double>(text), 0, 24);
}

std::optional<double> clockOf(const std::string& text) {
  if (text.empty() || text.back() != 'x') return {};
  return between(wholly<double>(std::string_view(text).substr(0, text.size() - 1)), 0.001, 1e5);
}

std::optional<cv::Size> sizeOf(const std::string& text) {
  const std::size_t cross = std::min(text.find('x'), text.size());
  const auto side = [](std::string_view digits) -> std::optional<int> {
    const std::optional<int> pixels = wholly<int>(digits);
    if (!pixels || *pixels < kShortestSide || *pixels > kLongestSide) return {};
    return pixels;
  };
  if (cross == text.size()) return {};
  const auto width = side(std::string_view(text).substr(0, cross));
  const auto height = side(std::string_view(text).substr(cross + 1));
  if (!width || !height) return {};
  return cv::Size(*width, *height);
}

std::optional<WeatherKind> weatherOf(const std::string& text) {
  for (const auto& [name, kind] : kKinds) {
    if (text == name && kind != WeatherKind::changing) return kind;
  }
  return {};
}

std::optional<Trouble> troubleOf(const std::string& text) {
  for (const auto& [name, one] : kTroubles) {
    if (text == name) return one;
  }
  return {};
}

bool hasRain(WeatherKind kind) {
  return kind == WeatherKind::changing || kind == WeatherKind::rain;
}

const char* nameOf(WeatherKind kind) {
  for (const auto& [name, one] : kKinds) {
    if (one == kind) return name;
  }
  return "";
}

bool isSceneAddress(const std::string& address) { return address.rfind(kScheme, 0) == 0; }

CameraOptions parseSceneAddress(const std::string& address) {
  if (!isSceneAddress(address)) {
    throw std::invalid_argument(address +
                                " is not the address of a scene, which begins with scene:");
  }
  CameraOptions options;
  const std::string parts = address.substr(kScheme.size());
  if (parts.empty()) return options;
  if (parts.front() != '?') {
    throw std::invalid_argument("the address of a scene has '" + parts +
                                "' behind scene:, where only ?NAME=VALUE&... can stand");
  }
  std::set<std::string> seen;
  for (std::size_t start = 1; start <= parts.size();) {
    const std::size_t end = std::min(parts.find('&', start), parts.size());
    const std::string part = parts.substr(start, end - start);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      throw std::invalid_argument("the address of a scene has the part '" + part +
                                  "', which is not NAME=VALUE");
    }
    const std::string name = part.substr(0, equals);
    if (!seen.insert(name).second) {
      throw std::invalid_argument("the address of a scene has " + name + " twice");
    }
    set(options, name, part.substr(equals + 1));
    start = end + 1;
  }
  if (options.puddles && !hasRain(options.weather)) {
    throw std::invalid_argument(std::string("the address of a scene has puddles=on with weather=") +
                                nameOf(options.weather) + ", which brings none; weather=rain does");
  }
  return options;
}

}  // namespace mpm::scenes
