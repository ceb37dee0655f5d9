// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "merge/cuda/on_host/block.h"

namespace on_host {
namespace {

std::uint32_t orderSeed = 0;

}  // namespace

void shuffleBlocks(std::uint32_t seed) { orderSeed = seed; }

void runGrid(Place gridSize, unsigned threads, const std::function<void()>& body) {
  if (threads == 0 || threads > kMostThreads) {
    throw std::logic_error("a block of " + std::to_string(threads) + " threads; expected 1 to " +
                           std::to_string(kMostThreads));
  }
  if (gridSize.x == 0 || gridSize.x > 2147483647U || gridSize.y == 0 || gridSize.y > 65535 ||
      gridSize.z == 0 || gridSize.z > 65535) {
    throw std::logic_error("a grid of " + std::to_string(gridSize.x) + " x " +
                           std::to_string(gridSize.y) + " x " + std::to_string(gridSize.z) +
                           " blocks; expected 1 to 2147483647 x 65535 x 65535");
  }
  std::vector<std::size_t> order(std::size_t{gridSize.x} * gridSize.y * gridSize.z);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (orderSeed != 0) std::shuffle(order.begin(), order.end(), std::mt19937(orderSeed));
  for (const std::size_t at : order) {
    const auto x = static_cast<unsigned>(at % gridSize.x);
    const auto y = static_cast<unsigned>(at / gridSize.x % gridSize.y);
    const auto z = static_cast<unsigned>(at / gridSize.x / gridSize.y);
    runBlock({x, y, z}, gridSize, threads, body);
  }
}

}  // namespace on_host
