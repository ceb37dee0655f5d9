// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace mpm::bench {

/// S = X X^T by oneDNN, the second factor packed beforehand as oneDNN likes it best: the fastest
/// single product it has. In float32, or its factors in bfloat16.
class OneDnnMatmul {
 public:
  OneDnnMatmul(float* rows, std::size_t count, std::size_t dim, bool bf16 = false);
  ~OneDnnMatmul();
  void run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm::bench
