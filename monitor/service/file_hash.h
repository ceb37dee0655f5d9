// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mpm::monitor {

/// What `sha256sum FILE` says: 64 digits. std::runtime_error where it cannot be read.
std::string sha256Of(const std::string& path);

}  // namespace mpm::monitor
