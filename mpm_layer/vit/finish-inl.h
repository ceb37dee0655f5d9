// SPDX-License-Identifier: Apache-2.0
// Turns a product's sums into its result; included once for each instruction set.
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

// Sums kept in registers at once, next to a row of the right factor: 24 vectors of 32 registers, or
// 12 of 16. The number is even, so that pairs of rows stay together.
constexpr bool kManyRegisters = HWY_MAX_BYTES == 64 || HWY_ARCH_ARM_A64;
constexpr std::size_t kPanelVectors = kManyRegisters ? 4 : 2;
constexpr std::size_t kPanelColumns = kPanelVectors * kLanes;

// Vectors stored at once: a step of columns, or a panel if that is less.
constexpr std::size_t kStoredVectors = std::min(kPanelVectors, kColumnStep / kLanes);
constexpr std::size_t kStoredColumns = kStoredVectors * kLanes;

// Sums of a tile from its registers, kPanelColumns floats a row. They are converted from the
// first-level cache, so that tiles of every size share that code.
struct Sums {
  float* values;
  std::size_t rows, width;  // `width` is a multiple of kStoredColumns
  std::size_t columns;      // that are real; a form of units has them all
  const float* bias;        // [width], or null where it was added

  HWY_INLINE Vec at(std::size_t r, std::size_t c) const {
    const Vec v = hn::Load(F(), values + r * kPanelColumns + c);
    return bias == nullptr ? v : hn::Add(v, hn::LoadU(F(), bias + c));
  }
  HWY_INLINE void load(std::size_t r, std::size_t c, Vec (&v)[kStoredVectors]) const {
    for (std::size_t i = 0; i < kStoredVectors; ++i) v[i] = at(r, c + i * kLanes);
  }
};

// Destination of a tile's first row and column.
struct Place {
  const Finish& finish;
  std::size_t row = 0, column = 0;
};

template <Gelu kind, bool kNearly>
HWY_NOINLINE void activateSums(const Sums& sums) {
  for (std::size_t r = 0; r < sums.rows; ++r) {
    float* const row = sums.values + r * kPanelColumns;
    for (std::size_t c = 0; c < sums.width; c += kLanes)
      hn::Store(geluOf<kind, kNearly>(sums.at(r, c)), F(), row + c);
  }
}

template <bool kNearly>
HWY_INLINE void activate(Gelu kind, Sums& sums) {
  switch (kind) {
    case Gelu::erf:
      activateSums<Gelu::erf, kNearly>(sums);
      break;
    case Gelu::tanh:
      activateSums<Gelu::tanh, kNearly>(sums);
      break;
    case Gelu::quick:
      activateSums<Gelu::quick, kNearly>(sums);
      break;
  }
  sums.bias = nullptr;
}

inline void storeRows(const Place& at, const Sums& sums) {
  const F d;
  const Finish& finish = at.finish;
  const std::size_t whole = sums.columns / kLanes * kLanes;
  for (std::size_t r = 0; r < sums.rows; ++r) {
    float* const out = finish.rows + (at.row + r) * finish.stride + at.column;
    const float* const addend =
        finish.addend == nullptr ? nullptr
                                 : finish.addend + (at.row + r) * finish.addendStride + at.column;
    for (std::size_t c = 0; c < whole; c += kLanes) {
      const Vec v = sums.at(r, c);
      hn::StoreU(addend == nullptr ? v : hn::Add(v, hn::LoadU(d, addend + c)), d, out + c);
    }
    if (whole == sums.columns) continue;
    alignas(64) float last[kLanes];
    hn::Store(sums.at(r, whole), d, last);
    for (std::size_t c = whole; c < sums.columns; ++c)
      out[c] = last[c - whole] + (addend == nullptr ? 0 : addend[c]);
  }
}

template <class A>
HWY_NOINLINE void storeUnitRows(const Place& at, const Sums& sums) {
  const std::size_t stride = at.finish.stride;
  Unit* const out = at.finish.unitRows + at.row * stride + at.column / A::kUnitValues;
  for (std::size_t r = 0; r < sums.rows; ++r) {
    for (std::size_t c = 0; c < sums.width; c += kStoredColumns) {
      Vec v[kStoredVectors];
      sums.load(r, c, v);
      A::storeRow(v, out + r * stride + c / A::kUnitValues);
    }
  }
}

template <class A>
HWY_NOINLINE void storeTurnedUnitRows(const Place& at, const Sums& sums) {
  constexpr std::size_t kFour = 4, kUnits = kStoredColumns / A::kUnitValues;
  const std::size_t stride = at.finish.stride;
  alignas(64) Unit units[kFour * kStoredColumns];
  for (std::size_t c = 0; c < sums.width; c += kStoredColumns) {
    Unit* const out = at.finish.turnedUnitRows + (at.column + c) / A::kUnitValues * stride + at.row;
    for (std::size_t r = 0; r < sums.rows; r += kFour) {
      const std::size_t count = std::min(kFour, sums.rows - r);
      for (std::size_t i = 0; i < count; ++i) {
        Vec v[kStoredVectors];
        sums.load(r + i, c, v);
        A::storeRow(v, units + i * kStoredColumns);
      }
      const bool isWhole = count == kFour && kUnits % kFour == 0;
      for (std::size_t u = 0; u < kUnits && isWhole; u += kFour) {
        transposeFour(units + u, kStoredColumns, out + u * stride + r, stride);
      }
      for (std::size_t i = 0; i < count && !isWhole; ++i) {
        for (std::size_t u = 0; u < kUnits; ++u)
          out[u * stride + r + i] = units[i * kStoredColumns + u];
      }
    }
  }
}

template <class A>
HWY_NOINLINE void storeUnitColumns(const Place& at, const Sums& sums) {
  const std::size_t stride = at.finish.stride;
  Unit* const out = at.finish.unitColumns + at.row / A::kUnitValues * stride + at.column;
  for (std::size_t r = 0; r < sums.rows; r += A::kUnitValues) {
    const bool hasNext = A::kUnitValues == 2 && r + 1 < sums.rows;
    for (std::size_t c = 0; c < sums.width; c += kLanes) {
      const Vec v[1] = {sums.at(r, c)};
      const Vec next[1] = {hasNext ? sums.at(r + 1, c) : hn::Zero(F())};
      A::storeColumns(v, next, out + r / A::kUnitValues * stride + c);
    }
  }
}

// Adds bias and GELU to the sums in `sums`, and stores them as `at.finish` says.
template <class A>
HWY_INLINE void finishSums(const Place& at, Sums sums) {
  const Finish& finish = at.finish;
  if (finish.bias != nullptr) sums.bias = finish.bias + at.column;
  if (finish.gelu != nullptr) activate<A::kRoundsGelu>(*finish.gelu, sums);
  if (finish.rows != nullptr) {
    storeRows(at, sums);
  } else if (finish.unitRows != nullptr) {
    storeUnitRows<A>(at, sums);
  } else if (finish.turnedUnitRows != nullptr) {
    storeTurnedUnitRows<A>(at, sums);
  } else {
    storeUnitColumns<A>(at, sums);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace mpm::vit
MPM_VIT_POP_ATTRIBUTES();
HWY_AFTER_NAMESPACE();

#endif  // include guard
