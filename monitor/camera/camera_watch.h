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

/// Notices problems of a fixed camera from its pictures alone, against earlier ones in the same
/// light. A light is known after a minute. Before that, while the light changes, and where a
/// picture has no structure, the view is not judged. A problem must be seen for 12 to 15 seconds (a
/// frozen picture for 45), so that passing things do not count. It must be gone for 10 to 60
/// seconds to end; a frozen picture ends within seconds.
///
/// It learns slow changes, such as sun, snow and parked cars. Changes that blur or move the picture
/// are compared over hours instead. A moved camera stays so until it shows its old view; other
/// problems are then looked for in the new view.
///
/// It depends only on pictures, readings and their times, and looks at most twice a second. Not for
/// two threads at once.
class CameraWatch {
 public:
  CameraWatch();

  /// `picture` is CV_8UC3 or CV_8UC1, not empty; `light` is the light meter's reading of it.
  std::vector<CameraChange> update(const cv::Mat& picture, const Moment& taken,
                                   const LightReading& light);

  CameraFaults faults() const;

  /// Returns what the camera usually shows, how much changes and how much is white or black. Keep
  /// it over a restart and set it before the first picture. setView returns false if it cannot be
  /// used, and nothing is known. Earlier versions stored only the view.
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
