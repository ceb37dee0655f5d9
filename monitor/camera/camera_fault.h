// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/camera/registration.h"
#include "monitor/light/light_state.h"

namespace mpm::monitor {

/// Lists what can befall a camera that still gives frames.
enum class CameraFault {
  moved,     ///< shifted, turned, or it shows another view
  covered,   ///< next to nothing of the view is left
  blurred,   ///< out of focus, fogged, iced over
  frozen,    ///< the same picture again and again
  exposure,  ///< white or black where it was not
  flapping   ///< between colour and infrared, to and fro
};

constexpr std::size_t kCameraFaults = 6;
constexpr std::array<CameraFault, kCameraFaults> kAllCameraFaults{
    CameraFault::moved,  CameraFault::covered,  CameraFault::blurred,
    CameraFault::frozen, CameraFault::exposure, CameraFault::flapping};

/// "moved", "covered", ...: in files and messages.
constexpr std::string_view nameOf(CameraFault fault) {
  constexpr std::array<std::string_view, kCameraFaults> kNames{"moved",  "covered",  "blurred",
                                                               "frozen", "exposure", "flapping"};
  return kNames[static_cast<std::size_t>(fault)];
}

/// Which faults hold, by CameraFault.
using CameraFaults = std::bitset<kCameraFaults>;

/// A fault that began or ended.
struct CameraChange {
  CameraFault fault = CameraFault::moved;
  bool began = true;
  double value = 0;  ///< moved: how far, in shares of the picture's width (1: it is found nowhere);
                     ///< covered: share that is gone; blurred: sharpness, 1 as usual; frozen: share
                     ///< that still changes; exposure: share that is white or black; flapping: how
                     ///< often within a minute
  std::string text;  ///< one sentence for people
  /// moved, where it began and the old view is found in the new one; it began again where it was
  /// moved once more. Always against the view that it had first.
  std::optional<Placement> placement{};
};

/// Holds what one look says about one fault.
struct Sighting {
  bool isKnown = false;  ///< whether it says anything
  bool isSeen = false;
  double value = 0;                    ///< as CameraChange::value
  std::optional<Placement> placement;  ///< of a view that was found elsewhere
};

/// From sightings to a fault: it is one when it was seen for so long, and none any more when it was
/// not seen for so long. What is not known counts as neither.
class Holding {
 public:
  Holding(double beginMs, double endMs) : beginMs_(beginMs), endMs_(endMs) {}

  /// Says whether it began (true) or ended (false) with this.
  std::optional<bool> update(const Sighting& sighting, double elapsedMs) {
    if (!sighting.isKnown) return std::nullopt;
    const bool isOther = sighting.isSeen != holds_;
    otherMs_ = isOther ? otherMs_ + elapsedMs : 0;
    if (!isOther || otherMs_ < (holds_ ? endMs_ : beginMs_)) return std::nullopt;
    holds_ = !holds_;
    otherMs_ = 0;
    return holds_;
  }
  bool holds() const { return holds_; }

 private:
  double beginMs_, endMs_;
  bool holds_ = false;
  double otherMs_ = 0;  // for how long it has looked as if it should change
};

/// Notices a frozen picture: next to no part of it has changed for three quarters of a minute,
/// where most parts did. A sensor's noise changes all of them all the time; on a frozen picture a
/// clock at most goes on, which the recorder writes into it. A source that hardly ever changed,
/// such as a file that shows one picture, is none of that.
class Stillness {
 public:
  /// `samples`: single pixels, not means, CV_8U. `nowMs`: steady.
  Sighting look(const cv::Mat& samples, std::int64_t nowMs, double elapsedMs);

  struct Usual {
    double changing = 0;  ///< share of the parts
    double knownMs = 0;
  };
  const Usual& usual() const { return usual_; }
  void setUsual(const Usual& usual) { usual_ = usual; }  ///< before the first look

 private:
  void compare(const cv::Mat& samples, std::int64_t nowMs);
  double alive(std::int64_t nowMs, std::int64_t backMs) const;

  cv::Mat before_;
  std::vector<std::int64_t> changedMs_;  // of each part
  Usual usual_;
  bool isStill_ = false;
};

/// Notices that half of the picture and more is white or black, and far more than is usual in any
/// light that is known: an exposure that is stuck, or a light that shines into the lens.
class ExposureWatch {
 public:
  /// `samples`: single pixels, CV_8U.
  Sighting look(const cv::Mat& samples, LightState light, double elapsedMs);

  struct Usual {
    double white = 0, black = 0;  ///< shares of the picture
    double knownMs = 0;
  };
  using UsualByLight = std::array<Usual, kLearntLights>;
  const UsualByLight& usual() const { return usual_; }
  void setUsual(const UsualByLight& usual) { usual_ = usual; }

 private:
  UsualByLight usual_;
};

/// Gives an event's text: one sentence for people, beginning small, as other events of a source.
std::string beganText(CameraFault fault, const Sighting& sighting);
std::string movedAgainText(const Placement& placement);
/// "3.1% further left, 2 degrees clockwise (of the picture's width)"
std::string placementText(const Placement& placement);
std::string endedText(CameraFault fault, std::int64_t heldMs);

}  // namespace mpm::monitor
