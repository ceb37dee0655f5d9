// SPDX-License-Identifier: Apache-2.0
// mpm-vit-bench: the products of a block, its attention and the block itself against oneDNN's peak.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cli/gemm_peak.h"
#include "paired.h"
#include "processor/pool.h"
#include "processor/simd.h"
#include "report.h"
#include "vit/row_tiles.h"
#include "vit/transformer_block.h"

namespace mpm::bench {
namespace {

using vit::Precision;

constexpr std::size_t kRows = 1025, kHeadDim = 64;
constexpr int kPeakRows = 1024, kPeakDim = 768;
constexpr int kRuns = 41, kBudgetMs = 1000;

std::vector<float> randomFloats(std::size_t count, float size) {
  std::mt19937 random(static_cast<std::uint32_t>(count));
  std::uniform_real_distribution<float> uniform(-size, size);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random);
  return values;
}

cli::GemmType factorsIn(Precision precision) {
  return precision == Precision::int8   ? cli::GemmType::int8
         : precision == Precision::bf16 ? cli::GemmType::bf16
                                        : cli::GemmType::fp32;
}

// Measures oneDNN's rate in GFLOP/s, by which ours is divided.
class Peak {
 public:
  explicit Peak(Precision precision)
      : matmul_({kPeakRows, kPeakDim, kPeakRows}, factorsIn(precision), cli::GemmType::fp32) {}

  template <class Ours>
  void compare(const std::string& what, double flops, const Ours& ours, double goal,
               Report& report) {
    const double peakFlops = 2.0 * kPeakRows * kPeakRows * kPeakDim;
    const Paired paired = measurePaired(
        ours, [&] { matmul_.run(); }, kRuns, kBudgetMs);
    Row row{what, "oneDNN matmul 1024x768x1024"};
    row.ours = flops / paired.oursMs * 1e-6;
    row.theirs = peakFlops / paired.peerMs * 1e-6;
    row.unit = "GFLOP/s";
    row.ratio = flops / peakFlops / paired.ratio;
    row.goal = goal;
    row.atLeast = true;
    report.rows.push_back(row);
  }

 private:
  cli::OneDnnProduct matmul_;
};

struct Block {
  std::vector<float> norm, weights, bias, rows, out;
  vit::BlockWeights given;
  vit::BlockScratch scratch;

  explicit Block(std::size_t dim)
      : norm(dim, 1),
        weights(randomFloats(12 * dim * dim, 1 / std::sqrt(static_cast<float>(dim)))),
        bias(randomFloats(4 * dim, 0.1F)),
        rows(randomFloats(kRows * dim, 1)),
        out(kRows * dim) {
    const float* next = weights.data();
    const auto linear = [&](std::size_t outputs, std::size_t inputs) {
      const vit::LinearWeights layer{ConstRows(next, outputs, inputs), bias.data()};
      next += outputs * inputs;
      return layer;
    };
    given.norm1 = given.norm2 = {norm.data(), nullptr, 1e-6F};
    given.qkv = linear(3 * dim, dim);
    given.proj = linear(dim, dim);
    given.fc1 = linear(4 * dim, dim);
    given.fc2 = linear(dim, 4 * dim);
    given.heads = dim / kHeadDim;
    given.scale = 0.125F;
  }
};

// Computes a block's four linear layers with oneDNN, without bias and scales.
class OneDnnBlock {
 public:
  OneDnnBlock(std::size_t dim, Precision precision) {
    const int d = static_cast<int>(dim), rows = static_cast<int>(kRows);
    for (const auto& [inner, columns] :
         {std::pair(d, 3 * d), std::pair(d, d), std::pair(d, 4 * d), std::pair(4 * d, d)}) {
      products_.push_back(std::make_unique<cli::OneDnnProduct>(
          cli::GemmShape{rows, inner, columns}, factorsIn(precision), cli::GemmType::fp32));
    }
  }
  void run() {
    for (const auto& product : products_) product->run();
  }

 private:
  std::vector<std::unique_ptr<cli::OneDnnProduct>> products_;
};

// Times the products of a block's linear layers alone, tile by tile as in the block.
void products(std::size_t dim, Precision precision, Peak& peak, Report& report) {
  const Block block(dim);
  const vit::Kernels& kernel = vit::kernels(precision);
  const std::vector<vit::LinearWeights> given = {block.given.qkv, block.given.proj, block.given.fc1,
                                                 block.given.fc2};
  std::vector<vit::PackedLinear> layers;
  for (const vit::LinearWeights& layer : given) layers.emplace_back(layer, precision);
  const std::size_t stride = kernel.operandStride(4 * dim);
  processor::Buffer<vit::Unit> units;
  processor::FloatBuffer sums;
  vit::Unit* const left = units.reserve(kRows * stride);
  float* const out = sums.reserve(kRows * 4 * dim);
  std::fill_n(left, kRows * stride, vit::Unit{});
  const vit::RowTiles tiles(kRows);
  const auto ours = [&] {
    processor::forEachTask(tiles.count(), [&](std::size_t tile) {
      for (const vit::PackedLinear& layer : layers) {
        vit::Finish finish;
        finish.bias = layer.biasOrNull();
        finish.rows = out + tiles.begin(tile) * 4 * dim;
        finish.stride = 4 * dim;
        kernel.multiply(layer.product(left + tiles.begin(tile) * stride, stride, tiles.rows(tile)),
                        finish);
      }
    });
  };
  const double d = static_cast<double>(dim), flops = 24.0 * kRows * d * d;
  const std::string what = "products of a block, D=" + std::to_string(dim);
  const bool isInt8 = precision == Precision::int8;
  peak.compare(what, flops, ours, isInt8 ? 0 : 0.92, report);
  OneDnnBlock theirs(dim, precision);
  const Paired paired = measurePaired(
      ours, [&] { theirs.run(); }, kRuns, kBudgetMs);
  Row row{what, "oneDNN, the same four"};
  row.ours = flops / paired.oursMs * 1e-6;
  row.theirs = flops / paired.peerMs * 1e-6;
  row.unit = "GFLOP/s";
  row.ratio = 1 / paired.ratio;
  row.goal = isInt8 ? 0.85 : 0;
  row.atLeast = true;
  report.rows.push_back(row);
}

void attention(std::size_t dim, Precision precision, Peak& peak, Report& report) {
  const std::vector<float> values = randomFloats(kRows * dim, 1);
  const vit::Kernels& kernel = vit::kernels(precision);
  vit::AttentionOperands operands;
  operands.reserve(kRows, kRows, dim / kHeadDim, kHeadDim, kernel);
  const ConstRows rows(values.data(), kRows, dim);
  for (std::size_t head = 0; head < dim / kHeadDim; ++head) {
    const ConstRows ofHead(values.data() + head * kHeadDim, kRows, kHeadDim, dim);
    const std::size_t unit = head * operands.headUnits;
    kernel.toQueries(ofHead, 0.2F, operands.q + unit, operands.qStride);
    kernel.toKeys(ofHead, operands.keyAt(0, unit), operands.keyStride());
  }
  kernel.toUnitColumns(rows, operands.v, operands.columns);
  const vit::RowTiles tiles(kRows);
  const std::size_t out = vit::kTileRows * operands.rowStride;
  const auto ours = [&] {
    processor::forEachTask(tiles.count(), [&](std::size_t tile) {
      float* const memory =
          processor::threadScratch().reserve(out + vit::headTileScratch(kHeadDim));
      vit::attendRows(operands, kernel,
                      {tiles.begin(tile), tiles.rows(tile), kRows, nullptr, vit::asUnits(memory)},
                      memory + out);
    });
  };
  const double n = kRows, d = static_cast<double>(dim);
  peak.compare("attention, D=" + std::to_string(dim), 4 * n * n * d, ours, 0.7, report);
}

void wholeBlock(std::size_t dim, Precision precision, Peak& peak, Report& report) {
  Block block(dim);
  const vit::PackedBlock packed(block.given, precision);
  const auto ours = [&] {
    vit::transformerBlockCpu({block.rows.data(), kRows, dim}, packed, nullptr, block.scratch,
                             {block.out.data(), kRows, dim});
  };
  const double n = kRows, d = static_cast<double>(dim);
  peak.compare("block, D=" + std::to_string(dim), 24 * n * d * d + 4 * n * n * d, ours, 0, report);
}

void measure(Report& report, int threads) {
  omp_set_num_threads(threads);  // oneDNN's
  processor::setThreadCount(threads);
  report.kernels = processor::simdChoice().level;
  report.threads = threads;
  for (const Precision precision :
       {Precision::fp32, Precision::bf16, Precision::fp16, Precision::int8}) {
    if (precision == Precision::bf16 && !vit::hasBf16()) continue;
    if (precision == Precision::fp16 && !vit::hasFp16()) continue;
    Report part;
    Peak peak(precision);
    for (const std::size_t dim : {192, 384, 768}) {
      products(dim, precision, peak, part);
      attention(dim, precision, peak, part);
      wholeBlock(dim, precision, peak, part);
    }
    for (Row& row : part.rows) {
      row.what += precision == Precision::int8   ? ", int8"
                  : precision == Precision::bf16 ? ", bf16"
                  : precision == Precision::fp16 ? ", fp16"
                                                 : ", fp32";
      report.rows.push_back(row);
    }
  }
}

}  // namespace
}  // namespace mpm::bench

int main(int argc, char** argv) {
  return mpm::bench::runBenchmark(
      argc, argv,
      {"mpm-vit-bench", "Times the network's kernels against oneDNN's peak, in pairs.", "--threads",
       2},
      mpm::bench::measure);
}
