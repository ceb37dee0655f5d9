// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>

/// One block of a kernel on the processor. Its threads, lanes here, take turns on one thread of the
/// system: each runs until it waits for others. What a GPU would not do, or leaves undefined,
/// throws std::logic_error with a sentence.
namespace on_host {

constexpr unsigned kWarp = 32;
constexpr unsigned kMostThreads = 1024;

struct Place {
  unsigned x = 0, y = 0, z = 0;
};

/// Of the lane that runs now.
struct Here {
  Place thread, block, blockSize, gridSize;
};
extern Here here;

/// Runs `body` as every thread of one block; blocks have one dimension of threads.
void runBlock(Place block, Place gridSize, unsigned threads, const std::function<void()>& body);

/// __syncthreads: returns when every thread of the block has called it, with the number of those
/// whose `mine` is true.
int barrier(bool mine);

/// What the lanes of a warp bring to a collective, by lane; null for those not in the mask.
using Brought = std::array<void*, kWarp>;

/// Waits until all lanes of `mask` have come with the same `what`; the last one calls `exchange`,
/// which reads and writes what each has brought.
void meet(unsigned mask, const char* what, void* mine, void (*exchange)(const Brought& brought));

/// Blocks run in their order, or with a seed in another one. 0: in their order.
void shuffleBlocks(std::uint32_t seed);

/// Runs `body` for every block of the grid.
void runGrid(Place gridSize, unsigned threads, const std::function<void()>& body);

}  // namespace on_host
