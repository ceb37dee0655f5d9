// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mpm::monitor {

constexpr std::string_view kPartSuffix = ".part";  ///< of a file that is not whole yet

inline bool writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Under its name there is the whole file, on the disk, or what was there before: written beside
/// it, synced, renamed. std::runtime_error, one sentence; then nothing is left of it.
inline void writeAtomically(const std::filesystem::path& path, std::string_view bytes) {
  const std::string part = path.string() + std::string(kPartSuffix);
  const int descriptor = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  bool whole = descriptor >= 0 && writeAll(descriptor, bytes) && fsync(descriptor) == 0;
  int error = errno;
  if (descriptor >= 0 && close(descriptor) != 0 && whole) {
    whole = false;
    error = errno;
  }
  if (whole && std::rename(part.c_str(), path.c_str()) == 0) return;
  if (whole) error = errno;
  unlink(part.c_str());
  throw std::runtime_error("\"" + path.string() + "\" cannot be written (" + std::strerror(error) +
                           ")");
}

}  // namespace mpm::monitor
