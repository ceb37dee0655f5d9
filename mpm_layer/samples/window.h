// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace demo {

/// Whether a display is there to open a window on.
bool hasDisplay();

/// Shows the picture, scaled to fit a display, until a key is pressed or the window is closed. Does
/// nothing in a build without highgui.
void showWindow(const cv::Mat& picture);

}  // namespace demo
