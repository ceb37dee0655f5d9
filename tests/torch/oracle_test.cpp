// SPDX-License-Identifier: Apache-2.0
// The oracle, the reference and the CPU path: three implementations of one algorithm.
#include "torch/oracle.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "merge/merger.h"
#include "mpm/merge.h"

namespace mpm {
namespace {

constexpr int kTokenCounts[] = {1, 2, 3, 15, 16, 17, 196, 197, 1024, 1025};

// Between the best two similarities of a row; far above what float32 leaves of a similarity.
constexpr double kClear = 1e-6;
constexpr double kMeanTolerance = 1e-6;  // of a merged row's length

struct Result {
  at::Tensor merged, map;  // float32 [N', D], int64 [N]
};

ConstRows rowsOf(const at::Tensor& tokens) {
  return {tokens.data_ptr<float>(), static_cast<std::size_t>(tokens.size(0)),
          static_cast<std::size_t>(tokens.size(1))};
}

Rows writableRowsOf(const at::Tensor& tokens) {
  return {tokens.data_ptr<float>(), static_cast<std::size_t>(tokens.size(0)),
          static_cast<std::size_t>(tokens.size(1))};
}

at::Tensor integers(const std::vector<std::int32_t>& values) {
  return at::tensor(at::ArrayRef<std::int32_t>(values)).to(at::kLong);
}

struct ReferenceResult : Result {
  bool clear = true;  // no row has two best ones
};

ReferenceResult reference(const at::Tensor& tokens) {
  merge::MergeScratch scratch;
  const at::Tensor merged = at::empty_like(tokens);
  const std::size_t count =
      merge::mergePairsReference(rowsOf(tokens), scratch, writableRowsOf(merged));
  ReferenceResult result;
  result.merged = merged.narrow(0, 0, static_cast<std::int64_t>(count));
  result.map = integers(scratch.clusterOf);
  for (const merge::ReferenceMatch& match : scratch.referenceMatches) {
    const bool only = match.row == merge::kNoMatch;
    result.clear = result.clear && (only || match.similarity - match.runnerUp > kClear);
  }
  return result;
}

Result cpu(const at::Tensor& tokens) {
  PairMerger merger;
  std::vector<std::int32_t> map(static_cast<std::size_t>(tokens.size(0)));
  identityMap(map.data(), map.size());
  const at::Tensor merged = at::empty_like(tokens);
  const std::size_t count =
      merger.merge(rowsOf(tokens), {}, map.data(), map.size(), writableRowsOf(merged));
  return {merged.narrow(0, 0, static_cast<std::int64_t>(count)), integers(map)};
}

void expectSame(const OracleMerge& oracle, const Result& result, double tolerance) {
  ASSERT_TRUE(oracle.map.equal(result.map));
  ASSERT_EQ(oracle.merged.sizes(), result.merged.sizes());
  const at::Tensor wanted = oracle.merged.to(at::kDouble);
  const at::Tensor apart = (result.merged.to(at::kDouble) - wanted).norm(2, 1);
  const at::Tensor allowed = wanted.norm(2, 1) * tolerance;
  EXPECT_TRUE(apart.le(allowed).all().item<bool>())
      << "largest distance of a row: " << apart.max().item<double>();
}

at::Tensor gaussian(std::int64_t rows, std::int64_t dim, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  const at::Tensor tokens = at::empty({rows, dim});
  float* const values = tokens.data_ptr<float>();
  for (std::int64_t i = 0; i < tokens.numel(); ++i) values[i] = normal(random);
  return tokens;
}

/// Few seeds have a row that cannot tell its best two apart. Returns how many of the seeds 1 to
/// `seeds` have none: those were compared.
int compareOnNoise(int count, int dim, int seeds) {
  int compared = 0;
  for (int number = 1; number <= seeds; ++number) {
    const auto seed = static_cast<unsigned>(number);
    SCOPED_TRACE(testing::Message() << count << " tokens, dim " << dim << ", seed " << seed);
    const at::Tensor tokens = gaussian(count, dim, seed);
    const ReferenceResult expected = reference(tokens);
    if (!expected.clear) continue;
    const OracleMerge oracle = oracleMerge(tokens.to(at::kDouble));
    expectSame(oracle, expected, kMeanTolerance);
    expectSame(oracle, cpu(tokens), kMeanTolerance);
    ++compared;
  }
  return compared;
}

TEST(Oracle, AgreesOnNoise) {
  for (const int count : kTokenCounts) {
    for (const int dim : {16, 64, 192}) {
      EXPECT_GE(compareOnNoise(count, dim, 10), 9) << count << " tokens, dim " << dim;
    }
  }
}

// Rows of +1 and -1 in 4^k dimensions: unit rows and similarities are exact in float32, so a
// tie is a tie in every implementation. In 1 or 4 dimensions nearly every match is one.
TEST(Oracle, AgreesOnExactTies) {
  for (const int count : kTokenCounts) {
    for (const int dim : {1, 4, 16, 64, 256}) {
      const unsigned seed = 7;
      SCOPED_TRACE(testing::Message() << count << " tokens, dim " << dim << ", seed " << seed);
      const at::Tensor tokens = gaussian(count, dim, seed).sign();
      const OracleMerge oracle = oracleMerge(tokens.to(at::kDouble));
      const OracleMerge oracle32 = oracleMerge(tokens);
      expectSame(oracle, {oracle32.merged, oracle32.map}, 0);
      expectSame(oracle, reference(tokens), 0);
      expectSame(oracle, cpu(tokens), 0);
    }
  }
}

TEST(Oracle, AgreesOnEqualRowsAndZeroRows) {
  for (const int count : kTokenCounts) {
    for (const double value : {1.0, 0.0}) {
      SCOPED_TRACE(testing::Message() << count << " tokens, all " << value);
      const at::Tensor tokens = at::full({count, 16}, value, at::kFloat);
      const OracleMerge oracle = oracleMerge(tokens.to(at::kDouble));
      expectSame(oracle, reference(tokens), 0);
      expectSame(oracle, cpu(tokens), 0);
    }
  }
}

}  // namespace
}  // namespace mpm
