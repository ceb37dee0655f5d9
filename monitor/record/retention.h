// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "monitor/record/record.h"
#include "monitor/record/store.h"

namespace mpm::monitor {

/// Of `options.mostBytes` the part that is the journal's.
std::int64_t journalLimit(const RecordOptions& options);

/// Deletes what is too old or too much, in small transactions, and gives the space back to the
/// disk.
///
/// Of too much the oldest goes first, of seconds, minutes, hours, days, events and snapshots alike;
/// but of a kind that takes less than its sixth of the limit nothing goes, since the few days of
/// ten years need not go for the many seconds of today.
///
/// Old is a thing whose time and whose run's beginning are: a replay's times are positions in a
/// file. A wall clock that was just set is not believed: nothing is deleted for its age until the
/// clock has stood for a day, and neither is it when a record is opened of which the newest thing
/// is more than a day old. So a clock that is wrong for a while costs nothing.
class Retention {
 public:
  static constexpr std::int64_t kBelieveAfterMs = 86400000;

  explicit Retention(const RecordOptions& options) : options_(options) {}

  /// To be told when a store is opened, and the time at least once a minute.
  void begin(const Store& store) {
    newestUtcMs_ = store.newestUtcMs();
    tooMuch_ = false;
    kinds_.clear();
  }

  /// Works for at most about a tenth of a second: whether there is more to do. `besideBytes` count
  /// as well, and are others' to remove.
  bool work(Store& store, const Moment& now, std::int64_t besideBytes = 0);

 private:
  bool believes(const Moment& now);
  bool removeOld(Store& store, std::int64_t nowUtcMs) const;
  bool removeFiles(Store& store) const;
  bool removeExcess(Store& store, std::int64_t besideBytes);
  bool shrink(Store& store) const;

  // One kind of thing that takes space: and how to be rid of its oldest.
  struct Kind {
    std::int64_t bytes = 0;
    std::function<std::optional<std::int64_t>()> oldestUtcMs;  // nothing: there is none
    std::function<std::int64_t()> removeOldest;                // how many bytes
  };
  static std::vector<Kind> kindsOf(Store& store);
  Kind* next();

  RecordOptions options_;
  std::optional<std::int64_t> newestUtcMs_;
  std::optional<std::int32_t> era_;
  std::int64_t believedFromMs_ = 0;  // steady
  bool tooMuch_ = false;             // until it is well below the limit
  std::vector<Kind> kinds_;          // meanwhile
};

}  // namespace mpm::monitor
