// SPDX-License-Identifier: Apache-2.0
// The processor as a runner's device: image by image, for comparison with a GPU's code.
#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "mpm/merge.h"
#include "torch/device.h"

namespace mpm::torch_runner {
namespace {

const std::int32_t* integersOf(const at::Tensor& tensor) { return tensor.data_ptr<std::int32_t>(); }

MergeOptions optionsOf(const MergeRequest& request, std::int64_t image) {
  MergeOptions options;
  options.window = static_cast<int>(request.window);
  options.gridHeight = static_cast<int>(request.gridHeight);
  options.gridWidth = static_cast<int>(request.gridWidth);
  if (request.regions.defined()) {
    const std::int64_t row = request.regions.size(0) == 1 ? 0 : image;
    options.regions = integersOf(request.regions) + row * request.originals;
  }
  return options;
}

// Returns an image's rows after a merge, special ones first, in float32; composes `map`.
at::Tensor mergeImage(const MergeRequest& request, std::int64_t image, std::int32_t* map) {
  const Layout& layout = *request.tokens.layout;
  const std::int64_t count = integersOf(layout.count)[image];
  const at::Tensor in = request.tokens.rows.narrow(0, integersOf(layout.first)[image], count)
                            .to(at::kFloat)
                            .contiguous();
  const at::Tensor out = in.clone();
  const std::int64_t dim = in.size(1), specialFloats = request.special * dim;
  const auto live = static_cast<std::size_t>(count - request.special);
  const auto originals = static_cast<std::size_t>(request.originals);
  if (request.map.defined()) {
    std::copy_n(integersOf(request.map) + image * request.originals, originals, map);
  } else {
    identityMap(map, originals);
  }
  PairMerger merger;
  const std::size_t left =
      merger.merge({in.data_ptr<float>() + specialFloats, live, static_cast<std::size_t>(dim)},
                   optionsOf(request, image), map, originals,
                   {out.data_ptr<float>() + specialFloats, live, static_cast<std::size_t>(dim)});
  return out.narrow(0, 0, request.special + static_cast<std::int64_t>(left));
}

class Processor : public Device {
 public:
  explicit Processor(bool folds) : Device(at::kCPU), folds_(folds) {}

  std::string name() const override { return "the processor, by LibTorch"; }
  bool has(Precision precision) const override { return precision != Precision::tf32; }
  int headMultiple() const override { return folds_ ? 8 : 1; }
  bool foldsWeights() const override { return folds_; }

  at::Tensor attend(const AttentionCall& call) const override {
    const at::Tensor out = at::zeros(call.q.sizes(), call.q.options());
    for (std::int64_t image = 0; image < call.layout.batch; ++image) {
      const std::int64_t first = integersOf(call.layout.first)[image];
      const std::int64_t count = integersOf(call.layout.count)[image];
      const auto byHead = [&](const at::Tensor& x) {
        return x.narrow(0, first, count).transpose(0, 1).to(at::kFloat);
      };
      at::Tensor logits = at::matmul(byHead(call.q), byHead(call.k).transpose(1, 2)) * call.scale;
      if (call.logWeights.defined()) logits = logits + call.logWeights.narrow(0, first, count);
      const at::Tensor mixed = at::matmul(at::softmax(logits, -1), byHead(call.v));
      out.narrow(0, first, count).copy_(mixed.transpose(0, 1));
    }
    return out;
  }

  void merge(const MergeRequest& request) const override {
    const std::int64_t batch = request.tokens.layout->batch;
    request.merged.zero_();
    std::int32_t* const first = request.first.data_ptr<std::int32_t>();
    first[0] = 0;
    for (std::int64_t image = 0; image < batch; ++image) {
      const at::Tensor rows = mergeImage(
          request, image, request.outMap.data_ptr<std::int32_t>() + image * request.originals);
      const auto live = static_cast<std::int32_t>(rows.size(0));
      request.merged.narrow(0, first[image], live).copy_(rows);
      request.count.data_ptr<std::int32_t>()[image] = live;
      first[image + 1] = first[image] + live;
    }
  }

  at::Tensor restore(const Ragged& live, const at::Tensor& map,
                     std::int64_t special) const override {
    const Layout& layout = *live.layout;
    const at::Tensor begin = layout.first.narrow(0, 0, layout.batch).unsqueeze(1);
    const at::Tensor front = begin + at::arange(special, begin.options());
    const at::Tensor image = begin + map + special;
    const at::Tensor source = at::cat({front, image}, 1);
    return live.rows.index_select(0, source.reshape({-1}))
        .reshape({layout.batch, source.size(1), live.rows.size(1)});
  }

  at::Tensor multiplicities(const Layout& layout, const at::Tensor& map,
                            std::int64_t special) const override {
    const at::Tensor begin = layout.first.narrow(0, 0, layout.batch).unsqueeze(1);
    const at::Tensor counts = at::zeros({layout.capacity}, map.options());
    const at::Tensor rows =
        at::cat({begin + at::arange(special, begin.options()), begin + special + map}, 1);
    return counts.index_add_(0, rows.reshape({-1}), at::ones({rows.numel()}, map.options()));
  }

  at::Tensor upload(const at::Tensor& onHost) const override { return onHost.clone(); }

 private:
  bool folds_;
};

}  // namespace

std::unique_ptr<Device> processorDevice(bool folds) { return std::make_unique<Processor>(folds); }

}  // namespace mpm::torch_runner
