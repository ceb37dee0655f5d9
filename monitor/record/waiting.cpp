// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/waiting.h"

#include <algorithm>

namespace mpm::monitor {
namespace {

auto keyOf(std::int64_t run, const Bucket& bucket) {
  return std::make_tuple(bucket.era, bucket.startUtcMs, run);
}

std::size_t secondsIn(const Batch& batch) {
  return static_cast<std::size_t>(std::count_if(
      batch.buckets.begin(), batch.buckets.end(),
      [](const auto& bucket) { return bucket.second.resolution == Resolution::second; }));
}

}  // namespace

void Waiting::put(std::int64_t run, Series::Changed changed) {
  const Key key = keyOf(run, changed.bucket);
  if (!lineOf(changed.resolution).insert_or_assign(key, std::move(changed.bucket)).second) return;
  ++held_;
  keepWithin();
}

void Waiting::put(std::int64_t run, Event event) {
  events_.emplace_back(run, std::move(event));
  ++held_;
  keepWithin();
}

void Waiting::keepWithin() {
  while (held_ > most_) {
    const auto line =
        std::find_if(lines_.begin(), lines_.end(), [](const Line& one) { return !one.empty(); });
    if (line != lines_.end()) {
      line->erase(line->begin());
    } else {
      events_.pop_front();
    }
    --held_;
    ++lost_;
  }
}

Batch Waiting::take(std::size_t most) {
  Batch batch;
  while (batch.size() < most && !events_.empty()) {
    batch.events.push_back(std::move(events_.front()));
    events_.pop_front();
    --held_;
  }
  for (std::size_t i = lines_.size(); i-- > 0;) {
    Line& line = lines_[i];
    while (batch.size() < most && !line.empty()) {
      auto oldest = line.extract(line.begin());
      batch.buckets.push_back(
          {std::get<2>(oldest.key()), {kAllResolutions[i], std::move(oldest.mapped())}});
      --held_;
    }
  }
  taken_ += batch.size();
  takenSeconds_ += secondsIn(batch);
  return batch;
}

void Waiting::done(const Batch& batch) {
  taken_ -= batch.size();
  takenSeconds_ -= secondsIn(batch);
}

void Waiting::putBack(Batch batch) {
  done(batch);
  putAgain(std::move(batch));
}

void Waiting::putAgain(Batch batch) {
  for (std::size_t i = batch.events.size(); i-- > 0;) {
    events_.push_front(std::move(batch.events[i]));
    ++held_;
  }
  for (auto& [run, changed] : batch.buckets) {
    const Key key = keyOf(run, changed.bucket);
    if (lineOf(changed.resolution).try_emplace(key, std::move(changed.bucket)).second) ++held_;
  }
  keepWithin();
}

}  // namespace mpm::monitor
