// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core/matx.hpp>
#include <string>
#include <vector>

#include "mpm/export.h"

namespace mpm::segment {

/// Names of classes, and their colours, BGR, where all have one.
struct ClassList {
  std::vector<std::string> names;
  std::vector<cv::Vec3b> palette;
};

/// A file with a class on each line, its colour #rrggbb behind a tab or not, as mpm-scene writes
/// it. std::runtime_error, one sentence, where it cannot be read or is not understood.
MPM_API ClassList readClassList(const std::string& path);

/// Such a file's text.
MPM_API std::string classListText(const ClassList& classes);

/// Without blanks at both ends.
MPM_API std::string trimmedName(std::string text);

}  // namespace mpm::segment
