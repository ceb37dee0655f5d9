// SPDX-License-Identifier: Apache-2.0
// After the largest number of rows was seen, no operation takes memory: frames follow each other
// for weeks. On one thread, as every thread has scratch memory of its own that grows with the tiles
// it happens to take.
#include <gtest/gtest.h>

#include "counted_new.h"
#include "processor/pool.h"
#include "vit/in_precision.h"
#include "vit/prepared_operations.h"

namespace mpm::vit {
namespace {

class Allocation : public test::InPrecision {
 protected:
  void SetUp() override {
    InPrecision::SetUp();
    processor::setThreadCount(1);
  }
  void TearDown() override { processor::setThreadCount(0); }
};

TEST_P(Allocation, OfEachOperationIsNoneAfterTheFirstCall) {
  for (const test::PreparedOperation& each : test::preparedOperations(GetParam())) {
    SCOPED_TRACE(each.name);
    test::OwnedRows out(test::kMostPreparedRows, each.dim);
    const auto allocationsOf = [&](std::size_t rows) {
      const long before = test::allocations;
      each.run(rows, {out.data.data(), rows, each.dim});
      return test::allocations - before;
    };
    // Scratch memory of threads is one for all operations: what another took would hide this one's.
    processor::threadScratch() = {};
    EXPECT_GT(allocationsOf(test::kMostPreparedRows), 0) << "the counter counts";
    for (const std::size_t rows : {1, 17, 48, 49, 131, 200, 3, 199}) {
      EXPECT_EQ(allocationsOf(rows), 0) << rows << " rows";
    }
  }
}

MPM_IN_EACH_PRECISION(Allocation);

}  // namespace
}  // namespace mpm::vit
