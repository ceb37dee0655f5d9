// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/waiting.h"

#include <algorithm>

namespace mpm::monitor {
namespace {

auto keyOf(std::int64_t run, const Bucket& bucket) {
  return std::make_tuple(run, bucket.era, bucket.startUtcMs);
}

}  // namespace

void Waiting::put(std::int64_t run, Series::Changed changed) {
  Line& line = lineOf(changed.resolution);
  const auto number = line.first + static_cast<std::int64_t>(line.buckets.size());
  const auto [place, isNew] = line.places.try_emplace(keyOf(run, changed.bucket), number);
  if (!isNew) {
    line.buckets[static_cast<std::size_t>(place->second - line.first)].second =
        std::move(changed.bucket);
    return;
  }
  line.buckets.emplace_back(run, std::move(changed.bucket));
  ++held_;
  keepWithin();
}

void Waiting::put(std::int64_t run, Event event) {
  events_.emplace_back(run, std::move(event));
  ++held_;
  keepWithin();
}

std::pair<std::int64_t, Bucket> Waiting::popFront(Line& line) {
  std::pair<std::int64_t, Bucket> front = std::move(line.buckets.front());
  line.places.erase(keyOf(front.first, front.second));
  line.buckets.pop_front();
  ++line.first;
  --held_;
  return front;
}

void Waiting::keepWithin() {
  while (size() > most_ && held_ > 0) {
    const auto line = std::find_if(lines_.begin(), lines_.end(),
                                   [](const Line& one) { return !one.buckets.empty(); });
    if (line != lines_.end()) {
      popFront(*line);
    } else {
      events_.pop_front();
      --held_;
    }
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
    while (batch.size() < most && !lines_[i].buckets.empty()) {
      auto [run, bucket] = popFront(lines_[i]);
      batch.buckets.push_back({run, {kAllResolutions[i], std::move(bucket)}});
    }
  }
  taken_ += batch.size();
  return batch;
}

void Waiting::done(const Batch& batch) { taken_ -= batch.size(); }

void Waiting::putBack(Batch batch) {
  taken_ -= batch.size();
  putAgain(std::move(batch));
}

void Waiting::putAgain(Batch batch) {
  for (std::size_t i = batch.events.size(); i-- > 0;) {
    events_.push_front(std::move(batch.events[i]));
    ++held_;
  }
  for (std::size_t i = batch.buckets.size(); i-- > 0;) {
    auto& [run, changed] = batch.buckets[i];
    Line& line = lineOf(changed.resolution);
    if (!line.places.try_emplace(keyOf(run, changed.bucket), line.first - 1).second) continue;
    line.buckets.emplace_front(run, std::move(changed.bucket));
    --line.first;
    ++held_;
  }
  keepWithin();
}

}  // namespace mpm::monitor
