// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>

#include "monitor/camera/camera_fault.h"
#include "monitor/rules/rules.h"

namespace mpm::monitor {

/// Zones and ground of `book` where they are in pictures of this size that a moved camera takes:
/// corners may lie outside the picture then.
RuleBook followed(RuleBook book, const Placement& placement, const cv::Size& size);

/// Of a camera that was moved, or is back: the view's name in records (kHomeView, "other", or
/// "RIGHT,DOWN,DEGREES", in shares of the width), and a sentence on what becomes of series and
/// zones, which follow where the book wants it.
std::string viewName(const CameraChange& change);
std::string viewText(const CameraChange& change, const RuleBook& book);

}  // namespace mpm::monitor
