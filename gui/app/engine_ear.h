// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "monitor/engine/engine.h"

namespace mpm::gui {

/// Hears an engine's thread, and keeps the newest of each source. What happens before it is opened
/// waits: it would be taken for something at the sources of the engine before.
class EngineEar : public monitor::EngineListener {
 public:
  using Tell = std::function<void(std::size_t source, const monitor::Event& event)>;

  /// Both are called from whichever thread is heard; `tell` for what waited from that of `open`.
  EngineEar(std::size_t sources, std::function<void()> hasResult, Tell tell)
      : hasResult_(std::move(hasResult)),
        tell_(std::move(tell)),
        newest_(sources),
        compared_(sources) {}

  void onResult(std::size_t source, const monitor::FrameResultPtr& result) override {
    {
      const std::lock_guard lock(mutex_);
      newest_[source] = result;
      if (result->full) compared_[source] = result;
    }
    hasResult_();
  }
  void onEvent(std::size_t source, const monitor::Event& event) override {
    {
      const std::lock_guard lock(mutex_);
      if (!isOpened_) {
        early_.emplace_back(source, event);
        return;
      }
    }
    tell_(source, event);
  }

  void open() {
    std::vector<std::pair<std::size_t, monitor::Event>> early;
    {
      const std::lock_guard lock(mutex_);
      isOpened_ = true;
      early.swap(early_);
    }
    for (const auto& [source, event] : early) tell_(source, event);
  }

  /// Null: none yet.
  monitor::FrameResultPtr newest(std::size_t source) const {
    const std::lock_guard lock(mutex_);
    return newest_.at(source);
  }
  /// With full tokens.
  monitor::FrameResultPtr compared(std::size_t source) const {
    const std::lock_guard lock(mutex_);
    return compared_.at(source);
  }

 private:
  std::function<void()> hasResult_;
  Tell tell_;
  mutable std::mutex mutex_;
  std::vector<monitor::FrameResultPtr> newest_, compared_;  // of each source
  bool isOpened_ = false;
  std::vector<std::pair<std::size_t, monitor::Event>> early_;  // source and what happened there
};

}  // namespace mpm::gui
