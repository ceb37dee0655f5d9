// SPDX-License-Identifier: Apache-2.0
#include "merge/steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "merge/cuda/batch.h"
#include "merge/steps_cuda.h"
#include "tolerances.h"

namespace mpm::merge {
namespace {

using test::OwnedRows;

constexpr Element kElements[] = {Element::float32, Element::bfloat16};

class AverageCuda : public test::OnDevice {};

// One image without special rows; `capacity` rows of merged.
test::Bytes averaged(Element element, const OwnedRows& rows, const std::vector<Cluster>& clusters,
                     std::size_t capacity) {
  const test::Batch batch = test::batchOf({rows}, 0, element);
  const test::DeviceBatch tokens(batch);
  const test::DeviceArray<Cluster> onDevice(clusters);
  const test::DeviceArray<std::int32_t> first(std::vector<std::int32_t>{0, -1}),
      count(std::vector<std::int32_t>{static_cast<std::int32_t>(clusters.size())});
  const test::DeviceArray<unsigned char> merged(capacity * batch.rowBytes());
  MergeCuda call;
  call.sizes = batch.sizes;
  call.tokens = tokens.rows();
  call.merged = merged.data();
  call.capacity = static_cast<int>(capacity);
  call.mergedFirst = first.data();
  call.mergedCount = count.data();
  test::expectSuccess(averageCuda(call, onDevice.data(), nullptr));
  return merged.values();
}

TEST_F(AverageCuda, AgreesWithTheReference) {
  for (const Element element : kElements) {
    for (const std::size_t dim : {1, 3, 4, 7, 8, 15, 16, 17, 64, 193, 1032}) {
      SCOPED_TRACE(testing::Message() << test::nameOf(element) << ' ' << dim);
      const OwnedRows rows = test::heldBy(element, test::normalRows(200, dim, 11));
      std::vector<Cluster> clusters;
      for (std::int32_t i = 0; i < 150; ++i) clusters.push_back({i, i % 3 == 0 ? kAlone : 199 - i});
      OwnedRows expected(150, dim);
      averageReference(rows.view(), clusters.data(), 150, expected.view());
      const test::Bytes actual = averaged(element, rows, clusters, 150);
      if (element == Element::bfloat16) {  // one rounding, of an exact mean
        EXPECT_EQ(actual, test::encoded(element, expected));
        continue;
      }
      const OwnedRows means = test::decoded(test::batchOf({rows}).sizes, actual, 0, 150);
      for (std::size_t i = 0; i < expected.data.size(); ++i) {
        EXPECT_NEAR(means.data[i], expected.data[i], test::kMergedRow * 4);
      }
    }
  }
}

TEST_F(AverageCuda, HalvesOfBfloat16AreRoundedToEven) {
  const OwnedRows rows = [] {  // 8 bits: 1 + 2^-7 is the number behind 1
    OwnedRows two(2, 4);
    two.data = {
        1,    1 + 1.0F / 128, 1 + 1.0F / 128, 1, 1 + 1.0F / 128, 1 + 2.0F / 128, 1 + 3.0F / 128,
        3e38F};
    return test::heldBy(Element::bfloat16, two);
  }();
  const auto merged = averaged(Element::bfloat16, rows, {{0, 1}}, 1);
  const OwnedRows mean =
      test::decoded(test::batchOf({rows}, 0, Element::bfloat16).sizes, merged, 0, 1);
  EXPECT_EQ(mean.data[0], 1);
  EXPECT_EQ(mean.data[1], 1 + 2.0F / 128);  // between 1 + 1/128 and 1 + 2/128
  EXPECT_EQ(mean.data[2], 1 + 2.0F / 128);
  EXPECT_EQ(mean.data[3], test::fromBf16(test::toBf16(1.5e38F)));
}

TEST_F(AverageCuda, ALoneRowIsCopiedToTheBitAndWhatIsNotLiveIsZero) {
  for (const Element element : kElements) {
    for (const std::size_t dim : {16, 19}) {
      OwnedRows rows(3, dim, std::numeric_limits<float>::denorm_min());
      rows.row(1)[3] = std::numeric_limits<float>::quiet_NaN();
      rows.row(1)[4] = -0.0F;
      rows.row(1)[5] = -std::numeric_limits<float>::infinity();
      test::Bytes expected = test::encoded(element, rows);
      const std::size_t bytes = expected.size() / 3;
      expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(bytes));
      expected.resize(9 * bytes, 0);
      EXPECT_EQ(averaged(element, rows, {{1, kAlone}, {2, kAlone}}, 9), expected);
    }
  }
}

TEST_F(AverageCuda, LargeRowsDoNotOverflow) {
  for (const Element element : kElements) {
    const OwnedRows rows = test::heldBy(element, OwnedRows(2, 21, 3e38F));
    const auto merged = averaged(element, rows, {{0, 1}}, 1);
    const OwnedRows mean = test::decoded(test::batchOf({rows}, 0, element).sizes, merged, 0, 1);
    for (const float x : mean.data) EXPECT_EQ(x, rows.data[0]);
  }
}

}  // namespace
}  // namespace mpm::merge
