// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/teach_files.h"
#include "mpm/net.h"

namespace mpm::cli {

/// What a model keeps to of paintings: a table of each class's IoU at painted pixels, with full
/// tokens and, where it can merge, with the schedule that `read` says.
std::string checkTable(const std::string& model, const PaintedFolder& folder,
                       const ReadOptions& read);

/// Shares as percent with one digit; "-" of NaN.
std::string percentOrDash(double share);

}  // namespace mpm::cli
