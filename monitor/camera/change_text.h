// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "monitor/camera/camera_fault.h"
#include "monitor/camera/sighting.h"

namespace mpm::monitor {

/// What an event says: one sentence for people, beginning small, as the other events of a source.
std::string beganText(CameraFault fault, const Sighting& sighting);
std::string movedAgainText(const Placement& placement);
/// "3.1% further left, 2 degrees clockwise (of the picture's width)"
std::string placementText(const Placement& placement);
std::string endedText(CameraFault fault, std::int64_t heldMs);

}  // namespace mpm::monitor
