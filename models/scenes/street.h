// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace mpm::scenes {

/// A street seen by a fixed camera, drawn: 512 x 512, BGR, the same for the same hour.
/// By night it is darker, windows and lamps are lit, and the sensor is noisy: photons come one
/// by one (Poisson), and reading adds its own (Gaussian).
cv::Mat street(double hour);

}  // namespace mpm::scenes
