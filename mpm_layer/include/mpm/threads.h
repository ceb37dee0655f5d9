// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpm/export.h"

namespace mpm {

/// Sets how many threads this library computes with: `count`, the caller's included, from the next
/// forward on. 0, the default: as many as OpenCV has (cv::setNumThreads). These are at most the
/// cores that the process may use, and at most OMP_NUM_THREADS if it is set. Results do not depend
/// on it.
MPM_API void setThreads(int count);

/// Returns the current number of threads.
MPM_API int threads();

}  // namespace mpm
