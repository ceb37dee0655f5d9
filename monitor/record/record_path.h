// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace mpm::monitor {

/// What a link leads to, also where that is not there yet: all names of one record have one lock,
/// one folder of snapshots and the same backups, beside the file itself. std::runtime_error, one
/// sentence: it has no folder, or is no file.
inline std::filesystem::path recordPath(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (path.filename().empty() || path.filename() == "." || path.filename() == "..") {
    throw std::runtime_error("\"" + path.string() + "\" cannot be the file name of a record");
  }
  fs::path whole = fs::weakly_canonical(fs::absolute(path), error);
  for (int links = 0; !error && links < 40 && fs::is_symlink(whole); ++links) {  // to no file yet
    whole = fs::weakly_canonical(whole.parent_path() / fs::read_symlink(whole, error), error);
  }
  if (error) {
    throw std::runtime_error("The record \"" + path.string() + "\" cannot be reached (" +
                             error.message() + ")");
  }
  if (!fs::is_directory(whole.parent_path(), error)) {
    throw std::runtime_error("There is no folder \"" + whole.parent_path().string() +
                             "\" for the record: create it, or record elsewhere");
  }
  if (fs::exists(whole, error) && !fs::is_regular_file(whole, error)) {
    throw std::runtime_error("\"" + whole.string() +
                             "\" is not a file: a record needs one of its own");
  }
  return whole;
}

/// Keeps a second writer out: flock() on `<record>-lock`, which holds the writer's process id. The
/// system lets go of it when the process ends, however it ends; the file stays. Readers never look
/// at it, so they come in. SQLite's own exclusive mode would keep them out, and its ordinary locks
/// would let a second writer in between two transactions.
class LockFile {
 public:
  /// std::runtime_error, one sentence: another process writes, or the file cannot be made.
  explicit LockFile(const std::filesystem::path& record);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  static std::filesystem::path pathOf(const std::filesystem::path& record);

  /// Whether a record was written here before: a file at its path that is none is a damaged one
  /// then, and else somebody's other file.
  bool wasClaimed() const { return wasClaimed_; }
  void claim();  ///< a record is written here; without this the lock leaves no trace

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool wasClaimed_ = false, claimed_ = false;
};

}  // namespace mpm::monitor
