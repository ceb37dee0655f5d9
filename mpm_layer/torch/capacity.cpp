// SPDX-License-Identifier: Apache-2.0
#include "torch/capacity.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mpm::torch_runner {

int Capacity::guess(int worst, int least, int incoming) {
  if (worst != worst_) {
    worst_ = worst;
    totals_.clear();
    underway_.clear();
  }
  lookAtArrivals();
  if (std::exchange(isRaised_, false) || totals_.empty()) return incoming;
  const int largest = *std::max_element(totals_.begin(), totals_.end());
  const double wanted = std::ceil(largest * (1 + rule_.margin));
  const double rows = std::ceil(wanted / rule_.bucket) * rule_.bucket;
  return rows >= incoming ? incoming : std::max(static_cast<int>(rows), least);
}

void Capacity::expect(std::unique_ptr<Arrival> total) {
  // A device that is far behind needs no longer list: its totals come too late to be recent.
  constexpr std::size_t kMostUnderway = 64;
  if (underway_.size() < kMostUnderway) underway_.push_back(std::move(total));
}

void Capacity::lookAtArrivals() {
  while (!underway_.empty() && underway_.front()->isHere()) {
    const int total = underway_.front()->value();
    underway_.pop_front();
    if (total >= 0) totals_.push_back(total);
    if (totals_.size() > static_cast<std::size_t>(rule_.recent)) totals_.pop_front();
  }
}

void raiseAll(const Guess* guess) {
  for (; guess != nullptr; guess = guess->before.get()) guess->capacity->raise();
}

}  // namespace mpm::torch_runner
