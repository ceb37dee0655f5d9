// SPDX-License-Identifier: Apache-2.0
#include "merge/restore.h"

namespace mpm::merge {

void restoreReference(ConstRows live, const std::int32_t* map, Rows full) {
  for (std::size_t i = 0; i < full.count; ++i) {
    for (std::size_t k = 0; k < full.dim; ++k) full.row(i)[k] = live.row(map[i])[k];
  }
}

}  // namespace mpm::merge
