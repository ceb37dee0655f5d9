// SPDX-License-Identifier: Apache-2.0
#include "segment/axis.h"

#include <algorithm>

#include "segment/taps.h"

namespace mpm::segment {
namespace {

bool isSame(const std::vector<Span>& a, const std::vector<Span>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Span& x, const Span& y) {
    return x.begin == y.begin && x.end == y.end;
  });
}

}  // namespace

void Axis::sourcesAt(double centre, std::vector<Source>& found) const {
  found.clear();
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const Span& span = spans_[i];
    if (!span.holds(centre)) continue;
    const Tap tap = tapAt(span.position(centre, places_), places_);
    found.push_back({static_cast<int>(i), tap.first, tap.second, tap.weight, tap.weight});
  }
}

// Finishes a piece with all its pixels: sets the weights between its nodes and their step.
void Axis::close(Piece& piece) {
  const auto last = static_cast<float>(std::max(piece.count() - 1, 1));
  if (piece.sourceCount() == 1) {
    const Source& only = sources_[piece.sourcesBegin];
    piece.step = (only.end - only.begin) / last;
  } else {
    piece.step = 1 / last;
    for (int i = piece.begin; i < piece.end; ++i) {
      weights_[i] = static_cast<float>(i - piece.begin) / last;
    }
  }
}

void Axis::assign(const std::vector<Span>& spans, int places, int pixels, int longest) {
  if (places == places_ && pixels == pixels_ && longest == longest_ && isSame(spans, spans_))
    return;
  pixels_ = 0;  // of no axis: memory may be lacking before it is whole
  spans_ = spans, places_ = places, longest_ = longest;
  pieces_.clear(), sources_.clear();
  weights_.assign(static_cast<std::size_t>(pixels + kPadding), 0);
  std::vector<Source> here;
  const auto goesOn = [&](const Piece& piece) {
    return piece.count() < longest &&
           std::equal(here.begin(), here.end(), sources_.begin() + piece.sourcesBegin,
                      sources_.end(), [](const Source& a, const Source& b) {
                        return a.window == b.window && a.first == b.first && a.second == b.second;
                      });
  };
  for (int i = 0; i < pixels; ++i) {
    sourcesAt(i + 0.5, here);
    if (pieces_.empty() || !goesOn(pieces_.back())) {
      if (!pieces_.empty()) close(pieces_.back());
      const std::size_t begin = sources_.size();
      sources_.insert(sources_.end(), here.begin(), here.end());
      pieces_.push_back({i, i, begin, sources_.size(), 0});
    }
    Piece& piece = pieces_.back();
    ++piece.end;
    for (std::size_t s = 0; s < here.size(); ++s) {
      sources_[piece.sourcesBegin + s].end = here[s].begin;
    }
    if (here.size() == 1) weights_[i] = here[0].begin;
  }
  if (!pieces_.empty()) close(pieces_.back());
  pixels_ = pixels;
}

}  // namespace mpm::segment
