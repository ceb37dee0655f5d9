// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/greenness.h"

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

namespace mpm::monitor {
namespace {

constexpr double kDarkest = 100, kBrightest = 665;

double greennessOf(const cv::Vec3d& meanBgr) {
  const double sum = meanBgr[0] + meanBgr[1] + meanBgr[2];
  if (!(sum >= kDarkest && sum <= kBrightest)) return std::numeric_limits<double>::quiet_NaN();
  return meanBgr[1] / sum;
}

cv::Vec3d meanOver(const cv::Mat& picture, const std::vector<RowSpan>& spans) {
  std::array<std::uint64_t, 3> sums{};
  std::uint64_t pixels = 0;
  for (const RowSpan& span : spans) {
    std::uint32_t b = 0, g = 0, r = 0;
    const uchar *from = picture.ptr(span.row) + 3 * span.begin,
                *end = picture.ptr(span.row) + 3 * span.end;
    for (; from < end; from += 3) b += from[0], g += from[1], r += from[2];
    sums[0] += b, sums[1] += g, sums[2] += r;
    pixels += static_cast<std::uint64_t>(span.end - span.begin);
  }
  const auto count = static_cast<double>(pixels);  // 0: not a number
  return {static_cast<double>(sums[0]) / count, static_cast<double>(sums[1]) / count,
          static_cast<double>(sums[2]) / count};
}

}  // namespace

void Greenness::place(std::vector<Zone> zones) {
  zones_ = std::move(zones);
  size_ = {};
}

const std::vector<double>& Greenness::measure(const cv::Mat& picture) {
  if (picture.empty() || picture.type() != CV_8UC3)
    throw std::invalid_argument("greenness is measured on pictures of 8 bits with 3 channels");
  if (picture.size() != size_) {
    size_ = picture.size();
    spans_.clear();
    for (const Zone& zone : zones_) spans_.push_back(spansOf(zone.corners, size_));
  }
  const cv::Scalar whole = cv::mean(picture);
  greenness_.assign(1, greennessOf({whole[0], whole[1], whole[2]}));
  for (const std::vector<RowSpan>& spans : spans_) {
    greenness_.push_back(greennessOf(meanOver(picture, spans)));
  }
  return greenness_;
}

}  // namespace mpm::monitor
