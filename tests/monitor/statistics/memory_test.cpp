// SPDX-License-Identifier: Apache-2.0
// With an operator new that counts. That memory is flat over weeks is the engine's soak test.
#include "counted_new.h"
#include "monitor/says.h"
#include "monitor/statistics/statistics.h"

namespace mpm::test {
namespace {

using namespace monitor;

TEST(StatisticsMemory, AFrameInOpenBucketsAllocatesNothingAndOldBucketsAreUsedAgain) {
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i) names.push_back("area." + std::to_string(i));
  Statistics statistics((Metrics(names)), {{60, 60, 60, 60}});
  Figures figures;
  figures.values.assign(names.size(), 0.25);
  statistics.add(figures);
  long before = allocations;
  for (int i = 0; i < 1000; ++i) statistics.add(figures);
  EXPECT_EQ(allocations, before);
  const auto pass = [&](int seconds) {
    for (int i = 0; i < seconds; ++i) {
      figures.taken.utcMs += 1000, figures.taken.steadyMs += 1000;
      statistics.add(figures);
    }
  };
  pass(7200);
  before = allocations;
  pass(3600);  // a deque takes a new block now and then
  EXPECT_LT(allocations - before, 3600 / 4);
}

}  // namespace
}  // namespace mpm::test
