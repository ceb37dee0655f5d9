// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "monitor/record/record.h"
#include "monitor/record/snapshot_files.h"

namespace mpm::monitor {

/// A snapshot on its way to its files: as pictures, then as PNG.
struct WaitingSnapshot {
  std::int64_t run = 0;
  Snapshot snapshot;  ///< once it is encoded: nothing, or what there is of a clip
  std::optional<EncodedSnapshot> encoded;

  std::size_t bytes() const;
};

/// Snapshots that are not written yet, oldest first. Pictures are large: what is beyond `mostBytes`
/// is given up, the oldest first, but for the newest. Not from two threads at once.
class SnapshotQueue {
 public:
  explicit SnapshotQueue(std::size_t mostBytes) : mostBytes_(mostBytes) {}

  void put(WaitingSnapshot snapshot);
  std::optional<WaitingSnapshot> take();  ///< counts as waiting until one of the next two
  void done();
  void putBack(WaitingSnapshot snapshot);  ///< in front of the others

  bool empty() const { return waiting_.empty(); }  ///< of what was not taken
  std::size_t size() const { return waiting_.size() + taken_; }
  std::uint64_t lost() const { return lost_; }

 private:
  void keepWithin();

  std::size_t mostBytes_, bytes_ = 0;
  std::deque<WaitingSnapshot> waiting_;
  std::size_t taken_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace mpm::monitor
