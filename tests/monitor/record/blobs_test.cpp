// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/database.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

bool sameBits(const Tally& a, const Tally& b) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  return a.count == b.count && bits(a.sum) == bits(b.sum) && bits(a.squares) == bits(b.squares) &&
         bits(a.smallest) == bits(b.smallest) && bits(a.largest) == bits(b.largest);
}

TEST(Blobs, EveryTallyComesBackToTheBit) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> values(-1e3, 1e3);
  std::vector<Tally> tallies{{},
                             tallyOf({0.0, 0.0}),
                             tallyOf({-0.0}),
                             tallyOf({1e308, 1e308}),
                             tallyOf({5e-324}),
                             tallyOf({0.1, 0.1, 0.1}),
                             tallyOf({1024, 1024})};
  for (int i = 0; i < 500; ++i) {
    Tally tally;
    for (std::uint64_t n = random() % 12; n > 0; --n) {
      tally.add(i % 3 == 0 ? 0.1 * i : values(random));
    }
    tallies.push_back(tally);
  }
  Tally strange;
  strange.count = 4000000000;
  strange.sum = std::numeric_limits<double>::quiet_NaN();
  tallies.push_back(strange);
  const auto back = decodeTallies(encodeTallies(tallies), tallies.size());
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), tallies.size());
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    EXPECT_TRUE(sameBits((*back)[i], tallies[i])) << i;
  }
}

TEST(Blobs, WhatIsCutOffOrUnknownIsRefused) {
  const std::string blob = encodeTallies({Tally{}, tallyOf({1, 1}), tallyOf({1, 2})});
  for (std::size_t size = 2; size < blob.size(); ++size) {
    if (size == 1 || size == 14) continue;  // between two tallies
    EXPECT_FALSE(decodeTallies(std::string_view(blob).substr(0, size), 3)) << size;
  }
  EXPECT_FALSE(decodeTallies(std::string_view("\3", 1), 1));
  EXPECT_FALSE(decodeFrames(std::string_view("\1\0\0", 3)));
}

TEST(Blobs, MoreTalliesThanARunHasAreRefused) {
  const std::string blob = encodeTallies({Tally{}, Tally{}, tallyOf({1, 2})});
  EXPECT_TRUE(decodeTallies(blob, 3));
  EXPECT_FALSE(decodeTallies(blob, 2));
}

TEST(Blobs, LightStatesMayComeAndGo) {
  const Frames frames{1, 2, 3, 4, 5, 6};
  const std::string blob = encodeFrames(frames);
  EXPECT_EQ(decodeFrames(blob), frames);
  EXPECT_EQ(decodeFrames(blob + std::string(4, '\1')), frames);
  EXPECT_EQ(decodeFrames(blob.substr(0, 8)), (Frames{1, 2, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace mpm::monitor
