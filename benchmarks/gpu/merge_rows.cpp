// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#ifdef MPM_TORCH_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#endif

#include <limits>
#include <tuple>

#include "merge/match.h"
#include "merge/steps.h"
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

/// One merge of a batch as the paper has it, eager, padded to the longest image's rows; waits for
/// the device, since that says how many rows are left. Gives the rows, how many each image has, and
/// the map.
Merged paperMerge(const at::Tensor& tokens) {
  const std::int64_t batch = tokens.size(0), count = tokens.size(1);
  const at::Tensor own =
      at::arange(count, tokens.options().dtype(at::kLong)).expand({batch, count});
  const at::Tensor unit = tokens / tokens.norm(2, -1, /*keepdim=*/true).clamp_min(1e-12);
  at::Tensor similarity = at::bmm(unit, unit.transpose(1, 2));
  similarity.diagonal(0, 1, 2).fill_(-std::numeric_limits<double>::infinity());
  const at::Tensor best = similarity.argmax(2);

  const at::Tensor mutual = (best.gather(1, best) == own).logical_and_(best != own);
  const at::Tensor representative = at::where(mutual, at::minimum(own, best), own);
  const at::Tensor isFirst = representative == own;
  const at::Tensor map = (isFirst.cumsum(1) - 1).gather(1, representative);
  const at::Tensor counts = isFirst.sum(1);

  const std::int64_t longest = counts.max().item<std::int64_t>();
  at::Tensor sums = at::zeros({batch, longest, tokens.size(2)}, tokens.options());
  sums.scatter_add_(1, map.unsqueeze(2).expand_as(tokens), tokens);
  at::Tensor sizes = at::zeros({batch, longest}, tokens.options());
  sizes.scatter_add_(1, map, at::ones({batch, count}, tokens.options()));
  return {sums / sizes.clamp_min(1).unsqueeze(2), counts, map};
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
  const double ours = (deviceMemory().peak - before - outputs) / kMiB;
  return {"merge N=" + std::to_string(scale.mostTokens) + " D=1024, memory beyond its tensors",
          "the N x N matrix",
          ours,
          4.0 * scale.mostTokens * scale.mostTokens / kMiB,
          "MiB",
          ours,
          64};
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

  rows.push_back(speedRow(name, "the paper's steps, PyTorch eager (times faster)",
                          clock.pairs(
                              ours, [&] { paperMerge(tokens); }, calls),
                          8));

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
  rows.push_back(timesRow(name, "reading them and one N x N x D product, TF32",
                          clock.pairs(ours, peak(true), calls), 2.5));
  rows.push_back(timesRow(name, "reading them and one N x N x D product, float32",
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
  return {"clear rows that are merged as by the reference",
          std::to_string(static_cast<long>(clear)) + " clear rows",
          alike,
          clear,
          "rows",
          clear > 0 ? alike / clear : 0,
          1,
          true};
}

}  // namespace mpm::bench
