// SPDX-License-Identifier: Apache-2.0
#include "segment/axis.h"

#include <gtest/gtest.h>

#include <string>

#include "segment/taps.h"

namespace mpm::segment {
namespace {

struct AxisCase {
  std::string name;
  std::vector<Span> spans;
  int places = 0, pixels = 0, longest = 0;
};

std::vector<AxisCase> cases() {
  return {{"one pixel", {{0, 1}}, 5, 1, 32},
          {"smaller than the grid", {{0, 7}}, 32, 7, 32},
          {"as large as the grid", {{0, 32}}, 32, 32, 32},
          {"larger", {{0, 640}}, 32, 640, 32},
          {"one place", {{0, 50}}, 1, 50, 16},
          {"longer than a piece may be", {{0, 400}}, 3, 400, 16},
          {"two windows that overlap", {{0, 64}, {36, 100}}, 8, 100, 32},
          {"three windows side by side", {{0, 30}, {30, 60}, {60, 90}}, 4, 90, 32},
          {"windows that reach over the end", {{0, 64}}, 8, 41, 32},
          {"windows at fractions", {{0, 33.3}, {16.65, 49.95}}, 8, 49, 32}};
}

// What a pixel's scores are made of, by the pieces, and by the definition.
TEST(Axis, PiecesSayWhatThePixelsLieBetween) {
  for (const AxisCase& c : cases()) {
    SCOPED_TRACE(c.name);
    Axis axis;
    axis.assign(c.spans, c.places, c.pixels, c.longest);
    int next = 0;
    for (const Piece& piece : axis.pieces()) {
      ASSERT_EQ(piece.begin, next);
      ASSERT_GT(piece.count(), 0);
      ASSERT_LE(piece.count(), c.longest);
      next = piece.end;
      ASSERT_GT(piece.sourceCount(), 0U);
      for (int pixel = piece.begin; pixel < piece.end; ++pixel) {
        const Source* source = axis.sources(piece);
        std::size_t found = 0;
        for (std::size_t window = 0; window < c.spans.size(); ++window) {
          const Span& span = c.spans[window];
          const double centre = pixel + 0.5;
          if (centre < span.begin || centre >= span.end) continue;
          ASSERT_LT(found++, piece.sourceCount());
          const Tap tap =
              tapAt((centre - span.begin) / (span.end - span.begin) * c.places - 0.5, c.places);
          EXPECT_EQ(source->window, static_cast<int>(window));
          EXPECT_EQ(source->first, tap.first);
          EXPECT_EQ(source->second, tap.second);
          const float node = axis.weights()[pixel];
          const float first = piece.firstNode(*source), second = piece.secondNode(*source);
          const float weight = first + node * (second - first);
          EXPECT_NEAR(weight, tap.weight, 1e-5);
          ++source;
        }
        EXPECT_EQ(found, piece.sourceCount());
        const float fromFirst =
            axis.weights()[piece.begin] + piece.step * static_cast<float>(pixel - piece.begin);
        EXPECT_NEAR(axis.weights()[pixel], fromFirst, 1e-5);
      }
    }
    EXPECT_EQ(next, c.pixels);
  }
}

TEST(Axis, ItFollowsAChange) {
  Axis axis;
  axis.assign({{0, 20}}, 4, 20, 32);
  const std::size_t few = axis.pieces().size();
  axis.assign({{0, 20}}, 4, 20, 2);
  EXPECT_GT(axis.pieces().size(), few);
  axis.assign({{0, 20}}, 4, 20, 32);
  EXPECT_EQ(axis.pieces().size(), few);
  axis.assign({{0, 40}}, 4, 20, 32);
  EXPECT_LT(axis.pieces().size(), few);
}

}  // namespace
}  // namespace mpm::segment
