// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include "monitor/record/waiting.h"

namespace mpm::monitor {

/// What was written in the last minutes, to be written again where the record turns out to have
/// lost it: of each bucket the newest version. Not from two threads at once.
class Kept {
 public:
  static constexpr std::int64_t kLeastMs = 150000;  ///< up to twice as long
  static constexpr std::size_t kMost = 10000;  ///< things: of the finest fewer minutes are kept

  void add(Batch batch, std::int64_t steadyMs) {
    if (steadyMs - sinceMs_ > kLeastMs) {
      earlier_ = std::exchange(newer_, Waiting(kMost / 2));
      sinceMs_ = steadyMs;
    }
    for (auto& [run, changed] : batch.buckets) newer_.put(run, std::move(changed));
    for (auto& [run, event] : batch.events) newer_.put(run, std::move(event));
  }

  /// All of it, each thing once; nothing is kept then.
  Batch take() {
    constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
    Waiting all(kMost);
    for (Waiting* part : {&earlier_, &newer_}) {
      Batch batch = part->take(kAll);
      part->done(batch);
      for (auto& [run, changed] : batch.buckets) all.put(run, std::move(changed));
      for (auto& [run, event] : batch.events) all.put(run, std::move(event));
    }
    return all.take(kAll);
  }

 private:
  Waiting earlier_{kMost / 2}, newer_{kMost / 2};
  std::int64_t sinceMs_ = 0;
};

}  // namespace mpm::monitor
