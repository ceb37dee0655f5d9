// SPDX-License-Identifier: Apache-2.0
#include "monitor/light/light_meter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "files/text.h"

namespace mpm::monitor {
namespace {

constexpr int kWidth = 64, kHeight = 36;
constexpr int kCellsInMean = 4;
constexpr int kRowsInCell = 5;  // of a picture that is larger, others are left out

// Chroma is compared with brightness and this: one step of 8 bits off grey is no colour, even in a
// dark picture.
constexpr double kDark = 0.1;

double mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<float>& values, double mean) {
  double squares = 0;
  for (const float value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

double darkerMean(std::vector<float>& values) {
  const auto end = values.begin() + static_cast<std::ptrdiff_t>((values.size() * 3 + 3) / 4);
  std::nth_element(values.begin(), end - 1, values.end());
  return std::accumulate(values.begin(), end, 0.0) / static_cast<double>(end - values.begin());
}

// A picture exposed for the sky has a dark ground by day, but no lamps light up a quarter of the
// sky at night. A sky this bright therefore means day, as a bright ground does.
constexpr double kSkyShare = 0.46;

// Returns the luma that a quarter of the upper quarter exceeds.
double skyOf(const std::vector<float>& luma, const cv::Size& size) {
  const auto rows = static_cast<std::size_t>(std::max(1, size.height / 4));
  const auto end =
      luma.begin() + static_cast<std::ptrdiff_t>(rows * static_cast<std::size_t>(size.width));
  std::vector<float> upper(luma.begin(), end);
  const auto at = upper.begin() + static_cast<std::ptrdiff_t>(upper.size() * 3 / 4);
  std::nth_element(upper.begin(), at, upper.end());
  return *at;
}

void measureLuma(const cv::Mat& small, std::vector<float>& luma) {
  std::size_t cell = 0;
  for (int y = 0; y < small.rows; ++y) {
    const auto* pixel = small.ptr<cv::Vec3b>(y);
    for (int x = 0; x < small.cols; ++x, ++cell) {
      luma[cell] =
          (0.114f * static_cast<float>(pixel[x][0]) + 0.587f * static_cast<float>(pixel[x][1]) +
           0.299f * static_cast<float>(pixel[x][2])) /
          255;
    }
  }
}

// Averages cells of 4 x 4: a sensor's noise has a colour in each cell, and none over many.
double saturationOf(const cv::Mat& small) {
  cv::Mat means;
  small.convertTo(means, CV_32F);
  const cv::Size size(std::max(1, small.cols / kCellsInMean),
                      std::max(1, small.rows / kCellsInMean));
  cv::resize(means, means, size, 0, 0, cv::INTER_AREA);
  double chroma = 0, brightest = 0;
  for (int y = 0; y < means.rows; ++y) {
    const auto* mean = means.ptr<cv::Vec3f>(y);
    for (int x = 0; x < means.cols; ++x) {
      const auto [least, most] = std::minmax({mean[x][0], mean[x][1], mean[x][2]});
      chroma += most - least;
      brightest += most;
    }
  }
  return chroma / (brightest + kDark * 255 * static_cast<double>(means.total()));
}

constexpr double kShort = 0.2;         // of a dwell: what no lightning or lost picture lasts
constexpr double kMostPatience = 4;    // dwells: a light that never stands still is taken as it is
constexpr double kMostOfAFrame = 0.5;  // of a dwell: one frame says no more about the time before
constexpr double kLongGap = 10;        // dwells, or usual gaps: then it is another light

// Brightness alone cannot tell a grey day from a night. But a fixed camera exposes all days alike,
// whatever the weather: its level falls once it cannot expose longer.
constexpr double kNightShare = 2.0 / 3;  // of the level by day
constexpr double kDayMs = 3600000;       // over which that is smoothed

constexpr double kCivilTwilight = -6;                // degrees of the sun's altitude
constexpr double kSaturationMargin = 0.1;            // of the margin of luma
constexpr double kBlankMargin = 1.25;                // to show something again
constexpr std::int64_t kNeverSetMs = 1577836800000;  // 2020: a clock that says less is not set

// Lowers a level, by half at most: a wider margin must not remove it.
double lowered(double level, double margin) { return std::max(level - margin, level / 2); }

struct Key {
  const char* name;
  double LightOptions::*value;
  double unit;  // of the word, in those of the option
  const char* help;
};

constexpr double kSeconds = 1000;
constexpr std::array kKeys{
    Key{"day", &LightOptions::dayLuma, 1, "brightness from which it is day"},
    Key{"night", &LightOptions::nightLuma, 1,
        "brightness up to which it is night; 0: two thirds of that by day"},
    Key{"infrared", &LightOptions::infraredSaturation, 1, "colour up to which it is infrared"},
    Key{"blank", &LightOptions::blankContrast, 1, "contrast up to which it is no signal"},
    Key{"black", &LightOptions::blankLuma, 1, "brightness up to which it is no signal"},
    Key{"margin", &LightOptions::margin, 1,
        "how much further a value must go to leave a state than to stay"},
    Key{"smoothing", &LightOptions::smoothingMs, kSeconds, "seconds"},
    Key{"dwell", &LightOptions::dwellMs, kSeconds, "seconds that another state must last"}};

std::string numberOf(const LightOptions& options, const Key& key) {
  return files::shortText(options.*key.value / key.unit);
}

std::string keyNames() {
  std::vector<std::string> names;
  for (const Key& key : kKeys) names.emplace_back(key.name);
  return files::listed(names);
}

// Reports a bad value. Seconds go up to a day; all else is a share.
[[noreturn]] void refuse(const Key& key, const std::string& word) {
  throw std::invalid_argument(
      key.name + ("=" + word) + " is not allowed: " + key.name +
      (key.unit == kSeconds ? " takes seconds from 0 to 86400" : " takes a level from 0 to 1") +
      ", as in " + key.name + "=" + numberOf(LightOptions{}, key));
}

const LightOptions& checked(const LightOptions& options) {
  for (const Key& key : kKeys) {
    const double value = options.*key.value / key.unit;
    if (!(value >= 0 && value <= (key.unit == kSeconds ? 86400 : 1))) {
      refuse(key, numberOf(options, key));
    }
  }
  if (options.nightLuma >= options.dayLuma) {
    throw std::invalid_argument("night=" + numberOf(options, kKeys[1]) +
                                " and day=" + numberOf(options, kKeys[0]) +
                                " contradict each other: night must be less than day");
  }
  if (!options.location) return options;
  const auto& [latitude, longitude] = options.location->val;
  if (!(std::abs(latitude) <= 90 && std::abs(longitude) <= 180)) {
    throw std::invalid_argument("the place " + std::to_string(latitude) + ", " +
                                std::to_string(longitude) +
                                " is not on the earth: the latitude is from -90 to 90 degrees, the "
                                "longitude from -180 to 180");
  }
  return options;
}

}  // namespace

void Glance::shrink(const cv::Mat& picture) {
  const int stride = std::max(1, picture.rows / (kHeight * kRowsInCell));
  const cv::Mat rows(picture.rows / stride, picture.cols, picture.type(), picture.data,
                     picture.step[0] * static_cast<std::size_t>(stride));
  // Limits the size: INTER_AREA would interpolate a picture smaller than the copy.
  const cv::Size size(std::min(kWidth, rows.cols), std::min(kHeight, rows.rows));
  cv::resize(rows, small_, size, 0, 0, cv::INTER_AREA);
}

LightReading Glance::at(const cv::Mat& picture) {
  shrink(picture);
  luma_.swap(before_);
  luma_.resize(small_.total());
  LightReading look;
  if (small_.channels() == 3) {
    measureLuma(small_, luma_);
    look.saturation = saturationOf(small_);
  } else {
    const cv::Mat_<uchar> grey(small_);
    std::transform(grey.begin(), grey.end(), luma_.begin(),
                   [](uchar value) { return static_cast<float>(value) / 255; });
  }
  look.luma = mean(luma_);
  look.contrast = deviation(luma_, look.luma);
  ordered_ = luma_;
  look.level = std::max(darkerMean(ordered_), kSkyShare * skyOf(luma_, small_.size()));
  if (before_.size() == luma_.size()) {
    double differences = 0;
    for (std::size_t cell = 0; cell < luma_.size(); ++cell) {
      differences += std::abs(luma_[cell] - before_[cell]);
    }
    look.change = differences / static_cast<double>(luma_.size());
  }
  return look;
}

double Settling::neededMs(LightState candidate) const {
  return candidate == LightState::noSignal ? kShort * dwellMs_ : dwellMs_;
}

bool Settling::unsettles(LightState seen, bool moving, double elapsedMs) const {
  if (awayMs_ >= dwellMs_) return true;
  if (elapsedMs > kLongGap * std::max(dwellMs_, elapsedBeforeMs_)) return true;
  if (awayMs_ < kShort * dwellMs_) return false;
  const bool switched = (seen == LightState::infrared) != (settled_ == LightState::infrared);
  return settled_ == LightState::noSignal || (seen != LightState::noSignal && switched && moving);
}

LightState Settling::update(LightState seen, bool moving, double elapsedMs) {
  const double share = std::min(elapsedMs, kMostOfAFrame * neededMs(seen));
  const bool away = settled_ && seen != *settled_;
  awayMs_ = away && candidate_ && *candidate_ != *settled_ ? awayMs_ + share : 0;
  candidateMs_ = candidate_ == seen ? candidateMs_ + share : 0;
  candidate_ = seen;
  if (!settled_ || away) decide(seen, moving, elapsedMs);
  elapsedBeforeMs_ = elapsedMs;
  return settled_.value_or(LightState::transition);
}

void Settling::decide(LightState seen, bool moving, double elapsedMs) {
  const double neededMs = this->neededMs(seen);
  const bool still = !moving || seen == LightState::noSignal;
  if (candidateMs_ >= neededMs && (still || candidateMs_ >= kMostPatience * neededMs)) {
    settled_ = seen;
  } else if (settled_ && unsettles(seen, moving, elapsedMs)) {
    settled_.reset();
  }
}

LightMeter::LightMeter(const LightOptions& options, double dayLevel)
    : options_(checked(options)), light_(options.smoothingMs), settling_(options.dwellMs) {
  if (dayLevel > 0) dayLevel_.add(dayLevel, 0, kDayMs);
}

bool LightMeter::isBlank(const LightReading& look) const {
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

// Tells whether the sun is known: a clock that was never set knows of none.
bool LightMeter::sunIsKnown(const Moment& taken) const {
  return options_.location && (taken.synchronised || taken.utcMs >= kNeverSetMs);
}

LightState LightMeter::bySun(const Moment& taken) const {
  const auto& [latitude, longitude] = options_.location->val;
  const double altitude = sunAltitude(latitude, longitude, taken.utcMs);
  if (altitude > 0) return LightState::day;
  return altitude < kCivilTwilight ? LightState::night : LightState::dusk;
}

// Returns the highest level that is night; 0 if it is unknown.
double LightMeter::nightLevel() const {
  if (options_.nightLuma > 0) return options_.nightLuma;
  return std::min(kNightShare * dayLevel_.value(), lowered(options_.dayLuma, options_.margin));
}

LightState LightMeter::byLevel() const {
  const auto reference = settling_.reference();
  double day = options_.dayLuma, night = nightLevel();
  const double margin = options_.margin;
  const bool isKnown = night > 0;
  if (reference == LightState::day) day = lowered(day, margin);
  if (reference == LightState::dusk) day += margin, night = lowered(night, margin);
  if (reference == LightState::night) night += margin;
  if (light_.level() >= std::min(day, 1.0)) return LightState::day;
  if (!isKnown) return LightState::unknown;
  return light_.level() <= night ? LightState::night : LightState::dusk;
}

LightState LightMeter::seen(const LightReading& look, const Moment& taken) const {
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
  LightReading look = glance_.at(picture);
  const auto elapsedMs = static_cast<double>(
      std::max<std::int64_t>(0, taken.steadyMs - beforeMs_.value_or(taken.steadyMs)));
  beforeMs_ = taken.steadyMs;
  // A picture that is dark because nothing is shown says nothing about the light.
  if (settling_.reference() == LightState::noSignal) light_.forget();
  if (!isBlank(look)) light_.add(look.level, look.saturation, elapsedMs);
  look.state = settling_.update(seen(look, taken), moving(taken), elapsedMs);
  if (look.state == LightState::day) dayLevel_.add(light_.level(), elapsedMs, kDayMs);
  return look;
}

LightOptions parseLight(const std::string& text) {
  LightOptions options;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const auto key = std::find_if(kKeys.begin(), kKeys.end(),
                                  [&](const Key& known) { return known.name == name; });
    if (equals == std::string::npos || key == kKeys.end()) {
      throw std::invalid_argument((part.empty() ? "an empty part" : part) +
                                  " is not understood: write KEY=VALUE with one of the keys " +
                                  keyNames());
    }
    const std::string word = part.substr(equals + 1);
    double number = 0;
    if (!files::parseWhole(word, number)) refuse(*key, word);
    options.*key->value = number * key->unit;
  }
  return checked(options);
}

std::string lightText(const LightOptions& options) {
  std::string text;
  for (const Key& key : kKeys) {
    if (!text.empty()) text += ',';
    text += key.name + ("=" + numberOf(options, key));
  }
  return text;
}

std::string lightHelp() {
  std::string text;
  for (const Key& key : kKeys) {
    if (!text.empty()) text += '\n';
    text += "  " + (key.name + ("=" + numberOf(LightOptions{}, key))) + ": " + key.help;
  }
  return text;
}

}  // namespace mpm::monitor
