// SPDX-License-Identifier: Apache-2.0
#include "torch/oracle.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <tuple>

namespace mpm {

at::Tensor oracleSimilarity(const at::Tensor& tokens, const at::Tensor& regions) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();

  // 1: unit rows. A zero row stays zero, as in torch.nn.functional.normalize.
  const at::Tensor unit = tokens / tokens.norm(2, 1, /*keepdim=*/true).clamp_min(1e-12);

  // 2: S = unit unit^T, its diagonal masked.
  at::Tensor similarity = at::mm(unit, unit.t()).fill_diagonal_(-kInfinity);
  if (regions.defined())
    similarity.masked_fill_(regions.unsqueeze(0) != regions.unsqueeze(1), -kInfinity);
  return similarity;
}

// The numbers are the lines of the paper's Algorithm 1.
OracleMerge oracleMerge(const at::Tensor& tokens, const at::Tensor& regions) {
  const at::Tensor index = at::arange(tokens.size(0), tokens.options().dtype(at::kLong));

  // 3: where each row is largest. Of equal ones max(dim) promises the first; argmax does the same
  // more slowly.
  const at::Tensor best = std::get<1>(oracleSimilarity(tokens, regions).max(1));

  // 4: i and b(i) are a pair where b(b(i)) = i. A token that is alone has itself, or one that does
  // not choose it.
  const at::Tensor paired = (best.index_select(0, best) == index).logical_and_(best != index);

  // 5: all but the second member of a pair represent their cluster.
  const at::Tensor repMask = (index < best).logical_or_(paired.logical_not());

  // 6: representatives are numbered from the left; partners inherit.
  const at::Tensor id = repMask.cumsum(0).sub_(1);
  const at::Tensor map = id.index_select(0, at::where(repMask, index, best));

  // 7: the mean of each cluster.
  const std::int64_t clusters = id[-1].item<std::int64_t>() + 1;
  const at::Tensor sums =
      at::zeros({clusters, tokens.size(1)}, tokens.options()).index_add_(0, map, tokens);
  return {sums.div_(at::bincount(map).unsqueeze(1)), map};
}

}  // namespace mpm
