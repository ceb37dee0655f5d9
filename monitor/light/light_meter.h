// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/light/light_state.h"

namespace mpm::monitor {

/// Determines a state from a picture, step by step, as a LightMeter does.

/// Measurements on a small copy of the picture. Shares and means are from 0 to 1.
struct LightReading {
  LightState state = LightState::transition;
  double luma = 0;        ///< mean
  double contrast = 0;    ///< standard deviation of luma
  double saturation = 0;  ///< mean chroma to mean brightness and 0.1: dark greys have next to none
  double change = 0;      ///< mean absolute difference of luma to the frame before, 0 at the first
  double level = 0;       ///< mean luma of the darker three quarters: lamps and headlights are not
                          ///< in it, the ground that they leave dark is; or what a bright sky
                          ///< stands for, where that is more
};

/// Measures small copies, in which noise and texture have averaged out. It decides no state.
class Glance {
 public:
  /// `picture` is CV_8UC3 or CV_8UC1, not empty.
  LightReading at(const cv::Mat& picture);

 private:
  void shrink(const cv::Mat& picture);

  cv::Mat small_;
  std::vector<float> luma_, before_, ordered_;
};

/// Smooths a value exponentially over irregular times. After a long gap, earlier values hardly
/// count.
class Smoothed {
 public:
  void add(double value, double elapsedMs, double constantMs) {
    const double kept = known_ && constantMs > 0 ? std::exp(-elapsedMs / constantMs) : 0;
    value_ = kept * value_ + (1 - kept) * value;
    known_ = true;
  }
  double value() const { return value_; }

 private:
  bool known_ = false;
  double value_ = 0;
};

/// Level and colour of the light, each smoothed slowly and quickly.
class SmoothedLight {
 public:
  explicit SmoothedLight(double constantMs) : constantMs_(constantMs) {}

  void add(double level, double saturation, double elapsedMs) {
    level_.add(level, elapsedMs, constantMs_);
    newLevel_.add(level, elapsedMs, constantMs_ / kQuicker);
    saturation_.add(saturation, elapsedMs, constantMs_);
    newSaturation_.add(saturation, elapsedMs, constantMs_ / kQuicker);
  }
  void forget() { *this = SmoothedLight(constantMs_); }

  double level() const { return level_.value(); }
  /// Follows quickly: only a camera changes from colour to none and back at once.
  double saturation() const { return newSaturation_.value(); }
  double levelDrift() const { return std::abs(newLevel_.value() - level_.value()); }
  double saturationDrift() const { return std::abs(newSaturation_.value() - saturation_.value()); }

 private:
  static constexpr double kQuicker = 6;
  double constantMs_;
  Smoothed level_, newLevel_, saturation_, newSaturation_;
};

/// Returns the sun's altitude above the horizon in degrees, to half a degree, from 1950 to 2100. It
/// uses the almanac's short formula, without refraction; around 2000 the error is 0.01 degrees.
inline double sunAltitude(double latitude, double longitude, std::int64_t utcMs) {
  constexpr double kRadian = 57.29577951308232;  // in degrees
  constexpr double kDayMs = 86400000;
  constexpr std::int64_t kEpochMs = 946728000000;  // J2000: noon of 1 January 2000

  const auto sine = [](double degrees) { return std::sin(degrees / kRadian); };
  const auto cosine = [](double degrees) { return std::cos(degrees / kRadian); };
  const double days = static_cast<double>(utcMs - kEpochMs) / kDayMs;
  const double anomaly = std::fmod(357.528 + 0.9856003 * days, 360);
  const double ecliptic = std::fmod(280.460 + 0.9856474 * days, 360) + 1.915 * sine(anomaly) +
                          0.020 * sine(2 * anomaly);
  const double tilt = 23.439 - 0.0000004 * days;
  const double ascension = std::atan2(cosine(tilt) * sine(ecliptic), cosine(ecliptic)) * kRadian;
  const double sineOfDeclination = sine(tilt) * sine(ecliptic);
  const double cosineOfDeclination = std::sqrt(1 - sineOfDeclination * sineOfDeclination);
  const double sidereal = std::fmod(280.46061838 + 360.9856473662862 * days, 360);
  const double hourAngle = sidereal + longitude - ascension;
  const double height = sine(latitude) * sineOfDeclination +
                        cosine(latitude) * cosineOfDeclination * cosine(hourAngle);
  return std::asin(std::clamp(height, -1.0, 1.0)) * kRadian;
}

/// Turns the look of each frame into a state: no look shows that ends before its dwell time.
class Settling {
 public:
  explicit Settling(double dwellMs) : dwellMs_(dwellMs) {}

  /// `seen` is the light's look, `moving` whether it is still changing. `elapsedMs` counts from the
  /// previous frame.
  LightState update(LightState seen, bool moving, double elapsedMs);

  /// Returns the state that the next frame's hysteresis refers to; std::nullopt before the first
  /// frame.
  std::optional<LightState> reference() const { return settled_ ? settled_ : candidate_; }

 private:
  void decide(LightState seen, bool moving, double elapsedMs);
  double neededMs(LightState candidate) const;
  bool unsettles(LightState seen, bool moving, double elapsedMs) const;

  double dwellMs_;
  std::optional<LightState> settled_;    // none: in transition
  std::optional<LightState> candidate_;  // what was seen last
  double candidateMs_ = 0;               // for how long
  double awayMs_ = 0;                    // for how long it was not the settled state
  double elapsedBeforeMs_ = 0;
};

/// Levels that a smoothed value must pass to leave a state, `margin` beyond those to stay in it,
/// and for how long. Someone who knows the camera can set them all.
struct LightOptions {
  double dayLuma = 0.34;              ///< of LightReading::level: from here on day
  double nightLuma = 0;               ///< up to here night, between the two dusk; 0: two thirds
                                      ///< of the level by day, and unknown until that was seen
  double infraredSaturation = 0.008;  ///< up to here a picture has no colour; a grey road has more
  double blankContrast = 0.008;       ///< up to here it shows nothing
  double blankLuma = 0.02;            ///< mean up to which it is black
  double margin = 0.03;               ///< of luma; of saturation a tenth of it
  double smoothingMs = 3000;          ///< time constant
  double dwellMs = 5000;  ///< how long another state has to be seen before it is the state
  std::optional<cv::Vec2d> location;  ///< latitude north, longitude east, in degrees: with it the
                                      ///< sun's altitude decides between day (above 0 degrees),
                                      ///< dusk and night (below -6), unless the wall clock was
                                      ///< never set
};

/// Parses "day=0.4,night=0.3,dwell=20"; unnamed values keep their default. Throws
/// std::invalid_argument, in one sentence.
LightOptions parseLight(const std::string& text);
/// Formats `options` in the same words, without the location, so that a record says how it was
/// made.
std::string lightText(const LightOptions& options);
std::string lightHelp();  ///< a line for each word, with its default

/// Determines the light that a fixed camera sees. A frame's state depends only on earlier frames
/// and their times, so a replay gives the same. Not for two threads at once.
class LightMeter {
 public:
  /// `dayLevel` is known from before, as below. Throws std::invalid_argument, in one sentence.
  explicit LightMeter(const LightOptions& options = {}, double dayLevel = 0);

  /// `picture` is CV_8UC3 (BGR) or CV_8UC1, not empty.
  LightReading update(const cv::Mat& picture, const Moment& taken);

  /// Returns the recent daytime value of LightReading::level; 0 if the camera saw no day yet.
  double dayLevel() const { return dayLevel_.value(); }

 private:
  LightState seen(const LightReading& look, const Moment& taken) const;
  bool isBlank(const LightReading& look) const;
  bool isInfrared() const;
  bool sunIsKnown(const Moment& taken) const;
  double nightLevel() const;
  LightState byLevel() const;
  LightState bySun(const Moment& taken) const;
  bool moving(const Moment& taken) const;

  LightOptions options_;
  Glance glance_;
  SmoothedLight light_;
  Smoothed dayLevel_;
  Settling settling_;
  std::optional<std::int64_t> beforeMs_;
};

}  // namespace mpm::monitor
