// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "monitor/record/record.h"

namespace mpm::monitor {

/// Buckets and events of runs, on their way to the database.
struct Batch {
  std::vector<std::pair<std::int64_t, Series::Changed>> buckets;
  std::vector<std::pair<std::int64_t, Event>> events;

  std::size_t size() const { return buckets.size() + events.size(); }
};

/// What is not written yet, of buckets the oldest first, in whatever order they came. One that
/// comes again takes the place of the one that still waits, so that a long wait holds each bucket
/// once. Of more than `most` the oldest are given up; what is taken goes beside them, since it is
/// older, and is given up where it comes back and there is no room. Not from two threads at once.
class Waiting {
 public:
  explicit Waiting(std::size_t most) : most_(most) {}

  void put(std::int64_t run, Series::Changed changed);
  void put(std::int64_t run, Event event);

  /// The oldest events, then days, hours, minutes, seconds; at most so many. They count as waiting
  /// until one of the other two is called with what was taken.
  Batch take(std::size_t most);
  void done(const Batch& batch);
  void putBack(Batch batch);   ///< events in front of the others; what came anew meanwhile stands
  void putAgain(Batch batch);  ///< the same of what was not taken from here

  std::size_t size() const { return held_ + taken_; }
  bool empty() const { return held_ == 0; }  ///< of what was not taken
  std::uint64_t lost() const { return lost_; }
  std::size_t seconds() const { return lines_[0].size() + takenSeconds_; }

 private:
  using Key = std::tuple<std::int32_t, std::int64_t, std::int64_t>;  // era, start, run
  using Line = std::map<Key, Bucket>;
  Line& lineOf(Resolution resolution) { return lines_[static_cast<std::size_t>(resolution)]; }
  void keepWithin();

  std::size_t most_;
  std::array<Line, 4> lines_;  // finest first
  std::deque<std::pair<std::int64_t, Event>> events_;
  std::size_t held_ = 0, taken_ = 0, takenSeconds_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace mpm::monitor
