// SPDX-License-Identifier: Apache-2.0
// With fortified sources longjmp takes a jump to another stack for a mistake.
#undef _FORTIFY_SOURCE
#include "merge/cuda/on_host/fiber.h"

#include <utility>

#ifdef MPM_SANITIZE_ADDRESS
#include <sanitizer/common_interface_defs.h>
#endif

namespace on_host {
namespace {

constexpr std::size_t kStackBytes = std::size_t{32} << 10;

// A stack is entered by setcontext once, and from then on by longjmp: it does not call the system,
// which a few million changes of lanes would feel.
Fiber* inside = nullptr;
jmp_buf outside;

#ifdef MPM_SANITIZE_ADDRESS
void* outsideFakeStack = nullptr;
const void* outsideStack = nullptr;
std::size_t outsideBytes = 0;

void leaveFor(void** fake, const void* stack, std::size_t bytes) {
  __sanitizer_start_switch_fiber(fake, stack, bytes);
}
void arrive(void* fake, const void** from, std::size_t* bytes) {
  __sanitizer_finish_switch_fiber(fake, from, bytes);
}
#endif

void enter() {
#ifdef MPM_SANITIZE_ADDRESS
  arrive(nullptr, &outsideStack, &outsideBytes);
#endif
  inside->work();
}

}  // namespace

void startFiber(Fiber& fiber, std::function<void()> work) {
  if (!fiber.stack) fiber.stack.reset(new char[kStackBytes]);
  fiber.work = std::move(work);
  fiber.begun = false;
  fiber.fakeStack = nullptr;
  getcontext(&fiber.entry);
  fiber.entry.uc_stack.ss_sp = fiber.stack.get();
  fiber.entry.uc_stack.ss_size = kStackBytes;
  makecontext(&fiber.entry, enter, 0);
}

void resumeFiber(Fiber& fiber) {
  inside = &fiber;
  if (_setjmp(outside) == 0) {
#ifdef MPM_SANITIZE_ADDRESS
    leaveFor(&outsideFakeStack, fiber.stack.get(), kStackBytes);
#endif
    if (inside->begun) _longjmp(inside->place, 1);
    setcontext(&inside->entry);
  }
#ifdef MPM_SANITIZE_ADDRESS
  arrive(outsideFakeStack, nullptr, nullptr);
#endif
}

void pauseFiber() {
  if (_setjmp(inside->place) == 0) {
    inside->begun = true;
#ifdef MPM_SANITIZE_ADDRESS
    leaveFor(&inside->fakeStack, outsideStack, outsideBytes);
#endif
    _longjmp(outside, 1);
  }
#ifdef MPM_SANITIZE_ADDRESS
  arrive(inside->fakeStack, &outsideStack, &outsideBytes);
#endif
}

}  // namespace on_host
