// SPDX-License-Identifier: Apache-2.0
// Noise: as much of it as photons make, no less and no more, and none of it comes back.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <random>
#include <vector>

#include "models/scenes/sensor.h"

namespace mpm::test {
namespace {

using scenes::Chance;
using scenes::kNoiseBins;
using scenes::NoiseStrip;
using scenes::NoisyTones;
using scenes::photonQuantiles;
using scenes::PhotonTable;
using scenes::Quantiles;

struct Moments {
  double mean = 0, variance = 0;
};

double shareOf(int bin) {  // of a normal deviate
  return std::exp(-0.5 * scenes::deviateOf(bin) * scenes::deviateOf(bin)) / std::sqrt(2 * CV_PI) *
         (scenes::deviateOf(1) - scenes::deviateOf(0));
}

Moments momentsOf(const Quantiles& quantiles) {
  Moments moments;
  for (int bin = 0; bin < kNoiseBins; ++bin) moments.mean += shareOf(bin) * quantiles[bin];
  for (int bin = 0; bin < kNoiseBins; ++bin) {
    moments.variance += shareOf(bin) * std::pow(quantiles[bin] - moments.mean, 2);
  }
  return moments;
}

// In linear light, of a picture of one channel.
Moments momentsOf(const cv::Mat& picture) {
  double sum = 0, squares = 0;
  for (int y = 0; y < picture.rows; ++y) {
    for (int x = 0; x < picture.cols; ++x) {
      const double light = scenes::linearLight()[picture.at<uchar>(y, x)];
      sum += light, squares += light * light;
    }
  }
  const double count = static_cast<double>(picture.total()), mean = sum / count;
  return {mean, squares / count - mean * mean};
}

TEST(PhotonNoise, MeanAndVarianceAreThoseOfCounting) {
  for (const double reading : {0.0, 0.5, 1.0, 2.2, 8.0}) {
    for (const double mean : {0.0, 0.3, 1.0, 5.0, 12.0, 23.9, 24.0, 60.0, 5000.0}) {
      const Moments moments = momentsOf(photonQuantiles(mean, reading));
      const double variance = mean + reading * reading;
      EXPECT_NEAR(moments.mean, mean, 0.005 + 0.002 * mean) << "reading " << reading;
      EXPECT_NEAR(moments.variance, variance, 0.01 + 0.01 * variance)
          << "reading " << reading << ", mean " << mean;
    }
  }
}

TEST(PhotonNoise, CountsWithoutReadingArePoisson) {
  for (const double mean : {0.1, 1.0, 4.0, 20.0}) {
    std::vector<double> shares(80, 0);
    for (int bin = 0; bin < kNoiseBins; ++bin) {
      const double count = photonQuantiles(mean, 0)[bin];
      ASSERT_EQ(count, std::floor(count));
      shares[static_cast<std::size_t>(count)] += shareOf(bin);
    }
    double expected = std::exp(-mean);
    for (std::size_t k = 0; k < shares.size(); expected *= mean / static_cast<double>(++k)) {
      EXPECT_NEAR(shares[k], expected, 0.007) << k << " of " << mean;  // a bin's share, at most
    }
  }
}

TEST(PhotonNoise, TheGaussianTakesOverWithoutAStep) {
  const Quantiles exact = photonQuantiles(scenes::kGaussianFrom - 1e-9, 2.2);
  const Quantiles gaussian = photonQuantiles(scenes::kGaussianFrom, 2.2);
  for (int bin = 0; bin < kNoiseBins; ++bin) {
    if (std::abs(scenes::deviateOf(bin)) > 3) continue;
    EXPECT_NEAR(exact[bin], gaussian[bin], 0.1) << bin;
  }
}

TEST(PhotonNoise, TheTableIsExact) {
  const PhotonTable table(2.2);
  std::mt19937 random(5);
  for (int i = 0; i < 40; ++i) {
    const double mean = 30 * static_cast<double>(random()) / 4294967296.0;
    Quantiles found;
    table.quantiles(mean, found);
    const Quantiles exact = photonQuantiles(mean, 2.2);
    for (int bin = 0; bin < kNoiseBins; ++bin) {
      ASSERT_NEAR(found[bin], exact[bin], 0.03) << "mean " << mean << ", bin " << bin;
    }
  }
}

TEST(NoiseStrip, PiecesAreNormal) {
  const NoiseStrip& strip = NoiseStrip::get();
  const Chance chance(1);
  double sum = 0, squares = 0, neighbours = 0, count = 0;
  for (std::uint64_t index = 0; index < 200; ++index) {
    const auto [bins, turn] = strip.piece(chance, index);
    double before = 0;
    for (std::size_t i = 0; i < NoiseStrip::kLongestPiece; ++i) {
      const double deviate = scenes::deviateOf(static_cast<int>(bins[i] ^ turn));
      sum += deviate, squares += deviate * deviate, neighbours += deviate * before;
      before = deviate;
    }
    count += static_cast<double>(NoiseStrip::kLongestPiece);
  }
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 1, 0.01);
  EXPECT_NEAR(neighbours / count, 0, 0.01);
}

class NoisyGrey {
 public:
  NoisyGrey(double gain, double electrons, double reading) : table_(reading) {
    tones_.set(gain, electrons,
               [&](double mean, Quantiles& found) { table_.quantiles(mean, found); });
  }
  cv::Mat shot(int value, std::uint64_t frame = 0) const {
    cv::Mat picture(480, 640, CV_8U, cv::Scalar(value));
    tones_.apply(picture, Chance(9).stream(frame));
    return picture;
  }

 private:
  PhotonTable table_;
  NoisyTones tones_;
};

TEST(NoisyTones, VarianceIsThatOfPhotons) {
  constexpr double kReading = 2.2;
  for (const double electrons : {300.0, 1000.0, 6000.0}) {
    const NoisyGrey grey(1, electrons, kReading);
    for (const int value : {70, 128, 190}) {
      const double light = scenes::linearLight()[static_cast<std::size_t>(value)];
      const Moments moments = momentsOf(grey.shot(value));
      const double rounding =
          std::pow(scenes::linearLight()[static_cast<std::size_t>(value + 1)] - light, 2) / 12;
      const double variance =
          (light * electrons + kReading * kReading) / (electrons * electrons) + rounding;
      EXPECT_NEAR(moments.mean, light, 0.01 * light) << value << ", " << electrons;
      EXPECT_NEAR(moments.variance, variance, 0.05 * variance) << value << ", " << electrons;
    }
  }
}

TEST(NoisyTones, GainIsOfLinearLight) {
  const NoisyGrey grey(0.5, 6000, 2.2);
  const double light = scenes::linearLight()[150];
  EXPECT_NEAR(momentsOf(grey.shot(150)).mean, light / 2, 0.01 * light);
}

TEST(NoisyTones, BlackAndWhiteStayInRange) {
  const NoisyGrey grey(2, 500, 2.2);
  double least = 0, most = 0;
  cv::minMaxLoc(grey.shot(255), &least, &most);
  EXPECT_EQ(least, 255);  // white, twice too bright
  cv::minMaxLoc(grey.shot(0), &least, &most);
  EXPECT_EQ(least, 0);
  EXPECT_LT(most, 60);
}

// Correlation of what noise adds to two pictures of the same grey.
double correlation(const cv::Mat& a, const cv::Mat& b) {
  cv::Mat x, y;
  a.convertTo(x, CV_32F), b.convertTo(y, CV_32F);
  x -= cv::mean(x), y -= cv::mean(y);
  return x.dot(y) / (cv::norm(x) * cv::norm(y));
}

TEST(NoisyTones, NothingComesBack) {
  const NoisyGrey grey(1, 500, 2.2);
  const cv::Mat first = grey.shot(120);
  EXPECT_EQ(cv::norm(first, grey.shot(120), cv::NORM_INF), 0);  // the same frame is the same
  for (std::uint64_t frame = 1; frame < 20; ++frame) {
    const cv::Mat other = grey.shot(120, frame);
    EXPECT_NEAR(correlation(first, other), 0, 0.03) << "frame " << frame;
  }
  for (int row = 1; row < 480; row += 37) {  // nor in the same frame
    EXPECT_NEAR(correlation(first.row(0), first.row(row)), 0, 0.2) << "row " << row;
  }
}

TEST(NoisyTones, PartsOfAWiderPicture) {
  PhotonTable table(2.2);
  NoisyTones tones;
  tones.set(1, 500, [&](double mean, Quantiles& found) { table.quantiles(mean, found); });
  cv::Mat wide(3, 5000, CV_8UC3, cv::Scalar::all(100));
  cv::Mat part = wide.colRange(100, 4900);
  tones.apply(part, Chance(1));
  EXPECT_EQ(
      cv::norm(wide.colRange(0, 100), cv::Mat(3, 100, CV_8UC3, cv::Scalar::all(100)), cv::NORM_INF),
      0);
  cv::Scalar mean, deviation;
  cv::meanStdDev(part, mean, deviation);
  for (int c = 0; c < 3; ++c) EXPECT_GT(deviation[c], 5);
}

}  // namespace
}  // namespace mpm::test
