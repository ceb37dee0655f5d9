// SPDX-License-Identifier: Apache-2.0
#include "processor/amx.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace mpm::processor {

#if defined(__x86_64__) && defined(__linux__)
namespace {

// Linux hands the registers, 8 KiB a thread, only to processes that ask.
bool systemAgrees() {
  constexpr long kRequest = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;     // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
}

bool processorHasIt() {
  constexpr unsigned kBf16 = 1U << 22, kTile = 1U << 24;  // of leaf 7's edx
  constexpr unsigned kAvx512Bf16 = 1U << 5;               // of leaf 7.1's eax
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kBf16) == 0 || (d & kTile) == 0) {
    return false;
  }
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kAvx512Bf16) != 0;
}

}  // namespace

bool hasAmx() {
  static const bool has = processorHasIt() && systemAgrees();
  return has;
}
#else
bool hasAmx() { return false; }
#endif

}  // namespace mpm::processor
