// SPDX-License-Identifier: Apache-2.0
#include "torch_peer.h"

namespace mpm::bench {

std::function<void()> torchMerge(float*, std::size_t, std::size_t, int) { return {}; }

}  // namespace mpm::bench
