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
/// All are float32 (rows and map are exact integers). Two layer types work on them:
///
///   mpm.MutualPairMerge  tokens (rows, map, regions) -> tokens, rows, map
///     special  S; without it, what the map leaves over, or 0
///     window   pairs only within so many patches of each other; needs `grid`. 0: no limit
///     grid     [height, width] of the original image tokens
///     enabled  1; 0 passes the tokens through (see setMerging)
///     inputs   what the inputs are, in their order, when it is not a prefix of
///              "tokens,rows,map,regions". regions [B, N] or [1, N]: pairs only within a label
///   mpm.MergeRestore     tokens [B, S+N, D] or scores [B, N, K], map -> the same shape, where
///                        each original token has its live row's values
///     special  as above
///
/// Inputs that never change may be constants of the model; they come after the others.
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
