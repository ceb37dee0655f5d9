// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/sighting.h"

#include <algorithm>

namespace mpm::monitor {
namespace {

constexpr int kWhite = 250, kBlack = 6;
constexpr double kMost = 0.5, kMoreThanUsual = 0.3;
constexpr double kKnownMs = 60000, kUsualMs = 1800000;

}  // namespace

Sighting ExposureWatch::look(const cv::Mat& samples, LightState light, double elapsedMs) {
  const auto pixels = static_cast<double>(samples.total());
  const double white = cv::countNonZero(samples >= kWhite) / pixels;
  const double black = cv::countNonZero(samples <= kBlack) / pixels;
  Usual& usual = usual_[static_cast<std::size_t>(light)];
  double mostWhite = 0, mostBlack = 0;
  for (const Usual& known : usual_) {
    if (known.knownMs < kKnownMs) continue;
    mostWhite = std::max(mostWhite, known.white);
    mostBlack = std::max(mostBlack, known.black);
  }
  Sighting sighting;
  sighting.isKnown = usual.knownMs >= kKnownMs;
  const bool isWhite = white >= std::max(kMost, mostWhite + kMoreThanUsual);
  const bool isBlack = black >= std::max(kMost, mostBlack + kMoreThanUsual);
  sighting.isSeen = isWhite || isBlack;
  sighting.value = isBlack ? black : white;
  const bool isLight = light != LightState::transition && light != LightState::noSignal;
  if (isLight && !(sighting.isKnown && sighting.isSeen)) {
    usual.knownMs += elapsedMs;
    const double share = elapsedMs / std::min(usual.knownMs, kUsualMs);
    if (share > 0) {
      usual.white += (white - usual.white) * share;
      usual.black += (black - usual.black) * share;
    }
  }
  return sighting;
}

}  // namespace mpm::monitor
