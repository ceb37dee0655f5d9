// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "files/new_file.h"

namespace mpm::monitor {

constexpr std::string_view kPartSuffix = ".part";  ///< of a file that is not whole yet

/// Under its name there is the whole file, on the disk, or what was there before: written beside
/// it, synced, renamed. std::runtime_error, one sentence; then nothing is left of it.
inline void writeAtomically(const std::filesystem::path& path, std::string_view bytes) {
  try {
    files::NewFile file(path.string() + '.', std::string(kPartSuffix));
    file.write(bytes);
    files::toDisk(file.path());
    file.moveTo(path);
  } catch (const std::system_error& error) {
    throw std::runtime_error("\"" + path.string() + "\" cannot be written (" +
                             error.code().message() + ")");
  }
}

}  // namespace mpm::monitor
