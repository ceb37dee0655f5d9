// SPDX-License-Identifier: Apache-2.0
// What a product's sums become, for each instruction set: included once for each.
#if defined(MPM_VIT_FINISH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MPM_VIT_FINISH_INL_H_
#undef MPM_VIT_FINISH_INL_H_
#else
#define MPM_VIT_FINISH_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "vit/gelu-inl.h"
#include "vit/kernels.h"
#include "vit/units-inl.h"

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

// In what follows, line(r) gives row r of the sums, C vectors, bias and GELU included; all their
// columns are real. Each function writes one of a Finish's forms.
template <std::size_t C, class Line>
HWY_INLINE void storeRows(const Place& at, std::size_t rows, const Line& line) {
  const F d;
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
}

template <class A, std::size_t C, class Line>
HWY_INLINE void storeUnitRows(const Place& at, std::size_t rows, const Line& line) {
  const std::size_t stride = at.finish.stride;
  Unit* const out = at.finish.unitRows + at.row * stride + at.column / A::kUnitValues;
  for (std::size_t r = 0; r < rows; ++r) {
    Vec v[C];
    line(r, v);
    A::template storeRow<C>(v, out + r * stride);
  }
}

template <class A, std::size_t C, class Line>
HWY_INLINE void storeTurnedUnitRows(const Place& at, std::size_t rows, const Line& line) {
  const std::size_t stride = at.finish.stride;
  Unit* const out = at.finish.turnedUnitRows + at.column / A::kUnitValues * stride + at.row;
  constexpr std::size_t kFour = 4, kUnits = C * kLanes / A::kUnitValues;
  alignas(64) Unit units[kFour * C * kLanes];
  for (std::size_t r = 0; r < rows; r += kFour) {
    const std::size_t count = std::min(kFour, rows - r);
    for (std::size_t i = 0; i < count; ++i) {
      Vec v[C];
      line(r + i, v);
      A::template storeRow<C>(v, units + i * C * kLanes);
    }
    const bool isWhole = count == kFour && kUnits % kFour == 0;
    for (std::size_t u = 0; u < kUnits && isWhole; u += kFour) {
      transposeFour(units + u, C * kLanes, out + u * stride + r, stride);
    }
    for (std::size_t i = 0; i < count && !isWhole; ++i) {
      for (std::size_t u = 0; u < kUnits; ++u) out[u * stride + r + i] = units[i * C * kLanes + u];
    }
  }
}

template <class A, std::size_t C, class Line>
HWY_INLINE void storeUnitColumns(const Place& at, std::size_t rows, const Line& line) {
  const F d;
  const std::size_t stride = at.finish.stride;
  Unit* const out = at.finish.unitColumns + at.row / A::kUnitValues * stride + at.column;
  for (std::size_t r = 0; r < rows; r += A::kUnitValues) {
    Vec v[C], next[C];
    line(r, v);
    for (std::size_t c = 0; c < C; ++c) next[c] = hn::Zero(d);
    if (r + 1 < rows && A::kUnitValues == 2) line(r + 1, next);
    A::template storeColumns<C>(v, next, out + r / A::kUnitValues * stride);
  }
}

template <class A, std::size_t C, class Line>
HWY_INLINE void storeLines(const Place& at, std::size_t rows, const Line& line) {
  if (at.finish.rows != nullptr) {
    storeRows<C>(at, rows, line);
  } else if (at.finish.unitRows != nullptr) {
    storeUnitRows<A, C>(at, rows, line);
  } else if (at.finish.turnedUnitRows != nullptr) {
    storeTurnedUnitRows<A, C>(at, rows, line);
  } else {
    storeUnitColumns<A, C>(at, rows, line);
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

  // line(r) behind its GELU.
  template <Gelu kind, class Line>
  HWY_INLINE void activate(const Place& at, std::size_t rows, const Line& line) const {
    store(at, rows, [&](std::size_t r, Vec(&v)[C]) MPM_VIT_ATTR {
      line(r, v);
      for (std::size_t c = 0; c < C; ++c) v[c] = geluOf<kind, A::kRoundsGelu>(v[c]);
    });
  }
  template <class Line>
  HWY_INLINE void activate(const Place& at, std::size_t rows, const Line& line) const {
    switch (*finish.gelu) {
      case Gelu::erf:
        return activate<Gelu::erf>(at, rows, line);
      case Gelu::tanh:
        return activate<Gelu::tanh>(at, rows, line);
      case Gelu::quick:
        return activate<Gelu::quick>(at, rows, line);
    }
  }

  HWY_INLINE void addBias(const Place& at, Vec (&v)[C]) const {
    if (finish.bias == nullptr) return;
    const float* const bias = finish.bias + at.column;
    for (std::size_t c = 0; c < C; ++c) v[c] = hn::Add(v[c], hn::LoadU(F(), bias + c * kLanes));
  }
  HWY_INLINE void load(std::size_t r, Vec (&v)[C]) const {
    for (std::size_t c = 0; c < C; ++c) v[c] = hn::Load(F(), sums + r * kPanelColumns + c * kLanes);
  }

  // Sums that stand in `sums`.
  HWY_INLINE void operator()(const Place& at, std::size_t rows) const {
    const auto line = [&](std::size_t r, Vec(&v)[C]) MPM_VIT_ATTR {
      load(r, v);
      addBias(at, v);
    };
    if (finish.gelu == nullptr) return store(at, rows, line);
    activate(at, rows, line);
  }

  template <std::size_t R>
  HWY_INLINE void operator()(const Place& at, const Vec (&sum)[R][C]) const {
    const auto line = [&](std::size_t r, Vec(&v)[C]) MPM_VIT_ATTR {
      std::copy_n(sum[r], C, v);
      addBias(at, v);
    };
    if (finish.gelu == nullptr) return store(at, R, line);
    for (std::size_t r = 0; r < R; ++r) {
      Vec v[C];
      line(r, v);
      for (std::size_t c = 0; c < C; ++c) {
        hn::Store(v[c], F(), sums + r * kPanelColumns + c * kLanes);
      }
    }
    activate(at, R, [&](std::size_t r, Vec(&v)[C]) MPM_VIT_ATTR { load(r, v); });
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

#endif  // include guard
