// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/view_watch.h"

#include <algorithm>

namespace mpm::monitor {
namespace {

constexpr double kMostGone = 0.7;      // from here on it is covered
constexpr double kOtherView = 0.5;     // so little kept, although there is structure
constexpr double kMaybeMoved = 0.85;   // from here on down it is looked for elsewhere
constexpr double kLeastReach = 0.015;  // shares of the width: less may be wind
// Less than that is a move where it is seen in so many looks in a row: three pixels of 640.
constexpr double kBesideReach = 0.004, kHomeReach = 0.003;
constexpr int kBesideLooks = 16;
constexpr double kLeastFit = 0.5, kBetterFit = 0.1;   // of a place where it is found
constexpr double kBlurred = 0.6, kSharpAgain = 0.75;  // of the usual sharpness
constexpr double kLostSeconds = 15;
constexpr int kTriesAgain = 30;
// A search takes as long as many looks: one in so many.
constexpr int kSearchEvery = 4, kCreepEvery = 40;

}  // namespace

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
  const Placement placement = home_.besideLong(sight, light);
  return placement.reach(sight.details.size()) < kHomeReach && placement.fit >= kLeastFit;
}

bool ViewWatch::isStrange(const Comparison& seen) const {
  return seen.kept < kMaybeMoved || (seen.canTellSharp && seen.sharp < kSharpAgain);
}

// What lies a little beside its place is neither blurred nor elsewhere.
std::optional<double> ViewWatch::sharpInPlace(const Sight& sight, LightState light) const {
  const Placement placement = view().againstLately(sight, light);
  if (placement.fit < kLeastFit) return std::nullopt;
  const Comparison there = view().compare(broughtBack(sight, placement), light);
  return there.canTellSharp ? std::optional(there.sharp) : std::nullopt;
}

void ViewWatch::search(const Sight& sight, const cv::Mat& now, LightState light,
                       const Comparison& seen) {
  if (looks_ % kSearchEvery != 0) {
    // Every look: one in a few would find what sways as slowly in the same place each time. But not
    // of what is farther away, where it may find anything.
    const bool isFar = elsewhere_ && elsewhere_->reach(sight.details.size()) >= kLeastReach;
    if (besideLooks_ > 0 && !isFar) lookBeside(sight, light);
    return;
  }
  const bool isStrange = this->isStrange(seen), wasElsewhere = elsewhere_.has_value();
  elsewhere_.reset();
  sharp_.reset();
  if (isStrange || wasElsewhere || looks_ % kCreepEvery == 0) {
    const Placement placement =
        isStrange ? view().againstLately(sight, light) : view().againstLong(sight, light);
    const bool isBetter = placement.fit >= std::max(kLeastFit, placement.fitUnmoved + kBetterFit);
    if (isBetter && placement.reach(sight.details.size()) >= kLeastReach) {
      elsewhere_ = placement;
      return;
    }
  }
  lookBeside(sight, light);
  // The mean of a camera that shakes in the wind is not sharp; each of its pictures is.
  if (isStrange && !elsewhere_) sharp_ = sharpInPlace(sightOf(now), light);
}

void ViewWatch::lookBeside(const Sight& sight, LightState light) {
  if (besideLooks_ >= kBesideLooks) elsewhere_.reset();
  const Placement placement = view().besideLong(sight, light);
  const bool isBeside =
      placement.fit >= kLeastFit && placement.reach(sight.details.size()) >= kBesideReach;
  besideLooks_ = isBeside ? besideLooks_ + 1 : 0;
  if (besideLooks_ >= kBesideLooks) elsewhere_ = placement;
}

// Where the view that it has since it was moved once more lies against home.
void ViewWatch::lookAgain(const Sight& sight, LightState light, Found& found) {
  const Placement placement = home_.againstLong(sight, light);
  if (placement.fit >= kLeastFit) found.movedAgain = placement;
  triesAgain_ = found.movedAgain ? 0 : triesAgain_ - 1;
}

void ViewWatch::followMove(const Sight& sight, LightState light, double seconds, Found& found) {
  // The present view was lost as well: it is moved still, or anew.
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
  // Its own infrared light shows a camera other things than the light before did.
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
