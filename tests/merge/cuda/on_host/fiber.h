// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

/// A function that can be left in its middle and gone on with. One is inside at a time.
namespace on_host {

struct Fiber {
  std::unique_ptr<char[]> stack;
  std::function<void()> work;
  bool begun = false;  ///< whether `place` holds where it paused
  jmp_buf place = {};
  ucontext_t entry = {};
  void* fakeStack = nullptr;  ///< AddressSanitizer's
};

/// The next resumeFiber calls `work`, whatever the fiber was in the middle of; `work` never
/// returns.
void startFiber(Fiber& fiber, std::function<void()> work);

/// Goes on with the fiber until it pauses.
void resumeFiber(Fiber& fiber);

/// Called inside a fiber: back to who resumed it.
void pauseFiber();

}  // namespace on_host
