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

/// Problems of a camera that still delivers frames.
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

/// Returns "moved", "covered", ... for files and messages.
constexpr std::string_view nameOf(CameraFault fault) {
  constexpr std::array<std::string_view, kCameraFaults> kNames{"moved",  "covered",  "blurred",
                                                               "frozen", "exposure", "flapping"};
  return kNames[static_cast<std::size_t>(fault)];
}

/// Problems that hold, indexed by CameraFault.
using CameraFaults = std::bitset<kCameraFaults>;

/// A camera problem that began or ended.
struct CameraChange {
  CameraFault fault = CameraFault::moved;
  bool began = true;
  double value = 0;  ///< moved: how far, in shares of the picture's width (1: it is found nowhere);
                     ///< covered: share that is gone; blurred: sharpness, 1 as usual; frozen: share
                     ///< that still changes; exposure: share that is white or black; flapping: how
                     ///< often within a minute
  std::string text;  ///< one sentence for people
  /// Set for `moved` when it begins and the old view is found in the new one. It begins again if
  /// the camera is moved once more. Always relative to the view that it had first.
  std::optional<Placement> placement{};
};

/// Result of one look for one problem.
struct Sighting {
  bool isKnown = false;  ///< whether it says anything
  bool isSeen = false;
  double value = 0;                    ///< as CameraChange::value
  std::optional<Placement> placement;  ///< of a view that was found elsewhere
};

/// Turns sightings into a problem: it begins when it was seen for long enough, and ends when it was
/// not seen for long enough. Unknown sightings count as neither.
class Holding {
 public:
  Holding(double beginMs, double endMs) : beginMs_(beginMs), endMs_(endMs) {}

  /// Returns whether it began (true) or ended (false) with this sighting.
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

/// Notices a frozen picture: for three quarters of a minute almost none of it changed, where most
/// parts used to. A sensor's noise changes all parts all the time; on a frozen picture only a clock
/// that the recorder draws may go on. A source that hardly ever changed, such as a file with one
/// picture, does not count.
class Stillness {
 public:
  /// `samples` are single pixels, not means, CV_8U. `nowMs` is steady.
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

/// Notices that at least half of the picture is white or black, far more than usual in any known
/// light. The exposure is stuck, or a light shines into the lens.
class ExposureWatch {
 public:
  /// `samples` are single pixels, CV_8U.
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

/// Return an event's text: one sentence for people, in lower case, like other events of a source.
std::string beganText(CameraFault fault, const Sighting& sighting);
std::string movedAgainText(const Placement& placement);
/// Returns "3.1% further left, 2 degrees clockwise (of the picture's width)".
std::string placementText(const Placement& placement);
std::string endedText(CameraFault fault, std::int64_t heldMs);

}  // namespace mpm::monitor
