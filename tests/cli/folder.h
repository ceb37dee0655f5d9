// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace mpm::test {

enum class Disk { usual, memory };

/// A new, empty folder for a test, removed with this object. A record belongs in memory: of a disk
/// that does not answer for ten seconds the monitor rightly tells.
class Folder {
 public:
  explicit Folder(Disk disk = Disk::usual);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// The path of a name in it.
  std::string at(const std::string& name) const { return (path_ / name).string(); }

  /// Writes a file; gives its path.
  std::string write(const std::string& name, std::string_view bytes) const;

  /// What is in it, folders' content too, as paths from here.
  std::set<std::string> content() const;

 private:
  std::filesystem::path path_;
};

/// The bytes of a file.
std::string bytesOf(const std::string& path);

}  // namespace mpm::test
