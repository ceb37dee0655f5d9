// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace mpm::monitor {

constexpr std::string_view kPartSuffix = ".part";  ///< of a file that is not whole yet

/// Under its name there is the whole file, on the disk, or what was there before: written beside
/// it, synced, renamed. std::runtime_error, one sentence; then nothing is left of it.
void writeAtomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace mpm::monitor
