// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpm/export.h"

namespace mpm {

/// How many threads compute what this library computes: `count` of them, the caller's included,
/// from the next forward on. 0: as many as OpenCV has (cv::setNumThreads), but no more than
/// OMP_NUM_THREADS, where that is set; so it is from the start. Results do not depend on it.
MPM_API void setThreads(int count);

/// How many it is now.
MPM_API int threads();

}  // namespace mpm
