// SPDX-License-Identifier: Apache-2.0
#include "merge/cuda/on_host/block.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "merge/cuda/on_host/fiber.h"

namespace on_host {

Here here;

namespace {

using std::to_string;

enum class State { ready, atBarrier, inWarp, ended };

struct Lane {
  Fiber* fiber = nullptr;
  State state = State::ended;
  bool vote = false;
};

struct Warp {
  unsigned mask = 0, arrived = 0;
  std::string_view what;
  Brought brought{};
};

// Fibers are kept from block to block: making one is a call of the system.
std::vector<Fiber>& fibers() {
  static std::vector<Fiber> all(kMostThreads);
  return all;
}

struct Block {
  std::vector<Lane> lanes;
  std::vector<Warp> warps;
  int votes = 0;
  std::string refusal;
  unsigned current = 0;
};
Block* running = nullptr;
std::uint32_t orderSeed = 0;

// A lane that has written `refusal` is never resumed: nothing on its stack may need a destructor.
[[noreturn]] void endRefused() {
  for (;;) pauseFiber();
}

void waitAs(State state) {
  running->lanes[running->current].state = state;
  pauseFiber();
}

unsigned count(State state) {
  unsigned lanes = 0;
  for (const Lane& lane : running->lanes) lanes += lane.state == state ? 1 : 0;
  return lanes;
}

void stopIfRefused() {
  if (running->refusal.empty()) return;
  fibers().clear();  // with what they were in the middle of
  fibers().resize(kMostThreads);
  const std::string why = running->refusal;
  running = nullptr;
  throw std::logic_error(why);
}

bool runWarp(unsigned warp) {  // until none of its lanes can go on
  const unsigned first = warp * kWarp;
  const unsigned last = std::min(first + kWarp, static_cast<unsigned>(running->lanes.size()));
  bool moved = false;
  for (bool any = true; any;) {
    any = false;
    for (unsigned lane = first; lane < last; ++lane) {
      if (running->lanes[lane].state != State::ready) continue;
      any = moved = true;
      running->current = lane;
      here.thread.x = lane;
      resumeFiber(*running->lanes[lane].fiber);
      stopIfRefused();
    }
  }
  return moved;
}

void openBarrier() {
  running->votes = 0;
  for (Lane& lane : running->lanes) {
    running->votes += lane.vote ? 1 : 0;
    lane.state = State::ready;
  }
}

void refuseStandstill() {
  const unsigned atBarrier = count(State::atBarrier);
  for (const Warp& warp : running->warps) {
    if (warp.arrived == 0) continue;
    running->refusal = std::string(warp.what) + ": lanes " + to_string(warp.mask & ~warp.arrived) +
                       " of the mask never came; expected every lane that the mask names";
  }
  if (running->refusal.empty()) {
    running->refusal = "__syncthreads: " + to_string(atBarrier) + " threads wait and " +
                       to_string(count(State::ended)) + " have ended; expected all or none";
  }
  stopIfRefused();
}

}  // namespace

void runBlock(Place block, Place gridSize, unsigned threads, const std::function<void()>& body) {
  Block state;
  state.lanes.resize(threads);
  state.warps.resize((threads + kWarp - 1) / kWarp);
  running = &state;
  here = {{}, block, {threads, 1, 1}, gridSize};
  for (unsigned lane = 0; lane < threads; ++lane) {
    state.lanes[lane] = {&fibers()[lane], State::ready};
    startFiber(fibers()[lane], [&body] {
      body();
      for (;;) waitAs(State::ended);  // the next start begins anew
    });
  }
  while (count(State::ended) < threads) {
    bool moved = false;
    for (unsigned warp = 0; warp < state.warps.size(); ++warp) moved |= runWarp(warp);
    if (count(State::atBarrier) == threads) {
      openBarrier();
    } else if (!moved) {
      refuseStandstill();
    }
  }
  running = nullptr;
}

int barrier(bool mine) {
  running->lanes[running->current].vote = mine;
  waitAs(State::atBarrier);
  return running->votes;
}

void meet(unsigned mask, const char* what, void* mine, void (*exchange)(const Brought&)) {
  const unsigned lane = running->current % kWarp;
  Warp& warp = running->warps[running->current / kWarp];
  if ((mask >> lane & 1U) == 0) {
    running->refusal = std::string(what) + ": the mask lacks its own lane";
    endRefused();
  }
  if (warp.arrived == 0) {
    warp.mask = mask;
    warp.what = what;
    warp.brought = {};
  } else if (warp.mask != mask || warp.what != what) {
    running->refusal = std::string(what) + " meets " + std::string(warp.what) + " of lanes " +
                       to_string(warp.mask) + " in one warp; expected the same in all lanes";
    endRefused();
  }
  warp.brought[lane] = mine;
  warp.arrived |= 1U << lane;
  if (warp.arrived != mask) {
    waitAs(State::inWarp);
    return;
  }
  exchange(warp.brought);
  warp.arrived = 0;
  const unsigned first = running->current - lane;
  for (unsigned other = 0; other < kWarp; ++other) {
    if ((mask >> other & 1U) != 0) running->lanes[first + other].state = State::ready;
  }
}

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
