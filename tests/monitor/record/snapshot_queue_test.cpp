// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/snapshot_queue.h"

#include <gtest/gtest.h>

namespace mpm::monitor {
namespace {

WaitingSnapshot waitingSnapshot(std::int64_t run, int side) {
  WaitingSnapshot waiting;
  waiting.run = run;
  waiting.snapshot.labels = cv::Mat(side, side, CV_8U, cv::Scalar(1));
  return waiting;
}

TEST(SnapshotQueue, IsBoundedByBytesAndKeepsTheNewest) {
  SnapshotQueue queue(250);
  for (int i = 0; i < 4; ++i) queue.put(waitingSnapshot(i, 10));
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.lost(), 2u);
  EXPECT_EQ(queue.take()->run, 2);
  queue.put(waitingSnapshot(9, 100));  // larger than all that may wait: alone
  EXPECT_EQ(queue.lost(), 3u);
  EXPECT_EQ(queue.take()->run, 9);
  EXPECT_FALSE(queue.take());
}

TEST(SnapshotQueue, WhatIsPutBackComesFirst) {
  SnapshotQueue queue(1000);
  queue.put(waitingSnapshot(1, 10));
  queue.put(waitingSnapshot(2, 10));
  auto first = queue.take();
  EXPECT_EQ(queue.size(), 2u);
  first->encoded = EncodedSnapshot{};
  queue.putBack(std::move(*first));
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.take()->run, 1);
  queue.done();
  EXPECT_EQ(queue.take()->run, 2);
  queue.done();
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_EQ(queue.lost(), 0u);
}

}  // namespace
}  // namespace mpm::monitor
