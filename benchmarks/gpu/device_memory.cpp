// SPDX-License-Identifier: Apache-2.0
#include "device_memory.h"

#ifdef MPM_TORCH_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

namespace mpm::bench {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

auto allocated() {
  return allocator::getDeviceStats(c10::cuda::current_device()).allocated_bytes[0];
}

}  // namespace

double deviceMemory() { return static_cast<double>(allocated().current); }

PeakMemory::PeakMemory() { allocator::resetPeakStats(c10::cuda::current_device()); }

double PeakMemory::bytes() const { return static_cast<double>(allocated().peak); }

}  // namespace mpm::bench
#else
namespace mpm::bench {

double deviceMemory() { return 0; }
PeakMemory::PeakMemory() = default;
double PeakMemory::bytes() const { return 0; }

}  // namespace mpm::bench
#endif
