// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpm/segmenter.h"

namespace mpm::gui {

/// What a frame takes, wherever the app says so: from the picture to its labels.
inline double frameMs(const SegmenterTimes& times) {
  return times.prepareMs + times.networkMs + times.labelsMs;
}

}  // namespace mpm::gui
