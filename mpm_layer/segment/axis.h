// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "segment/labels.h"

namespace mpm::segment {

/// Two places of a window's grid that a piece's pixels lie between. The weight from the first to
/// the second goes evenly from `begin` at the first pixel to `end` at the last.
struct Source {
  int window = 0;
  std::int32_t first = 0, second = 0;
  float begin = 0, end = 0;
};

/// A run of pixels [begin, end) along an axis between the same places of the same windows. Scores
/// are therefore linear from its first node to its second. With one source the nodes are its two
/// places; with several they are the first and the last pixel.
struct Piece {
  int begin = 0, end = 0;
  std::size_t sourcesBegin = 0, sourcesEnd = 0;
  float step = 0;  ///< of the weights, from pixel to pixel

  int count() const { return end - begin; }
  std::size_t sourceCount() const { return sourcesEnd - sourcesBegin; }
  /// Returns the weight of a source at the piece's first node and at its second.
  float firstNode(const Source& source) const { return sourceCount() == 1 ? 0 : source.begin; }
  float secondNode(const Source& source) const { return sourceCount() == 1 ? 1 : source.end; }
};

/// Maps the pixels of a picture's width or height to the places of the windows along it.
class Axis {
 public:
  /// Cuts the axis into pieces of at most `longest` pixels. Does nothing if nothing changed.
  void assign(const std::vector<Span>& spans, int places, int pixels, int longest);

  const std::vector<Piece>& pieces() const { return pieces_; }
  const Source* sources(const Piece& piece) const { return &sources_[piece.sourcesBegin]; }
  /// Weights of the pixels, from a piece's first node to its second. kPadding more may be read.
  const float* weights() const { return weights_.data(); }
  static constexpr int kPadding = 16;

 private:
  void sourcesAt(double centre, std::vector<Source>& found) const;
  void close(Piece& piece);

  std::vector<Span> spans_;
  int places_ = 0, pixels_ = 0, longest_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Source> sources_;
  std::vector<float> weights_;
};

}  // namespace mpm::segment
