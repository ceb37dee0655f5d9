// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace mpm::monitor {

/// Which file it is, whatever its name. Of a file that is open it belongs to no other.
struct FileId {
  dev_t device = 0;
  ino_t number = 0;  ///< 0: there is no such file

  bool operator==(const FileId&) const = default;
};

FileId fileIdOf(const std::filesystem::path& path);

}  // namespace mpm::monitor
