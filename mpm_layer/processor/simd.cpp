// SPDX-License-Identifier: Apache-2.0
#include "processor/simd.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <hwy/highway.h>
#include <hwy/targets.h>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace mpm::processor {
namespace {

constexpr char kAmx[] = "amx", kVnni[] = "avx512vnni", kDotprod[] = "dotprod";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Uses the common name AVX-512 for Highway's AVX3.
std::string levelName(std::int64_t target) {
  const std::string name = lower(hwy::TargetName(target));
  return name.rfind("avx3", 0) == 0 ? "avx512" + name.substr(4) : name;
}

// Lists targets before any were disabled, best first: Highway gives better ones lower bits.
const std::vector<std::int64_t>& runnableTargets() {
  static const std::vector<std::int64_t> targets = [] {
    std::vector<std::int64_t> found;
    const std::int64_t runnable = hwy::SupportedTargets() & HWY_TARGETS;
    for (int bit = 0; bit < 63; ++bit) {
      const std::int64_t target = std::int64_t{1} << bit;
      if ((runnable & target) != 0) found.push_back(target);
    }
    return found;
  }();
  return targets;
}

#if defined(__x86_64__)
struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};
Registers featuresOf(unsigned subleaf) {
  Registers of;
  return __get_cpuid_count(7, subleaf, &of.a, &of.b, &of.c, &of.d) == 0 ? Registers{} : of;
}
#endif

#if defined(__x86_64__) && defined(__linux__)
// Requests the registers, 8 KiB a thread, which Linux gives only on request.
bool systemGivesAmx() {
  constexpr long kRequest = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;     // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
}

bool processorHasAmx() {
  constexpr unsigned kBf16 = 1U << 22, kTile = 1U << 24;  // of leaf 7's edx
  constexpr unsigned kAvx512Bf16 = 1U << 5;               // of leaf 7.1's eax
  const unsigned d = featuresOf(0).d;
  return (d & kBf16) != 0 && (d & kTile) != 0 && (featuresOf(1).a & kAvx512Bf16) != 0;
}

// Tells whether AMX can be used, and requests its registers.
bool hasAmx() {
  static const bool has = processorHasAmx() && systemGivesAmx();
  return has;
}
#else
bool hasAmx() { return false; }
#endif

// Tells whether tile registers can multiply bfloat16, beyond AVX-512 and Highway's targets.
bool runsAmx() {
  const auto& targets = runnableTargets();
  return hasAmx() && std::find(targets.begin(), targets.end(), HWY_AVX3) != targets.end();
}

// Tells whether there are dot products of int8 and float16 arithmetic, which no Highway target has.
bool runsDotprod() {
#if defined(__aarch64__) && defined(__linux__)
  constexpr unsigned long kHalves = 1UL << 10, kDot = 1UL << 20;  // HWCAP_ASIMDHP, HWCAP_ASIMDDP
  const unsigned long features = getauxval(AT_HWCAP);
  return (features & kHalves) != 0 && (features & kDot) != 0;
#else
  return false;
#endif
}

struct Level {
  std::string name;
  std::int64_t target;  // Highway's best one there
};

// Lists levels, best first. The processor may have more than Highway's best target. AVX-512 has one
// more level, for processors without bfloat16.
std::vector<Level> levels() {
  const std::vector<std::int64_t>& targets = runnableTargets();
  std::vector<Level> found;
  if (runsAmx()) found.push_back({kAmx, targets.front()});
  if (runsDotprod()) found.push_back({kDotprod, targets.front()});
  for (const std::int64_t target : targets) {
    found.push_back({levelName(target), target});
    if (target == HWY_AVX3 && hasAvx512Vnni()) found.push_back({kVnni, target});
  }
  return found;
}

bool isIntels() {
#if defined(__x86_64__)
  Registers of;
  return __get_cpuid(0, &of.a, &of.b, &of.c, &of.d) != 0 && of.b == signature_INTEL_ebx;
#else
  return false;
#endif
}

// Hides the targets better than `target` from Highway.
void leaveOutBetterThan(std::int64_t target) {
  std::int64_t better = 0;
  for (const std::int64_t other : runnableTargets()) {
    if (other < target) better |= other;
  }
  hwy::DisableTargets(better);
}

SimdChoice choose() {
  const std::vector<Level> all = levels();
  const char* asked = std::getenv("MPM_SIMD");
  if (asked == nullptr || *asked == '\0')
    return {false, all.front().name, all.front().name == kAmx || !isIntels()};

  const std::string wanted = lower(asked);
  if (wanted == "reference") return {true, wanted, true};
  std::string names = "reference";
  for (const Level& level : all) {
    if (level.name == wanted) {
      leaveOutBetterThan(level.target);
      return {false, wanted, true};
    }
    names += ", " + level.name;
  }
  throw std::invalid_argument("MPM_SIMD=" + std::string(asked) +
                              " is not available here; this processor and build have: " + names);
}

}  // namespace

const SimdChoice& simdChoice() {
  static const SimdChoice choice = choose();
  return choice;
}

#if defined(__x86_64__)
bool hasAvx512Vnni() { return (featuresOf(0).c >> 11 & 1) != 0; }
bool hasAvxVnni() { return (featuresOf(1).a >> 4 & 1) != 0; }
#else
bool hasAvx512Vnni() { return false; }
bool hasAvxVnni() { return false; }
#endif

}  // namespace mpm::processor
