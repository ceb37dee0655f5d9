// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/camera_fault.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "files/text.h"
#include "monitor/rules/words.h"

namespace mpm::monitor {
namespace {

constexpr double kKnownMs = 60000;  // from then on it is known what is usual

// Limits of Stillness.
constexpr int kCells = 16, kCellRows = 12;
constexpr std::int64_t kStillMs = 45000, kAliveMs = 5000;
constexpr double kStill = 0.1;       // share of the parts that change all the same: a clock
constexpr double kLeastUsual = 0.4;  // that have to change where it can be told
constexpr double kUsualMs = 600000;

bool differs(const cv::Mat& a, const cv::Mat& b) {
  const auto bytes = static_cast<std::size_t>(a.cols);
  for (int y = 0; y < a.rows; ++y) {
    if (std::memcmp(a.ptr(y), b.ptr(y), bytes) != 0) return true;
  }
  return false;
}

// Limits of ExposureWatch.
constexpr int kWhite = 250, kBlack = 6;
constexpr double kMost = 0.5, kMoreThanUsual = 0.3, kUsualExposureMs = 1800000;

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + "%"; }
std::string finePercent(double share) {
  return files::numberText(std::round(share * 1000) / 10) + "%";
}

}  // namespace

void Stillness::compare(const cv::Mat& samples, std::int64_t nowMs) {
  if (before_.size() != samples.size()) {
    changedMs_.assign(kCells * kCellRows, nowMs);
  } else {
    for (int cell = 0; cell < kCells * kCellRows; ++cell) {
      const int x = cell % kCells, y = cell / kCells;
      const cv::Point from(samples.cols * x / kCells, samples.rows * y / kCellRows);
      const cv::Point to(samples.cols * (x + 1) / kCells, samples.rows * (y + 1) / kCellRows);
      const cv::Rect part(from, to);
      if (differs(samples(part), before_(part))) changedMs_[static_cast<std::size_t>(cell)] = nowMs;
    }
  }
  samples.copyTo(before_);
}

double Stillness::alive(std::int64_t nowMs, std::int64_t backMs) const {
  const auto count = std::count_if(
      changedMs_.begin(), changedMs_.end(),
      [&](std::int64_t changedMs) { return nowMs - changedMs < backMs && changedMs <= nowMs; });
  return static_cast<double>(count) / static_cast<double>(changedMs_.size());
}

Sighting Stillness::look(const cv::Mat& samples, std::int64_t nowMs, double elapsedMs) {
  compare(samples, nowMs);
  Sighting sighting;
  sighting.isKnown = usual_.knownMs >= kKnownMs && usual_.changing >= kLeastUsual;
  // Counts as back only when much changes within seconds.
  sighting.value = alive(nowMs, isStill_ ? kAliveMs : kStillMs);
  isStill_ = sighting.isKnown && sighting.value <= (isStill_ ? usual_.changing / 2 : kStill);
  sighting.isSeen = isStill_;
  if (!isStill_) {
    usual_.knownMs += elapsedMs;
    const double share = elapsedMs / std::min(usual_.knownMs, kUsualMs);
    usual_.changing += (alive(nowMs, kAliveMs) - usual_.changing) * share;
  }
  return sighting;
}

Sighting ExposureWatch::look(const cv::Mat& samples, LightState light, double elapsedMs) {
  const auto pixels = static_cast<double>(samples.total());
  const double white = cv::countNonZero(samples >= kWhite) / pixels;
  const double black = cv::countNonZero(samples <= kBlack) / pixels;
  Usual& usual = usual_[learntPlace(light)];
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
    const double share = elapsedMs / std::min(usual.knownMs, kUsualExposureMs);
    if (share > 0) {
      usual.white += (white - usual.white) * share;
      usual.black += (black - usual.black) * share;
    }
  }
  return sighting;
}

std::string placementText(const Placement& placement) {
  std::string where;
  const auto add = [&](const std::string& part) { where += (where.empty() ? "" : ", ") + part; };
  const double x = placement.shift.x, y = placement.shift.y, degrees = placement.degrees;
  if (std::abs(x) >= 0.0005)
    add(finePercent(std::abs(x)) + (x > 0 ? " further right" : " further left"));
  if (std::abs(y) >= 0.0005)
    add(finePercent(std::abs(y)) + (y > 0 ? " further down" : " further up"));
  const double turn = std::round(std::abs(degrees) * 10) / 10;
  if (turn > 0) {
    add(files::numberText(turn) + (turn == 1 ? " degree " : " degrees ") +
        (degrees > 0 ? "clockwise" : "counterclockwise"));
  }
  return where.empty() ? "where it was" : where + " (of the picture's width)";
}

std::string movedAgainText(const Placement& placement) {
  return "the camera was moved again: against its first view, what it shows is now " +
         placementText(placement);
}

std::string beganText(CameraFault fault, const Sighting& sighting) {
  const std::string share = percent(sighting.value);
  const std::array<std::string, kCameraFaults> texts{
      sighting.placement
          ? "the camera was moved: what it shows is now " + placementText(*sighting.placement)
          : "the camera shows another view: it was moved, or something stands in front of it",
      "the camera is covered, or shows next to nothing: " + share + " of what it showed are gone",
      "the picture is blurred (out of focus, fogged or iced over): " + share +
          " of its usual sharpness",
      "the picture is frozen: frames come, but they are the same",
      "the exposure is wrong: " + share + " of the picture are white or black",
      "the camera switches to and fro between colour and infrared: " +
          std::to_string(std::lround(sighting.value)) + " times within a minute"};
  return texts[static_cast<std::size_t>(fault)];
}

std::string endedText(CameraFault fault, std::int64_t heldMs) {
  constexpr std::array<const char*, kCameraFaults> kTexts{
      "the camera shows its old view again",
      "the camera is not covered any more",
      "the picture is as sharp as before",
      "the picture changes again",
      "the exposure is as before",
      "the camera has stopped switching between colour and infrared"};
  return kTexts[static_cast<std::size_t>(fault)] + (", after " + durationText(heldMs));
}

}  // namespace mpm::monitor
