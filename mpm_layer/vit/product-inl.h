// SPDX-License-Identifier: Apache-2.0
// Products of units; included once for each instruction set. `A` is an arithmetic: how units are
// multiplied, and made of floats. With kHasTile it has its own `multiplyTile`.
#if defined(MPM_VIT_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MPM_VIT_PRODUCT_INL_H_
#undef MPM_VIT_PRODUCT_INL_H_
#else
#define MPM_VIT_PRODUCT_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "vit/finish-inl.h"
#include "vit/kernels.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

// Rows of a whole tile of C vectors.
constexpr std::size_t kMostRows = 8;
template <class A>
constexpr std::size_t rowsFor(std::size_t vectors) {
  return vectors == kPanelVectors ? A::kPanelRows : kMostRows;
}

constexpr std::size_t kLineUnits = 64 / sizeof(Unit);

// Prefetches memory; the address does not affect any result.
HWY_INLINE void fetchAhead(const Unit* units) { __builtin_prefetch(units, 0, 2); }

// Calls sink(sum) with sum[R][C] of R rows and C vectors of columns. Unit k of row r of the left
// factor is a[r * aStride + k], or a[k * aStride + r] if it is transposed.
template <class A, std::size_t R, std::size_t C, bool kTransposed, class Sink>
HWY_INLINE void multiplyTile(const Unit* HWY_RESTRICT a, std::size_t aStride,
                             const Unit* HWY_RESTRICT b, std::size_t bStride, std::size_t units,
                             const Sink& sink) {
  const F d;
  Vec sum[R][C];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (std::size_t c = 0; c < C; ++c) sum[r][c] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < units; ++k) {
    Vec right[C];
#pragma GCC unroll 8
    for (std::size_t c = 0; c < C; ++c) right[c] = loadUnits(b + k * bStride + c * kLanes);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r) {
      const Vec left = everywhere(kTransposed ? a + k * aStride + r : a + r * aStride + k);
#pragma GCC unroll 8
      for (std::size_t c = 0; c < C; ++c) sum[r][c] = A::multiplyAdd(left, right[c], sum[r][c]);
    }
  }
#if HWY_ARCH_ARM_A64
  // Copies sums, since GCC stores them in each turn of the loop if anything else sees them.
  Vec result[R][C];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (std::size_t c = 0; c < C; ++c) result[r][c] = sum[r][c];
  }
  sink(result);
#else
  sink(sum);
#endif
}

// Calls body(R, row) with a constant R for tiles that cover `rows`: whole ones, then pairs, then
// one. Pairs keep the processor as busy as whole tiles with AVX-512, and compiling another number
// of rows takes as long again.
template <class A, std::size_t C, class Body>
HWY_INLINE void inTiles(std::size_t rows, const Body& body) {
  constexpr std::size_t kWhole = rowsFor<A>(C);
  std::size_t row = 0;
  for (; row + kWhole <= rows; row += kWhole)
    body(std::integral_constant<std::size_t, kWhole>(), row);
  for (; row + 2 <= rows; row += 2) body(std::integral_constant<std::size_t, 2>(), row);
  if (row < rows) body(std::integral_constant<std::size_t, 1>(), row);
}

// Calls `multiplyTile`, or the arithmetic's own.
template <class A, std::size_t R, std::size_t C, bool kTransposed, class Sink>
HWY_INLINE void multiplyRows(const Unit* a, std::size_t aStride, const Unit* b, std::size_t bStride,
                             std::size_t units, const Sink& sink) {
  if constexpr (A::kHasTile) {
    A::template multiplyTile<R, C, kTransposed>(a, aStride, b, bStride, units, sink);
  } else {
    multiplyTile<A, R, C, kTransposed>(a, aStride, b, bStride, units, sink);
  }
}

// Keeps a tile's sums at `sums`, kPanelColumns floats a row.
struct KeepSums {
  float* sums;

  template <std::size_t R, std::size_t C>
  HWY_INLINE void operator()(const Vec (&sum)[R][C]) const {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r) {
#pragma GCC unroll 8
      for (std::size_t c = 0; c < C; ++c)
        hn::Store(sum[r][c], F(), sums + r * kPanelColumns + c * kLanes);
    }
  }
};

// Calls body(C) with a constant C, the number of vectors from 1 to kPanelVectors.
template <class Body>
HWY_INLINE void withVectors(std::size_t vectors, const Body& body) {
  if constexpr (kPanelVectors == 4) {
    if (vectors == 4) return body(std::integral_constant<std::size_t, 4>());
    if (vectors == 3) return body(std::integral_constant<std::size_t, 3>());
  }
  if (vectors == 2) return body(std::integral_constant<std::size_t, 2>());
  body(std::integral_constant<std::size_t, 1>());
}

// A panel of a product's right factor, and the destination of its columns.
struct Panel {
  const Unit* units;
  std::size_t place;    // of its first column in the right factor
  std::size_t column;   // the same in the product
  std::size_t width;    // C vectors
  std::size_t columns;  // of these that are finished: units go on to the end of their step
};

// Calls body(C, panel) with a constant C for the panels of a product with `unitValues` inputs per
// unit.
template <class Body>
HWY_INLINE void inPanels(const Product& product, const Finish& finish, std::size_t unitValues,
                         const Body& body) {
  const std::size_t allUnits = (product.b.inputs + unitValues - 1) / unitValues;
  const std::size_t end = finish.rows != nullptr ? product.columns : padded(product.columns);
  for (std::size_t column = 0; column < end; column += kPanelColumns) {
    const std::size_t place = product.firstColumn + column;
    const std::size_t width = std::min(kPanelColumns, padded(product.b.outputs) - place);
    const Unit* const units =
        product.b.data + place * allUnits + product.firstInput / unitValues * width;
    const Panel panel{units, place, column, width, std::min(width, end - column)};
    withVectors(width / kLanes, [&](auto vectors) MPM_VIT_ATTR { body(vectors, panel); });
  }
}

template <class A>
void multiply(const Product& product, const Finish& finish) {
  const std::size_t units = (product.inputs + A::kUnitValues - 1) / A::kUnitValues;
  alignas(64) float sums[kMostRows * kPanelColumns];
  inPanels(product, finish, A::kUnitValues, [&](auto vectors, const Panel& panel) MPM_VIT_ATTR {
    constexpr std::size_t C = vectors();
    inTiles<A, C>(product.rows, [&](auto count, std::size_t row) MPM_VIT_ATTR {
      constexpr std::size_t R = count();
      multiplyRows<A, R, C, false>(product.a + row * product.aStride, product.aStride, panel.units,
                                   panel.width, units, KeepSums{sums});
      finishSums<A>({finish, row, panel.column}, {sums, R, panel.width, panel.columns, nullptr});
    });
  });
}

template <class A>
void toUnitRows(ConstRows x, Unit* out, std::size_t stride) {
  A::toUnits(x, 1, out, stride);
}

template <class A>
Kernels tableOf(decltype(Kernels::multiply) product, decltype(Kernels::attend) attention) {
  Kernels table;
  table.unitValues = table.keyValues = table.operandValues = A::kUnitValues;
  table.panelColumns = kPanelColumns;
  table.toUnits = table.toOperands = table.toQueries = A::toUnits;
  table.toFloats = A::toFloats;
  table.toUnitColumns = A::toUnitColumns;
  table.toKeys = toUnitRows<A>;
  table.multiply = product;
  table.attend = attention;
  return table;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

#endif  // include guard
