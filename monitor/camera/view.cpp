// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/camera_watch.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

namespace mpm::monitor {
namespace {

constexpr int kCells = 8, kCellRows = 6;
constexpr double kFineDeviation = 1.2, kCoarseDeviation = 4, kCoarseSmooth = 0.8;
constexpr double kLeastStructure = 3;  // grey levels (root mean square): less is noise
constexpr double kLeastFine = 1;       // the same of what is finest
constexpr double kIsKept = 0.4;        // correlation of a part's details
constexpr double kIsGone = 0.25;       // what is left of its contrast
constexpr int kLeastCells = 8;         // with structure: with fewer nothing can be said
constexpr int kLeastSharpCells = 5;
constexpr double kLeastUsual = 0.5;  // of parts that are kept from one minute to the next: less,
                                     // and this is no fixed camera
constexpr double kKnownSeconds = 60, kLatelySeconds = 120, kLongSeconds = 7200;

cv::Rect cellOf(const cv::Size& size, int cell) {
  const int x = cell % kCells, y = cell / kCells;
  const cv::Point from(size.width * x / kCells, size.height * y / kCellRows);
  const cv::Point to(size.width * (x + 1) / kCells, size.height * (y + 1) / kCellRows);
  return {from, to};
}

double rms(const cv::Mat& part) {
  return std::sqrt(part.dot(part) / static_cast<double>(std::max<std::size_t>(1, part.total())));
}

// Averages all values until `back` seconds have passed; then newer ones weigh more.
void addTo(cv::Mat& mean, const cv::Mat& value, double before, double seconds, double back) {
  if (mean.empty() || mean.size() != value.size()) {
    mean = value.clone();
    return;
  }
  const double share = seconds / std::min(before + seconds, back);
  cv::addWeighted(mean, 1 - share, value, share, 0, mean);
}

void addTo(double& mean, double value, double before, double seconds, double back) {
  mean += (value - mean) * seconds / std::min(before + seconds, back);
}

// Returns how much of the structure of `usual` is in `now`; noise adds nothing.
double gain(const cv::Mat& now, const cv::Mat& usual) { return now.dot(usual) / usual.dot(usual); }

struct Raw {
  double kept = 1, gone = 0, sharp = 1;
  int cells = 0, sharpCells = 0;
};

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

constexpr double kMostGone = 0.7;      // from here on it is covered
constexpr double kOtherView = 0.5;     // so little kept, although there is structure
constexpr double kMaybeMoved = 0.85;   // from here on down it is looked for elsewhere
constexpr double kLeastReach = 0.015;  // shares of the width: less may be wind
// A smaller shift is a move if it is seen in as many looks in a row: three pixels of 640.
constexpr double kBesideReach = 0.004, kHomeReach = 0.003;
constexpr int kBesideLooks = 16;
constexpr double kLeastFit = 0.5, kBetterFit = 0.1;   // of a place where it is found
constexpr double kBlurred = 0.6, kSharpAgain = 0.75;  // of the usual sharpness
constexpr double kLostSeconds = 15;
constexpr int kTriesAgain = 30;
// Searches in one of as many looks, since a search takes that many times as long.
constexpr int kSearchEvery = 4, kCreepEvery = 40;

// The bytes of a view: a version, then the numbers and five pictures of each light, as rows,
// columns and half floats.
constexpr std::uint32_t kViewVersion = 0x4d505601;
constexpr int kMostSide = 4096;

void putPicture(std::string& bytes, const cv::Mat& picture) {
  putBytes(bytes, picture.rows);
  putBytes(bytes, picture.cols);
  if (picture.empty()) return;
  cv::Mat half;
  picture.convertTo(half, CV_16F);
  bytes.append(reinterpret_cast<const char*>(half.data), half.total() * half.elemSize());
}

bool takePicture(std::string_view& bytes, cv::Mat& picture) {
  int rows = 0, cols = 0;
  if (!takeBytes(bytes, rows) || !takeBytes(bytes, cols)) return false;
  if (rows < 0 || cols < 0 || rows > kMostSide || cols > kMostSide) return false;
  const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) * 2;
  if (bytes.size() < size) return false;
  picture = cv::Mat();
  if (size == 0) return true;
  cv::Mat half(rows, cols, CV_16F);
  std::memcpy(half.data, bytes.data(), size);
  bytes.remove_prefix(size);
  half.convertTo(picture, CV_32F);
  return cv::checkRange(picture);
}

}  // namespace

Sight sightOf(const cv::Mat& grey) {
  Sight sight;
  sight.grey = grey;
  cv::Mat smooth;
  cv::GaussianBlur(grey, smooth, {}, kFineDeviation, kFineDeviation, cv::BORDER_REPLICATE);
  sight.fine = grey - smooth;
  cv::Mat half, near, around;
  cv::resize(grey, half, {std::max(1, grey.cols / 2), std::max(1, grey.rows / 2)}, 0, 0,
             cv::INTER_AREA);
  cv::GaussianBlur(half, near, {}, kCoarseSmooth, kCoarseSmooth, cv::BORDER_REPLICATE);
  cv::GaussianBlur(near, around, {}, kCoarseDeviation, kCoarseDeviation, cv::BORDER_REPLICATE);
  sight.coarse = near - around;
  sight.details = detailsOf(half);
  return sight;
}

Sight broughtBack(const Sight& sight, const Placement& placement) {
  cv::Mat grey;
  cv::warpAffine(sight.grey, grey, transformOf(placement, sight.grey.size()), sight.grey.size(),
                 cv::INTER_CUBIC | cv::WARP_INVERSE_MAP, cv::BORDER_REPLICATE);
  return sightOf(grey);
}

namespace {

template <typename Learnt>
Raw rawComparison(const Sight& sight, const Learnt& learnt) {
  Raw raw;
  if (learnt.coarse.size() != sight.coarse.size()) return raw;
  double kept = 0, gone = 0;
  std::vector<double> sharp;
  for (int cell = 0; cell < kCells * kCellRows; ++cell) {
    const cv::Rect half = cellOf(sight.coarse.size(), cell);
    const cv::Mat usual = learnt.coarse(half);
    const double contrast = rms(usual);
    if (contrast >= kLeastStructure) {
      ++raw.cells;
      const double fit = correlation(learnt.details(half), sight.details(half));
      kept += fit >= kIsKept;
      gone += rms(sight.coarse(half)) < kIsGone * contrast;
    }
    const cv::Mat longUsual = learnt.longCoarse(half);
    const cv::Rect whole = cellOf(sight.fine.size(), cell);
    const cv::Mat fine = learnt.fine(whole);
    if (rms(longUsual) < kLeastStructure || rms(fine) < kLeastFine) continue;
    if (correlation(longUsual, sight.coarse(half)) < kIsKept) continue;
    sharp.push_back(gain(sight.fine(whole), fine) / gain(sight.coarse(half), longUsual));
  }
  raw.sharpCells = static_cast<int>(sharp.size());
  if (raw.cells > 0) raw.kept = kept / raw.cells, raw.gone = gone / raw.cells;
  if (!sharp.empty()) raw.sharp = median(sharp);
  return raw;
}

}  // namespace

bool View::knows(LightState light) const {
  const Learnt& learnt = of(light);
  if (learnt.seconds < kKnownSeconds || learnt.kept < kLeastUsual) return false;
  int cells = 0;
  for (int cell = 0; cell < kCells * kCellRows; ++cell) {
    cells += rms(learnt.coarse(cellOf(learnt.coarse.size(), cell))) >= kLeastStructure;
  }
  return cells >= kLeastCells;
}

Comparison View::compare(const Sight& sight, LightState light) const {
  const Learnt& learnt = of(light);
  const Raw raw = rawComparison(sight, learnt);
  Comparison comparison;
  if (raw.cells < kLeastCells) return comparison;
  comparison.kept = std::min(1.0, raw.kept / std::max(learnt.kept, kLeastUsual));
  comparison.gone = raw.gone;
  comparison.canTellSharp =
      raw.sharpCells >= kLeastSharpCells && learnt.sharpSeconds >= kKnownSeconds;
  if (comparison.canTellSharp) comparison.sharp = std::max(0.0, raw.sharp / learnt.sharp);
  return comparison;
}

void View::learn(const Sight& sight, LightState light, double seconds, bool isSharp) {
  Learnt& learnt = learnt_[learntPlace(light)];
  if (learnt.coarse.size() != sight.coarse.size()) learnt = {};
  if (learnt.seconds > 0) {
    const Raw raw = rawComparison(sight, learnt);
    addTo(learnt.kept, raw.kept, learnt.seconds, seconds, kLongSeconds);
    if (isSharp && raw.sharpCells >= kLeastSharpCells) {
      addTo(learnt.sharp, raw.sharp, learnt.sharpSeconds, seconds, kLongSeconds);
      learnt.sharpSeconds += seconds;
    }
  }
  addTo(learnt.details, sight.details, learnt.seconds, seconds, kLatelySeconds);
  addTo(learnt.coarse, sight.coarse, learnt.seconds, seconds, kLatelySeconds);
  if (isSharp) {
    addTo(learnt.longDetails, sight.details, learnt.seconds, seconds, kLongSeconds);
    addTo(learnt.longCoarse, sight.coarse, learnt.seconds, seconds, kLongSeconds);
    addTo(learnt.fine, sight.fine, learnt.seconds, seconds, kLongSeconds);
  }
  learnt.seconds += seconds;
}

std::string View::bytes() const {
  std::string bytes;
  putBytes(bytes, kViewVersion);
  for (const Learnt& learnt : learnt_) {
    for (const double number : {learnt.seconds, learnt.kept, learnt.sharp, learnt.sharpSeconds}) {
      putBytes(bytes, number);
    }
    for (const cv::Mat* picture :
         {&learnt.details, &learnt.coarse, &learnt.longDetails, &learnt.longCoarse, &learnt.fine}) {
      putPicture(bytes, *picture);
    }
  }
  return bytes;
}

bool View::learnFrom(std::string_view bytes) {
  std::uint32_t version = 0;
  if (!takeBytes(bytes, version) || version != kViewVersion) return false;
  std::array<Learnt, kLearntLights> found;
  for (Learnt& learnt : found) {
    for (double* number : {&learnt.seconds, &learnt.kept, &learnt.sharp, &learnt.sharpSeconds}) {
      if (!takeBytes(bytes, *number) || !(*number >= 0) || !std::isfinite(*number)) return false;
    }
    for (cv::Mat* picture :
         {&learnt.details, &learnt.coarse, &learnt.longDetails, &learnt.longCoarse, &learnt.fine}) {
      if (!takePicture(bytes, *picture)) return false;
    }
    // Pictures that are compared with each other have one size, as learn() makes them.
    const cv::Size half = learnt.coarse.size(), whole = learnt.fine.size();
    const bool fits = learnt.details.size() == half &&
                      (learnt.longCoarse.empty() || learnt.longCoarse.size() == half) &&
                      learnt.longDetails.size() == learnt.longCoarse.size() &&
                      whole.empty() == learnt.longCoarse.empty() &&
                      (whole.empty() || half == cv::Size(std::max(1, whole.width / 2),
                                                         std::max(1, whole.height / 2)));
    if (!fits || (learnt.seconds > 0) == half.empty()) return false;
  }
  if (!bytes.empty()) return false;
  learnt_ = std::move(found);
  return true;
}

Placement View::placementOf(const Sight& sight, LightState light, Against against) const {
  const Learnt& learnt = of(light);
  const cv::Mat& usual = against == Against::lately ? learnt.details : learnt.longDetails;
  if (usual.size() != sight.details.size()) return {};
  return against == Against::besideForHours ? nearPlacementOfDetails(usual, sight.details)
                                            : placementOfDetails(usual, sight.details);
}

void ViewWatch::setMoved(bool isMoved) {
  present_.reset();
  if (isMoved) present_.emplace();
  knownLight_.reset();
  elsewhere_.reset();
  sharp_.reset();
  isAway_ = isMoved;
  isBlurred_ = false;
  lostSeconds_ = 0;
  besideLooks_ = triesAgain_ = 0;
}

bool ViewWatch::isHome(const Sight& sight, LightState light) const {
  const Placement placement = home_.placementOf(sight, light, Against::besideForHours);
  return placement.reach(sight.details.size()) < kHomeReach && placement.fit >= kLeastFit;
}

bool ViewWatch::isStrange(const Comparison& seen) const {
  return seen.kept < kMaybeMoved || (seen.canTellSharp && seen.sharp < kSharpAgain);
}

// Measures sharpness at the view's own place, since a slight shift is neither a blur nor a move.
std::optional<double> ViewWatch::sharpInPlace(const Sight& sight, LightState light) const {
  const Placement placement = view().placementOf(sight, light, Against::lately);
  if (placement.fit < kLeastFit) return std::nullopt;
  const Comparison there = view().compare(broughtBack(sight, placement), light);
  return there.canTellSharp ? std::optional(there.sharp) : std::nullopt;
}

void ViewWatch::search(const Sight& sight, const cv::Mat& now, LightState light,
                       const Comparison& seen) {
  if (looks_ % kSearchEvery != 0) {
    // Looks every time: something that sways slowly would seem to be in one place in every few
    // looks. Skips views farther away, where it may find anything.
    const bool isFar = elsewhere_ && elsewhere_->reach(sight.details.size()) >= kLeastReach;
    if (besideLooks_ > 0 && !isFar) lookBeside(sight, light);
    return;
  }
  const bool isStrange = this->isStrange(seen), wasElsewhere = elsewhere_.has_value();
  elsewhere_.reset();
  sharp_.reset();
  if (isStrange || wasElsewhere || looks_ % kCreepEvery == 0) {
    const Placement placement =
        view().placementOf(sight, light, isStrange ? Against::lately : Against::forHours);
    const bool isBetter = placement.fit >= std::max(kLeastFit, placement.fitUnmoved + kBetterFit);
    if (isBetter && placement.reach(sight.details.size()) >= kLeastReach) {
      elsewhere_ = placement;
      return;
    }
  }
  lookBeside(sight, light);
  // A shaking camera's mean is not sharp, but each of its pictures is.
  if (isStrange && !elsewhere_) sharp_ = sharpInPlace(sightOf(now), light);
}

void ViewWatch::lookBeside(const Sight& sight, LightState light) {
  if (besideLooks_ >= kBesideLooks) elsewhere_.reset();
  const Placement placement = view().placementOf(sight, light, Against::besideForHours);
  const bool isBeside =
      placement.fit >= kLeastFit && placement.reach(sight.details.size()) >= kBesideReach;
  besideLooks_ = isBeside ? besideLooks_ + 1 : 0;
  if (besideLooks_ >= kBesideLooks) elsewhere_ = placement;
}

// Finds where the view after another move is relative to home.
void ViewWatch::lookAgain(const Sight& sight, LightState light, Found& found) {
  const Placement placement = home_.placementOf(sight, light, Against::forHours);
  if (placement.fit >= kLeastFit) found.movedAgain = placement;
  triesAgain_ = found.movedAgain ? 0 : triesAgain_ - 1;
}

void ViewWatch::followMove(const Sight& sight, LightState light, double seconds, Found& found) {
  // The present view is lost too: the camera is still moving, or was moved again.
  lostSeconds_ = found.moved.isSeen ? lostSeconds_ + seconds : 0;
  if (lostSeconds_ >= kLostSeconds) {
    setMoved(true);
    triesAgain_ = kTriesAgain;
  }
  found.moved = {};
  if (light == LightState::transition || !home_.knows(light)) return;
  if (looks_ % kSearchEvery == 0) {
    isAway_ = !isHome(sight, light);
    if (isAway_ && triesAgain_ > 0) lookAgain(sight, light, found);
  }
  found.moved.isKnown = true;
  found.moved.isSeen = isAway_;
}

void ViewWatch::compare(const Sight& sight, const cv::Mat& now, LightState light, bool isKnown,
                        Found& found) {
  const Comparison seen = view().compare(sight, isKnown ? light : *knownLight_);
  // A camera's infrared light shows it other things than the light before did.
  const bool isNewInfrared = light == LightState::infrared && !isKnown;
  found.covered = {true, seen.gone >= kMostGone && !isNewInfrared, seen.gone, {}};
  if (!isKnown) return;
  search(sight, now, light, seen);
  const bool isOther = seen.kept < kOtherView && seen.gone < kMostGone;
  found.moved = {true, elsewhere_ || isOther, 1, elsewhere_};
  if (elsewhere_) found.moved.value = elsewhere_->reach(sight.details.size());
  if (!seen.canTellSharp || found.moved.isSeen || found.covered.isSeen) return;
  const std::optional<double> sharp = isStrange(seen) ? sharp_ : seen.sharp;
  if (!sharp) return;
  isBlurred_ = *sharp < (isBlurred_ ? kSharpAgain : kBlurred);
  found.blurred = {true, isBlurred_, *sharp, {}};
}

ViewWatch::Found ViewWatch::look(const Sight& sight, const cv::Mat& now, LightState light,
                                 double seconds, bool mayLearn) {
  ++looks_;
  Found found;
  const bool isSettled = light != LightState::transition;
  const bool isKnown = isSettled && view().knows(light);
  if (isKnown) knownLight_ = light;
  if (knownLight_) compare(sight, now, light, isKnown, found);
  mayLearn = mayLearn && isSettled && light != LightState::noSignal && !found.moved.isSeen &&
             !found.covered.isSeen;
  const bool isSharp =
      besideLooks_ == 0 && (!found.blurred.isKnown || found.blurred.value >= kSharpAgain);
  if (mayLearn) view().learn(sight, light, seconds, isSharp);
  if (present_) followMove(sight, light, seconds, found);
  return found;
}

}  // namespace mpm::monitor
