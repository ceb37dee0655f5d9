// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace demo {

/// Whether a display is there to open a window on.
bool hasDisplay();

/// Shows the picture, scaled to fit a display, until a key is pressed or the window is closed. Does
/// nothing in a build without highgui.
void showWindow(const cv::Mat& picture);

/// Shows a frame of a film. Returns the key that was pressed meanwhile, -1 where there was none,
/// 'q' where the window was closed and in a build without highgui.
int showFrame(const char* title, const cv::Mat& frame);

}  // namespace demo
