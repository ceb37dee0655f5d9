// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "merge/restore.h"
#include "processor/threads.h"

namespace mpm::merge {

void restoreCpu(ConstRows live, const std::int32_t* map, Rows full) {
  const std::size_t bytes = full.dim * sizeof(float);
  processor::forEachRowRange(full.count, bytes, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) std::memcpy(full.row(i), live.row(map[i]), bytes);
  });
}

}  // namespace mpm::merge
