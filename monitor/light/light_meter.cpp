// SPDX-License-Identifier: Apache-2.0
#include "monitor/light/light_meter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "monitor/light/light_steps.h"

namespace mpm::monitor {
namespace {

constexpr double kCivilTwilight = -6;                // degrees of the sun's altitude
constexpr double kSaturationMargin = 0.1;            // of the margin of luma
constexpr double kBlankMargin = 1.25;                // to show something again
constexpr std::int64_t kNeverSetMs = 1577836800000;  // 2020: a clock that says less is not set

void refuse(const std::string& what, double value) {
  throw std::invalid_argument("the light's " + what + ", not " + std::to_string(value));
}

void checkShare(const std::string& name, double value) {
  if (!(value >= 0 && value <= 1)) refuse(name + " must be from 0 to 1", value);
}

const LightOptions& checked(const LightOptions& options) {
  checkShare("day luma", options.dayLuma);
  checkShare("night luma", options.nightLuma);
  if (options.nightLuma >= options.dayLuma) {
    refuse("night luma must be less than its day luma", options.nightLuma);
  }
  checkShare("infrared saturation", options.infraredSaturation);
  checkShare("blank contrast", options.blankContrast);
  checkShare("blank luma", options.blankLuma);
  checkShare("margin", options.margin);
  const auto isTime = [](double ms) { return ms >= 0 && std::isfinite(ms); };
  if (!isTime(options.smoothingMs)) {
    refuse("smoothing must be 0 or more milliseconds", options.smoothingMs);
  }
  if (!isTime(options.dwellMs)) refuse("dwell must be 0 or more milliseconds", options.dwellMs);
  if (!options.location) return options;
  const auto& [latitude, longitude] = options.location->val;
  if (!(std::abs(latitude) <= 90)) refuse("latitude must be from -90 to 90 degrees", latitude);
  if (!(std::abs(longitude) <= 180))
    refuse("longitude must be from -180 to 180 degrees", longitude);
  return options;
}

// A level to come down to; a margin wider than it does not take it away.
double lowered(double level, double margin) { return std::max(level - margin, level / 2); }

}  // namespace

LightMeter::LightMeter(const LightOptions& options)
    : options_(checked(options)), light_(options.smoothingMs), settling_(options.dwellMs) {}

bool LightMeter::isBlank(const Look& look) const {
  const double margin = settling_.reference() == LightState::noSignal ? kBlankMargin : 1;
  return look.contrast <= margin * options_.blankContrast ||
         look.luma <= margin * options_.blankLuma;
}

bool LightMeter::isInfrared() const {
  const auto reference = settling_.reference();
  const double margin = kSaturationMargin * options_.margin;
  double most = options_.infraredSaturation;
  if (reference == LightState::infrared) {
    most += margin;
  } else if (reference && *reference != LightState::noSignal) {
    most = lowered(most, margin);
  }
  return light_.saturation() <= most;
}

// A clock that nothing has ever set knows of no sun.
bool LightMeter::sunIsKnown(const Moment& taken) const {
  return options_.location && (taken.synchronised || taken.utcMs >= kNeverSetMs);
}

LightState LightMeter::bySun(const Moment& taken) const {
  const auto& [latitude, longitude] = options_.location->val;
  const double altitude = sunAltitude(latitude, longitude, taken.utcMs);
  if (altitude > 0) return LightState::day;
  return altitude < kCivilTwilight ? LightState::night : LightState::dusk;
}

LightState LightMeter::byLevel() const {
  const auto reference = settling_.reference();
  double day = options_.dayLuma, night = options_.nightLuma;
  const double margin = options_.margin;
  if (reference == LightState::day) day = lowered(day, margin);
  if (reference == LightState::dusk) day += margin, night = lowered(night, margin);
  if (reference == LightState::night) night += margin;
  if (light_.level() >= std::min(day, 1.0)) return LightState::day;
  return light_.level() <= night ? LightState::night : LightState::dusk;
}

LightState LightMeter::seen(const Look& look, const Moment& taken) const {
  if (isBlank(look)) return LightState::noSignal;
  if (isInfrared()) return LightState::infrared;
  return sunIsKnown(taken) ? bySun(taken) : byLevel();
}

bool LightMeter::moving(const Moment& taken) const {
  return light_.saturationDrift() > options_.margin ||
         (!sunIsKnown(taken) && light_.levelDrift() > options_.margin);
}

LightReading LightMeter::update(const cv::Mat& picture, const Moment& taken) {
  if (picture.empty() || (picture.type() != CV_8UC3 && picture.type() != CV_8UC1)) {
    throw std::invalid_argument("the light meter takes pictures of 8 bits with 3 channels or 1");
  }
  const Look look = glance_.at(picture);
  const auto elapsedMs = static_cast<double>(
      std::max<std::int64_t>(0, taken.steadyMs - beforeMs_.value_or(taken.steadyMs)));
  beforeMs_ = taken.steadyMs;
  // What is dark since nothing is shown says nothing about the light.
  if (settling_.reference() == LightState::noSignal) light_.forget();
  if (!isBlank(look)) light_.add(look.level, look.saturation, elapsedMs);
  LightReading reading;
  reading.state = settling_.update(seen(look, taken), moving(taken), elapsedMs);
  reading.luma = look.luma;
  reading.contrast = look.contrast;
  reading.saturation = look.saturation;
  reading.change = look.change;
  reading.level = look.level;
  return reading;
}

}  // namespace mpm::monitor
