// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mpm::bench {

/// Bytes that PyTorch's allocator has handed out on the device now; 0 without CUDA.
double deviceMemory();

/// The most of them since it was made.
class PeakMemory {
 public:
  PeakMemory();
  double bytes() const;
};

}  // namespace mpm::bench
