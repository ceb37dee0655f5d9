// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "segment/labels.h"

namespace mpm::test {

/// Scores that own their values: one grid over the whole picture, or windows.
struct OwnedScores {
  std::vector<std::vector<float>> values;
  std::vector<std::vector<std::int32_t>> maps;
  segment::Scores scores;
};

struct ScoreShape {
  int classes = 5, gridWidth = 4, gridHeight = 3;
  int live = 0;  ///< rows that places share; 0: a row for each
  segment::ScoreGrid::Layout layout = segment::ScoreGrid::Layout::rows;
};

/// Normal scores of this spread; `across` and `down` are the windows.
OwnedScores randomScores(const ScoreShape& shape, const std::vector<segment::Span>& across,
                         const std::vector<segment::Span>& down, double spread, std::uint32_t seed);
/// One grid over a picture.
OwnedScores randomScores(const ScoreShape& shape, int width, int height, double spread,
                         std::uint32_t seed);

struct OwnedLabels {
  std::vector<std::uint8_t> labels8;
  std::vector<std::uint16_t> labels16;
  std::vector<float> confidence;
  segment::LabelImage image;

  OwnedLabels(int width, int height, int classes, bool hasConfidence = true);
  OwnedLabels(const OwnedLabels&) = delete;
  OwnedLabels& operator=(const OwnedLabels&) = delete;
  int label(std::size_t pixel) const;
};

/// Expects the labeller's result to be the reference's: labels wherever its score and the
/// reference's best are told apart by float32, confidences within the promised error.
void expectLikeReference(const OwnedScores& scores, int width, int height);

/// Of a class at a pixel, in double, as the contract has it.
double scoreOf(const OwnedScores& scores, int y, int x, int k);

}  // namespace mpm::test
