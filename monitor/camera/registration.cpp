// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/registration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

namespace mpm::monitor {
namespace {

constexpr int kCoarseWidth = 80;
constexpr double kMostShift = 0.35, kMostDegrees = 30, kStepDegrees = 3, kFinestDegrees = 0.3;
constexpr int kSettlingSteps = 8;
constexpr double kSettled = 0.01;       // pixels: less is no change
constexpr double kLeastOverlap = 0.25;  // of the picture: less says nothing

constexpr double kSmooth = 0.8, kSurroundings = 4, kContrast = 8;  // standard deviations in pixels
constexpr double kNoise = 3;  // grey levels of contrast that count as none
constexpr double kMostDetail = 3;
constexpr double kNothing = 1e-3;  // root mean square of what is left of nothing by rounding

double widthOf(const cv::Mat& picture) { return picture.cols; }

cv::Matx23d aboutMiddle(const cv::Size& size, double degrees, const cv::Point2d& shift) {
  const cv::Point2d middle((size.width - 1) / 2.0, (size.height - 1) / 2.0);
  const double angle = degrees * CV_PI / 180, c = std::cos(angle), s = std::sin(angle);
  // Rotates clockwise, since y points down.
  return {c, -s, middle.x - c * middle.x + s * middle.y + shift.x,
          s, c,  middle.y - s * middle.x - c * middle.y + shift.y};
}

// Moves `picture` back onto the reference.
cv::Mat broughtBack(const cv::Mat& picture, double degrees, const cv::Point2d& shift) {
  cv::Mat back;
  cv::warpAffine(picture, back, aboutMiddle(picture.size(), degrees, shift), picture.size(),
                 cv::INTER_LINEAR | cv::WARP_INVERSE_MAP, cv::BORDER_CONSTANT, 0);
  return back;
}

// Compares the area that both show.
double fitOf(const cv::Mat& reference, const cv::Mat& details, double degrees,
             const cv::Point2d& shift) {
  const cv::Mat whole(details.size(), CV_32F, cv::Scalar(1));
  const cv::Mat seen = broughtBack(whole, degrees, shift);
  if (cv::mean(seen)[0] < kLeastOverlap) return 0;
  return correlation(reference.mul(seen), broughtBack(details, degrees, shift));
}

struct Guess {
  double degrees = 0, fit = -1;
  cv::Point2d shift;
};

// Finds the best shift under a rotation.
class Search {
 public:
  Search(const cv::Mat& reference, const cv::Mat& details)
      : reference_(reference), details_(details) {
    cv::createHanningWindow(window_, reference.size(), CV_32F);
    windowed_ = reference.mul(window_);
  }

  Guess at(double degrees) const {
    // The window comes first: OpenCV 4.6 multiplies the first argument by it in place.
    const cv::Mat turned = degrees == 0 ? details_ : broughtBack(details_, degrees, {});
    const cv::Point2d found = cv::phaseCorrelate(windowed_.clone(), turned.mul(window_));
    if (std::max(std::abs(found.x), std::abs(found.y)) > kMostShift * widthOf(reference_)) {
      return {degrees, -1, {}};
    }
    // Rotates the shift, which was found in the rotated picture.
    const double angle = degrees * CV_PI / 180, c = std::cos(angle), s = std::sin(angle);
    const cv::Point2d shift(c * found.x - s * found.y, s * found.x + c * found.y);
    return {degrees, fitOf(reference_, details_, degrees, shift), shift};
  }

 private:
  const cv::Mat &reference_, &details_;
  cv::Mat window_, windowed_;
};

void keepBetter(Guess& best, const Guess& other) {
  if (other.fit > best.fit) best = other;
}

// Minimises squared differences, where large ones, from passing things or moved shadows, count
// little. It follows the reference's slopes, so it only finds what is near.
class Settling {
 public:
  Settling(const cv::Mat& reference, const cv::Mat& details)
      : reference_(reference), details_(details) {
    const cv::Matx13f slope(-0.5F, 0, 0.5F);
    cv::filter2D(reference, slopes_[0], CV_32F, slope);
    cv::filter2D(reference, slopes_[1], CV_32F, slope.t());
    slopes_[2].create(reference.size(), CV_32F);  // of a turn, by radians
    const float x0 = static_cast<float>(reference.cols - 1) / 2;
    const float y0 = static_cast<float>(reference.rows - 1) / 2;
    for (int y = 0; y < reference.rows; ++y) {
      const float *across = slopes_[0].ptr<float>(y), *down = slopes_[1].ptr<float>(y);
      auto* turn = slopes_[2].ptr<float>(y);
      for (int x = 0; x < reference.cols; ++x) {
        turn[x] = down[x] * (static_cast<float>(x) - x0) - across[x] * (static_cast<float>(y) - y0);
      }
    }
  }

  Guess from(Guess guess) const {
    const cv::Mat whole(details_.size(), CV_32F, cv::Scalar(1));
    for (int step = 0; step < kSettlingSteps; ++step) {
      const cv::Mat seen = broughtBack(whole, guess.degrees, guess.shift);
      const cv::Mat rest = broughtBack(details_, guess.degrees, guess.shift) - reference_;
      cv::Mat weights;
      cv::divide(seen, 1 + rest.mul(rest), weights);
      cv::Matx33d products;
      cv::Vec3d sums, change;
      for (int i = 0; i < 3; ++i) {
        const cv::Mat weighted = slopes_[static_cast<std::size_t>(i)].mul(weights);
        sums[i] = weighted.dot(rest);
        for (int k = 0; k <= i; ++k) {
          products(i, k) = products(k, i) = weighted.dot(slopes_[static_cast<std::size_t>(k)]);
        }
      }
      if (!cv::solve(products, sums, change, cv::DECOMP_CHOLESKY)) break;
      // Slopes belong to the reference, which is not rotated.
      const double angle = guess.degrees * CV_PI / 180, c = std::cos(angle), s = std::sin(angle);
      guess.shift -= cv::Point2d(c * change[0] - s * change[1], s * change[0] + c * change[1]);
      guess.degrees -= change[2] * 180 / CV_PI;
      if (std::max({std::abs(change[0]), std::abs(change[1]),
                    std::abs(change[2]) * reference_.cols / 2}) < kSettled) {
        break;
      }
    }
    if (!(cv::norm(guess.shift) < kMostShift * widthOf(reference_)) ||
        !(std::abs(guess.degrees) < kMostDegrees + kStepDegrees)) {
      return {};
    }
    guess.fit = fitOf(reference_, details_, guess.degrees, guess.shift);
    return guess;
  }

 private:
  const cv::Mat &reference_, &details_;
  std::array<cv::Mat, 3> slopes_;
};

Placement placed(const Guess& guess, const cv::Mat& reference, const cv::Mat& details) {
  Placement placement;
  placement.fitUnmoved = correlation(reference, details);
  placement.fit = guess.fit;
  placement.degrees = guess.degrees;
  placement.shift = guess.shift / widthOf(reference);
  return placement;
}

cv::Mat halved(const cv::Mat& details) {
  cv::Mat small;
  cv::resize(details, small, {}, 0.5, 0.5, cv::INTER_AREA);
  return small;
}

double coarseDegrees(const cv::Mat& reference, const cv::Mat& details) {
  const Search search(reference, details);
  Guess best = search.at(0);
  for (double degrees = kStepDegrees; degrees <= kMostDegrees; degrees += kStepDegrees) {
    keepBetter(best, search.at(degrees));
    keepBetter(best, search.at(-degrees));
  }
  return best.degrees;
}

}  // namespace

double Placement::reach(const cv::Size& size) const {
  const cv::Size2d one(1, static_cast<double>(size.height) / size.width);
  const double angle = degrees * CV_PI / 180, c = std::cos(angle), s = std::sin(angle);
  double most = 0;
  for (const cv::Point2d corner :
       {cv::Point2d(one.width, one.height) / 2, cv::Point2d(one.width, -one.height) / 2}) {
    const cv::Point2d turn(c * corner.x - s * corner.y - corner.x,
                           s * corner.x + c * corner.y - corner.y);
    most = std::max({most, cv::norm(shift + turn), cv::norm(shift - turn)});
  }
  return most;
}

cv::Mat reducedGrey(const cv::Mat& picture, int mostWidth) {
  cv::Mat small = picture;
  const int times = picture.cols / mostWidth;
  if (times > 1) {
    cv::resize(picture, small, {picture.cols / times, std::max(1, picture.rows / times)}, 0, 0,
               cv::INTER_AREA);
  }
  if (small.channels() == 3) cv::cvtColor(small, small, cv::COLOR_BGR2GRAY);
  if (small.cols > mostWidth) {
    const int height = std::max(
        1, static_cast<int>(std::lround(static_cast<double>(small.rows) * mostWidth / small.cols)));
    cv::resize(small, small, {mostWidth, height}, 0, 0, cv::INTER_AREA);
  }
  cv::Mat grey;
  small.convertTo(grey, CV_32F);
  return grey;
}

cv::Mat detailsOf(const cv::Mat& grey) {
  cv::Mat near, around, contrast;
  cv::GaussianBlur(grey, near, {}, kSmooth, kSmooth, cv::BORDER_REPLICATE);
  cv::GaussianBlur(near, around, {}, kSurroundings, kSurroundings, cv::BORDER_REPLICATE);
  cv::Mat details = near - around;
  cv::boxFilter(details.mul(details), contrast, CV_32F,
                cv::Size(2 * kContrast + 1, 2 * kContrast + 1), {-1, -1}, true,
                cv::BORDER_REPLICATE);
  cv::sqrt(contrast + kNoise * kNoise, contrast);
  cv::divide(details, contrast, details);
  cv::min(details, kMostDetail, details);
  cv::max(details, -kMostDetail, details);
  return details;
}

double correlation(const cv::Mat& a, const cv::Mat& b) {
  const double least = kNothing * kNothing * static_cast<double>(a.total());
  const double ofA = a.dot(a), ofB = b.dot(b);
  return ofA > least && ofB > least ? a.dot(b) / std::sqrt(ofA * ofB) : 0;
}

Placement placementOfDetails(const cv::Mat& reference, const cv::Mat& details) {
  const bool isLarge = reference.cols > kCoarseWidth;
  const double coarse = isLarge ? coarseDegrees(halved(reference), halved(details))
                                : coarseDegrees(reference, details);
  const Search search(reference, details);
  Guess best = search.at(0);
  keepBetter(best, search.at(coarse));
  for (double step = kStepDegrees / 2; step > kFinestDegrees; step /= 2) {
    const double from = best.degrees;
    keepBetter(best, search.at(from + step));
    keepBetter(best, search.at(from - step));
  }
  keepBetter(best, Settling(reference, details).from(best));
  return placed(best, reference, details);
}

Placement nearPlacementOfDetails(const cv::Mat& reference, const cv::Mat& details) {
  const Guess unmoved{0, correlation(reference, details), {}};
  const Guess found = Settling(reference, details).from(unmoved);
  return placed(found.fit < unmoved.fit ? unmoved : found, reference, details);
}

cv::Matx23d transformOf(const Placement& placement, const cv::Size& size) {
  return aboutMiddle(size, placement.degrees, placement.shift * size.width);
}

}  // namespace mpm::monitor
