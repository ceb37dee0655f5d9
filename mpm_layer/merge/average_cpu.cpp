// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "merge/average_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cstring>

#include "merge/average.h"
#include "processor/threads.h"

HWY_BEFORE_NAMESPACE();
namespace mpm::merge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void meanOfTwo(const float* a, const float* b, std::size_t dim, float* mean) {
  const hn::ScalableTag<float> d;
  const auto half = hn::Set(d, 0.5F);
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= dim; k += hn::Lanes(d)) {
    const auto x = hn::Mul(half, hn::LoadU(d, a + k));
    hn::StoreU(hn::MulAdd(half, hn::LoadU(d, b + k), x), d, mean + k);
  }
  for (; k < dim; ++k) mean[k] = 0.5F * a[k] + 0.5F * b[k];
}

}  // namespace HWY_NAMESPACE
}  // namespace mpm::merge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mpm::merge {

HWY_EXPORT(meanOfTwo);

void averageCpu(ConstRows tokens, const Cluster* clusters, std::size_t count, Rows merged) {
  const auto mean = HWY_DYNAMIC_DISPATCH(meanOfTwo);
  const std::size_t bytes = tokens.dim * sizeof(float);
  processor::forEachRowRange(count, bytes, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const float* first = tokens.row(clusters[c].first);
      if (clusters[c].second == kAlone) {
        std::memcpy(merged.row(c), first, bytes);
      } else {
        mean(first, tokens.row(clusters[c].second), tokens.dim, merged.row(c));
      }
    }
  });
}

}  // namespace mpm::merge
#endif  // HWY_ONCE
