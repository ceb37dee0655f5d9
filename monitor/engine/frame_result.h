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
  LightReading light;
  CameraFaults camera;       ///< what is wrong with the camera
  Figures figures;           ///< in the order of the engine's metrics
  Schedule schedule;         ///< that it was segmented with
  bool filtered = false;     ///< its picture is not the source's own: see Engine::setFilter
  std::int64_t readyMs = 0;  ///< Moment::steadyMs when the result was complete
};
using FrameResultPtr = std::shared_ptr<const FrameResult>;

}  // namespace mpm::monitor
