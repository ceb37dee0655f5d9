// SPDX-License-Identifier: Apache-2.0
#include "torch/capacity.h"

#include <gtest/gtest.h>

#include <memory>

namespace mpm::torch_runner {
namespace {

class Sent : public Arrival {
 public:
  Sent(int value, const bool* isHere) : value_(value), isHere_(isHere) {}
  bool isHere() override { return *isHere_; }
  int value() override { return value_; }

 private:
  int value_;
  const bool* isHere_;
};

constexpr int kWorst = 4096, kLeast = 8;
const bool kHere = true;

void arrive(Capacity& capacity, int total, const bool* isHere = &kHere) {
  capacity.expect(std::make_unique<Sent>(total, isHere));
}

TEST(CapacityTest, TheFirstGuessIsAllRows) {
  Capacity capacity;
  EXPECT_EQ(capacity.guess(kWorst, kLeast, 4096), 4096);
}

TEST(CapacityTest, LaterOnesAreTheLargestAndAMarginInWholeBuckets) {
  Capacity capacity;
  capacity.guess(kWorst, kLeast, 4096);
  arrive(capacity, 1500);
  arrive(capacity, 2000);
  arrive(capacity, 1700);
  EXPECT_EQ(capacity.guess(kWorst, kLeast, 4096), 2304);  // 2125 in buckets of 256
  EXPECT_EQ(capacity.guess(kWorst, kLeast, 2200), 2200);  // there are no more
  EXPECT_EQ(capacity.guess(kWorst, 3000, 4096), 3000);
}

TEST(CapacityTest, WhatIsUnderwayIsNotWaitedFor) {
  Capacity capacity;
  bool isHere = false;
  capacity.guess(kWorst, kLeast, 4096);
  arrive(capacity, 1000, &isHere);
  EXPECT_EQ(capacity.guess(kWorst, kLeast, 4096), 4096);
  isHere = true;
  EXPECT_EQ(capacity.guess(kWorst, kLeast, 4096), 1280);
}

TEST(CapacityTest, OldTotalsAreForgotten) {
  Capacity capacity(Capacity::Rule{256, 2, 0});
  capacity.guess(kWorst, kLeast, 4096);
  arrive(capacity, 3000);
  arrive(capacity, 500);
  EXPECT_EQ(capacity.guess(kWorst, kLeast, 4096), 3072);
  arrive(capacity, 600);
  EXPECT_EQ(capacity.guess(kWorst, kLeast, 4096), 768);
}

TEST(CapacityTest, RaisedItIsAllRowsOnce) {
  const auto first = std::make_shared<Capacity>(), second = std::make_shared<Capacity>();
  const Guess before{first, nullptr};
  const Guess chain{second, std::make_shared<Guess>(before)};
  for (const auto& capacity : {first, second}) {
    capacity->guess(kWorst, kLeast, 4096);
    arrive(*capacity, 1000);
  }
  raiseAll(&chain);
  for (const auto& capacity : {first, second}) {
    EXPECT_EQ(capacity->guess(kWorst, kLeast, 4096), 4096);
    EXPECT_EQ(capacity->guess(kWorst, kLeast, 4096), 1280);
  }
}

TEST(CapacityTest, AnotherBatchAndNegativeTotalsSayNothing) {
  Capacity capacity;
  capacity.guess(kWorst, kLeast, 4096);
  arrive(capacity, -1);
  EXPECT_EQ(capacity.guess(kWorst, kLeast, 4096), 4096);
  arrive(capacity, 1000);
  EXPECT_EQ(capacity.guess(2 * kWorst, kLeast, 8192), 8192);
}

}  // namespace
}  // namespace mpm::torch_runner
