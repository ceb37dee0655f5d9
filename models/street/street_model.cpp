// SPDX-License-Identifier: Apache-2.0
#include "models/street/street_model.h"

#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace mpm {

std::string streetModel() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = (program.parent_path() / MPM_MODEL_FROM_PROGRAM).lexically_normal();
  for (const fs::path& place : {installed, fs::path(MPM_SOURCE_MODEL)}) {
    if (fs::is_regular_file(place, ignored)) return place.string();
  }
  throw std::runtime_error("the street model is not at " + installed.string() +
                           "; --model names another");
}

}  // namespace mpm
