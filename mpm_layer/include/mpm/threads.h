// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpm/export.h"

namespace mpm {

/// Sets how many threads this library computes with: `count`, the caller's included, from the next
/// forward on. 0, the default: as many as OpenCV has (cv::setNumThreads), but no more than the
/// cores that the process may use, or OMP_NUM_THREADS if that is set. Results do not depend on it.
MPM_API void setThreads(int count);

/// How many there are now.
MPM_API int threads();

}  // namespace mpm
