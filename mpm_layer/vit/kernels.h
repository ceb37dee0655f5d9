// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mpm/gelu.h"
#include "mpm/rows.h"

namespace mpm::vit {

using mpm::Gelu;

/// What products are computed in. bf16: their operands are bfloat16, their sums float32. fp16:
/// their operands are float16, sums of a few dozen products too, and what is added of those
/// float32. int8: of linear layers the weights are int8, scaled output by output, and what they
/// meet is, row by row; so are queries and keys, row by row of a head; sums are int32. Everything
/// else is `unquantised` there.
enum class Precision { fp32, bf16, fp16, int8 };

/// Whether this processor multiplies bfloat16 by itself. MPM_SIMD that forces a lesser instruction
/// set takes it away.
bool hasBf16();
/// The same of float16, which Arm processors from Armv8.2 on do.
bool hasFp16();

/// What is not multiplied in int8 is computed in: bf16 or fp16 where the processor has it and gains
/// by it (SimdChoice::bf16BesideInt8), else fp32. Of the others the same.
Precision unquantised(Precision precision);

/// What the operands of products are made of: one float32, or a pair of bfloat16 or float16, or
/// four int8 that stand behind each other along the sum, as the kernels' precision has it. K values
/// of a sum are `units(K)` units; the last one is filled up with zeros.
union Unit {
  float value;
  struct {
    std::uint16_t first, second;  ///< the upper halves of two float32, or two float16
  } pair;
  std::int8_t quad[4];
  std::int32_t whole;
};
static_assert(sizeof(Unit) == sizeof(float) && std::is_trivially_copyable_v<Unit>);

/// Memory of floats that holds units, such as scratch memory and rows of float32, which are units
/// as they lie. Floats and units stand for each other here and nowhere else.
inline Unit* asUnits(float* floats) { return reinterpret_cast<Unit*>(floats); }
inline const Unit* asUnits(const float* floats) { return reinterpret_cast<const Unit*>(floats); }
inline float* asFloats(Unit* units) { return reinterpret_cast<float*>(units); }
inline const float* asFloats(const Unit* units) { return reinterpret_cast<const float*>(units); }

/// Columns of operands are padded to a multiple of this with zeros, whatever the instruction set,
/// so that kernels read and write whole vectors.
constexpr std::size_t kColumnStep = 16;
constexpr std::size_t padded(std::size_t columns) {
  return (columns + kColumnStep - 1) / kColumnStep * kColumnStep;
}

/// Query rows that attention takes at once, and the rows of a tile throughout.
constexpr std::size_t kTileRows = 48;

/// The right factor of a product, of `inputs` x `outputs`, in panels of columns: panel p begins at
/// unit p * panelColumns * units(inputs), and holds for each unit of the sum its columns' units
/// side by side. Columns past `outputs` are zero up to a multiple of kColumnStep.
struct PackedView {
  const Unit* data = nullptr;
  std::size_t inputs = 0, outputs = 0;
  const float* scales = nullptr;  ///< of int8: [padded(outputs)], what a column is multiplied by
};

/// Rows of int8 are quantised one by one, so that the largest magnitude becomes 127; behind the
/// units of a row, at operand unit padded(K) / 4, stand the float that it is multiplied by, and
/// what its sums begin with. A row that is not finite is multiplied by NaN, one below 1e-30 by 0.
constexpr std::size_t kInt8Values = 4, kInt8Tail = 2;

/// Sums of more products than this may not fit int32.
constexpr std::size_t kMostInt8Inputs = std::size_t{1} << 17;

/// What a product's sums become, row by row: + bias, GELU; then floats, + addend, or units.
struct Finish {
  const float* bias = nullptr;    ///< [padded(columns)], or null
  const float* addend = nullptr;  ///< of `rows`: [rows x columns], or null; may be `rows`
  std::size_t addendStride = 0;
  const Gelu* gelu = nullptr;  ///< or null
  /// One of these: floats [rows x outputs]; units of rows, padded; the same turned, so that unit u
  /// of row r goes to place r of row u; or units of columns: pairs are two rows of a column, so row
  /// r goes to unit row r / 2 of them. An odd last row has a zero.
  float* rows = nullptr;
  Unit* unitRows = nullptr;
  Unit* turnedUnitRows = nullptr;
  Unit* unitColumns = nullptr;
  std::size_t stride = 0;  ///< of the one that is there, in floats or units
};

/// out = a b, for `rows` rows of units, of the sum's units [firstInput, + inputs) and the columns
/// [firstColumn, + columns): where these are parts, both begin at a whole panel, or kColumnStep.
/// `a` stands at the first of these inputs, the pointers of `finish` at the first of these columns.
/// In int8 `a` was quantised over just these inputs.
struct Product {
  const Unit* a = nullptr;
  std::size_t aStride = 0, rows = 0;
  PackedView b;
  std::size_t firstInput = 0, inputs = 0;
  std::size_t firstColumn = 0, columns = 0;
};

/// Numbers that are added to logits: for each kColumnStep queries [keys x kColumnStep], a column a
/// query, one such group `groupStride` floats behind the other.
struct BiasColumns {
  const float* data = nullptr;  ///< or null, on a cache line's boundary
  std::size_t groupStride = 0;

  const float* at(std::size_t key, std::size_t query) const {
    return data + query / kColumnStep * groupStride + key * kColumnStep + query % kColumnStep;
  }
};

/// A head's attention for at most kTileRows queries: q [queries x headUnits(d)], scaled by
/// log2(e) / sqrt(d) or what stands in its place, k [keys x headUnits(d)], v: unit columns
/// [units(keys) x d]. d is a multiple of kColumnStep. For kernels that turn keys, k is
/// [headUnits(d) x padded(keys)], where what is past the keys does not matter, and v has
/// `valueRows(keys)` rows, of which those past units(keys) are zeros.
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

/// Keys between two looks at the largest logit: their logits stay near the core. Even.
constexpr std::size_t kChunkKeys = 128;

std::size_t headTileScratch(std::size_t d);

/// The hot loops for one precision and instruction set. All of them stay on the calling thread.
/// A sum's order depends on nothing but its length, so neither tiles nor threads change a result.
struct Kernels {
  std::size_t unitValues = 1;     ///< values in a unit of attention's values and result: 1 or 2
  std::size_t keyValues = 1;      ///< of its queries and keys: the same, or 4 in int8
  std::size_t operandValues = 1;  ///< and of a linear layer's operands: the same, or 4 in int8
  std::int32_t weightFlip = 0;    ///< of int8: bits of each packed unit that are turned over
  std::size_t panelColumns = 0;   ///< a multiple of kColumnStep, or a part of it
  bool turnsKeys = false;         ///< `attend` wants its keys turned, and values in whole steps

  std::size_t units(std::size_t values) const { return (values + unitValues - 1) / unitValues; }
  std::size_t valueRows(std::size_t keys) const {
    return turnsKeys ? padded(units(keys)) : units(keys);
  }
  bool isInt8() const { return operandValues == kInt8Values; }
  bool hasInt8Keys() const { return keyValues == kInt8Values; }
  /// Units of a query or key of one head, whose d features are a multiple of kColumnStep.
  std::size_t headUnits(std::size_t d) const {
    return d / keyValues + (hasInt8Keys() ? kInt8Tail : 0);
  }
  std::size_t operandUnits(std::size_t values) const {
    return (values + operandValues - 1) / operandValues;
  }
  /// Units from one row of K values to the next, with all that belongs to it.
  std::size_t operandStride(std::size_t values) const {
    return padded(operandUnits(padded(values)) + (isInt8() ? kInt8Tail : 0));
  }

  /// Unit rows of float rows; columns from `x.dim` on are zeros up to a multiple of kColumnStep.
  void (*toUnits)(ConstRows x, float scale, Unit* out, std::size_t stride) = nullptr;
  /// The same as operands of a linear layer, `operandStride` or more apart.
  void (*toOperands)(ConstRows x, float scale, Unit* out, std::size_t stride) = nullptr;
  /// The values of a unit row.
  void (*toFloats)(const Unit* units, std::size_t count, float* out) = nullptr;
  /// Unit columns of float rows, as many columns as they have.
  void (*toUnitColumns)(ConstRows x, Unit* out, std::size_t stride) = nullptr;
  /// Queries and keys of one head as `attend` wants them: unit rows, in int8 such ones, or of keys
  /// turned ones; their rows are `stride` apart.
  void (*toQueries)(ConstRows x, float scale, Unit* out, std::size_t stride) = nullptr;
  void (*toKeys)(ConstRows x, Unit* out, std::size_t stride) = nullptr;
  void (*multiply)(const Product& product, const Finish& finish) = nullptr;
  void (*attend)(const HeadTile& tile) = nullptr;
  /// Of float32 alone. For `rows` rows i of kColumnStep floats out[i][r] = shares[r]
  /// from[i][columns[r]], or is added that; where a share is 0, nothing.
  void (*addColumns)(const float* from, const std::int32_t* columns, const float* shares,
                     bool isAdded, std::size_t rows, float* out) = nullptr;
};

/// Throws std::invalid_argument for a precision that this processor lacks.
const Kernels& kernels(Precision precision);
/// The same, for attention with a bias, which tile registers have no place for.
const Kernels& kernelsWithBias(Precision precision);

/// What `kernels` chooses from: those of float32 for the best instruction set that this processor
/// has, or MPM_SIMD's; of bfloat16, where hasBf16(), for AVX-512 with its bfloat16 products,
/// and the same in AMX's tile registers, for processors that have them; of float16, where
/// hasFp16(). Of int8: linear layers and logits beside one of these, or AMX's attention as it is;
/// beside float32 with or without x86's dot products (VNNI), beside float16 with Arm's. All of them
/// give the same sums.
Kernels fp32Kernels();
bool hasBf16Kernels();  // of a processor with AVX-512
Kernels bf16Kernels();
Kernels amxKernels();
Kernels fp16Kernels();
Kernels int8KernelsBesideFp32(bool takesVnni);
Kernels int8KernelsBesideBf16(const Kernels& beside);
Kernels int8KernelsBesideFp16();

}  // namespace mpm::vit
