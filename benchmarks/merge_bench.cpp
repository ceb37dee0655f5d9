// SPDX-License-Identifier: Apache-2.0
// The merge against what it has to beat, each pair in one run. See docs/benchmarks.md.
#include <omp.h>
#if MPM_HAS_TORCH
#include <torch/torch.h>

#include "torch/oracle.h"
#endif

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <string>

#include "cli/gemm_peak.h"
#include "merge/steps.h"
#include "mpm/merge.h"
#include "paired.h"
#include "processor/pool.h"
#include "processor/simd.h"
#include "report.h"

namespace mpm::bench {
namespace {

using Size = std::size_t;

// Returns tokens that share a direction and differ in the rest, as in a network.
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

void againstMatmul(Size count, Size dim, double goal, Report& report) {
  Case c(count, dim);
  const auto n = static_cast<int>(count);
  cli::OneDnnProduct matmul({n, static_cast<int>(dim), n}, cli::GemmType::fp32,
                            cli::GemmType::fp32);
  const Paired paired = measurePaired([&] { c.merge(); }, [&] { matmul.run(); });
  report.rows.push_back(timesRow(c.name("merge"), "oneDNN matmul N x D x N", paired, goal));
}

#if MPM_HAS_TORCH
// Returns the path of the loaded BLAS library; empty if none.
std::string loadedBlas() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path != std::string::npos && line.find("blas", path) != std::string::npos)
      return line.substr(path);
  }
  return "";
}

// Compares with the paper's steps in LibTorch, eager, on the same rows.
void againstTorch(Report& report) {
  Case c(1024, 384);
  at::set_num_threads(report.threads);
  const torch::Tensor tokens = torch::from_blob(
      c.tokens.data(), {static_cast<std::int64_t>(c.count), static_cast<std::int64_t>(c.dim)});
  const torch::NoGradGuard inference;
  const Paired paired = measurePaired([&] { c.merge(); }, [&] { oracleMerge(tokens); });
  report.rows.push_back(
      speedRow(c.name("merge"), "the paper's steps, LibTorch eager, " + loadedBlas(), paired, 5));
}
#else
void againstTorch(Report& report) {
  report.notes.push_back("the paper's steps in LibTorch: this build has no LibTorch");
}
#endif

// Returns a line "NAME: 123 kB" of the process's status in bytes; -1 if missing.
double statusBytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kibibytes = 0;
    if (word == name && status >> kibibytes) return kibibytes * 1024;
  }
  return -1;
}

// Returns by how many bytes the peak resident memory rises while `call` runs; negative if the
// system does not report it.
double peakGrowth(const std::function<void()>& call) {
  std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak to what is resident now
  const double before = statusBytes("VmRSS:");
  call();
  const double peak = statusBytes("VmHWM:");
  return before < 0 || peak < 0 ? -1 : peak - before;
}

// The output's memory is touched first, so that only the merge's own memory counts.
void memory(Report& report) {
  Case c(16384, 768);
  std::fill(c.merged.begin(), c.merged.end(), 1.0F);
  const double grown = peakGrowth([&] { c.merge(); });
  constexpr double kMiB = 1 << 20;
  report.rows.push_back({c.name("merge, memory beyond input and output,"), "the N x N matrix",
                         grown / kMiB, 16384.0 * 16384 * 4 / kMiB, "MiB", grown / kMiB, 32});
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
    report.rows.push_back(timesRow(c.name("merge, window 8,"), "unrestricted", paired, 1.0 / 6));
  }
  Case small(64 * 64, kDim), large(256 * 256, kDim);
  const MergeOptions smallGrid = windowOn(64), largeGrid = windowOn(256);
  Paired paired = measurePaired([&] { large.merge(largeGrid); }, [&] { small.merge(smallGrid); });
  paired.ratio /= 16;  // 16 times the tokens
  report.rows.push_back(
      timesRow(large.name("merge, window 8, time per token,"), "N=4096, each", paired, 1.25));
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
  report.rows.push_back(timesRow(c.name("restore"), "memcpy of its output", paired, 1.5));
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
