// SPDX-License-Identifier: Apache-2.0
#include "evaluate/confusion.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "evaluate/truth.h"

namespace mpm::evaluate {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? kNone : static_cast<double>(part) / static_cast<double>(whole);
}

template <typename Label>
void addRow(const std::uint16_t* truth, const Label* found, const std::uint8_t* mask, int width,
            std::size_t classes, std::uint64_t* pixels) {
  for (int x = 0; x < width; ++x) {
    if (truth[x] >= classes || (mask != nullptr && mask[x] == 0)) continue;
    if (found[x] >= classes) {
      throw std::invalid_argument("the model found class " + std::to_string(found[x]) + " of " +
                                  std::to_string(classes));
    }
    ++pixels[truth[x] * classes + found[x]];
  }
}

}  // namespace

void Confusion::add(const cv::Mat& truth, const cv::Mat& found, const cv::Mat& mask) {
  if (truth.type() != CV_16U || (found.type() != CV_8U && found.type() != CV_16U) ||
      truth.size() != found.size() || (!mask.empty() && mask.size() != truth.size())) {
    throw std::invalid_argument("true and found classes are pictures of different size or type");
  }
  for (int y = 0; y < truth.rows; ++y) {
    const std::uint8_t* inside = mask.empty() ? nullptr : mask.ptr<std::uint8_t>(y);
    const auto* row = truth.ptr<std::uint16_t>(y);
    if (found.depth() == CV_8U) {
      addRow(row, found.ptr<std::uint8_t>(y), inside, truth.cols, classes_, pixels_.data());
    } else {
      addRow(row, found.ptr<std::uint16_t>(y), inside, truth.cols, classes_, pixels_.data());
    }
  }
}

void Confusion::add(const Count& count) {
  if (count.truth >= classes_ || count.found >= classes_)
    throw std::invalid_argument("a count of a class beyond the last one");
  pixels_[count.truth * classes_ + count.found] += count.pixels;
}

std::uint64_t Confusion::at(std::size_t truth, std::size_t found) const {
  return pixels_[truth * classes_ + found];
}

std::vector<Count> Confusion::counts() const {
  std::vector<Count> counts;
  for (std::size_t truth = 0; truth < classes_; ++truth) {
    for (std::size_t found = 0; found < classes_; ++found) {
      const std::uint64_t pixels = at(truth, found);
      if (pixels == 0) continue;
      counts.push_back(
          {static_cast<std::uint32_t>(truth), static_cast<std::uint32_t>(found), pixels});
    }
  }
  return counts;
}

Quality qualityOf(const Confusion& confusion) {
  const std::size_t classes = confusion.classes();
  std::vector<std::uint64_t> found(classes, 0);
  Quality quality;
  quality.pixels.assign(classes, 0);
  std::uint64_t all = 0, right = 0;
  for (std::size_t t = 0; t < classes; ++t) {
    for (std::size_t f = 0; f < classes; ++f) {
      quality.pixels[t] += confusion.at(t, f);
      found[f] += confusion.at(t, f);
    }
    all += quality.pixels[t];
    right += confusion.at(t, t);
  }
  for (std::size_t k = 0; k < classes; ++k) {
    const std::uint64_t both = confusion.at(k, k);
    quality.iou.push_back(share(both, quality.pixels[k] + found[k] - both));
    quality.accuracy.push_back(share(both, quality.pixels[k]));
  }
  quality.meanIou = meanOf(quality.iou);
  quality.meanAccuracy = meanOf(quality.accuracy);
  quality.pixelAccuracy = share(right, all);
  return quality;
}

double meanOf(const std::vector<double>& values) {
  double sum = 0;
  int count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? kNone : sum / count;
}

}  // namespace mpm::evaluate
