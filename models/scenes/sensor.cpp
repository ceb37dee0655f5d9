// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/sensor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <utility>

#include "models/scenes/chance.h"

namespace mpm::scenes {
namespace {

// With 16 bits each it fits into a second-level cache.
constexpr std::size_t kLength = std::size_t{1} << 17;

// Returns the normal distribution's share below a deviate.
double shareBelow(double deviate) { return 0.5 * std::erfc(-deviate / std::sqrt(2.0)); }

}  // namespace

const NoiseStrip& NoiseStrip::get() {
  static const NoiseStrip strip;
  return strip;
}

// Each bin occurs as often as in the normal distribution, in random order.
NoiseStrip::NoiseStrip() {
  bins_.reserve(kLength);
  for (int bin = 0; bin < kNoiseBins; ++bin) {
    const double share =
        bin + 1 == kNoiseBins ? 1 : shareBelow((deviateOf(bin) + deviateOf(bin + 1)) / 2);
    const auto end = static_cast<std::size_t>(std::lround(share * kLength));
    while (bins_.size() < end) bins_.push_back(static_cast<std::uint16_t>(bin));
  }
  const Chance chance(7400);
  for (std::size_t i = kLength; i > 1; --i) std::swap(bins_[i - 1], bins_[chance.bits(i) % i]);
}

namespace {

constexpr int kSteps = 49;  // of the table, from no electron to kGaussianFrom

// Returns probabilities of 0, 1, 2, ... electrons, until they vanish in a float.
std::vector<double> poisson(double mean) {
  std::vector<double> shares = {std::exp(-mean)};
  const int last = static_cast<int>(mean + 8 * std::sqrt(mean) + 12);
  for (int k = 1; k <= last; ++k) shares.push_back(shares.back() * mean / k);
  return shares;
}

Quantiles countQuantiles(const std::vector<double>& shares) {
  Quantiles found;
  std::size_t count = 0;
  double below = shares[0];
  for (int bin = 0; bin < kNoiseBins; ++bin) {
    while (below < shareBelow(deviateOf(bin)) && count + 1 < shares.size())
      below += shares[++count];
    found[static_cast<std::size_t>(bin)] = static_cast<float>(count);
  }
  return found;
}

// Returns the share of readings below x: sums the counts' Gaussians; far ones are 0 or 1.
double readingsBelow(const std::vector<double>& shares, double reading, double x) {
  double sum = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const double deviate = (x - static_cast<double>(k)) / reading;
    if (deviate < -6) break;
    sum += deviate > 6 ? shares[k] : shares[k] * shareBelow(deviate);
  }
  return sum;
}

Quantiles exactQuantiles(double electrons, double reading) {
  const std::vector<double> shares = poisson(electrons);
  if (reading <= 0) return countQuantiles(shares);
  Quantiles found;
  const double step = reading / 8;
  double x = -4.5 * reading, below = readingsBelow(shares, reading, x), before = below;
  for (int bin = 0; bin < kNoiseBins; ++bin) {
    const double wanted = shareBelow(deviateOf(bin));
    while (below < wanted && x < static_cast<double>(shares.size()) + 6 * reading) {
      before = below;
      x += step;
      below = readingsBelow(shares, reading, x);
    }
    const double part =
        below > before ? std::clamp((below - wanted) / (below - before), 0.0, 1.0) : 0;
    found[static_cast<std::size_t>(bin)] = static_cast<float>(x - step * part);
  }
  return found;
}

void gaussianQuantiles(double electrons, double reading, Quantiles& found) {
  const double variance = electrons + reading * reading, sigma = std::sqrt(variance);
  const double skew = electrons / (6 * variance * sigma);
  for (int bin = 0; bin < kNoiseBins; ++bin) {
    const double z = deviateOf(bin);
    found[static_cast<std::size_t>(bin)] =
        static_cast<float>(electrons + sigma * (z + skew * (z * z - 1)));
  }
}

}  // namespace

Quantiles photonQuantiles(double electrons, double reading) {
  if (electrons < kGaussianFrom) return exactQuantiles(electrons, reading);
  Quantiles found;
  gaussianQuantiles(electrons, reading, found);
  return found;
}

PhotonTable::PhotonTable(double reading) : reading_(reading) {
  for (int step = 0; step < kSteps; ++step) {
    const double root = std::sqrt(kGaussianFrom) * step / (kSteps - 1);
    rows_.push_back(exactQuantiles(root * root, reading));
    for (float& quantile : rows_.back()) quantile -= static_cast<float>(root * root);
  }
}

void PhotonTable::quantiles(double electrons, Quantiles& found) const {
  if (electrons >= kGaussianFrom) {
    gaussianQuantiles(electrons, reading_, found);
    return;
  }
  const double place = std::sqrt(std::max(electrons, 0.0) / kGaussianFrom) * (kSteps - 1);
  const auto step = std::min(static_cast<std::size_t>(place), rows_.size() - 2);
  const auto part = static_cast<float>(place - static_cast<double>(step));
  for (std::size_t bin = 0; bin < found.size(); ++bin) {
    found[bin] = static_cast<float>(electrons) + rows_[step][bin] +
                 (rows_[step + 1][bin] - rows_[step][bin]) * part;
  }
}

namespace {

// Fine enough for sRGB's straight part: a fifth of a value for each step.
constexpr int kLightSteps = 16384;

double encoded(double light) {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

const std::vector<std::uint8_t>& valuesOfLight() {
  static const std::vector<std::uint8_t> values = [] {
    std::vector<std::uint8_t> made(kLightSteps);
    for (int i = 0; i < kLightSteps; ++i) {
      const double light = static_cast<double>(i) / (kLightSteps - 1);
      made[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(255 * encoded(light) + 0.5);
    }
    return made;
  }();
  return values;
}

}  // namespace

const std::array<float, 256>& linearLight() {
  static const std::array<float, 256> light = [] {
    std::array<float, 256> made{};
    for (std::size_t value = 0; value < made.size(); ++value) {
      const double v = static_cast<double>(value) / 255;
      made[value] =
          static_cast<float>(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
    }
    return made;
  }();
  return light;
}

NoisyTones::NoisyTones() : tones_(256 * std::size_t{kNoiseBins}) {}

void NoisyTones::set(double gain, double electrons,
                     const std::function<void(double mean, Quantiles& found)>& quantiles) {
  const std::uint8_t* values = valuesOfLight().data();
  const auto scale = static_cast<float>((kLightSteps - 1) / electrons);
  Quantiles found;
  for (std::size_t value = 0; value < 256; ++value) {
    quantiles(gain * electrons * linearLight()[value], found);
    std::uint8_t* row = tones_.data() + value * kNoiseBins;
    for (std::size_t bin = 0; bin < kNoiseBins; ++bin) {
      const float light = std::clamp(found[bin] * scale + 0.5F, 0.0F, kLightSteps - 1.0F);
      row[bin] = values[static_cast<std::size_t>(light)];
    }
  }
}

void NoisyTones::apply(cv::Mat& picture, const Chance& chance) const {
  const NoiseStrip& strip = NoiseStrip::get();
  const std::size_t width = static_cast<std::size_t>(picture.cols) * picture.elemSize();
  std::uint64_t index = 0;
  for (int y = 0; y < picture.rows; ++y) {
    std::uint8_t* row = picture.ptr(y);
    for (std::size_t from = 0; from < width; from += NoiseStrip::kLongestPiece) {
      const std::size_t end = std::min(width, from + NoiseStrip::kLongestPiece);
      const auto [bins, turn] = strip.piece(chance, index++);
      for (std::size_t i = from; i < end; ++i) {
        row[i] = tones_[row[i] * std::size_t{kNoiseBins} + (bins[i - from] ^ turn)];
      }
    }
  }
}

PaperNight::PaperNight(const NightOptions& options) : chance_(options.seed, 7700) {
  if (!(options.luminosity > 0 && options.luminosity <= 1)) {
    throw std::invalid_argument("a night's luminosity is above 0 and at most 1");
  }
  if (!(options.thermal >= 0 && options.thermal < 1)) {
    throw std::invalid_argument("a night's thermal noise is from 0 to less than 1, in white");
  }
  if (!(options.electrons >= 1 && options.electrons <= 1e6)) {
    throw std::invalid_argument("a night's white stands for 1 to 1000000 electrons");
  }
  const double reading = options.thermal * options.electrons;
  tones_.set(options.luminosity, options.electrons,
             [&](double mean, Quantiles& found) { found = photonQuantiles(mean, reading); });
}

void PaperNight::darken(cv::Mat& picture, std::uint64_t frame) const {
  CV_Assert(picture.depth() == CV_8U);
  tones_.apply(picture, chance_.stream(frame));
}

namespace {

constexpr double kFullWell = 9000;      // electrons of white at noon's shutter time
constexpr double kLongestShutter = 32;  // noon's is 1: a thousandth of a second and a thirtieth
constexpr double kMostExposure = 700;   // shutter time and amplification together
constexpr double kLeastExposure = 0.5;
constexpr double kHighGain = 80;                 // ISO 6400, where noon's is 80
constexpr double kPump = 0.5, kPumpSeconds = 3;  // in doublings

// Tone tables exist for steps of gain and electrons below what anyone sees.
constexpr double kGainSteps = 128, kElectronSteps = 16;  // in a doubling

double inSteps(double value, double steps) {
  return std::exp2(std::round(std::log2(value) * steps) / steps);
}

double wantedExposure(const CameraOptions& options, double time) {
  const Light light = lightAt(options.seed, time, weatherAt(options.seed, time, options.weather));
  return std::clamp(std::pow(light.level, -kMetering), kLeastExposure, kMostExposure);
}

// Returns the mean of the wanted exposures, weighted by exp(-age / lag), from ages of equal weight.
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

namespace {

using cv::Vec3d;

constexpr double kLeast = 0.02;                // of rain or snow, to be drawn
constexpr double kShutter = 1.0 / 60;          // seconds that a flake is seen for
constexpr double kNearest = 1, kFarthest = 8;  // in heights of the picture, or so

struct Point {
  double x, y;
};

// A drop or flake that fell from one point to another during the exposure.
struct Fall {
  Point from, to;
  double radius;   // pixels, where it is gone to half
  double opacity;  // 0 to 1, in its middle
};

class Painter {
 public:
  // `through` is the share of the background that is added to the colour.
  Painter(cv::Mat& picture, const Vec3d& colour, double through)
      : picture_(picture), colour_(colour * 255), through_(through) {}

  void draw(const Fall& fall) {
    const double reach = fall.radius + 0.5;
    const int top = std::max(0, static_cast<int>(std::ceil(fall.from.y - reach)));
    const int bottom = std::min(picture_.rows - 1, static_cast<int>(std::floor(fall.to.y + reach)));
    const double dx = fall.to.x - fall.from.x, dy = fall.to.y - fall.from.y;
    const double length2 = std::max(dx * dx + dy * dy, 1e-6), slant = dx / std::max(dy, 1e-3);
    const double spread = reach * std::hypot(1, slant);
    for (int y = top; y <= bottom; ++y) {
      const double middle = fall.from.x + slant * std::clamp(y - fall.from.y, 0.0, dy);
      const int left = std::max(0, static_cast<int>(std::ceil(middle - spread)));
      const int right = std::min(picture_.cols - 1, static_cast<int>(std::floor(middle + spread)));
      cv::Vec3b* row = picture_.ptr<cv::Vec3b>(y);
      for (int x = left; x <= right; ++x) {
        const double t =
            std::clamp(((x - fall.from.x) * dx + (y - fall.from.y) * dy) / length2, 0.0, 1.0);
        const double distance = std::hypot(x - fall.from.x - t * dx, y - fall.from.y - t * dy);
        const double share = std::clamp(reach - distance, 0.0, 1.0) * fall.opacity;
        if (share > 0) blend(row[x], share);
      }
    }
  }

 private:
  void blend(cv::Vec3b& pixel, double share) const {
    for (int c = 0; c < 3; ++c) {
      const double lit = std::min(255.0, colour_[c] + through_ * pixel[c]);
      pixel[c] = static_cast<std::uint8_t>(pixel[c] + (lit - pixel[c]) * share + 0.5);
    }
  }

  cv::Mat& picture_;
  Vec3d colour_;
  double through_;
};

// Returns distances at which every part of the air is equally likely.
double distanceOf(double uniform) {
  constexpr double kNear = kNearest * kNearest * kNearest;
  constexpr double kFar = kFarthest * kFarthest * kFarthest;
  return std::cbrt(mixed(kNear, kFar, uniform));
}

// The number is the same in a small image as in a large one.
int countOf(double most, cv::Size size) {
  return static_cast<int>(most * size.width / size.height);
}

double fraction(double x) { return x - std::floor(x); }

// No eye follows a drop between frames, so each frame has new drops.
void drawRain(Painter& painter, cv::Size size, const Weather& weather, const Chance& chance) {
  const int drops = countOf(1700 * weather.rain, size);
  const double lean = 0.03 + 0.38 * weather.wind;
  for (int i = 0; i < drops; ++i) {
    const Chance drop = chance.stream(static_cast<std::uint64_t>(i));
    const double distance = distanceOf(drop.uniform(0));
    const double length = size.height * 0.22 / distance * drop.between(1, 0.7, 1.2);
    const double slant = lean + drop.between(2, -0.03, 0.03);
    const double y = drop.uniform(3) * (size.height + length) - length;
    const double x = drop.uniform(4) * (size.width + slant * length) - slant * length;
    const double width = size.height * 0.0075 / distance;
    painter.draw({{x, y},
                  {x + slant * length, y + length},
                  std::max(0.0, width / 2 - 0.5),
                  std::min(1.0, width) * drop.between(5, 0.25, 0.6) / std::max(1.0, 0.6 * width)});
  }
}

// Flakes fall through the image, and return in another place.
void drawSnow(Painter& painter, cv::Size size, const Weather& weather, const Chance& chance,
              double seconds) {
  const int flakes = countOf(2300 * weather.snow, size);
  for (int i = 0; i < flakes; ++i) {
    const Chance flake = chance.stream(static_cast<std::uint64_t>(i));
    const double distance = distanceOf(flake.uniform(0));
    const double pace = size.height / distance;  // what is one metre or so
    const double speed = pace * flake.between(1, 0.7, 1.1), drift = pace * 1.6 * weather.wind;
    const double width = pace * 0.022 * flake.between(2, 0.6, 1.3);
    const double radius = std::max(0.25, width / 2 - 0.25);
    const double fallen = seconds * speed / (size.height + 4 * radius) + flake.uniform(3);
    const Chance place =
        flake.stream(static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(fallen))));
    const double sway = 0.06 * pace * std::sin(seconds * flake.between(4, 1, 2.5) + i);
    const double y = fraction(fallen) * (size.height + 4 * radius) - 2 * radius;
    const double blown = drift * fraction(fallen) * (size.height / speed);
    const double x =
        fraction(place.uniform(0) + (blown + sway) / size.width) * (size.width + 4 * radius) -
        2 * radius;
    const double opacity = std::min(1.0, width) * std::clamp(1.05 - 0.06 * width, 0.5, 0.95);
    painter.draw({{x, y}, {x + drift * kShutter, y + speed * kShutter}, radius, opacity});
  }
}

// Draws the veil of drops too far away to be seen individually.
void drawVeil(cv::Mat& picture, const Vec3d& colour, double share) {
  picture.convertTo(picture, -1, 1 - share);
  const Vec3d veil = colour * (255 * share);
  cv::add(picture, cv::Scalar(veil[0], veil[1], veil[2]), picture);
}

}  // namespace

void drawPrecipitation(cv::Mat& picture, const Light& light, const Weather& weather,
                       std::uint64_t seed, double seconds) {
  if (std::max(weather.rain, weather.snow) < kLeast) return;
  const Vec3d air = mixed(light.horizon, light.ambient, 0.5);
  drawVeil(picture, air, 0.10 * std::max(weather.rain, weather.snow));
  const Vec3d lamplight = Vec3d(0.6, 0.8, 0.95) * light.lamps;
  if (weather.rain >= kLeast) {
    Painter painter(picture, air * 0.78 + lamplight * 0.2, 0.45);
    const Chance chance(seed, 7500);
    drawRain(painter, picture.size(), weather,
             chance.stream(std::bit_cast<std::uint64_t>(seconds)));
  }
  if (weather.snow >= kLeast) {
    Painter painter(picture, light.ambient * 0.95 + light.direct * 0.5 + lamplight * 0.15, 0.7);
    drawSnow(painter, picture.size(), weather, Chance(seed, 7501), seconds);
  }
}

}  // namespace mpm::scenes
