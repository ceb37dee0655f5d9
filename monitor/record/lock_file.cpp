// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/record_path.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace mpm::monitor {
namespace {

// The process id in a lock's file; empty: there is none.
std::string idIn(int descriptor) {
  std::array<char, 24> text{};
  const ssize_t size = pread(descriptor, text.data(), text.size() - 1, 0);
  const std::string id(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return id.substr(0, id.find_first_not_of("0123456789"));
}

// Whether the file at this path is the one that is open: it may have been removed meanwhile, and
// made anew by somebody else.
bool isAt(const std::filesystem::path& path, int descriptor) {
  struct stat open {
  }, there{};
  return fstat(descriptor, &open) == 0 && stat(path.c_str(), &there) == 0 &&
         open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

// `file` is the record's name.
int lockedFile(const std::filesystem::path& path, const std::string& file) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    throw std::runtime_error("The record " + file + " cannot be written: its lock \"" +
                             path.string() + "\" cannot be created (" + std::strerror(errno) + ")");
  }
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  const int error = errno;
  const std::string id = idIn(descriptor);
  close(descriptor);
  if (error != EWOULDBLOCK) {
    throw std::runtime_error("The record " + file + " cannot be locked (" + std::strerror(error) +
                             ")");
  }
  throw std::runtime_error("Another process" + (id.empty() ? id : " (" + id + ")") +
                           " is writing to " + file + ": stop it, or record into another file");
}

}  // namespace

std::filesystem::path LockFile::pathOf(const std::filesystem::path& record) {
  return record.string() + "-lock";
}

LockFile::LockFile(const std::filesystem::path& record) : path_(pathOf(record)) {
  do {
    descriptor_ = lockedFile(path_, "\"" + record.string() + "\"");
  } while (!isAt(path_, descriptor_) && close(descriptor_) == 0);
  wasClaimed_ = !idIn(descriptor_).empty();
}

void LockFile::claim() {
  claimed_ = true;
  // Worth something after a mishap alone: a disk without room for it is no reason not to record.
  const std::string id = std::to_string(getpid()) + "\n";
  if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, id.data(), id.size(), 0) < 0) return;
}

LockFile::~LockFile() {
  if (!wasClaimed_ && !claimed_) unlink(path_.c_str());
  close(descriptor_);
}

}  // namespace mpm::monitor
