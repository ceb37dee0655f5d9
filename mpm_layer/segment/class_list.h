// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core/matx.hpp>
#include <string>
#include <vector>

#include "mpm/export.h"

namespace mpm::segment {

/// Names of classes, and their colours in BGR if all have one.
struct ClassList {
  std::vector<std::string> names;
  std::vector<cv::Vec3b> palette;
};

/// Reads a file with a class on each line, optionally with a tab and a colour #rrggbb, as mpm-scene
/// writes it. Throws std::runtime_error if it cannot be read or understood.
MPM_API ClassList readClassList(const std::string& path);

/// Returns the text of such a file.
MPM_API std::string classListText(const ClassList& classes);

/// Removes blanks at both ends.
MPM_API std::string trimmedName(std::string text);

}  // namespace mpm::segment
