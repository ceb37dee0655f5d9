// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace mpm::bench {

/// One call of the paper's steps in LibTorch, eager, on the same rows; empty in a build without
/// LibTorch. `rows` must outlive it.
std::function<void()> torchMerge(float* rows, std::size_t count, std::size_t dim, int threads);

}  // namespace mpm::bench
