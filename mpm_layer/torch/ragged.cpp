// SPDX-License-Identifier: Apache-2.0
#include "torch/ragged.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace mpm::torch_runner {
namespace {

at::TensorOptions on(const at::Tensor& tensor, at::ScalarType type) {
  return at::TensorOptions(tensor.device()).dtype(type);
}

/// Returns the starts for a packed batch with these counts: int32 [B + 1].
at::Tensor firstOf(const at::Tensor& count) {
  const at::Tensor first = at::zeros({count.size(0) + 1}, count.options());
  first.narrow(0, 1, count.size(0)).copy_(count.cumsum(0, at::kInt));
  return first;
}

}  // namespace

at::Tensor Layout::imageOfRow() const {
  if (!imageOfRow_.defined()) {
    const at::Tensor ends = first.narrow(0, 1, batch);
    const at::Tensor rows = at::arange(capacity, on(first, at::kInt));
    imageOfRow_ =
        at::bucketize(rows, ends, /*out_int32=*/false, /*right=*/true).clamp_max_(batch - 1);
  }
  return imageOfRow_;
}

at::Tensor Layout::rowsOfImages(std::int64_t skip, std::int64_t rows) const {
  const at::Tensor begin = first.narrow(0, 0, batch).to(at::kLong).unsqueeze(1);
  return (begin + at::arange(skip, skip + rows, on(first, at::kLong))).clamp_max_(capacity - 1);
}

LayoutPtr fullLayout(std::int64_t batch, std::int64_t rows, const at::Device& device) {
  auto layout = std::make_shared<Layout>();
  const auto integers = at::TensorOptions(device).dtype(at::kInt);
  layout->batch = batch;
  layout->most = rows;
  layout->capacity = batch * rows;
  layout->first = at::arange(batch + 1, integers).mul_(rows);
  layout->count = at::full({batch}, rows, integers);
  return layout;
}

LayoutPtr packedLayout(const at::Tensor& count, std::int64_t total, std::int64_t most,
                       const at::Tensor& first) {
  auto layout = std::make_shared<Layout>();
  layout->batch = count.size(0);
  layout->most = most;
  layout->capacity = std::max<std::int64_t>(total, 1);
  layout->first = first.defined() ? first : firstOf(count);
  layout->count = count;
  return layout;
}

Ragged replaceFront(const Ragged& tokens, std::int64_t drop, const at::Tensor& front) {
  const Layout& from = *tokens.layout;
  const std::int64_t added = front.defined() ? front.size(0) : 0, more = added - drop;
  const LayoutPtr to =
      packedLayout(from.count + more, from.capacity + from.batch * more, from.most + more);

  // Rows move with their image: by the shift of its start, and by the rows before them.
  const at::Tensor moved = from.first.narrow(0, 0, from.batch) - to->first.narrow(0, 0, to->batch);
  const at::Tensor source =
      (moved.index_select(0, to->imageOfRow()) + at::arange(to->capacity, on(moved, at::kInt)))
          .sub_(more)
          .clamp_(0, from.capacity - 1);
  at::Tensor rows = tokens.rows.index_select(0, source);
  if (added > 0) {
    rows.index_copy_(0, to->rowsOfImages(0, added).reshape({-1}), front.repeat({from.batch, 1}));
  }
  return {rows, to};
}

at::Tensor packRows(const at::Tensor& padded, const Layout& layout) {
  const at::Tensor image = layout.imageOfRow();
  const at::Tensor begin = at::arange(layout.batch, image.options()).mul_(padded.size(1)) -
                           layout.first.narrow(0, 0, layout.batch);
  const at::Tensor source =
      (begin.index_select(0, image) + at::arange(layout.capacity, image.options()))
          .clamp_max_(padded.size(0) * padded.size(1) - 1);
  return padded.reshape({-1, padded.size(2)}).index_select(0, source);
}

}  // namespace mpm::torch_runner
