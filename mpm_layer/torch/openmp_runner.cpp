// SPDX-License-Identifier: Apache-2.0
// In a process with PyTorch the work runs on PyTorch's threads, which are OpenMP's: two pools would
// compete for the cores.
#include <cstddef>

#include "processor/pool.h"

namespace mpm {
namespace {

void runOnOpenMp(const processor::Work& work) {
  const auto end = static_cast<std::ptrdiff_t>(work.count);
#pragma omp parallel for schedule(dynamic, 1) if (end > 1)
  for (std::ptrdiff_t task = 0; task < end; ++task) {
    work.body(work.argument, static_cast<std::size_t>(task));
  }
}

[[maybe_unused]] const bool chosen = [] {
  processor::setRunner([](const processor::Work& work, const processor::Work& then) {
    runOnOpenMp(work);
    runOnOpenMp(then);
  });
  return true;
}();

}  // namespace
}  // namespace mpm
