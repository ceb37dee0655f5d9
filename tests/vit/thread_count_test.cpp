// SPDX-License-Identifier: Apache-2.0
// Every operation gives the same bits on any number of threads, in each precision.
#include <gtest/gtest.h>

#include "processor/pool.h"
#include "random_rows.h"
#include "vit/in_precision.h"
#include "vit/prepared_operations.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;

class ThreadCount : public test::InPrecision {
 protected:
  void TearDown() override { processor::setThreadCount(0); }
};

TEST_P(ThreadCount, DoesNotShowInAnyOperation) {
  for (const test::PreparedOperation& each : test::preparedOperations(GetParam())) {
    for (const std::size_t rows : {1, 3, 17, 197, 300}) {
      OwnedRows alone(rows, each.dim);
      processor::setThreadCount(1);
      each.run(rows, alone.view());
      for (const int count : {2, 3, 5}) {
        processor::setThreadCount(count);
        OwnedRows out(rows, each.dim);
        each.run(rows, out.view());
        EXPECT_EQ(out.data, alone.data)
            << each.name << ", " << rows << " rows, " << count << " threads";
      }
    }
  }
}

// A block's result replaces what other threads still may have to read.
TEST_P(ThreadCount, DoesNotShowInABlockInPlace) {
  test::RandomNetwork network(111);
  const PackedBlock block(network.block(192, 3, Gelu::erf), GetParam());
  BlockScratch scratch;
  for (const std::size_t rows : {1, 3, 17, 197, 300}) {
    const OwnedRows x = test::normalRows(rows, 192, 112);
    OwnedRows elsewhere(rows, 192);
    transformerBlockCpu(x.view(), block, nullptr, scratch, elsewhere.view());
    for (const int count : {1, 2, 3, 5}) {
      processor::setThreadCount(count);
      OwnedRows inPlace = x;
      transformerBlockCpu(inPlace.view(), block, nullptr, scratch, inPlace.view());
      EXPECT_EQ(inPlace.data, elsewhere.data) << rows << " rows, " << count << " threads";
    }
  }
}

MPM_IN_EACH_PRECISION(ThreadCount);

}  // namespace
}  // namespace mpm::vit
