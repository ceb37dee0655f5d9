// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <opencv2/dnn.hpp>

#include "segment/step_profile.h"

namespace mpm::cli {

/// What a frame's time goes to.
enum class Step {
  patchEmbed,
  blocks,   ///< the encoder's
  merges,   ///< those that are off too: a copy of the tokens each
  restore,  ///< to original positions, and means over them
  head,     ///< layers of this library behind the encoder: a mask decoder, a linear head
  rest      ///< OpenCV's own layers, and whatever lies between layers
};
constexpr std::size_t kSteps = 6;

/// "patch_embed", "blocks", ...
const char* nameOf(Step step);

/// Of each step, in milliseconds.
using StepTimes = std::array<double, kSteps>;

/// Which layer of a net is which step.
class Steps {
 public:
  explicit Steps(cv::dnn::Net& net);

  /// Where the net's last forward spent its `frameMs`: by OpenCV's profile, and what that leaves
  /// over is `rest`.
  StepTimes ofLastForward(cv::dnn::Net& net, double frameMs) const;

 private:
  segment::StepProfile profile_;
};

}  // namespace mpm::cli
