// SPDX-License-Identifier: Apache-2.0
#include "torch_peer.h"

#if MPM_HAS_TORCH
#include <torch/torch.h>

#include "torch/oracle.h"
#endif

namespace mpm::bench {

#if MPM_HAS_TORCH
std::function<void()> torchMerge(float* rows, std::size_t count, std::size_t dim, int threads) {
  at::set_num_threads(threads);
  const torch::Tensor tokens =
      torch::from_blob(rows, {static_cast<std::int64_t>(count), static_cast<std::int64_t>(dim)});
  return [tokens] {
    const torch::NoGradGuard inference;
    oracleMerge(tokens);
  };
}
#else
std::function<void()> torchMerge(float*, std::size_t, std::size_t, int) { return {}; }
#endif

}  // namespace mpm::bench
