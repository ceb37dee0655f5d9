// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "monitor/source/reader.h"

namespace mpm::monitor {

/// Pictures of one source whose decoding ended the reader's process, over all its readers. Each is
/// tried twice, since a process may end for other reasons, and left out from then on, until its
/// file is written anew. From any threads.
class DeadlyPictures {
 public:
  static constexpr std::size_t kMost = 1000;  ///< that are known: then all are tried anew
  static constexpr const char* kLeftOut = ", which is left out from now on";

  bool isLeftOut(const PictureFile& picture) const {
    const std::lock_guard lock(mutex_);
    const auto place = ends_.find({picture.name, picture.written});
    return place != ends_.end() && place->second >= kTries;
  }

  void begin(const PictureFile& picture) {  ///< to decode it
    const std::lock_guard lock(mutex_);
    tried_ = picture;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    tried_.reset();
  }
  /// What is decoded now: its name, and what becomes of it should that end the process. Empty:
  /// nothing.
  std::string tried() const {
    const std::lock_guard lock(mutex_);
    if (!tried_) return {};
    const auto place = ends_.find({tried_->name, tried_->written});
    const bool isLast = place != ends_.end() && place->second + 1 >= kTries;
    return tried_->name + (isLast ? kLeftOut : "");
  }

  void note(const PictureFile& picture) {
    const std::lock_guard lock(mutex_);
    if (ends_.size() >= kMost) ends_.clear();
    ++ends_[{picture.name, picture.written}];
    position_ = picture.positionMs;
  }

  /// Where the next reader goes on; nothing: at the beginning.
  std::optional<std::int64_t> takePosition() {
    const std::lock_guard lock(mutex_);
    return std::exchange(position_, std::nullopt);
  }

 private:
  static constexpr int kTries = 2;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::int64_t>, int> ends_;
  std::optional<std::int64_t> position_;
  std::optional<PictureFile> tried_;
};

}  // namespace mpm::monitor
