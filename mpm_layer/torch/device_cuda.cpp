// SPDX-License-Identifier: Apache-2.0
// A GPU as a runner's device. All work is on its current PyTorch stream, and all memory from
// PyTorch's caching allocator.
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/_efficient_attention_forward.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <torch/version.h>

#include <stdexcept>
#include <tuple>

#include "torch/device.h"
#include "torch/merge_call_cuda.h"

#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 4)
#error "the runner for GPUs needs PyTorch 2.4 or newer"
#endif

namespace mpm::torch_runner {
namespace {

// Both of PyTorch's attention operators kept their first arguments from 2.4 to 2.12. Later
// arguments changed, and keep their defaults here.
constexpr std::int64_t kMostFlashFeatures = 256;
constexpr std::int64_t kNoMask = 0;

at::Tensor flash(const AttentionCall& call) {
  const at::Tensor& first = call.layout.first;
  const std::int64_t most = call.layout.most;
  return std::get<0>(at::_flash_attention_forward(call.q, call.k, call.v, first, first, most, most,
                                                  /*dropout_p=*/0, /*is_causal=*/false,
                                                  /*return_debug_mask=*/false, call.scale));
}

at::Tensor efficient(const AttentionCall& call) {
  const at::Tensor& first = call.layout.first;
  const std::int64_t most = call.layout.most;
  const at::Tensor out = std::get<0>(at::_efficient_attention_forward(
      call.q.unsqueeze(0), call.k.unsqueeze(0), call.v.unsqueeze(0), /*bias=*/{}, first, first,
      most, most, /*dropout_p=*/0, kNoMask, /*compute_log_sumexp=*/false, call.scale));
  return out.squeeze(0);
}

class Gpu : public Device {
 public:
  explicit Gpu(const at::Device& gpu) : Device(gpu) {
    const cudaDeviceProp& properties = *at::cuda::getDeviceProperties(gpu.index());
    name_ = properties.name;
    hasTensorFormats_ = properties.major >= 8;
  }

  std::string name() const override { return name_; }
  bool has(Precision precision) const override {
    return precision == Precision::fp32 || hasTensorFormats_;
  }
  int headMultiple() const override { return 8; }
  bool foldsWeights() const override { return true; }

  /// Uses FlashAttention for bfloat16 heads of at most 256 features, else CUTLASS's
  /// memory-efficient attention. That makes float32 products of three TF32 products.
  at::Tensor attend(const AttentionCall& call) const override {
    const bool isFlash =
        call.q.scalar_type() == at::kBFloat16 && call.q.size(2) <= kMostFlashFeatures;
    return isFlash ? flash(call) : efficient(call);
  }

  void merge(const MergeRequest& request) const override {
    const Layout& layout = *request.tokens.layout;
    merge::MergeCuda call;
    call.sizes = sizesOf(request.tokens, request.special, request.originals);
    call.tokens = rowsOf(request.tokens);
    call.window = static_cast<int>(request.window);
    call.gridWidth = static_cast<int>(request.gridWidth);
    if (request.map.defined()) call.map = request.map.data_ptr<std::int32_t>();
    if (request.regions.defined()) {
      call.regions = request.regions.data_ptr<std::int32_t>();
      const bool isOne = request.regions.size(0) == 1 && layout.batch > 1;
      call.regionStride = isOne ? 0 : static_cast<int>(request.originals);
    }
    call.merged = request.merged.data_ptr();
    call.capacity = static_cast<int>(request.merged.size(0));
    call.packed = true;
    call.mergedFirst = request.first.data_ptr<std::int32_t>();
    call.mergedCount = request.count.data_ptr<std::int32_t>();
    call.mergedMap = request.outMap.data_ptr<std::int32_t>();
    mergeOnStream(call);
  }

  at::Tensor restore(const Ragged& live, const at::Tensor& map,
                     std::int64_t special) const override {
    const std::int64_t originals = map.size(1);
    const at::Tensor full = at::empty({live.layout->batch, special + originals, live.rows.size(1)},
                                      live.rows.options());
    checkCuda(merge::restoreCuda(sizesOf(live, special, originals), rowsOf(live),
                                 map.data_ptr<std::int32_t>(), full.data_ptr(),
                                 at::cuda::getCurrentCUDAStream()));
    return full;
  }

  at::Tensor multiplicities(const Layout& layout, const at::Tensor& map,
                            std::int64_t special) const override {
    const at::Tensor counts = at::empty({layout.capacity}, map.options());
    merge::MergeSizes sizes;
    sizes.batch = static_cast<int>(layout.batch);
    sizes.special = static_cast<int>(special);
    sizes.mostRows = static_cast<int>(layout.most);
    sizes.originals = static_cast<int>(map.size(1));
    merge::DeviceRows rows;
    rows.first = layout.first.data_ptr<std::int32_t>();
    rows.count = layout.count.data_ptr<std::int32_t>();
    checkCuda(merge::multiplicitiesCuda(
        sizes, rows, map.data_ptr<std::int32_t>(), counts.data_ptr<std::int32_t>(),
        static_cast<int>(layout.capacity), at::cuda::getCurrentCUDAStream()));
    return counts;
  }

  // Copies through pinned memory, since a copy from other memory waits for the stream.
  at::Tensor upload(const at::Tensor& onHost) const override {
    const at::Tensor pinned = at::empty(onHost.sizes(), onHost.options().pinned_memory(true));
    pinned.copy_(onHost);
    return pinned.to(place, /*non_blocking=*/true);
  }

 private:
  static merge::MergeSizes sizesOf(const Ragged& tokens, std::int64_t special,
                                   std::int64_t originals) {
    return mergeSizes(tokens.layout->batch, special, tokens.layout->most, originals, tokens.rows);
  }

  static merge::DeviceRows rowsOf(const Ragged& tokens) {
    return {tokens.rows.data_ptr(), tokens.layout->first.data_ptr<std::int32_t>(),
            tokens.layout->count.data_ptr<std::int32_t>()};
  }

  std::string name_;
  bool hasTensorFormats_ = false;
};

}  // namespace

std::unique_ptr<Device> cudaDevice(const std::string& device) {
  const at::Device wanted(device);
  const int count = at::cuda::is_available() ? static_cast<int>(at::cuda::device_count()) : 0;
  const int index = wanted.has_index() ? wanted.index() : 0;
  if (index >= count) {
    throw std::runtime_error("there is no GPU " + device + ": LibTorch finds " +
                             std::to_string(count) + "; expected an NVIDIA GPU and its driver");
  }
  at::globalContext().lazyInitCUDA();
  return std::make_unique<Gpu>(at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(index)));
}

}  // namespace mpm::torch_runner
