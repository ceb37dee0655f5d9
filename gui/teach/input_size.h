// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>

#include "mpm/net.h"

namespace mpm::gui {

/// How many patches a backbone is to see; any other number asks for about so many.
inline constexpr int kSuitingPatches = -1,  ///< about 1,000, but no fewer than its file declares
    kDeclaredPatches = 0;                   ///< as many as its file declares

/// The size at which a backbone sees frames.
struct InputSize {
  cv::Size size;       ///< in pixels; empty: nothing is known
  int patches = 0;     ///< in it
  bool isOwn = false;  ///< it is the one that the backbone's file declares
  bool adapts = true;  ///< false: another one was wanted, and the backbone takes its own alone
};

/// The largest size in the shape of `frame`, and no larger than it, that is at most so many whole
/// patches. Empty: a frame is smaller than four patches.
cv::Size sizeInPatches(int patches, int patch, cv::Size frame);

/// What `wanted` patches, or one of the numbers above, are for this backbone and frames of this
/// size. Tries another size than its own before giving it, which reads the backbone. Throws as mpm::describe
/// does.
InputSize inputSizeOf(const std::string& backbone, const ReadOptions& read, int wanted,
                      cv::Size frame);

}  // namespace mpm::gui
