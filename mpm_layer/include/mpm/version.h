// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mpm/export.h"

namespace mpm {

/// Returns the version of the library that the program runs with: "0.2.0", or "0.2.0-dev" before it
/// is out.
MPM_API const char* version();

}  // namespace mpm
