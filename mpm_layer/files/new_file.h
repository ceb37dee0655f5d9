// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <system_error>

/// Files that are there as a whole or not at all.
namespace mpm::files {

[[noreturn]] inline void throwLastError() {
  throw std::system_error(errno != 0 ? errno : EIO, std::generic_category());
}

/// Waits until a file's bytes are on the disk. std::system_error where that fails.
inline void toDisk(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throwLastError();
  const int fault = fsync(file) == 0 ? 0 : errno;
  close(file);
  if (fault != 0) throw std::system_error(fault, std::generic_category());
}

/// A file on its way to its place: a new one in the same folder, which goes again unless it is
/// moved there. Under the place's name there is the whole file or what was there before.
class NewFile {
 public:
  /// Empty, with the permissions that new files get, and a name that was nobody's: `begin`, some
  /// digits, `end`. std::system_error where it cannot be made.
  explicit NewFile(const std::filesystem::path& begin, const std::string& end = {}) {
    std::random_device random;
    for (int attempt = 0; attempt < 100; ++attempt) {
      const std::string name = begin.string() + std::to_string(random()) + end;
      if (std::FILE* made = std::fopen(name.c_str(), "wbx")) {
        std::fclose(made);
        path_ = name;
        return;
      }
      if (errno != EEXIST) break;
    }
    throwLastError();
  }
  ~NewFile() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::filesystem::path& path() const { return path_; }  ///< empty once it was moved

  /// All of it. std::system_error where it cannot be written.
  void write(std::string_view bytes) const {
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    if (file == nullptr) throwLastError();
    const bool isWritten = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    const int fault = errno;
    if (std::fclose(file) != 0 && isWritten) throwLastError();
    if (!isWritten) throw std::system_error(fault, std::generic_category());
  }

  /// std::system_error where the place cannot be taken.
  void moveTo(const std::filesystem::path& place) {
    std::error_code fault;
    std::filesystem::rename(path_, place, fault);
    if (fault) throw std::system_error(fault);
    path_.clear();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace mpm::files
