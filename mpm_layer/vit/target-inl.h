// SPDX-License-Identifier: Apache-2.0
// For a file that is compiled for processors with more than Highway's instruction set: it defines
// MPM_VIT_FEATURES, as ",avx512bf16", and includes this before everything else of vit.
#pragma once

#include <hwy/highway.h>

// Beside HWY_BEFORE_NAMESPACE, not in one macro with it: GCC 14 loses pragmas then.
#if HWY_COMPILER_CLANG  // of two, one inside the other, it heeds the outer
#define MPM_VIT_PUSH_ATTRIBUTES() \
  HWY_POP_ATTRIBUTES HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR MPM_VIT_FEATURES) static_assert(true, "")
#define MPM_VIT_POP_ATTRIBUTES() static_assert(true, "")
#else
#define MPM_VIT_PUSH_ATTRIBUTES() \
  HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR MPM_VIT_FEATURES) static_assert(true, "")
#define MPM_VIT_POP_ATTRIBUTES() HWY_POP_ATTRIBUTES static_assert(true, "")
#endif
#define MPM_VIT_ATTR __attribute__((target(HWY_TARGET_STR MPM_VIT_FEATURES)))  // of lambdas
