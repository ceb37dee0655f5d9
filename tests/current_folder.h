// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <system_error>

namespace mpm::test {

/// The process's current folder, until this object goes, however the test ends; then it is the one
/// before.
class CurrentFolder {
 public:
  explicit CurrentFolder(const std::filesystem::path& path) { std::filesystem::current_path(path); }
  ~CurrentFolder() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
  }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  const std::filesystem::path before_ = std::filesystem::current_path();
};

}  // namespace mpm::test
