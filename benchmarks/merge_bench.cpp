// SPDX-License-Identifier: Apache-2.0
// The merge against what it has to beat, each pair in one run. See docs/benchmarks.md.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

#include "cli/measure/gemm_peak.h"
#include "machine.h"
#include "merge/steps.h"
#include "mpm/merge.h"
#include "paired.h"
#include "processor/pool.h"
#include "processor/simd.h"
#include "report.h"
#include "torch_peer.h"

namespace mpm::bench {
namespace {

using Size = std::size_t;

// Tokens of a picture share a direction and differ in the rest, as those of a network do.
std::vector<float> someTokens(Size count, Size dim) {
  std::vector<float> tokens(count * dim);
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> shared(dim);
  for (float& x : shared) x = normal(random);
  for (Size i = 0; i < tokens.size(); ++i) tokens[i] = shared[i % dim] + normal(random);
  return tokens;
}

struct Case {
  explicit Case(Size count_, Size dim_)
      : count(count_), dim(dim_), tokens(someTokens(count, dim)), merged(count * dim), map(count) {}

  void merge(const MergeOptions& options = {}) {
    identityMap(map.data(), count);
    live = merger.merge({tokens.data(), count, dim}, options, map.data(), count,
                        {merged.data(), count, dim});
  }

  std::string name(const char* what) const {
    return std::string(what) + " N=" + std::to_string(count) + " D=" + std::to_string(dim);
  }

  Size count, dim, live = 0;
  std::vector<float> tokens, merged;
  std::vector<std::int32_t> map;
  PairMerger merger;
};

Row rowOf(const std::string& what, const std::string& against, const Paired& paired, double goal) {
  return {what, against, paired.oursMs, paired.peerMs, "ms", paired.ratio, goal, false};
}

void againstMatmul(Size count, Size dim, double goal, Report& report) {
  Case c(count, dim);
  const auto n = static_cast<int>(count);
  cli::OneDnnProduct matmul({n, static_cast<int>(dim), n}, cli::GemmType::fp32,
                            cli::GemmType::fp32);
  const Paired paired = measurePaired([&] { c.merge(); }, [&] { matmul.run(); });
  report.rows.push_back(rowOf(c.name("merge"), "oneDNN matmul N x D x N", paired, goal));
}

void againstTorch(Report& report) {
  Case c(1024, 384);
  const auto torchCall = torchMerge(c.tokens.data(), c.count, c.dim, report.threads);
  if (!torchCall) {
    std::printf("skipped: the paper's steps in LibTorch (this build has no LibTorch)\n");
    return;
  }
  const Paired paired = measurePaired([&] { c.merge(); }, torchCall);
  report.rows.push_back({c.name("merge"), "the paper's steps, LibTorch eager, " + loadedBlas(),
                         paired.oursMs, paired.peerMs, "ms", 1 / paired.ratio, 5, true});
}

// The output's memory is touched beforehand, so that only what the merge takes itself counts.
void memory(Report& report) {
  Case c(16384, 768);
  std::fill(c.merged.begin(), c.merged.end(), 1.0F);
  const double grown = peakGrowth([&] { c.merge(); });
  constexpr double kMiB = 1 << 20;
  report.rows.push_back({c.name("merge, memory beyond input and output,"), "the N x N matrix",
                         grown / kMiB, 16384.0 * 16384 * 4 / kMiB, "MiB", grown / kMiB, 32, false});
}

MergeOptions windowOn(Size side) {
  MergeOptions options;
  options.window = 8;
  options.gridHeight = options.gridWidth = static_cast<int>(side);
  return options;
}

void windows(Report& report) {
  constexpr Size kDim = 384;
  {
    Case c(128 * 128, kDim);
    const MergeOptions options = windowOn(128);
    const Paired paired = measurePaired([&] { c.merge(options); }, [&] { c.merge(); });
    report.rows.push_back(rowOf(c.name("merge, window 8,"), "unrestricted", paired, 1.0 / 6));
  }
  Case small(64 * 64, kDim), large(256 * 256, kDim);
  const MergeOptions smallGrid = windowOn(64), largeGrid = windowOn(256);
  Paired paired = measurePaired([&] { large.merge(largeGrid); }, [&] { small.merge(smallGrid); });
  paired.ratio /= 16;  // 16 times the tokens
  report.rows.push_back(
      rowOf(large.name("merge, window 8, time per token,"), "N=4096, each", paired, 1.25));
}

void restoring(Report& report) {
  Case c(1024, 768);
  c.merge();
  std::vector<float> full(c.count * c.dim), copy(c.count * c.dim, 1.0F);
  const Paired paired = measurePaired(
      [&] {
        restore(ConstRows(c.merged.data(), c.live, c.dim), c.map.data(),
                Rows(full.data(), c.count, c.dim));
      },
      [&] { std::memcpy(copy.data(), c.tokens.data(), copy.size() * sizeof(float)); }, 1001);
  report.rows.push_back(rowOf(c.name("restore"), "memcpy of its output", paired, 1.5));
}

void measure(Report& report, int threads) {
  omp_set_num_threads(threads);  // oneDNN's and LibTorch's
  processor::setThreadCount(threads);
  report.kernels = processor::simdChoice().level;
  report.threads = threads;
  memory(report);  // first, while the process is small
  againstMatmul(1024, 192, 0.95, report);
  againstMatmul(1024, 384, 0.80, report);
  againstMatmul(1024, 768, 0.70, report);
  againstMatmul(1024, 1024, 0.65, report);
  againstMatmul(4096, 768, 0.62, report);
  againstTorch(report);
  windows(report);
  restoring(report);
}

}  // namespace
}  // namespace mpm::bench

int main(int argc, char** argv) {
  return mpm::bench::runBenchmark(
      argc, argv,
      {"mpm-merge-bench", "Times the merge against its peers, in pairs, and prints the ratios.",
       "--threads", 2},
      mpm::bench::measure);
}
