// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>

#include "files/unfinished.h"

/// Writes files completely or not at all.
namespace mpm::files {

[[noreturn]] inline void throwLastError() {
  throw std::system_error(errno != 0 ? errno : EIO, std::generic_category());
}

/// Waits until a file's bytes are on the disk. Throws std::system_error if that fails.
inline void toDisk(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throwLastError();
  const int fault = fsync(file) == 0 ? 0 : errno;
  close(file);
  if (fault != 0) throw std::system_error(fault, std::generic_category());
}

/// A new file in the folder of its final place, removed unless it is moved there. The final name
/// always has the whole file or what was there before.
class NewFile {
 public:
  /// Creates an empty file with default permissions and an unused name: `begin`, some digits,
  /// `end`. Throws std::system_error if it cannot be created.
  explicit NewFile(const std::filesystem::path& begin, const std::string& end = {}) {
    std::random_device random;
    for (int attempt = 0; attempt < 100; ++attempt) {
      const std::string name = begin.string() + std::to_string(random()) + end;
      if (std::FILE* made = std::fopen(name.c_str(), "wbx")) {
        std::fclose(made);
        path_ = name;
        unfinished_.emplace(path_);
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

  /// Writes all bytes. Throws std::system_error if it cannot.
  void write(std::string_view bytes) const {
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    if (file == nullptr) throwLastError();
    const bool isWritten = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    const int fault = errno;
    if (std::fclose(file) != 0 && isWritten) throwLastError();
    if (!isWritten) throw std::system_error(fault, std::generic_category());
  }

  /// Throws std::system_error if it cannot be moved.
  void moveTo(const std::filesystem::path& place) {
    std::error_code fault;
    std::filesystem::rename(path_, place, fault);
    if (fault) throw std::system_error(fault);
    unfinished_.reset();
    path_.clear();
  }

 private:
  std::filesystem::path path_;
  std::optional<Unfinished> unfinished_;
};

/// Removes NewFiles with this beginning that were not written to for a minute. They are left from
/// an earlier run that was killed.
inline void removeLeftovers(const std::filesystem::path& begin) {
  namespace fs = std::filesystem;
  constexpr std::chrono::minutes kAWhile{1};
  const std::string name = begin.filename().string();
  std::error_code ignored;
  for (fs::directory_iterator file(begin.parent_path(), ignored), end; file != end;
       file.increment(ignored)) {
    const std::string found = file->path().filename().string();
    if (!found.starts_with(name) || found.size() == name.size() ||
        found.find_first_not_of("0123456789", name.size()) != found.npos) {
      continue;
    }
    const auto written = file->last_write_time(ignored);
    if (!ignored && fs::file_time_type::clock::now() - written > kAWhile)
      fs::remove(file->path(), ignored);
  }
}

}  // namespace mpm::files
