// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "mpm/export.h"

/// Mutual Pair Merging inside a cv::dnn::Net.
///
/// The number of tokens depends on the picture, but the shapes of a net never change. A blob of
/// tokens therefore has a fixed capacity and a count of live rows:
///
///   tokens [B, S+N, D]  S special rows (prefix tokens), then N image rows. The first rows[b] of
///                       image b are live. The rest is undefined: no layer reads it.
///   rows   [B, 1]       live rows, special ones included
///   map    [B, N]       for each original image token its live image row, counted from 0
///
/// In a net that readNet made with OpenCV 5, tokens after a merge are [B, R, D]. R is the number of
/// live rows of the image with most.
///
/// All are float32 (rows and map are exact integers). The layer types:
///
///   mpm.PatchEmbed       image [B, C, H, W] -> tokens [B, S+N, D]
///     constants  weight [D, C*P*P] or [D, C, P, P], bias [D], position [N, D], special [S, D]
///                (the special rows, with their position already added)
///     patch      P, 16
///     grid       [height, width] in patches: other images are refused. Without it, any fits
///   mpm.Normalize        tokens (rows) -> tokens; or [B, D] -> [B, D], a row for each image
///     constants  scale [D], shift [D]
///     eps        1e-5
///     centred    1; 0: an RMSNorm, which subtracts no mean
///   mpm.Linear           tokens (rows) -> tokens [B, S+N, M]; or [B, D] -> [B, M]
///     constants  weight [M, D], bias [M]
///     gelu       erf, tanh or quick: applied to the result; without it, nothing is
///   mpm.TransformerBlock tokens (rows (map)) -> tokens. A pre-norm block; with a map each key
///                        counts once for every original token that it stands for
///     constants  norm1_scale, norm1_shift, qkv_weight [3A, D] (q, then k, then v), qkv_bias,
///                proj_weight [D, A], proj_bias, layer_scale1 [D], norm2_scale, norm2_shift,
///                fc1_weight [F, D], fc1_bias, fc2_weight [D, F], fc2_bias, layer_scale2 [D],
///                window_of [S+N], norm1_ranges [3, D], norm2_ranges [3, D] (for int8, as
///                measured after each norm: each feature's mean, its deviation, and its
///                greatest distance from the mean)
///     heads      1
///     scale      of q k; 0: 1 / sqrt(A / heads)
///     eps        1e-5; eps2: the second norm's, if it differs
///     gelu       erf, tanh or quick
///     windows    0; W: rows attend only to rows of their own window; window_of has its number,
///                from 0. The map says which tokens a merged row has: they have to share one
///                window, which is its own (see `regions` of a merge). Keys count once
///   mpm.Attention        tokens [B, S+N, 3A], q, k and v side by side (rows (map)) -> tokens
///                        [B, S+N, A], for blocks that are not a TransformerBlock
///     constants  q_norm_scale [d] or [heads * d], q_norm_shift, k_norm_scale, k_norm_shift
///                (d = A / heads), rotary_own, rotary_other [S+N, d] or [S+N, heads * d], bias
///                [heads * (S+N), S+N], distance_down [2h-1, d], distance_across [2w-1, d],
///                outside [3A]
///     heads      1
///     scale      of q k; 0: 1 / sqrt(d)
///     norm       layer or rms: normalises each head's q and k first, with their scales and
///                shifts; without it they stay as they are. eps: 1e-5
///     joint      0; 1: a row's q, and its k, are normalised over all heads together, with scales
///                and shifts [heads * d]
///     counts     0; 1: with a map each key counts once for every original token that it stands
///                for
///     beside     0; 1: a further attention of a block that has one already, a note for
///                programs that count blocks
///     grid       [height, width] of the image tokens; there are no special rows then
///     window     [h, w]: rows attend within windows of so many cells of the grid, from its first
///                one on; without it, h and w are the grid's
///     distances: q . distance_down[h-1 + y] + q . distance_across[w-1 + x] is added to scale q k,
///     where the query is y cells below the key and x to its right; between merged rows, the mean
///     over their tokens. outside: q, k and v of a window's cells outside the grid; each of them is
///     a key once. A grid excludes norm, bias and counts, and rotary with a grid excludes
///     distances and outside. With windows the tokens of a merged row have to be in one of them
///     rotary: feature i of each head's q and k becomes own[i] x[i] + other[i] x[i +- d/2], by its
///     row; a merged row has the mean of its tokens' factors. bias: for each head a number for each
///     query and key, which is added to scale q k; between merged rows, the mean over their tokens.
///     Both take a merged row's tokens from the map
///   mpm.AddRows          tokens (rows (map)) -> tokens, each plus its row of `added`; a merged
///                        one plus the mean of its tokens' rows, which the map gives
///     constants  added [S+N, D]
///   mpm.MutualPairMerge  tokens (rows, map, regions) -> tokens, rows, map
///     special  S; without it, the number of rows that the map does not cover, or 0
///     window   pairs form only within this many patches of each other; needs `grid`. 0: no limit
///     grid     [height, width] of the original image tokens
///     enabled  1; 0 passes the tokens through (see setMerging)
///     before_block  the block of the network that it comes before, from 0: a note for programs
///              that list or choose merges. -1: none
///     regions [B, N] or [1, N]: pairs form only within a label
///   mpm.MergeRestore     tokens [B, S+N, D] or scores [B, N, K], map -> the same shape, in which
///                        each original token has its live row's values
///     special  as above
///   mpm.ReplaceSpecial   tokens [B, S+N, D] (rows) -> tokens [B, T+N, D], rows [B, 1]: replaces
///                        the special rows; the image rows and their map stay as they are
///     constants  special_rows [T, D]; without them T is 0
///     special    S; required
///     keep       0; 1: the special rows stay, after the new ones: T + S in all
///   mpm.MaskDecoderHead  tokens [B, K+N, D] (rows) -> scores [B, N, K] of the live image rows:
///                        the end of Segmenter's decoder, its K class rows as special rows
///     constants  proj_patch [D, D], proj_classes [D, D] (both [in x out]: rows times matrix),
///                norm_scale [K], norm_shift [K]
///     special    K; required
///     eps        1e-5
///   mpm.MeanRows         tokens (rows, map) -> [B, D], the mean of the N original image tokens:
///                        each live row counts once for every token that it stands for, so rows
///                        need their map
///     special       as above
///     with_special  0; 1: the mean of all S+N, each special row counting once
///   mpm.Convolve         planes [B, C, h, w] -> [B, M, H, W], ONNX's Conv of one group
///     constants   weight [M, C, kernel height, width], bias [M]
///     stride      [1, 1]; down and across
///     dilation    [1, 1]
///     padding     [0, 0, 0, 0]; zeros at the top, left, bottom and right
///     activation  relu, applied to the sums; without it, nothing is
///   mpm.Upsample         planes [B, C, h, w] -> [B, C, H, W], or scores [B, N, C] on a grid of
///                        N = h w places: bilinear, edges clamped, without smoothing if the
///                        output is smaller
///     size     [H, W]; or scale = [H / h, W / w], H and W rounded down
///     grid     [h, w] of scores; without it the input is planes
///     mode     half_pixel, pytorch_half_pixel, align_corners or asymmetric: the coordinates,
///              named as in ONNX's Resize
///   mpm.Subgraph         x0, x1, ... -> the outputs of its graph: nodes of ONNX that OpenCV does
///                        not compute, or only for one image
///     graph    the bytes of an ONNX model with these inputs in this order; float32 passes in and
///              out, whole numbers and truth values as such
///
///   mpm.Chain            x0, x1, ... -> its outputs: the above layers from PatchEmbed to
///                        MeanRows, on a device; readNet makes it, and no file has one
///     graph    the bytes of an ONNX model of these layers
///
/// The attribute `inputs` of a node names its inputs in their order, separated by commas, as in
/// "tokens,regions". Without it they are a prefix of the inputs and constants listed here. The
/// attribute `precision` of a layer with products is fp32, bf16, fp16 or int8; without it,
/// MPM_PRECISION's or fp32. mpm::readNet and setPrecision override it. Inputs that never change may
/// be constants of the model; they come after the others. Layers pack them at the first forward;
/// Net::setParam cannot replace them after it. Biases, scales, shifts, position, special and layer
/// scales may be left out. Anything that does not fit throws a cv::Exception that names the layer
/// and the input.
///
/// Layers compute on the processor, unless ReadOptions (mpm/net.h) names a device. Then readNet
/// makes one mpm.Chain of layers that pass tokens to each other, so that these stay on the device.
/// The net's outputs are the same. A blob inside a chain cannot be fetched by its name; merges in
/// it are still found by theirs.
namespace mpm {

/// Makes the layer types known to cv::dnn in this process. Call it once before reading a net;
/// again, or from several threads, does no harm.
MPM_API void registerLayers();

/// Sets the precision of products on the processor for a net that OpenCV read. Names and exceptions
/// are those of ReadOptions (mpm/net.h). Call it before the net's first forward.
MPM_API void setPrecision(cv::dnn::Net& net, const std::string& precision);

/// Returns the names of the merges in `net`, in the net's order.
MPM_API std::vector<std::string> mergeLayers(cv::dnn::Net& net);

/// Switches every merge of a loaded net on or off, from its next forward on. Off gives the unmerged
/// model. Returns how many merges the net has.
MPM_API int setMerging(cv::dnn::Net& net, bool on);

/// Switches one merge on or off. Throws cv::Exception if `net` has no merge of that name.
MPM_API void setMerging(cv::dnn::Net& net, const std::string& layerName, bool on);

}  // namespace mpm
