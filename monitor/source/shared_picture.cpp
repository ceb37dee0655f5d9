// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/separate_wire.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace mpm::monitor {
namespace {

std::size_t bytesOf(const cv::Size& size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 3;
}

[[noreturn]] void refuse(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

}  // namespace

SharedPicture::~SharedPicture() {
  if (memory_ != nullptr) munmap(memory_, bytesOf(size_));
}

SharedPicture::SharedPicture(SharedPicture&& other) noexcept
    : size_(std::exchange(other.size_, cv::Size())),
      memory_(std::exchange(other.memory_, nullptr)) {}

SharedPicture& SharedPicture::operator=(SharedPicture&& other) noexcept {
  std::swap(size_, other.size_);
  std::swap(memory_, other.memory_);
  return *this;
}

SharedPicture SharedPicture::toRead(cv::Size size, OwnDescriptor& passed) {
  SharedPicture shared;
  shared.size_ = size;
  passed.reset(memfd_create("mpm-picture", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (passed.get() < 0 || ftruncate(passed.get(), static_cast<off_t>(bytesOf(size))) != 0 ||
      fcntl(passed.get(), F_ADD_SEALS, seals) != 0) {
    refuse("cannot allocate memory for another process to write a picture into");
  }
  shared.map(passed.get(), PROT_READ);
  return shared;
}

SharedPicture SharedPicture::toWrite(cv::Size size, const OwnDescriptor& passed) {
  SharedPicture shared;
  shared.size_ = size;
  struct stat facts {};
  if (fstat(passed.get(), &facts) != 0 || facts.st_size != static_cast<off_t>(bytesOf(size))) {
    refuse("the memory for a picture has the wrong size");
  }
  shared.map(passed.get(), PROT_READ | PROT_WRITE);
  return shared;
}

void SharedPicture::map(int descriptor, int protection) {
  void* memory = mmap(nullptr, bytesOf(size_), protection, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) refuse("cannot map the memory for a picture");
  memory_ = memory;
}

cv::Mat SharedPicture::picture() const {
  return memory_ != nullptr ? cv::Mat(size_, CV_8UC3, memory_) : cv::Mat();
}

}  // namespace mpm::monitor
