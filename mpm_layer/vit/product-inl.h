// SPDX-License-Identifier: Apache-2.0
// Products of units, for each instruction set: included once for each. `A` is an arithmetic: how
// units are multiplied, and made of floats.
#if defined(MPM_VIT_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MPM_VIT_PRODUCT_INL_H_
#undef MPM_VIT_PRODUCT_INL_H_
#else
#define MPM_VIT_PRODUCT_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "vit/gelu-inl.h"
#include "vit/kernels.h"

HWY_BEFORE_NAMESPACE();
MPM_VIT_PUSH_ATTRIBUTES();
namespace mpm::vit {
namespace HWY_NAMESPACE {
namespace {

// Sums that are kept in registers at once: with 32 of them 24 vectors, with 16 of them 12, beside
// a row of the right factor. Even, so that pairs of rows stay together.
constexpr bool kManyRegisters = HWY_MAX_BYTES == 64 || HWY_ARCH_ARM_A64;
constexpr std::size_t kPanelVectors = kManyRegisters ? 4 : 2;
constexpr std::size_t kPanelColumns = kPanelVectors * kLanes;
constexpr std::size_t kMostRows = 8;
constexpr std::size_t rowsFor(std::size_t vectors) { return vectors == kPanelVectors ? 6 : 8; }

constexpr std::size_t kLineUnits = 64 / sizeof(Unit);

// Asks for memory that is wanted soon; which, does not matter to any result.
HWY_INLINE void fetchAhead(const Unit* units) { __builtin_prefetch(units, 0, 2); }

// sink(sum) for sum[R][C] of R rows and C vectors of columns. Unit k of row r of the left factor:
// a[r * aStride + k], or of a transposed one a[k * aStride + r].
template <class A, std::size_t R, std::size_t C, bool kTransposed, class Sink>
HWY_INLINE void multiplyTile(const Unit* HWY_RESTRICT a, std::size_t aStride,
                             const Unit* HWY_RESTRICT b, std::size_t bStride, std::size_t units,
                             const Sink& sink) {
  const F d;
  Vec sum[R][C];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t c = 0; c < C; ++c) sum[r][c] = hn::Zero(d);
  }
  for (std::size_t k = 0; k < units; ++k) {
    Vec right[C];
#pragma GCC unroll 8
    for (std::size_t c = 0; c < C; ++c) right[c] = hn::LoadU(d, b + k * bStride + c * kLanes);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r) {
      const Vec left = hn::Set(d, kTransposed ? a[k * aStride + r] : a[r * aStride + k]);
#pragma GCC unroll 8
      for (std::size_t c = 0; c < C; ++c) sum[r][c] = A::multiplyAdd(left, right[c], sum[r][c]);
    }
  }
  sink(sum);
}

// The same for a number of rows that is known when it runs: 1 to rowsFor(C).
template <class A, std::size_t C, bool kTransposed, class Sink>
HWY_INLINE void multiplyRows(std::size_t rows, const Unit* a, std::size_t aStride, const Unit* b,
                             std::size_t bStride, std::size_t units, const Sink& sink) {
  const auto tile = [&](auto count) MPM_VIT_ATTR {
    if constexpr (count() <= rowsFor(C)) {
      multiplyTile<A, count(), C, kTransposed>(a, aStride, b, bStride, units, sink);
    }
  };
  switch (rows) {
    case 1:
      return tile(std::integral_constant<std::size_t, 1>());
    case 2:
      return tile(std::integral_constant<std::size_t, 2>());
    case 3:
      return tile(std::integral_constant<std::size_t, 3>());
    case 4:
      return tile(std::integral_constant<std::size_t, 4>());
    case 5:
      return tile(std::integral_constant<std::size_t, 5>());
    case 6:
      return tile(std::integral_constant<std::size_t, 6>());
    case 7:
      return tile(std::integral_constant<std::size_t, 7>());
    default:
      return tile(std::integral_constant<std::size_t, 8>());
  }
}

// Calls body(C) with C a constant: how many vectors, from 1 to kPanelVectors.
template <class Body>
HWY_INLINE void withVectors(std::size_t vectors, const Body& body) {
  if constexpr (kPanelVectors == 4) {
    if (vectors == 4) return body(std::integral_constant<std::size_t, 4>());
    if (vectors == 3) return body(std::integral_constant<std::size_t, 3>());
  }
  if (vectors == 2) return body(std::integral_constant<std::size_t, 2>());
  body(std::integral_constant<std::size_t, 1>());
}

// ---- What sums become -----------------------------------------------------------------------

// Where row `row` and column `column` of a product go, and what is added there.
struct Place {
  const Finish& finish;
  std::size_t row = 0, column = 0;

  const float* addend(std::size_t r) const {
    return finish.addend == nullptr ? nullptr
                                    : finish.addend + (row + r) * finish.addendStride + column;
  }
  float* rowAt(std::size_t r) const { return finish.rows + (row + r) * finish.stride + column; }
};

// line(r) gives row r of the sums, C vectors, bias and GELU included; all their columns are real.
template <class A, std::size_t C, class Line>
HWY_INLINE void storeLines(const Place& at, std::size_t rows, const Line& line) {
  const F d;
  if (at.finish.rows != nullptr) {
    for (std::size_t r = 0; r < rows; ++r) {
      Vec v[C];
      line(r, v);
      const float* const addend = at.addend(r);
      float* const out = at.rowAt(r);
      for (std::size_t c = 0; c < C; ++c) {
        if (addend != nullptr) v[c] = hn::Add(v[c], hn::LoadU(d, addend + c * kLanes));
        hn::StoreU(v[c], d, out + c * kLanes);
      }
    }
  } else if (at.finish.unitRows != nullptr) {
    Unit* const out = at.finish.unitRows + at.row * at.finish.stride + at.column / A::kUnitValues;
    for (std::size_t r = 0; r < rows; ++r) {
      Vec v[C];
      line(r, v);
      A::template storeRow<C>(v, out + r * at.finish.stride);
    }
  } else {
    Unit* const out =
        at.finish.unitColumns + at.row / A::kUnitValues * at.finish.stride + at.column;
    for (std::size_t r = 0; r < rows; r += A::kUnitValues) {
      Vec v[C], next[C];
      line(r, v);
      for (std::size_t c = 0; c < C; ++c) next[c] = hn::Zero(d);
      if (r + 1 < rows && A::kUnitValues == 2) line(r + 1, next);
      A::template storeColumns<C>(v, next, out + r / A::kUnitValues * at.finish.stride);
    }
  }
}

// Rows of floats whose last columns are none: `columns` of C vectors are.
template <std::size_t C, class Line>
HWY_INLINE void storeRealColumns(const Place& at, std::size_t rows, std::size_t columns,
                                 const Line& line) {
  const F d;
  alignas(64) float values[C * kLanes];
  for (std::size_t r = 0; r < rows; ++r) {
    Vec v[C];
    line(r, v);
    for (std::size_t c = 0; c < C; ++c) hn::Store(v[c], d, values + c * kLanes);
    const float* const addend = at.addend(r);
    float* const out = at.rowAt(r);
    for (std::size_t c = 0; c < columns; ++c) {
      out[c] = values[c] + (addend == nullptr ? 0 : addend[c]);
    }
  }
}

// Sums that stand in registers, or wait for their GELU in `sums`, kPanelColumns floats a row.
template <class A, std::size_t C>
struct Finisher {
  const Finish& finish;
  std::size_t columns;  // of C vectors that are real
  float* sums;

  template <class Line>
  HWY_INLINE void store(const Place& at, std::size_t rows, const Line& line) const {
    if (finish.rows != nullptr && columns < C * kLanes) {
      storeRealColumns<C>(at, rows, columns, line);
    } else {
      storeLines<A, C>(at, rows, line);
    }
  }

  template <Gelu kind>
  HWY_INLINE void activate(const Place& at, std::size_t rows) const {
    store(at, rows, [&](std::size_t r, Vec(&v)[C]) MPM_VIT_ATTR {
      for (std::size_t c = 0; c < C; ++c) {
        v[c] = geluOf<kind>(hn::Load(F(), sums + r * kPanelColumns + c * kLanes));
      }
    });
  }

  template <std::size_t R>
  HWY_INLINE void operator()(const Place& at, const Vec (&sum)[R][C]) const {
    const F d;
    const float* const bias = finish.bias == nullptr ? nullptr : finish.bias + at.column;
    const auto line = [&](std::size_t r, Vec(&v)[C]) MPM_VIT_ATTR {
      for (std::size_t c = 0; c < C; ++c) {
        v[c] = bias == nullptr ? sum[r][c] : hn::Add(sum[r][c], hn::LoadU(d, bias + c * kLanes));
      }
    };
    if (finish.gelu == nullptr) return store(at, R, line);
    for (std::size_t r = 0; r < R; ++r) {
      Vec v[C];
      line(r, v);
      for (std::size_t c = 0; c < C; ++c) {
        hn::Store(v[c], d, sums + r * kPanelColumns + c * kLanes);
      }
    }
    switch (*finish.gelu) {
      case Gelu::erf:
        return activate<Gelu::erf>(at, R);
      case Gelu::tanh:
        return activate<Gelu::tanh>(at, R);
      case Gelu::quick:
        return activate<Gelu::quick>(at, R);
    }
  }
};

// ---- The product ------------------------------------------------------------------------------

template <class A>
void multiply(const Product& product, const Finish& finish) {
  const std::size_t units = (product.inputs + A::kUnitValues - 1) / A::kUnitValues;
  const std::size_t allUnits = (product.b.inputs + A::kUnitValues - 1) / A::kUnitValues;
  alignas(64) float sums[kMostRows * kPanelColumns];
  // Units go on to the end of their step of columns.
  const std::size_t end = finish.rows != nullptr ? product.columns : padded(product.columns);
  for (std::size_t column = 0; column < end; column += kPanelColumns) {
    const std::size_t place = product.firstColumn + column;
    const std::size_t width = std::min(kPanelColumns, padded(product.b.outputs) - place);
    const Unit* const panel =
        product.b.data + place * allUnits + product.firstInput / A::kUnitValues * width;
    withVectors(width / kLanes, [&](auto vectors) MPM_VIT_ATTR {
      constexpr std::size_t C = vectors();
      const Finisher<A, C> finisher{finish, std::min(width, end - column), sums};
      for (std::size_t row = 0; row < product.rows; row += rowsFor(C)) {
        const Place at{finish, row, column};
        multiplyRows<A, C, false>(std::min(rowsFor(C), product.rows - row),
                                  product.a + row * product.aStride, product.aStride, panel, width,
                                  units, [&](const auto& sum) MPM_VIT_ATTR { finisher(at, sum); });
      }
    });
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

#endif  // include guard
