// SPDX-License-Identifier: Apache-2.0
// Replaces operator new by one that counts. For one file of a program, whose tests are about it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace mpm::test {

inline std::atomic<long> allocations{0};
/// So many more succeed and the one behind them fails, once; negative: none does.
inline std::atomic<long> untilFault{-1};

// Inlined, GCC takes its size for that of the objects made there, and warns.
[[gnu::noinline]] inline void* countedNew(std::size_t size, std::size_t alignment) {
  ++allocations;
  if (untilFault >= 0 && untilFault-- == 0) throw std::bad_alloc();
  const std::size_t bytes = (size + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, bytes == 0 ? alignment : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] inline void countedDelete(void* memory) { std::free(memory); }

}  // namespace mpm::test

void* operator new(std::size_t size) {
  return mpm::test::countedNew(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return mpm::test::countedNew(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { mpm::test::countedDelete(memory); }
void operator delete(void* memory, std::size_t) noexcept { mpm::test::countedDelete(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { mpm::test::countedDelete(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  mpm::test::countedDelete(memory);
}
