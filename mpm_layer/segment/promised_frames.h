// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mpm {

/// How many frames a video says that it has (cv::CAP_PROP_FRAME_COUNT); 0: it does not say. For
/// some files OpenCV gives numbers far from anything.
inline int promisedFrames(double told) {
  return told > 0 && told < 1e9 ? static_cast<int>(told) : 0;
}

}  // namespace mpm
