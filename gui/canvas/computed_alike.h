// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "monitor/engine/frame_result.h"

namespace mpm::gui {

/// Whether what full tokens said of one frame holds for the other: the same schedule, with a memory
/// or without one, by a simulated night or not.
inline bool computedAlike(const monitor::FrameResult& one, const monitor::FrameResult& other) {
  return one.schedule == other.schedule && one.remembers == other.remembers &&
         one.filtered == other.filtered;
}

}  // namespace mpm::gui
