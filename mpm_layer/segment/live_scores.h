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
/// a head reads several depths, the scores at a place are a sum of as many parts.
struct LiveScores {
  struct Part {
    std::string scores;  ///< scores [1, S + N, K], of which the live rows count
    int special = -1;    ///< S; -1: the rows that N leaves over
    std::string merge;   ///< what gives the map [1, N]: the last merge
    std::size_t scoresOutput = 0, mapOutput = 2;  ///< of these layers
  };
  std::vector<Part> parts;
  /// Layers from the restores to the output, in order.
  std::vector<cv::Ptr<cv::dnn::Layer>> behind;
  /// Number of those layers up to the one that may add something at each place; 0 if none may.
  std::size_t adds = 0;
};

/// Tells whether a layer consists of nodes of these ONNX operators alone.
bool hasOnly(const cv::Ptr<cv::dnn::Layer>& layer, const std::set<std::string>& operators);

/// Finds the scores of output `output` before their restores. The chain from there to the output
/// may only move and interpolate values, with at most one layer that only adds. `offsetsBehind`
/// finds out what it does. Returns std::nullopt if there is no such chain.
std::optional<LiveScores> findLiveScores(cv::dnn::Net& net, const std::string& output);

/// Returns what the layers after the restores add at each place of `grid`, [places x K]; empty if
/// nothing. What they do then is what `isUpsampled` checks. Restored scores are [1, S + N, K] for
/// each part, image tokens last. Tries the layers alone on zeros and noise, without running the
/// net. Returns std::nullopt if they do anything else or need more blobs.
std::optional<cv::Mat> offsetsBehind(cv::dnn::Net& net, const LiveScores& live,
                                     const std::vector<int>& restored, const cv::Size& grid);

/// Tells whether `output` [1, K, h, w] is `grid` [1, K, gh, gw] resized bilinearly, with half-pixel
/// centres and clamped edges, or `grid` itself at equal size. Compares to 1e-4 of the largest
/// score.
MPM_API bool isUpsampled(const cv::Mat& grid, const cv::Mat& output);

}  // namespace mpm::segment
