// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
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

}  // namespace

std::filesystem::path LockFile::pathOf(const std::filesystem::path& record) {
  return record.string() + "-lock";
}

LockFile::LockFile(const std::filesystem::path& record) : path_(pathOf(record)) {
  const std::string file = "\"" + record.string() + "\"";
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    throw std::runtime_error("The record " + file + " cannot be written: its lock \"" +
                             path_.string() + "\" cannot be created (" + std::strerror(errno) +
                             ")");
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    const std::string id = idIn(descriptor_);
    close(descriptor_);
    if (error != EWOULDBLOCK) {
      throw std::runtime_error("The record " + file + " cannot be locked (" + std::strerror(error) +
                               ")");
    }
    throw std::runtime_error("Another process" + (id.empty() ? id : " (" + id + ")") +
                             " is writing to " + file + ": stop it, or record into another file");
  }
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
