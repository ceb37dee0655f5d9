// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "monitor/camera/camera_fault.h"
#include "monitor/clock/clock.h"
#include "monitor/light/light_meter.h"
#include "monitor/rules/rules.h"
#include "monitor/source/capture.h"
#include "monitor/statistics/metrics.h"
#include "mpm/segmenter.h"

namespace mpm::monitor {

/// One frame and everything that was found in it. Never changed once it was handed out: any number
/// of threads may look at it.
struct FrameResult {
  Frame frame;
  Segmentation segmentation;
  std::optional<Segmentation> full;  ///< the same frame with full tokens, where it was asked for
  /// noiseFloor() of full tokens on this frame, with every fourth that the engine takes to compare
  /// by itself, and the time that it took.
  std::optional<double> floor;
  double floorMs = 0;
  LightReading light;
  CameraFaults camera;  ///< what is wrong with the camera
  /// Where zones and ground are in its picture that follow a moved camera; null: where they were
  /// drawn.
  std::shared_ptr<const RuleBook> placed{};
  Figures figures;         ///< in the order of the engine's metrics
  Figures known;           ///< the same; of tokens and agreement, which not every frame with a
                           ///< memory tells, what the newest one that does told
  Schedule schedule;       ///< that it was segmented with
  bool remembers = false;  ///< with a memory: Segmentation::memory
  bool counted = true;     ///< whether its tokens count: see TokenCount
  /// Where a memory left tokens out, so that nobody knows how they merged: the newest frame that
  /// tells. Null: this one, or none.
  std::shared_ptr<const FrameResult> merged;
  bool filtered = false;     ///< its picture is not the source's own: see Engine::setFilter
  std::int64_t readyMs = 0;  ///< Moment::steadyMs when the result was complete
};
using FrameResultPtr = std::shared_ptr<const FrameResult>;

/// Whether what full tokens said of one frame holds for the other: the same schedule, with a memory
/// or without one, by a simulated night or not.
inline bool computedAlike(const FrameResult& one, const FrameResult& other) {
  return one.schedule == other.schedule && one.remembers == other.remembers &&
         one.filtered == other.filtered;
}

}  // namespace mpm::monitor
