// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "monitor/record/store.h"

namespace mpm::monitor {

/// Keeps what is not written yet, of buckets the oldest first, in whatever order they came. One
/// that comes again takes the place of the one that still waits. Of more than `most` the oldest of
/// the finest are given up. What was taken counts as waiting until done() or putBack(). Not from
/// two threads at once.
class Waiting {
 public:
  explicit Waiting(std::size_t most) : most_(most) {}

  void put(std::int64_t run, Series::Changed changed) {
    Line& line = lines_[static_cast<std::size_t>(changed.resolution)];
    const Key key{changed.bucket.era, changed.bucket.startUtcMs, run};
    held_ += line.insert_or_assign(key, std::move(changed.bucket)).second ? 1 : 0;
    keepWithin();
  }
  void put(std::int64_t run, Event event) {
    events_.emplace_back(run, std::move(event));
    ++held_;
    keepWithin();
  }

  /// Gives the oldest events, then days, hours, minutes, seconds; at most so many.
  Batch take(std::size_t most) {
    Batch batch;
    for (; batch.size() < most && !events_.empty(); events_.pop_front())
      batch.events.push_back(std::move(events_.front()));
    for (std::size_t i = lines_.size(); i-- > 0;) {
      for (Line& line = lines_[i]; batch.size() < most && !line.empty();) {
        auto oldest = line.extract(line.begin());
        batch.buckets.push_back(
            {std::get<2>(oldest.key()), {kAllResolutions[i], std::move(oldest.mapped())}});
      }
    }
    held_ -= batch.size();
    taken_ = batch.size();
    takenSeconds_ = static_cast<std::size_t>(std::count_if(
        batch.buckets.begin(), batch.buckets.end(),
        [](const auto& bucket) { return bucket.second.resolution == Resolution::second; }));
    return batch;
  }
  void done() { taken_ = takenSeconds_ = 0; }
  /// What came anew meanwhile stands.
  void putBack(Batch batch) {
    done();
    held_ += batch.events.size();
    events_.insert(events_.begin(), std::make_move_iterator(batch.events.begin()),
                   std::make_move_iterator(batch.events.end()));
    for (auto& [run, changed] : batch.buckets) {
      const Key key{changed.bucket.era, changed.bucket.startUtcMs, run};
      Line& line = lines_[static_cast<std::size_t>(changed.resolution)];
      held_ += line.try_emplace(key, std::move(changed.bucket)).second ? 1 : 0;
    }
    keepWithin();
  }

  std::size_t size() const { return held_ + taken_; }
  bool empty() const { return held_ == 0; }  ///< but for what was taken
  std::uint64_t lost() const { return lost_; }
  std::size_t seconds() const { return lines_[0].size() + takenSeconds_; }

 private:
  using Key = std::tuple<std::int32_t, std::int64_t, std::int64_t>;  // era, start, run
  using Line = std::map<Key, Bucket>;

  void keepWithin() {
    for (; held_ > most_; --held_, ++lost_) {
      const auto line =
          std::find_if(lines_.begin(), lines_.end(), [](const Line& one) { return !one.empty(); });
      line != lines_.end() ? void(line->erase(line->begin())) : events_.pop_front();
    }
  }

  std::size_t most_;
  std::array<Line, 4> lines_;  // finest first
  std::deque<std::pair<std::int64_t, Event>> events_;
  std::size_t held_ = 0, taken_ = 0, takenSeconds_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace mpm::monitor
