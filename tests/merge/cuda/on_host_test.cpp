// SPDX-License-Identifier: Apache-2.0
// The stand-in itself: it does what a GPU does, and refuses what a GPU would not do.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "merge/cuda/merging.h"
#include "merge/cuda/on_host/block.h"
#include "merge/tensor_core_cuda.h"

namespace mpm::merge {
namespace {

constexpr unsigned kAll = 0xFFFFFFFFU;

void run(unsigned threads, const std::function<void()>& body, unsigned blocks = 1) {
  on_host::runGrid({blocks, 1, 1}, threads, body);
}

TEST(OnHost, EveryThreadOfEveryBlockRunsOnce) {
  std::vector<int> seen(3 * 70);
  run(
      70, [&] { ++seen[blockIdx.x * blockDim.x + threadIdx.x]; }, 3);
  EXPECT_EQ(seen, std::vector<int>(3 * 70, 1));
}

TEST(OnHost, ABarrierShowsWhatOthersWrote) {
  std::vector<int> values(256), sums(256);
  int any = 0, none = 1;
  run(256, [&] {
    values[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    sums[threadIdx.x] = values[255 - threadIdx.x] + values[threadIdx.x];
    any = __syncthreads_or(threadIdx.x == 200 ? 1 : 0);
    none = __syncthreads_or(0);
  });
  EXPECT_EQ(sums, std::vector<int>(256, 255));
  EXPECT_EQ(any, 1);
  EXPECT_EQ(none, 0);
}

TEST(OnHost, LanesExchange) {
  std::vector<int> across(64), below(64);
  run(64, [&] {
    const auto mine = static_cast<int>(threadIdx.x);
    across[threadIdx.x] = __shfl_xor_sync(kAll, mine, 5);
    below[threadIdx.x] = __shfl_up_sync(kAll, mine, 2);
    __syncwarp();
  });
  for (int lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(across[static_cast<std::size_t>(lane)], lane ^ 5);
    EXPECT_EQ(below[static_cast<std::size_t>(lane)], lane % 32 < 2 ? lane : lane - 2);
  }
}

TEST(OnHost, RefusesWhatAGpuWould) {
  const struct {
    unsigned threads;
    std::function<void()> body;
    const char* said;
  } cases[] = {
      {1025, [] {}, "a block of 1025 threads; expected 1 to 1024"},
      {64, [] { threadIdx.x < 40 ? __syncthreads() : void(); }, "40 threads wait"},
      {32, [] { threadIdx.x != 3 ? __syncwarp() : void(); }, "never came"},
      {32, [] { threadIdx.x == 3 ? __syncthreads() : __syncwarp(); }, "never"},
      {32, [] { __shfl_xor_sync(threadIdx.x < 16 ? kAll : kAll >> 1, 1, 1); }, "expected the same"},
      {32, [] { __shfl_xor_sync(threadIdx.x == 0 ? ~1U : kAll, 1, 1); }, "lacks its own lane"}};
  for (const auto& [threads, body, said] : cases) {
    try {
      run(threads, body);
      ADD_FAILURE() << "not refused: " << said;
    } catch (const std::logic_error& error) {
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
  }
  int ran = 0;
  run(64, [&] { __syncthreads(), ++ran; });  // and goes on as if nothing had been
  EXPECT_EQ(ran, 64);
}

// A of 16 x depth and B of depth x 8 in whole numbers, spread over the lanes word by word.
TEST(OnHost, TensorCoresMultiply) {
  std::mt19937 random(71);
  const auto some = [&] { return static_cast<float>(random() % 17) - 8; };
  for (const int elements : {1, 2}) {  // of a word
    const int depth = 8 * elements;
    std::vector<float> a(static_cast<std::size_t>(16 * depth)),
        b(static_cast<std::size_t>(8 * depth));
    for (float& x : a) x = some();
    for (float& x : b) x = some();
    const auto word = [&](const std::vector<float>& rows, int row, int at) {
      const float* first = &rows[static_cast<std::size_t>(row * depth + at * elements)];
      if (elements == 1) return __float_as_uint(first[0]);
      return __float_as_uint(first[0]) >> 16 | (__float_as_uint(first[1]) & 0xFFFF0000U);
    };
    std::vector<float> product(16 * 8);
    run(32, [&] {
      const auto group = static_cast<int>(threadIdx.x) / 4, t = static_cast<int>(threadIdx.x) % 4;
      const std::uint32_t ofA[4] = {word(a, group, t), word(a, group + 8, t), word(a, group, t + 4),
                                    word(a, group + 8, t + 4)};
      const std::uint32_t ofB[2] = {word(b, group, t), word(b, group, t + 4)};
      float sum[4] = {1, 1, 1, 1};
      elements == 1 ? multiplyTf32(sum, ofA, ofB) : multiplyBf16(sum, ofA, ofB);
      for (int k = 0; k < 4; ++k) {
        product[static_cast<std::size_t>((group + 8 * (k / 2)) * 8 + 2 * t + k % 2)] = sum[k];
      }
    });
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 8; ++column) {
        float expected = 1;
        for (int k = 0; k < depth; ++k) {
          expected += a[static_cast<std::size_t>(row * depth + k)] *
                      b[static_cast<std::size_t>(column * depth + k)];
        }
        EXPECT_EQ(product[static_cast<std::size_t>(row * 8 + column)], expected);
      }
    }
  }
}

TEST(OnHost, TensorCoresCutSumsAndIgnoreLowBits) {
  EXPECT_EQ(roundToTf32(1 + 3.0F / 2048), 1 + 2.0F / 1024);  // a tie goes away from zero
  EXPECT_EQ(roundToTf32(-1 - 0.9F / 2048), -1);
  for (const float sign : {1.0F, -1.0F}) {
    float cut = 0;
    run(32, [&] {
      const std::uint32_t a[4] = {__float_as_uint(1.0F), 0, 0, 0};
      const std::uint32_t low = __float_as_uint(sign * (1 + 1.0F / 4096));
      const std::uint32_t b[2] = {threadIdx.x % 4 == 0 ? low : 0, 0};
      float sum[4] = {sign * 5.9e-8F, 0, 0, 0};  // nearest to 1 + 2^-23, and cut to 1
      multiplyTf32(sum, a, b);
      if (threadIdx.x == 0) cut = sum[0];
    });
    EXPECT_EQ(cut, sign);
  }
}

// A GPU cannot be told in which order it runs blocks.
TEST(BlockOrder, DoesNotMatter) {
  test::MergeInput ragged, packed, inAWindow;
  ragged.tokens = test::batchOf({test::smoothRows(301, 40, 61), test::normalRows(131, 40, 62)}, 1);
  packed.tokens = test::batchOf({test::signRows(400, 16, 63), test::OwnedRows(300, 16, 2)}, 0,
                                Element::bfloat16);  // rows that tie
  packed.packed = true;
  inAWindow.tokens = test::batchOf({test::signRows(400, 16, 64), test::smoothRows(400, 16, 65)});
  inAWindow.window = 3;
  inAWindow.gridWidth = 20;
  for (const test::MergeInput& input : {ragged, packed, inAWindow}) {
    on_host::shuffleBlocks(0);
    const test::MergeOutput expected = test::mergeOnDevice(input);
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(testing::Message() << input.tokens.rows() << " rows, order " << seed);
      on_host::shuffleBlocks(seed);
      const test::MergeOutput actual = test::mergeOnDevice(input);
      EXPECT_EQ(actual.tokens.data, expected.tokens.data);
      EXPECT_EQ(actual.tokens.count, expected.tokens.count);
      EXPECT_EQ(actual.first, expected.first);
      EXPECT_EQ(actual.map, expected.map);
    }
    on_host::shuffleBlocks(0);
  }
}

}  // namespace
}  // namespace mpm::merge
