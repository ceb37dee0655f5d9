// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
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

/// A variable of the environment for as long as it lives; "": none.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~ScopedVariable() { set(before_.value_or("")); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void set(const std::string& value) const {
    value.empty() ? unsetenv(name_) : setenv(name_, value.c_str(), 1);
  }
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace mpm::test
