// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/dnn.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mpm/export.h"

namespace mpm::segment {

/// Layers of a net, read with a late restore, that give its scores before they are restored. Where
/// a head reads several depths these are sums, at each place, of as many parts.
struct LiveScores {
  struct Part {
    std::string scores;  ///< scores [1, S + N, K], of which the live rows count
    int special = -1;    ///< S; -1: the rows that N leaves over
    std::string merge;   ///< what gives the map [1, N]: the last merge
    std::size_t scoresOutput = 0, mapOutput = 2;  ///< of these layers
  };
  std::vector<Part> parts;
  /// What stands behind their restores, up to the output, the first one first.
  std::vector<cv::Ptr<cv::dnn::Layer>> behind;
  /// How many of them there are up to one that may add something at each place; 0: none does.
  std::size_t adds = 0;
};

/// Whether a layer is one of nodes of these operators of ONNX alone.
bool hasOnly(const cv::Ptr<cv::dnn::Layer>& layer, const std::set<std::string>& operators);

/// Where the scores of the net's output `output` stand before their restores: a chain of layers
/// that only move and interpolate values, and at most one that only adds, leads from there to the
/// output. What they do is for `offsetsBehind` to find out. Nothing where there is no such chain.
std::optional<LiveScores> findLiveScores(cv::dnn::Net& net, const std::string& output);

/// What the layers behind the restores add at each place of `grid`, [places x K], before they make
/// of the sums what `isUpsampled` says; empty where they add nothing but the parts. Restored scores
/// are [1, S + N, K] of each part, of which the image tokens are the last ones. The layers are
/// tried on zeros and on noise, alone: the net does not run. Nothing where they do anything else,
/// or need more blobs.
std::optional<cv::Mat> offsetsBehind(cv::dnn::Net& net, const LiveScores& live,
                                     const std::vector<int>& restored, const cv::Size& grid);

/// Whether an output [1, K, h, w] is what a grid of restored scores (K planes, [1, K, gh, gw])
/// becomes when it is resized bilinearly, half-pixel centres, edges clamped; of the same size it is
/// the grid itself. To 1e-4 of the largest score.
MPM_API bool isUpsampled(const cv::Mat& grid, const cv::Mat& output);

}  // namespace mpm::segment
