// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/file_id.h"

#include <sys/stat.h>

namespace mpm::monitor {

FileId fileIdOf(const std::filesystem::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? FileId{status.st_dev, status.st_ino} : FileId{};
}

}  // namespace mpm::monitor
