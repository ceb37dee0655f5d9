// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace mpm::monitor {

/// What a link leads to, also where that is not there yet: all names of one record have one lock,
/// one folder of snapshots and the same backups, beside the file itself. std::runtime_error, one
/// sentence: it has no folder, or is no file.
std::filesystem::path recordPath(const std::filesystem::path& path);

}  // namespace mpm::monitor
