// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every tolerance of the tests, with its reason.
namespace mpm::test {

/// Two best similarities further apart than this are told apart by every implementation.
constexpr double kClearGap = 1e-6;
/// A float32 similarity of unit rows: half of kClearGap, or two errors could swap a clear best.
constexpr double kSimilarity = 5e-7;
/// The same of rows whose features share a sign or one of which outweighs the others, so that what
/// rounding does to each goes one way: what the contract promises of any rows.
constexpr double kOneSidedSimilarity = 2.5e-6;
/// The same on a GPU, whose tensor cores cut what they add: what its contract promises, and twice.
constexpr double kCudaSimilarity = 1e-6;
constexpr double kCudaClearGap = 2e-6;
/// 1/|x| in double, whatever the order of the sum.
constexpr double kInverseNorm = 1e-14;
/// A merged row, relative to its largest value.
constexpr double kMergedRow = 1e-6;

// Of the network's arithmetic, each of max(1, |expected|):
/// One operation summed in float32 against the reference, over at most a few thousand terms.
constexpr double kVitOperation = 1e-5;
/// A GELU in float32; what its contract promises.
constexpr double kVitGelu = 5e-7;
/// A block or a decoder in float32: several operations, and norms that magnify.
constexpr double kVitNetwork = 1e-4;
/// A reference against float64 throughout: it sums in double, and rounds each result to float32.
constexpr double kVitReference = 1e-5;

// The same in bfloat16, whose numbers have 8 significant bits: rounding is by up to 2^-9 of them.
/// Attention over values within 1, of operands that are rounded before: each numerator is rounded,
/// and the result, each by up to 2^-9; the sums as everywhere.
constexpr double kBf16Attention = 1.0 / 256 + kVitOperation;
/// The same in float16, whose numbers have 11 significant bits, and whose sums of up to 64 products
/// are rounded at each step: to 1.1e-3 of normal factors' sums in the mean square.
constexpr double kFp16Sums = 8e-3;
/// Attention, whose logits are such sums, and whose values are added in such sums: the same steps
/// in numpy, each rounded to float16, are up to 4.7e-3 from the formula in double (six seeds, the
/// sizes of the tests), of which rounding operands, numerators and results alone makes 4e-4.
constexpr double kFp16Attention = 6e-3;
/// The same against those steps: a numerator whose exponential is off by 2e-7 may be rounded to its
/// neighbour, 2^-11 from it, and so may the sums behind it and the result.
constexpr double kFp16Steps = 1.0 / 512;
/// A GELU of sums that becomes bfloat16, which leaves 2e-3 of each value: before that rounding.
constexpr double kBf16Gelu = 5e-5 + kVitOperation;
/// A block in bfloat16 against float32: the weights and what every product is made of are rounded,
/// five times one behind the other. 1.6e-2 at most was measured, 3e-3 in the mean square.
constexpr double kBf16Block = 3e-2;
/// The same in float16, where the sums cost what the shorter rounding saves.
constexpr double kFp16Block = kBf16Block / 2;
/// A block whose products are TF32, of 11 significant bits: an eighth of bfloat16's rounding.
constexpr double kTf32Block = kBf16Block / 8;
/// The same in int8, whose rows keep 1/254 of their largest value: some 3 of a normal row's
/// deviations, so that errors are several times those of bfloat16.
constexpr double kInt8Block = 0.1;
/// A mask head: its norm divides similarities by how far they are apart, so errors of 2^-9 grow by
/// the root of the features. 3.3e-2 at most was measured over 16 to 192, 4e-3 in the mean square.
constexpr double kBf16MaskHead = 6e-2;

// Of whole models, relative to an output's largest value:
/// float32 against ONNX Runtime's float32.
constexpr double kModelOutput = 1e-4;
/// The same for float16 models. A net computes in float32 on the weights as they are; the stored
/// outputs were rounded to float16 behind each operation, by up to 5e-4 each, and there are some
/// twenty in a block.
constexpr double kHalfModelOutput = 1e-2;
/// bfloat16 against float32: errors of 2^-9 through every block, and the norms of heads magnify
/// them. 4e-3 to 2e-2 was measured of encoders, up to 5.1e-2 behind mask decoders.
constexpr double kBf16ModelOutput = 0.1;
/// The least share of pixels with the same label in bfloat16. Random weights bring classes close
/// together, and a patch is one of 48: 0.958 to 0.997 was measured.
constexpr double kBf16Labels = 0.94;
/// The same in float16.
constexpr double kFp16ModelOutput = kBf16ModelOutput, kFp16Labels = kBf16Labels;
/// The same in int8. Random weights of small networks: up to 0.15 was measured, of labels 0.907
/// to 1.
constexpr double kInt8ModelOutput = 0.3;
constexpr double kInt8Labels = 0.85;
/// A position embedding on another grid, values up to 2: OpenCV interpolates in float32.
constexpr double kResizedPosition = 5e-6;

// Of labels, relative to the largest score:
/// Two classes closer than this may change places: a score is interpolated in float32, from
/// differences of scores.
constexpr double kLabelGap = 2e-6;

}  // namespace mpm::test
