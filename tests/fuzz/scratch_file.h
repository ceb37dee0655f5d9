// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace mpm::test {

/// A path in memory that is this process's own.
inline std::string scratchPath(const std::string& name) {
  return "/dev/shm/mpm-fuzz-" + std::to_string(getpid()) + "-" + name;
}

inline void writeFile(const std::string& path, const void* bytes, std::size_t size) {
  if (std::FILE* file = std::fopen(path.c_str(), "wbe"); file != nullptr) {
    fchmod(fileno(file), 0600);  // of one that everybody may read no secret is taken
    std::fwrite(bytes, 1, size, file);
    std::fclose(file);
  }
}

}  // namespace mpm::test
