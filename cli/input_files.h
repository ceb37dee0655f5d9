// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace mpm::cli {

/// The files that a command reads, none of which it may write.
class InputFiles {
 public:
  InputFiles() = default;
  explicit InputFiles(std::string model) : model_(std::move(model)) {}  ///< what belongs to it, too

  /// A file, or a folder: the files that lie in it now. Of what is not there, nothing.
  void add(const std::filesystem::path& path);
  template <class Paths>
  void addAll(const Paths& paths) {
    for (const auto& path : paths) add(path);
  }

  /// Whether that is one of these, by whatever name or link.
  bool has(const std::filesystem::path& path) const;

  /// UsageError where `path`, which is to be written, is one of these.
  void refuse(const std::filesystem::path& path) const;

  /// Says before long work that its result could not be written: the same, and std::runtime_error
  /// where `path` is a folder or lies in none. An empty path is nothing to write; "-", the standard
  /// output of other commands, is refused.
  void checkOutput(const std::filesystem::path& path) const;

 private:
  using Id = std::pair<std::uint64_t, std::uint64_t>;  // device, inode

  static std::optional<Id> idOf(const std::filesystem::path& path);

  std::string model_;
  std::set<Id> files_;
  mutable std::optional<std::set<Id>> modelFiles_;  // looked up where an output is there already
};

}  // namespace mpm::cli
