// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace mpm::cli {

/// The program was used wrongly: exit status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace mpm::cli
