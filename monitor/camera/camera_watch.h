// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/camera/camera_fault.h"
#include "monitor/camera/view.h"
#include "monitor/clock/clock.h"
#include "monitor/light/light_meter.h"

namespace mpm::monitor {

/// Notices what befalls a fixed camera, from its pictures alone: against what it has shown before,
/// in the same light. A light is known when it was seen for a minute; before that, while the light
/// changes, and where a picture has no structure, nothing is said of the view. Each fault has to be
/// seen for 12 to 15 seconds (one that is frozen, for 45), so that what passes by is none, and to
/// be away for 10 to 60.
///
/// It learns what comes slowly, as sun, snow and parked cars do, but for what makes the picture
/// less sharp or moves it: that is held against hours. A camera that was moved stays so until it
/// shows its old view; the other faults are looked for in the new one meanwhile.
///
/// It depends on pictures, readings and their times alone. It looks twice a second at
/// most. Not from two threads at once.
class CameraWatch {
 public:
  CameraWatch();

  /// `picture`: CV_8UC3 or CV_8UC1, not empty; `light`: what the light meter says of it.
  std::vector<CameraChange> update(const cv::Mat& picture, const Moment& taken,
                                   const LightReading& light);

  CameraFaults faults() const;

  /// Tells what the camera usually shows, how much changes and is white or black, to be kept over a
  /// restart; and to be given back before the first picture. False: it is no such thing, and
  /// nothing is known. What earlier versions gave is the view alone.
  std::string view() const;
  bool setView(std::string_view bytes);

 private:
  using Sightings = std::array<Sighting, kCameraFaults>;
  void countSwitches(const LightReading& light, std::int64_t nowMs);
  void average(const cv::Mat& grey, double elapsedMs);
  Sightings look(const cv::Mat& picture, const Moment& taken, LightState light, double elapsedMs);
  CameraChange movedAgain() const;
  std::vector<CameraChange> decide(const Sightings& sightings, std::int64_t nowMs,
                                   double elapsedMs);

  cv::Mat mean_;  // of the last seconds
  ViewWatch view_;
  Stillness stillness_;
  ExposureWatch exposure_;
  std::deque<std::int64_t> switchesMs_;  // between colour and none, within a minute
  std::optional<bool> isColour_;
  std::vector<Holding> holding_;  // by CameraFault
  std::array<std::int64_t, kCameraFaults> beganMs_{};
  std::optional<Placement> movedAgain_;  // at this look
  std::optional<std::int64_t> lookedMs_;
};

}  // namespace mpm::monitor
