// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace mpm::test {

/// Where folders are made of what syncs often, so that a busy disk does not hold it up: in memory;
/// elsewhere where TMPDIR says so.
inline std::filesystem::path folderInMemory() {
  const std::filesystem::path memory = "/dev/shm";
  const bool isThere = std::getenv("TMPDIR") == nullptr && access(memory.c_str(), W_OK) == 0;
  return isThere ? memory : std::filesystem::temp_directory_path();
}

}  // namespace mpm::test
