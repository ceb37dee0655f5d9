// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#ifdef MPM_TORCH_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#endif

#include <tuple>

#include "merge/match.h"
#include "merge/pair.h"
#include "plain_vit.h"
#include "tables.h"

namespace mpm::bench {
namespace {

using Merged = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

/// mpm::merge_pairs, as PyTorch's users call it.
Merged mergePairs(const at::Tensor& tokens) {
  using Optional = c10::optional<at::Tensor>;
  static const auto op =
      c10::Dispatcher::singleton()
          .findSchemaOrThrow("mpm::merge_pairs", "")
          .typed<Merged(const at::Tensor&, const Optional&, const Optional&, std::int64_t,
                        std::int64_t, at::IntArrayRef, const Optional&)>();
  return op.call(tokens, {}, {}, 0, 0, {}, {});
}

/// Patches of pictures, projected to `dim` features: tokens as a network begins with.
at::Tensor tokensOf(const at::Tensor& images, int dim) {
  at::manual_seed(11);
  const at::Tensor weight = at::randn({dim, 3, 16, 16}).mul_(0.02).to(images.device());
  return at::conv2d(images, weight, {}, 16).flatten(2).transpose(1, 2).contiguous();
}

Row rowOf(const std::string& what, const std::string& against, const Paired& paired) {
  Row row;
  row.what = what;
  row.against = against;
  row.ours = paired.oursMs;
  row.theirs = paired.peerMs;
  row.ratio = paired.ratio;
  return row;
}

/// Bytes that PyTorch's allocator has handed out on the device: now, and the most of them since
/// `restartPeak`. 0 without CUDA.
struct DeviceMemory {
  double current = 0, peak = 0;
};

#ifdef MPM_TORCH_CUDA
DeviceMemory deviceMemory() {
  const auto bytes = c10::cuda::CUDACachingAllocator::getDeviceStats(c10::cuda::current_device())
                         .allocated_bytes[0];
  return {static_cast<double>(bytes.current), static_cast<double>(bytes.peak)};
}

void restartPeak() { c10::cuda::CUDACachingAllocator::resetPeakStats(c10::cuda::current_device()); }
#else
DeviceMemory deviceMemory() { return {}; }
void restartPeak() {}
#endif

Row memoryRow(const Scale& scale, at::Device device) {
  constexpr double kMiB = 1 << 20;
  const at::Tensor tokens =
      at::randn({1, scale.mostTokens, 1024}, at::TensorOptions().device(device));
  const double before = deviceMemory().current;
  restartPeak();
  const Merged merged = mergePairs(tokens);
  double outputs = 0;
  for (const at::Tensor& tensor : {std::get<0>(merged), std::get<1>(merged), std::get<2>(merged)})
    outputs += static_cast<double>(tensor.nbytes());
  Row row;
  row.what = "merge N=" + std::to_string(scale.mostTokens) + " D=1024, memory beyond its tensors";
  row.against = "the N x N matrix";
  row.unit = "MiB";
  row.ours = (deviceMemory().peak - before - outputs) / kMiB;
  row.theirs = 4.0 * scale.mostTokens * scale.mostTokens / kMiB;
  row.ratio = row.ours;
  row.goal = 64;
  return row;
}

}  // namespace

std::vector<Row> mergeRows(const at::Tensor& images, const Scale& scale) {
  const DeviceClock clock(scale.isGpu);
  const at::Tensor tokens = tokensOf(images, 768);
  const std::string name = "merge B=" + std::to_string(tokens.size(0)) +
                           " N=" + std::to_string(tokens.size(1)) + " D=768";
  const int calls = scale.isGpu ? 20 : 1;
  const auto ours = [&] { mergePairs(tokens); };
  std::vector<Row> rows;

  Paired paired = clock.pairs(
      ours, [&] { paperMerge(tokens); }, calls);
  Row row = rowOf(name, "the paper's steps, PyTorch eager (times faster)", paired);
  row.ratio = 1 / paired.ratio;
  row.goal = 8;
  row.atLeast = true;
  rows.push_back(row);

  at::Tensor product =
      at::empty({tokens.size(0), tokens.size(1), tokens.size(1)}, tokens.options());
  const auto peak = [&](bool tf32) {
    return [&, tf32] {
      at::globalContext().setAllowTF32CuBLAS(tf32);
      at::bmm_out(product, tokens, tokens.transpose(1, 2));
      at::globalContext().setAllowTF32CuBLAS(false);
      tokens.sum();  // reads them
    };
  };
  row = rowOf(name, "reading them and one N x N x D product, TF32",
              clock.pairs(ours, peak(true), calls));
  row.goal = 2.5;
  rows.push_back(row);
  rows.push_back(rowOf(name, "reading them and one N x N x D product, float32",
                       clock.pairs(ours, peak(false), calls)));
  if (scale.isGpu) rows.push_back(memoryRow(scale, tokens.device()));
  return rows;
}

Row mapRow(const at::Tensor& images, const Scale& scale) {
  constexpr double kClear = 1e-5;
  const at::Tensor tokens = tokensOf(images.slice(0, 0, scale.isGpu ? 4 : 1), 768);
  const at::Tensor map = std::get<2>(mergePairs(tokens)).cpu();
  const at::Tensor onHost = tokens.cpu();
  const auto count = static_cast<std::size_t>(tokens.size(1));
  double clear = 0, alike = 0;
  for (std::int64_t image = 0; image < onHost.size(0); ++image) {
    const at::Tensor rows = onHost[image];
    std::vector<merge::ReferenceMatch> matches(count);
    merge::matchReference({rows.data_ptr<float>(), count, 768}, {}, matches.data());
    const std::int64_t* const found = map[image].data_ptr<std::int64_t>();
    const auto isClear = [&](std::size_t i) {
      return matches[i].similarity - matches[i].runnerUp > kClear;
    };
    for (std::size_t i = 0; i < count; ++i) {
      const auto partner = static_cast<std::size_t>(matches[i].row);
      if (!isClear(i) || !isClear(partner)) continue;
      const bool pairs = matches[partner].row == static_cast<std::int32_t>(i);
      clear += 1;
      alike += pairs == (found[i] == found[partner]) ? 1 : 0;
    }
  }
  Row row;
  row.what = "clear rows that are merged as by the reference";
  row.against = std::to_string(static_cast<long>(clear)) + " clear rows";
  row.unit = "rows";
  row.ours = alike;
  row.theirs = clear;
  row.ratio = clear > 0 ? alike / clear : 0;
  row.goal = 1;
  row.atLeast = true;
  return row;
}

}  // namespace mpm::bench
