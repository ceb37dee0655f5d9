// SPDX-License-Identifier: Apache-2.0
// mpm.MutualPairMerge on ragged batches, against PairMerger image by image.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "mpm/merge.h"
#include "tolerances.h"
#include "torch/layer.h"
#include "torch/runner_calls.h"

namespace mpm {
namespace {

using test::Blobs;
using test::HostBlob;
using test::Made;
using test::OwnedRows;

constexpr int kSide = 9, kImage = kSide * kSide, kDim = 24;

/// What a merge leaves of an image.
struct MergedImage {
  OwnedRows rows;
  std::vector<std::int32_t> map;
};

MergedImage mergeImage(ConstRows rows, int special, const std::vector<std::int32_t>& map,
                       const MergeOptions& options) {
  const auto front = static_cast<std::size_t>(special);
  OwnedRows out(rows.count, rows.dim);
  std::copy_n(rows.data, front * rows.dim, out.data.data());
  MergedImage merged{out, map};
  PairMerger merger;
  const std::size_t live = rows.count - front;
  const std::size_t left =
      merger.merge({rows.row(front), live, rows.dim}, options, merged.map.data(), merged.map.size(),
                   {merged.rows.row(front), live, rows.dim});
  merged.rows.count = front + left;
  merged.rows.data.resize(merged.rows.count * rows.dim);
  return merged;
}

std::vector<std::int32_t> identity() {
  std::vector<std::int32_t> map(kImage);
  identityMap(map.data(), map.size());
  return map;
}

class RunnerMerge : public test::RunnerTest {
 protected:
  void expectMerged(const std::vector<RunnerBlob>& out, const std::vector<MergedImage>& expected) {
    HostBlob tokens = download(out[0]);
    const HostBlob rows = download(out[1]), map = download(out[2]);
    for (std::size_t b = 0; b < expected.size(); ++b) {
      SCOPED_TRACE(testing::Message() << "image " << b);
      ASSERT_EQ(rows.values[b], static_cast<float>(expected[b].rows.count));
      EXPECT_EQ(test::mapOf(map, static_cast<int>(b)), expected[b].map);
      expectImage(tokens, static_cast<int>(b), expected[b].rows.view(), test::kMergedRow);
    }
  }

  void expectTwoMerges(int batch, int special, const Made& made, const MergeOptions& options,
                       const Blobs& more) {
    SCOPED_TRACE(testing::Message() << "batch " << batch << ", special " << special);
    const std::vector<int> shape = {batch, special + kImage, kDim};
    const std::vector<std::vector<int>> shapes = {shape, {batch, 1}, {batch, kImage}};
    HostBlob tokens = test::normalBlob(shape, 231);
    Blobs inputs = more;
    inputs["tokens"] = tokens.blob();
    const auto first = forward(made, inputs, shapes);
    std::vector<MergedImage> expected;
    for (int b = 0; b < batch; ++b)
      expected.push_back(mergeImage(tokens.image(b), special, identity(), options));
    expectMerged(first, expected);

    inputs["tokens"] = first[0], inputs["rows"] = first[1], inputs["map"] = first[2];
    const auto second = forward(made, inputs, shapes);
    for (MergedImage& image : expected)
      image = mergeImage(image.rows.view(), special, image.map, options);
    expectMerged(second, expected);
  }
};

Made madeMerge(int special) {
  Made made("mpm.MutualPairMerge");
  return made.number("special", {static_cast<double>(special)});
}

TEST_P(RunnerMerge, OneMergeAndTwo) {
  for (const int batch : {1, 2, 3}) {
    for (const int special : {0, 1, 5}) expectTwoMerges(batch, special, madeMerge(special), {}, {});
  }
}

TEST_P(RunnerMerge, WindowAndRegions) {
  std::vector<std::int32_t> labels(kImage);
  for (int i = 0; i < kImage; ++i) labels[static_cast<std::size_t>(i)] = -(i % 3);
  HostBlob one({1, kImage}, std::vector<float>(labels.begin(), labels.end()));
  HostBlob each({2, kImage});
  for (std::size_t i = 0; i < each.values.size(); ++i) each.values[i] = one.values[i % kImage];
  Made windowed = madeMerge(1);
  windowed.number("window", {2}).number("grid", {kSide, kSide});
  MergeOptions options{2, kSide, kSide, nullptr};
  expectTwoMerges(2, 1, windowed, options, {});
  options.regions = labels.data();
  expectTwoMerges(2, 1, windowed, options, {{"regions", one.blob()}});
  expectTwoMerges(2, 1, windowed, options, {{"regions", each.blob()}});
  options.window = 0;
  expectTwoMerges(2, 1, madeMerge(1), options, {{"regions", each.blob()}});
}

// Tokens that a host layer made, of which the first 5, 40 and 82 rows live.
TEST_P(RunnerMerge, RaggedTokensOfTheHost) {
  test::RaggedTokens in({5, 40, 82}, 1 + kImage, kDim, 232);
  HostBlob map = test::drawnMap({4, 39, 81}, kImage, 233);
  Blobs inputs = in.inputs();
  inputs["map"] = map.blob();
  const auto out = forward(madeMerge(1), inputs, {in.tokens.shape, {3, 1}, map.shape});
  std::vector<MergedImage> expected;
  for (int b = 0; b < 3; ++b)
    expected.push_back(mergeImage(in.image(b), 1, test::mapOf(map, b), {}));
  expectMerged(out, expected);
}

TEST_P(RunnerMerge, OffItPassesOn) {
  const std::vector<int> shape = {2, 1 + kImage, kDim};
  HostBlob tokens = test::normalBlob(shape, 234);
  const auto merge = layer(madeMerge(1));
  merge->setEnabled(false);
  const auto out = forward(*merge, {{"tokens", tokens.blob()}}, {shape, {2, 1}, {2, kImage}});
  EXPECT_EQ(download(out[0]).values, tokens.values);
  EXPECT_EQ(download(out[1]).values, std::vector<float>(2, 1 + kImage));
  EXPECT_EQ(test::mapOf(download(out[2]), 1), identity());
  merge->setEnabled(true);
  const auto merged = forward(*merge, {{"tokens", tokens.blob()}}, {shape, {2, 1}, {2, kImage}});
  EXPECT_LT(download(merged[1]).values[0], 1 + kImage);
}

/// Rows of which every second one is as the one in front of it: half as many are left.
HostBlob pairedRows(const std::vector<int>& shape, std::uint32_t seed) {
  HostBlob tokens = test::normalBlob(shape, seed);
  for (int b = 0; b < shape[0]; ++b) {
    const Rows rows = tokens.image(b);
    for (std::size_t i = 1; i < rows.count; i += 2)
      std::copy_n(rows.row(i - 1), rows.dim, rows.row(i));
  }
  return tokens;
}

// One merge sees pictures that leave few rows and pictures that leave many, and another batch.
TEST_P(RunnerMerge, SizesAreThoseOfThePicture) {
  constexpr int kRows = 300;
  const auto merge = layer(madeMerge(0));
  std::uint32_t seed = 235;
  for (const int batch : {1, 1, 2, 1}) {
    for (const bool isPaired : {true, false, true}) {
      SCOPED_TRACE(testing::Message() << "batch " << batch << ", paired " << isPaired);
      const std::vector<int> shape = {batch, kRows, kDim};
      HostBlob tokens = isPaired ? pairedRows(shape, ++seed) : test::normalBlob(shape, ++seed);
      const auto out =
          forward(*merge, {{"tokens", tokens.blob()}}, {shape, {batch, 1}, {batch, kRows}});
      std::int64_t total = 0;
      for (const float rows : download(out[1]).values) total += static_cast<std::int64_t>(rows);
      if (isPaired) {
        EXPECT_EQ(total, batch * kRows / 2);
      } else {
        EXPECT_GT(total, batch * kRows / 2);
      }
      const auto& part = *static_cast<const torch_runner::DeviceBlob*>(out[0].device.get());
      EXPECT_EQ(part.values.size(0), total) << "room for rows that nobody has";
      std::vector<std::int32_t> map(kRows);
      identityMap(map.data(), map.size());
      std::vector<MergedImage> expected;
      for (int b = 0; b < batch; ++b) expected.push_back(mergeImage(tokens.image(b), 0, map, {}));
      expectMerged(out, expected);
    }
  }
}

MPM_ON_EACH_DEVICE(RunnerMerge);

}  // namespace
}  // namespace mpm
