// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/snapshot_queue.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace mpm::monitor {
namespace {

std::size_t bytesOf(const cv::Mat& picture) { return picture.total() * picture.elemSize(); }

}  // namespace

std::size_t WaitingSnapshot::bytes() const {
  return encoded ? encoded->bytes()
                 : bytesOf(snapshot.labels) + bytesOf(snapshot.overlay) + snapshot.facts.size() +
                       bytesOf(snapshot.picture) + bytesOf(snapshot.mergeMap);
}

void SnapshotQueue::put(WaitingSnapshot snapshot) {
  bytes_ += snapshot.bytes();
  waiting_.push_back(std::move(snapshot));
  keepWithin();
}

std::optional<WaitingSnapshot> SnapshotQueue::take() {
  if (waiting_.empty()) return {};
  WaitingSnapshot first = std::move(waiting_.front());
  waiting_.pop_front();
  bytes_ -= first.bytes();
  ++taken_;
  return first;
}

void SnapshotQueue::done() { --taken_; }

void SnapshotQueue::putBack(WaitingSnapshot snapshot) {
  --taken_;
  bytes_ += snapshot.bytes();
  waiting_.push_front(std::move(snapshot));
  keepWithin();
}

void SnapshotQueue::keepWithin() {
  while (bytes_ > mostBytes_ && waiting_.size() > 1) {
    bytes_ -= waiting_.front().bytes();
    std::error_code ignored;
    std::filesystem::remove(waiting_.front().snapshot.clip, ignored);
    waiting_.pop_front();
    ++lost_;
  }
}

}  // namespace mpm::monitor
