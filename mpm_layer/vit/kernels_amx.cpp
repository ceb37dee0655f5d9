// SPDX-License-Identifier: Apache-2.0
// Pairs of bfloat16 in AMX's tile registers, for servers from 2023 on. Compiled as AVX3 with the
// other features of such processors.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vit/kernels_amx.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#if HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX3
#define MPM_VIT_FEATURES ",avx512bf16,amx-tile,amx-bf16"
// Comes after what they depend on.
#include "vit/amx_attend-inl.h"
#include "vit/amx_tiles-inl.h"
#include "vit/bf16-inl.h"
#include "vit/product-inl.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

static_assert(kPanelColumns % kAmxUnits == 0);
constexpr std::size_t kRowsAtOnce = 2 * kAmxRows;

void amxProduct(const Product& product, const Finish& finish) {
  const AmxTiles registers;
  const std::size_t units = (product.inputs + 1) / 2;
  alignas(64) float sums[kRowsAtOnce * kPanelColumns];
  inPanels(product, finish, 2, [&](auto, const Panel& panel) MPM_VIT_ATTR {
    for (std::size_t row = 0; row < product.rows; row += kRowsAtOnce) {
      const std::size_t rows = std::min(kRowsAtOnce, product.rows - row);
      amxMultiplyAll<false>({product.a + row * product.aStride, product.aStride, rows}, panel.units,
                            panel.width, units, panel.width, sums, kPanelColumns);
      finishSums<Bf16>({finish, row, panel.column},
                       {sums, rows, panel.width, panel.columns, nullptr});
    }
  });
}

// Writes unit u of row r to out[u * stride + r].
void toTurnedRows(ConstRows x, Unit* out, std::size_t stride) {
  const std::size_t columns = padded(x.dim);
  for (std::size_t r = 0; r < x.count; ++r) {
    for (std::size_t c = 0; c < columns; c += kColumnStep) {
      alignas(64) float values[kColumnStep] = {};
      alignas(64) Unit units[kColumnStep / 2];
      std::copy_n(x.row(r) + c, std::min(kColumnStep, x.dim - std::min(c, x.dim)), values);
      const Vec v[1] = {hn::Load(F(), values)};
      Bf16::storeRow(v, units);
      for (std::size_t u = 0; u < kColumnStep / 2; ++u) out[(c / 2 + u) * stride + r] = units[u];
    }
  }
}

Kernels table() {
  Kernels table = tableOf<Bf16>(amxProduct, amxAttend);
  table.turnsKeys = true;
  table.toKeys = toTurnedRows;
  return table;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

namespace mpm::vit {

Kernels amxKernelsOfAvx512() { return HWY_NAMESPACE::table(); }

}  // namespace mpm::vit
#endif  // HWY_TARGET == HWY_AVX3

#if HWY_ONCE
#include <stdexcept>

#include "vit/kernels.h"

namespace mpm::vit {

#if HWY_ARCH_X86_64 && (HWY_TARGETS & HWY_AVX3)
Kernels amxKernelsOfAvx512();

Kernels amxKernels() { return amxKernelsOfAvx512(); }
#else
Kernels amxKernels() { throw std::logic_error("no kernels of AMX"); }
#endif

}  // namespace mpm::vit
#endif  // HWY_ONCE
