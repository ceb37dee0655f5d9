// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/cuda.h>

#include "paired.h"

namespace mpm::bench {

/// Times on a device, in pairs: each side is called `calls` times and then waited for, so that what
/// beginning and waiting cost is shared by all of them.
class DeviceClock {
 public:
  explicit DeviceClock(bool isGpu) : isGpu_(isGpu) {}

  void wait() const {
    if (isGpu_) torch::cuda::synchronize();
  }

  template <class Ours, class Peer>
  Paired pairs(const Ours& ours, const Peer& peer, int calls, int runs = 31) const {
    const auto repeated = [&](const auto& call) {
      return [this, &call, calls] {
        for (int i = 0; i < calls; ++i) call();
        wait();
      };
    };
    Paired paired = measurePaired(repeated(ours), repeated(peer), runs, 6000);
    paired.oursMs /= calls;
    paired.peerMs /= calls;
    return paired;
  }

 private:
  bool isGpu_;
};

}  // namespace mpm::bench
