// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "mpm/segmenter.h"

namespace mpm::gui {

/// Over so many frames of a source at most the app says what one takes "lately".
constexpr std::size_t kFramesLately = 120;

/// What a frame takes, wherever the app says so: from the picture to its labels.
inline double frameMs(const SegmenterTimes& times) {
  return times.prepareMs + times.networkMs + times.labelsMs;
}

}  // namespace mpm::gui
