// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "mpm/export.h"

/// Mutual Pair Merging inside a cv::dnn::Net.
///
/// A blob of tokens has a fixed capacity and a live row count, so that a number of tokens that
/// depends on the picture fits a net whose shapes never change:
///
///   tokens [B, S+N, D]  S special rows, then N image rows. Of image b the first rows[b] are
///                       live. The rest is undefined: no layer reads it.
///   rows   [B, 1]       live rows, special ones included
///   map    [B, N]       for each original image token its live image row, counted from 0
///
/// All are float32 (rows and map are exact integers). The layer types:
///
///   mpm.PatchEmbed       image [B, C, H, W] -> tokens [B, S+N, D]
///     constants  weight [D, C*P*P] or [D, C, P, P], bias [D], position [N, D], special [S, D]
///                (the special rows as they stand in front, their position added)
///     patch      P, 16
///   mpm.Normalize        tokens (rows) -> tokens
///     constants  scale [D], shift [D]
///     eps        1e-5
///   mpm.Linear           tokens (rows) -> tokens [B, S+N, M]
///     constants  weight [M, D], bias [M]
///   mpm.TransformerBlock tokens (rows (map)) -> tokens. A pre-norm block; with a map each key
///                        counts as often as original tokens stand behind it
///     constants  norm1_scale, norm1_shift, qkv_weight [3A, D] (q, then k, then v), qkv_bias,
///                proj_weight [D, A], proj_bias, layer_scale1 [D], norm2_scale, norm2_shift,
///                fc1_weight [F, D], fc1_bias, fc2_weight [D, F], fc2_bias, layer_scale2 [D]
///     heads      1
///     scale      of q k; 0: 1 / sqrt(A / heads)
///     eps        1e-5
///     gelu       erf, tanh or quick
///   mpm.MutualPairMerge  tokens (rows, map, regions) -> tokens, rows, map
///     special  S; without it, what the map leaves over, or 0
///     window   pairs only within so many patches of each other; needs `grid`. 0: no limit
///     grid     [height, width] of the original image tokens
///     enabled  1; 0 passes the tokens through (see setMerging)
///     regions [B, N] or [1, N]: pairs only within a label
///   mpm.MergeRestore     tokens [B, S+N, D] or scores [B, N, K], map -> the same shape, where
///                        each original token has its live row's values
///     special  as above
///
/// The attribute `inputs` of a node names its inputs in their order, separated by commas, as
/// "tokens,regions"; without it they are a prefix of the layer's inputs and constants as they are
/// listed here. Inputs that never change may be constants of the model; they come after the
/// others. Biases, scales, position, special and layer scales may be left out.
/// Anything that does not fit is a cv::Exception that names the layer and the input.
namespace mpm {

/// Makes the layer types known to cv::dnn in this process. Call it once before reading a net;
/// again, or from several threads, does no harm.
MPM_API void registerLayers();

/// The names of the merges in `net`, in the net's order.
MPM_API std::vector<std::string> mergeLayers(cv::dnn::Net& net);

/// Switches every merge of a living net on or off, from its next forward on. Off gives the
/// full-token model. Returns how many merges the net has.
MPM_API int setMerging(cv::dnn::Net& net, bool on);

/// The same for one merge. Throws cv::Exception where `net` has no merge of that name.
MPM_API void setMerging(cv::dnn::Net& net, const std::string& layerName, bool on);

}  // namespace mpm
