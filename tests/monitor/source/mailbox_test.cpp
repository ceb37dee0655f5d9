// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/mailbox.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;

TEST(Mailbox, KeepsTheLatestAndCountsWhatNobodyTook) {
  Mailbox<int> box;
  EXPECT_FALSE(box.full());
  for (int i = 1; i <= 5; ++i) box.put(i);
  EXPECT_TRUE(box.full());
  EXPECT_EQ(box.drops(), 4U);
  EXPECT_EQ(box.take(milliseconds(0)), 5);
  EXPECT_FALSE(box.full());
  EXPECT_EQ(box.take(milliseconds(0)), std::nullopt);
  EXPECT_EQ(box.drops(), 4U);
}

TEST(Mailbox, LetsGoOfWhatIsDropped) {
  Mailbox<std::shared_ptr<int>> box;
  auto first = std::make_shared<int>(1);
  box.put(first);
  box.put(std::make_shared<int>(2));
  EXPECT_EQ(first.use_count(), 1);
}

TEST(Mailbox, WakesWhoWaits) {
  Mailbox<int> box;
  std::thread other([&] { box.put(7); });
  EXPECT_EQ(box.take(milliseconds(60000)), 7);
  other.join();
  std::thread closing([&] { box.close(); });
  EXPECT_EQ(box.take(milliseconds(60000)), std::nullopt);
  closing.join();
  EXPECT_EQ(box.take(milliseconds(60000)), std::nullopt);
}

TEST(Mailbox, LosesNothingButWhatItCounts) {
  constexpr int kThings = 20000;
  Mailbox<int> box;
  std::thread producer([&] {
    for (int i = 1; i <= kThings; ++i) box.put(i);
    box.close();
  });
  std::uint64_t taken = 0;
  int last = 0;
  while (last < kThings) {
    const auto thing = box.take(milliseconds(60000));
    if (!thing) continue;
    EXPECT_GT(*thing, last);
    last = *thing;
    ++taken;
  }
  producer.join();
  EXPECT_EQ(taken + box.drops(), static_cast<std::uint64_t>(kThings));
}

}  // namespace
}  // namespace mpm::monitor
