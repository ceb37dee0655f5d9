// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <string>

namespace mpm::files {

// Never freed: a signal may arrive in any thread while another one ends. There is one table for
// each program or shared library.
struct UnfinishedPlace {
  std::atomic<bool> isTaken{false}, isNamed{false};
  char path[4096] = {};
};
inline std::array<UnfinishedPlace, 64> unfinishedPlaces;

/// Lets removeUnfinished() remove the file while this object lives.
class Unfinished {
 public:
  explicit Unfinished(const std::filesystem::path& path) {
    const std::string name = std::filesystem::absolute(path).string();
    if (name.size() >= sizeof UnfinishedPlace::path) return;
    for (UnfinishedPlace& place : unfinishedPlaces) {
      if (place.isTaken.exchange(true)) continue;
      place_ = &place;
      std::memcpy(place.path, name.c_str(), name.size() + 1);
      place.isNamed = true;
      return;
    }
  }
  ~Unfinished() {
    if (place_ == nullptr) return;
    place_->isNamed = false;
    place_->isTaken = false;
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  UnfinishedPlace* place_ = nullptr;  // none: all are taken, or the name is too long
};

/// Removes unfinished files of the caller, program or layer library, in a signal handler.
inline void removeUnfinished() noexcept {
  for (const UnfinishedPlace& place : unfinishedPlaces) {
    if (place.isNamed.load()) unlink(place.path);
  }
}

/// Removes those of the layer library: files that convert and Teacher::write are writing.
[[gnu::visibility("default")]] void removeUnfinishedOfLibrary() noexcept;

}  // namespace mpm::files
