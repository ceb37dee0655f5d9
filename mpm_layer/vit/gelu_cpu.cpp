// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/gelu_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
// After highway.h: included once for each target.
#include <algorithm>

#include "processor/threads.h"
#include "vit/gelu-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::vit {
namespace HWY_NAMESPACE {

template <class Function>
HWY_INLINE void inPlace(float* x, std::size_t count, const Function& function) {
  const F d;
  std::size_t k = 0;
  for (; k + kLanes <= count; k += kLanes) hn::StoreU(function(hn::LoadU(d, x + k)), d, x + k);
  if (k == count) return;
  float rest[kLanes] = {};
  std::copy(x + k, x + count, rest);
  hn::StoreU(function(hn::LoadU(d, rest)), d, rest);
  std::copy(rest, rest + (count - k), x + k);
}

void geluRow(Gelu kind, float* x, std::size_t count) {
  switch (kind) {
    case Gelu::erf:
      return inPlace(x, count, [](Vec v) HWY_ATTR { return geluOf<Gelu::erf>(v); });
    case Gelu::tanh:
      return inPlace(x, count, [](Vec v) HWY_ATTR { return geluOf<Gelu::tanh>(v); });
    case Gelu::quick:
      return inPlace(x, count, [](Vec v) HWY_ATTR { return geluOf<Gelu::quick>(v); });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::vit {

HWY_EXPORT(geluRow);

void geluCpu(Gelu kind, Rows rows) {
  constexpr std::size_t kTaskRows = 16;
  processor::forEachTask((rows.count + kTaskRows - 1) / kTaskRows, [&](std::size_t task) {
    const std::size_t end = std::min((task + 1) * kTaskRows, rows.count);
    for (std::size_t i = task * kTaskRows; i < end; ++i) {
      HWY_DYNAMIC_DISPATCH(geluRow)(kind, rows.row(i), rows.dim);
    }
  });
}

}  // namespace mpm::vit
#endif  // HWY_ONCE
