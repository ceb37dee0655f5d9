// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "contract/gelu.h"
#include "mpm/rows.h"

namespace mpm::vit {

using mpm::Gelu;

/// Precision of products. bf16: bfloat16 operands, float32 sums. fp16: float16 operands; sums of a
/// few dozen products are float16, and their sums float32. int8: linear layers have int8 weights,
/// scaled output by output, and int8 inputs, scaled row by row. So are queries and keys, row by row
/// of a head; sums are int32. Everything else is `unquantised`.
enum class Precision { fp32, bf16, fp16, int8 };

/// Tells whether this processor multiplies bfloat16. MPM_SIMD may select an instruction set without
/// it.
bool hasBf16();
/// Tells the same for float16, which Arm processors have from Armv8.2 on.
bool hasFp16();

/// Returns the precision of everything that int8 leaves out: bf16 or fp16 if the processor gains by
/// it (SimdChoice::bf16BesideInt8), else fp32. Returns other precisions unchanged.
Precision unquantised(Precision precision);

/// Element of a product's operands: one float32, a pair of bfloat16 or float16, or four int8 that
/// are consecutive along the sum, depending on the kernels' precision. Where a processor has no dot
/// product of bytes, two int8 are a pair of int16 instead. K values of a sum take `units(K)` units;
/// the last one is filled up with zeros.
union Unit {
  float value;
  struct {
    std::uint16_t first, second;  ///< the upper halves of two float32, two float16 or int16
  } pair;
  std::int8_t quad[4];
  std::int32_t whole;
};
static_assert(sizeof(Unit) == sizeof(float) && std::is_trivially_copyable_v<Unit>);

/// Convert memory of floats that holds units, such as scratch memory, and rows of float32, which
/// are units already. Only these functions convert between the two.
inline Unit* asUnits(float* floats) { return reinterpret_cast<Unit*>(floats); }
inline const Unit* asUnits(const float* floats) { return reinterpret_cast<const Unit*>(floats); }
inline float* asFloats(Unit* units) { return reinterpret_cast<float*>(units); }
inline const float* asFloats(const Unit* units) { return reinterpret_cast<const float*>(units); }

/// Pads columns of operands to a multiple of this with zeros, for every instruction set, so that
/// kernels read and write whole vectors.
constexpr std::size_t kColumnStep = 16;
constexpr std::size_t padded(std::size_t columns) {
  return (columns + kColumnStep - 1) / kColumnStep * kColumnStep;
}

/// Query rows that attention takes at once, and the rows of every tile.
constexpr std::size_t kTileRows = 48;

/// The right factor of a product, `inputs` x `outputs`, in panels of columns. Panel p begins at
/// unit p * panelColumns * units(inputs) and holds its columns' units for each unit of the sum.
/// Columns past `outputs` are zero up to a multiple of kColumnStep.
struct PackedView {
  const Unit* data = nullptr;
  std::size_t inputs = 0, outputs = 0;
  const float* scales = nullptr;  ///< of int8: [padded(outputs)], what a column is multiplied by
};

/// Rows of int8 are quantised one by one, so that the largest magnitude becomes 127. After a row's
/// units, at operand unit operandUnits(padded(K)), come kInt8Tail more: the float to multiply it by
/// and the start of its sums. That float is NaN for a row that is not finite, and 0 for one below
/// 1e-30.
constexpr std::size_t kInt8Tail = 2;

/// Limits the products in a sum, since more may not fit int32.
constexpr std::size_t kMostInt8Inputs = std::size_t{1} << 17;

/// Operations on a product's sums, row by row: + bias, GELU; then floats, + addend, or units.
struct Finish {
  const float* bias = nullptr;    ///< [padded(columns)], or null
  const float* addend = nullptr;  ///< of `rows`: [rows x columns], or null; may be `rows`
  std::size_t addendStride = 0;
  const Gelu* gelu = nullptr;  ///< or null
  /// Exactly one of these is set. `rows`: floats [rows x outputs]. `unitRows`: padded units.
  /// `turnedUnitRows`: transposed, with unit u of row r at place r of row u. `unitColumns`: pairs
  /// are two rows of a column, so row r goes to unit row r / 2; an odd last row is paired with
  /// zeros.
  float* rows = nullptr;
  Unit* unitRows = nullptr;
  Unit* turnedUnitRows = nullptr;
  Unit* unitColumns = nullptr;
  std::size_t stride = 0;  ///< of the one that is there, in floats or units
};

/// Computes out = a b for `rows` rows of units. It covers units [firstInput, + inputs) of the sum
/// and columns [firstColumn, + columns); parts begin at a whole panel or kColumnStep. `a` points at
/// the first of these inputs, `finish` at the first of these columns. In int8 `a` was quantised
/// over just these inputs.
struct Product {
  const Unit* a = nullptr;
  std::size_t aStride = 0, rows = 0;
  PackedView b;
  std::size_t firstInput = 0, inputs = 0;
  std::size_t firstColumn = 0, columns = 0;
};

/// Numbers that are added to logits, in groups of kColumnStep queries [keys x kColumnStep] with a
/// column per query. Groups are `groupStride` floats apart.
struct BiasColumns {
  const float* data = nullptr;  ///< or null, on a cache line's boundary
  std::size_t groupStride = 0;

  const float* at(std::size_t key, std::size_t query) const {
    return data + query / kColumnStep * groupStride + key * kColumnStep + query % kColumnStep;
  }
};

/// A head's attention for at most kTileRows queries: q [queries x headUnits(d)], scaled by log2(e)
/// / sqrt(d) or its replacement, k [keys x headUnits(d)], v in unit columns [units(keys) x d]. d is
/// a multiple of kColumnStep. If kernels turn keys, k is [headUnits(d) x padded(keys)] with
/// anything past the keys. v then has `valueRows(keys)` rows, zeros past units(keys).
struct HeadTile {
  const Unit *q = nullptr, *k = nullptr, *v = nullptr;
  std::size_t qStride = 0, kStride = 0, vStride = 0;
  std::size_t queries = 0, keys = 0, d = 0;
  const float* keyWeights = nullptr;  ///< [keys] in powers of two, or null
  BiasColumns bias;                   ///< the same, or none
  Unit* out = nullptr;                ///< unit rows [queries x d]
  std::size_t outStride = 0;
  float* scratch = nullptr;  ///< headTileScratch(d) floats on a cache line's boundary
};

/// Keys between two updates of the largest logit: their logits stay near the core. Even.
constexpr std::size_t kChunkKeys = 128;

std::size_t headTileScratch(std::size_t d);

/// The hot loops for one precision and instruction set, all on the calling thread. The order of a
/// sum depends only on its length, so neither tiles nor threads change a result.
struct Kernels {
  std::size_t unitValues = 1;     ///< values in a unit of attention's values and result: 1 or 2
  std::size_t keyValues = 1;      ///< of its queries and keys: the same, or 2 or 4 in int8
  std::size_t operandValues = 1;  ///< and of a linear layer's operands: the same, or 2 or 4 in int8
  std::size_t keyTail = 0;        ///< units after a query or key: kInt8Tail in int8
  std::size_t operandTail = 0;    ///< the same after a row of operands
  std::int32_t weightFlip = 0;    ///< of int8: bits of each packed unit that are turned over
  std::size_t panelColumns = 0;   ///< a multiple of kColumnStep, or a part of it
  bool turnsKeys = false;         ///< `attend` wants its keys turned, and values in whole steps

  std::size_t units(std::size_t values) const { return (values + unitValues - 1) / unitValues; }
  std::size_t valueRows(std::size_t keys) const {
    return turnsKeys ? padded(units(keys)) : units(keys);
  }
  bool isInt8() const { return operandTail != 0; }
  bool hasInt8Keys() const { return keyTail != 0; }
  /// Returns the units of a query or key of one head, with d features in a multiple of kColumnStep.
  std::size_t headUnits(std::size_t d) const { return d / keyValues + keyTail; }
  std::size_t operandUnits(std::size_t values) const {
    return (values + operandValues - 1) / operandValues;
  }
  /// Returns the units from one row of K values to the next, including scales.
  std::size_t operandStride(std::size_t values) const {
    return padded(operandUnits(padded(values)) + operandTail);
  }

  /// Converts float rows to unit rows; columns from `x.dim` on are zeros up to a multiple of
  /// kColumnStep.
  void (*toUnits)(ConstRows x, float scale, Unit* out, std::size_t stride) = nullptr;
  /// Converts float rows to operands of a linear layer, at least `operandStride` apart.
  void (*toOperands)(ConstRows x, float scale, Unit* out, std::size_t stride) = nullptr;
  /// Converts a unit row to floats.
  void (*toFloats)(const Unit* units, std::size_t count, float* out) = nullptr;
  /// Converts float rows to unit columns, as many columns as they have.
  void (*toUnitColumns)(ConstRows x, Unit* out, std::size_t stride) = nullptr;
  /// Convert queries and keys of one head for `attend`: unit rows, in int8 if the keys are, or
  /// transposed keys. Rows are `stride` apart.
  void (*toQueries)(ConstRows x, float scale, Unit* out, std::size_t stride) = nullptr;
  void (*toKeys)(ConstRows x, Unit* out, std::size_t stride) = nullptr;
  void (*multiply)(const Product& product, const Finish& finish) = nullptr;
  void (*attend)(const HeadTile& tile) = nullptr;
  /// Only in float32: for `rows` rows i of kColumnStep floats, sets out[i][r] to shares[r]
  /// from[i][columns[r]], or adds that. A share of 0 adds nothing.
  void (*addColumns)(const float* from, const std::int32_t* columns, const float* shares,
                     bool isAdded, std::size_t rows, float* out) = nullptr;
};

/// Throws std::invalid_argument for a precision that this processor lacks.
const Kernels& kernels(Precision precision);
/// Returns kernels for attention with a bias, which tile registers cannot add.
const Kernels& kernelsWithBias(Precision precision);

/// Tables that `kernels` chooses from. float32: for the processor's best instruction set, or
/// MPM_SIMD's. bfloat16, if hasBf16(): for AVX-512 with bfloat16 products, or for AMX's tile
/// registers. float16: if hasFp16(). int8: linear layers and logits next to one of these, or linear
/// layers next to AMX's attention. Next to float32 it may use x86's dot products (VNNI), next to
/// float16 Arm's. All int8 tables give the same sums.
Kernels fp32Kernels();
bool hasBf16Kernels();  // of a processor with AVX-512
Kernels bf16Kernels();
Kernels amxKernels();
Kernels fp16Kernels();
Kernels int8KernelsBesideFp32(bool takesVnni);
Kernels int8KernelsBesideBf16(const Kernels& beside);
Kernels int8KernelsBesideFp16();

}  // namespace mpm::vit
