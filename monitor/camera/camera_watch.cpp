// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/camera_watch.h"

#include <algorithm>
#include <cmath>

#include "monitor/camera/camera_fault.h"

namespace mpm::monitor {
namespace {

constexpr std::int64_t kEveryMs = 500;
constexpr double kLongestStepMs = 2000;  // of one look: more of the time before it does not show
constexpr double kLongGapMs = 60000;     // then the mean of the last seconds is none
constexpr int kWidth = 320;
constexpr double kMeanMs = 3000;

constexpr double kColour = 0.05, kGrey = 0.025;  // saturation that is colour, that is none
constexpr double kLeastContrast = 0.01;          // what shows nothing has no colour either way
constexpr std::int64_t kSwitchesMs = 60000;
constexpr std::size_t kSwitches = 4;

std::vector<Holding> holdings() {
  // Follows CameraFault: moved, covered, blurred, frozen, exposure, flapping.
  return {{12000, 10000}, {12000, 10000}, {15000, 20000}, {0, 2000}, {12000, 10000}, {0, 0}};
}

constexpr std::size_t at(CameraFault fault) { return static_cast<std::size_t>(fault); }

// Samples pixels all over the picture, without averaging, which would reduce noise. Green of
// colours.
cv::Mat samplesOf(const cv::Mat& picture) {
  const int times = std::max(1, picture.cols / kWidth), channels = picture.channels();
  cv::Mat samples(std::max(1, picture.rows / times), picture.cols / times, CV_8U);
  for (int y = 0; y < samples.rows; ++y) {
    const uchar* from = picture.ptr(y * times) + channels / 2;
    uchar* to = samples.ptr(y);
    for (int x = 0; x < samples.cols; ++x) to[x] = from[x * times * channels];
  }
  return samples;
}

// The bytes of a watch: a version, the usual change, the usual exposure in each light, and the
// view.
constexpr std::uint32_t kWatchVersion = 0x4d504301;

bool takeShare(std::string_view& bytes, double& share) {
  return takeBytes(bytes, share) && share >= 0 && share <= 1;
}

bool takeDuration(std::string_view& bytes, double& ms) {
  return takeBytes(bytes, ms) && ms >= 0 && std::isfinite(ms);
}

}  // namespace

CameraWatch::CameraWatch() : holding_(holdings()) {}

CameraFaults CameraWatch::faults() const {
  CameraFaults faults;
  for (std::size_t i = 0; i < kCameraFaults; ++i) faults[i] = holding_[i].holds();
  return faults;
}

void CameraWatch::countSwitches(const LightReading& light, std::int64_t nowMs) {
  while (!switchesMs_.empty() && nowMs - switchesMs_.front() > kSwitchesMs) switchesMs_.pop_front();
  if (light.contrast < kLeastContrast) return;
  const bool isColour = light.saturation > (isColour_.value_or(true) ? kGrey : kColour);
  if (isColour_ && isColour != *isColour_) switchesMs_.push_back(nowMs);
  isColour_ = isColour;
}

void CameraWatch::average(const cv::Mat& grey, double elapsedMs) {
  if (mean_.size() != grey.size() || elapsedMs > kLongGapMs) {
    grey.copyTo(mean_);
    return;
  }
  const double share = 1 - std::exp(-elapsedMs / kMeanMs);
  cv::addWeighted(mean_, 1 - share, grey, share, 0, mean_);
}

CameraWatch::Sightings CameraWatch::look(const cv::Mat& picture, const Moment& taken,
                                         LightState light, double elapsedMs) {
  const double countedMs = std::min(elapsedMs, kLongestStepMs);
  const cv::Mat grey = reducedGrey(picture, kWidth);
  average(grey, elapsedMs);
  const cv::Mat samples = samplesOf(picture);
  Sightings sightings;
  sightings[at(CameraFault::frozen)] = stillness_.look(samples, taken.steadyMs, countedMs);
  sightings[at(CameraFault::exposure)] = exposure_.look(samples, light, countedMs);
  const bool isWell = !sightings[at(CameraFault::exposure)].isSeen;
  ViewWatch::Found found = view_.look(sightOf(mean_), grey, light, countedMs / 1000, isWell);
  movedAgain_ = found.movedAgain;
  sightings[at(CameraFault::moved)] = std::move(found.moved);
  sightings[at(CameraFault::covered)] = std::move(found.covered);
  sightings[at(CameraFault::blurred)] = std::move(found.blurred);
  const bool flaps = holding_[at(CameraFault::flapping)].holds();
  const std::size_t switches = switchesMs_.size();
  sightings[at(CameraFault::flapping)] = {true, switches >= (flaps ? 1 : kSwitches),
                                          static_cast<double>(switches), std::nullopt};
  return sightings;
}

std::vector<CameraChange> CameraWatch::decide(const Sightings& sightings, std::int64_t nowMs,
                                              double elapsedMs) {
  std::vector<CameraChange> changes;
  for (const CameraFault fault : kAllCameraFaults) {
    const Sighting& sighting = sightings[at(fault)];
    const std::optional<bool> began = holding_[at(fault)].update(sighting, elapsedMs);
    if (!began) continue;
    if (fault == CameraFault::moved) view_.setMoved(*began);
    if (*began) beganMs_[at(fault)] = nowMs;
    const std::string text =
        *began ? beganText(fault, sighting) : endedText(fault, nowMs - beganMs_[at(fault)]);
    changes.push_back(
        {fault, *began, sighting.value, text, *began ? sighting.placement : std::nullopt});
  }
  if (movedAgain_ && faults()[at(CameraFault::moved)]) changes.push_back(movedAgain());
  movedAgain_.reset();
  return changes;
}

CameraChange CameraWatch::movedAgain() const {
  return {CameraFault::moved, true, movedAgain_->reach(mean_.size()), movedAgainText(*movedAgain_),
          movedAgain_};
}

std::vector<CameraChange> CameraWatch::update(const cv::Mat& picture, const Moment& taken,
                                              const LightReading& light) {
  const std::int64_t nowMs = taken.steadyMs;
  if (lookedMs_ && nowMs < *lookedMs_) {  // a file that begins again, or was wound back
    lookedMs_ = nowMs;
    switchesMs_.clear();
  }
  countSwitches(light, nowMs);
  if (lookedMs_ && nowMs - *lookedMs_ < kEveryMs) return {};
  const auto elapsedMs = static_cast<double>(nowMs - lookedMs_.value_or(nowMs - kEveryMs));
  lookedMs_ = nowMs;
  const Sightings sightings = look(picture, taken, light.state, elapsedMs);
  return decide(sightings, nowMs, std::min(elapsedMs, kLongestStepMs));
}

std::string CameraWatch::view() const {
  std::string bytes;
  putBytes(bytes, kWatchVersion);
  putBytes(bytes, stillness_.usual().changing);
  putBytes(bytes, stillness_.usual().knownMs);
  for (const ExposureWatch::Usual& usual : exposure_.usual()) {
    for (const double number : {usual.white, usual.black, usual.knownMs}) putBytes(bytes, number);
  }
  return bytes + view_.home();
}

bool CameraWatch::setView(std::string_view bytes) {
  std::string_view rest = bytes;
  std::uint32_t version = 0;
  if (!takeBytes(rest, version) || version != kWatchVersion) return view_.setHome(bytes);
  Stillness::Usual changing;
  if (!takeShare(rest, changing.changing) || !takeDuration(rest, changing.knownMs)) return false;
  ExposureWatch::UsualByLight exposed;
  for (ExposureWatch::Usual& usual : exposed) {
    if (!takeShare(rest, usual.white) || !takeShare(rest, usual.black) ||
        !takeDuration(rest, usual.knownMs)) {
      return false;
    }
  }
  if (!view_.setHome(rest)) return false;
  stillness_.setUsual(changing);
  exposure_.setUsual(exposed);
  return true;
}

}  // namespace mpm::monitor
