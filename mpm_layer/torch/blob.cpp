// SPDX-License-Identifier: Apache-2.0
#include "torch/blob.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "torch/settings.h"

namespace mpm::torch_runner {
namespace {

void give(RunnerBlob& blob, DeviceBlob part) {
  blob.device = std::make_shared<DeviceBlob>(std::move(part));
}

at::Tensor onHost(const at::Tensor& tensor, at::ScalarType type) {
  return tensor.to(at::kCPU, type).contiguous();
}

void refuse(const RunnerBlob& blob, const std::string& problem) {
  throw std::runtime_error("a blob " + shapeText(blob.shape) + " to be copied to the host " +
                           problem);
}

void expectShape(const RunnerBlob& blob, const std::vector<std::int64_t>& sizes) {
  if (std::equal(sizes.begin(), sizes.end(), blob.shape.begin(), blob.shape.end())) return;
  refuse(blob, "is " + shapeText(sizes) + " on the device; expected the same shape");
}

/// A float for each of contiguous `values`.
void copyFloats(const at::Tensor& values, float* to) {
  at::from_blob(to, values.sizes(), at::kFloat).copy_(values);
}

void copyTokens(const RunnerBlob& blob, const DeviceBlob& part) {
  const Layout& layout = *part.layout;
  const std::int64_t dim = part.values.size(1);
  expectShape(blob, {layout.batch, layout.most, dim});
  const at::Tensor rows = onHost(part.values, at::kFloat);
  const at::Tensor first = onHost(layout.first, at::kInt), count = onHost(layout.count, at::kInt);
  for (std::int64_t image = 0; image < layout.batch; ++image) {
    const std::int64_t begin = first.data_ptr<std::int32_t>()[image];
    const std::int64_t live = count.data_ptr<std::int32_t>()[image];
    std::copy_n(rows.data_ptr<float>() + begin * dim, live * dim,
                blob.host + image * layout.most * dim);
  }
}

}  // namespace

void giveTokens(RunnerBlob& blob, const Ragged& tokens) {
  give(blob, {DeviceBlob::Kind::tokens, tokens.rows, tokens.layout});
}

void giveRows(RunnerBlob& blob, const LayoutPtr& layout) {
  give(blob, {DeviceBlob::Kind::rows, {}, layout});
}

void giveMap(RunnerBlob& blob, const TokenMap& map) {
  give(blob, {DeviceBlob::Kind::map, map.values, nullptr, map.isIdentity});
}

void giveDense(RunnerBlob& blob, const at::Tensor& values) {
  give(blob, {DeviceBlob::Kind::dense, values});
}

void downloadBlob(const RunnerBlob& blob) {
  const auto* const part = static_cast<const DeviceBlob*>(blob.device.get());
  if (part == nullptr) refuse(blob, "has no part on the device; expected one that a layer filled");
  if (blob.host == nullptr) refuse(blob, "has no host part; expected room for its floats");
  switch (part->kind) {
    case DeviceBlob::Kind::tokens:
      copyTokens(blob, *part);
      break;
    case DeviceBlob::Kind::rows:
      expectShape(blob, {part->layout->batch, 1});
      copyFloats(part->layout->count, blob.host);
      break;
    case DeviceBlob::Kind::map:
    case DeviceBlob::Kind::dense:
      expectShape(blob, part->values.sizes().vec());
      copyFloats(part->values, blob.host);
      break;
  }
}

}  // namespace mpm::torch_runner
