// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/separate_wire.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace mpm::monitor {
namespace {

constexpr double kMostMegapixels = 1074;  // that OpenCV reads, unless told otherwise

[[noreturn]] void refuse(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

}  // namespace

WireText wireText(const std::string& text) {
  WireText wire{};
  std::copy_n(text.begin(), std::min(text.size(), wire.size()), wire.begin());
  return wire;
}

std::string textOf(const WireText& text) {
  return {text.begin(), std::find(text.begin(), text.end(), '\0')};
}

void OwnDescriptor::reset(int number) {
  if (number_ >= 0) close(number_);
  number_ = number;
}

OwnDescriptor makePictureMemory(double megapixels) {
  OwnDescriptor memory(memfd_create("mpm-picture", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const double bytes = 3e6 * std::min(megapixels, kMostMegapixels) + 3;
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (memory.get() < 0 || ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(memory.get(), F_ADD_SEALS, seals) != 0) {
    refuse("cannot allocate memory for another process to write pictures into");
  }
  return memory;
}

PictureMemory::PictureMemory(int descriptor, bool isToWrite) {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0 || facts.st_size <= 0)
    refuse("there is no memory for pictures");
  bytes_ = static_cast<std::size_t>(facts.st_size);
  void* memory = mmap(nullptr, bytes_, isToWrite ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                      descriptor, 0);
  if (memory == MAP_FAILED) refuse("cannot map the memory for pictures");
  memory_ = {memory, [bytes = bytes_](void* mapped) { munmap(mapped, bytes); }};
}

cv::Mat PictureMemory::picture(cv::Size size) const {
  const bool hasRoom =
      memory_ && size.width > 0 && size.height > 0 &&
      static_cast<std::size_t>(size.width) <= bytes_ / 3 / static_cast<std::size_t>(size.height);
  return hasRoom ? cv::Mat(size, CV_8UC3, memory_.get()) : cv::Mat();
}

}  // namespace mpm::monitor
