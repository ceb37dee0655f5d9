// SPDX-License-Identifier: Apache-2.0
// Positions inside attention on another grid: of rotary ones the angles of DINOv3, EVA-02 and
// Perception Encoder, of a bias the numbers by distance.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "onnx/layers/positions.h"
#include "onnx/recognise/embedding.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr std::int64_t kFeatures = 8;

struct Grid {
  std::int64_t rows, columns;
};

// Two frequencies for rows, then two for columns; the other half of the features turns the other
// way. `place`: the coordinate of patch i of n.
template <class Place>
onnx::RotaryFactors factorsOf(const Grid& grid, double fastest, const Place& place) {
  onnx::RotaryFactors factors;
  for (std::int64_t y = 0; y < grid.rows; ++y) {
    for (std::int64_t x = 0; x < grid.columns; ++x) {
      for (std::int64_t i = 0; i < kFeatures; ++i) {
        const double at = i % 4 < 2 ? place(y, grid.rows) : place(x, grid.columns);
        const double angle = fastest * (i % 2 == 0 ? 1 : 0.1) * at;
        factors.own.push_back(static_cast<float>(std::cos(angle)));
        factors.other.push_back(static_cast<float>((i < 4 ? -1 : 1) * std::sin(angle)));
      }
    }
  }
  return factors;
}

template <class Place>
void expectMoves(const Grid& from, double fastest, const Place& place) {
  const onnx::RotaryFactors own = factorsOf(from, fastest, place);
  for (const Grid& to : {Grid{10, 7}, Grid{5, 6}, Grid{1, 40}, Grid{64, 64}, from}) {
    SCOPED_TRACE(testing::PrintToString(to.rows) + " x " + testing::PrintToString(to.columns));
    const onnx::RotaryOnGrid moved =
        onnx::rotaryOnGrid(own, kFeatures, {from.rows, from.columns, to.rows, to.columns});
    ASSERT_EQ(moved.obstacle, "");
    const onnx::RotaryFactors expected = factorsOf(to, fastest, place);
    ASSERT_EQ(moved.factors.own.size(), expected.own.size());
    for (std::size_t i = 0; i < expected.own.size(); ++i) {
      ASSERT_NEAR(moved.factors.own[i], expected.own[i], 1e-5) << i;
      ASSERT_NEAR(moved.factors.other[i], expected.other[i], 1e-5) << i;
    }
  }
}

double centred(std::int64_t i, std::int64_t n) {
  return 2 * (static_cast<double>(i) + 0.5) / static_cast<double>(n) - 1;
}

double whole(std::int64_t i, std::int64_t /*n*/) { return static_cast<double>(i); }

auto scaledBy(double reference, double offset) {
  return [=](std::int64_t i, std::int64_t n) {
    return (static_cast<double>(i) + offset) / static_cast<double>(n) * reference;
  };
}

std::string whyNot(const onnx::RotaryFactors& factors, const Grid& from) {
  return onnx::rotaryOnGrid(factors, kFeatures, {from.rows, from.columns, 9, 9}).obstacle;
}

TEST(RotaryOnGrid, OfTwoLongSidesTheMiddleStays) {
  for (const Grid& from : {Grid{8, 8}, Grid{6, 8}, Grid{14, 14}, Grid{37, 50}})
    expectMoves(from, 2 * kPi, centred);
}

TEST(RotaryOnGrid, OfScaledOnesTheFirstPatchStays) {
  expectMoves({32, 32}, 1, scaledBy(16, 0));
  expectMoves({6, 8}, 1, scaledBy(4, 0));
}

TEST(RotaryOnGrid, OfScaledOnesThePatchInFrontOfTheFirstStays) {
  expectMoves({32, 32}, 1, scaledBy(24, 1));
  expectMoves({6, 8}, 1, scaledBy(4, 1));
}

// As many patches as at pretraining: whoever wrote it scales them to another grid, or does not.
TEST(RotaryOnGrid, WhetherTheyAreScaledCannotBeToldOnTheirOwnGrid) {
  for (const double offset : {0.0, 1.0})
    EXPECT_NE(whyNot(factorsOf({16, 16}, 1, scaledBy(16, offset)), {16, 16}), "");
  EXPECT_NE(whyNot(factorsOf({6, 8}, 1, whole), {6, 8}), "");
}

TEST(RotaryOnGrid, OtherFrequenciesAndOtherPlacesAreRefused) {
  const Grid grid{12, 12};
  EXPECT_NE(whyNot(factorsOf(grid, 0.77, whole), grid), "");
  EXPECT_NE(whyNot(factorsOf(grid, kPi, centred), grid), "");
  EXPECT_NE(whyNot(factorsOf(grid, 2 * kPi,
                             [](std::int64_t i, std::int64_t n) {
                               return 2 * static_cast<double>(i) / static_cast<double>(n - 1) - 1;
                             }),
                   grid),
            "");
  EXPECT_NE(whyNot(factorsOf(grid, 1, scaledBy(4, 0.3)), grid), "");
}

// From patch to patch they turn by half a turn, which could be one forwards or one back.
TEST(RotaryOnGrid, AGridThatIsTooSmallToTellIsRefused) {
  for (const std::int64_t side : {2, 3, 4})
    EXPECT_NE(whyNot(factorsOf({side, side}, 2 * kPi, centred), {side, side}), "");
}

TEST(RotaryOnGrid, OneFactorThatDoesNotFitIsEnough) {
  const Grid grid{8, 8};
  onnx::RotaryFactors factors = factorsOf(grid, 2 * kPi, centred);
  factors.own[8 * 8 * kFeatures - 3] += 0.01F;
  EXPECT_NE(whyNot(factors, grid), "");
}

// [heads, rows, rows] of a table by distance, special rows in front.
struct Made {
  onnx::RelativeBias bias;
  std::vector<float> values;
};

Made madeBias(std::int64_t special, const Grid& grid) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  const auto numbers = [&](std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = normal(random);
    return values;
  };
  constexpr std::int64_t kHeads = 3;
  Made made;
  made.bias = {kHeads,
               special,
               grid.rows,
               grid.columns,
               numbers((2 * grid.rows - 1) * (2 * grid.columns - 1) * kHeads),
               numbers(special * kHeads),
               numbers(special * kHeads),
               numbers(special * special * kHeads)};
  const std::int64_t rows = special + grid.rows * grid.columns;
  made.values.resize(static_cast<std::size_t>(kHeads * rows * rows));
  made.bias.write(made.values.data());
  return made;
}

std::vector<std::size_t> placesInOrder(std::int64_t rows) {
  std::vector<std::size_t> places(static_cast<std::size_t>(rows));
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

TEST(BiasOnGrid, IsFoundAsItWasMade) {
  for (const std::int64_t special : {0, 1, 2}) {
    const Made made = madeBias(special, {4, 3});
    const auto found =
        onnx::findRelativeBias(made.values.data(), 3, placesInOrder(special + 12), 4, 3);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->byDistance, made.bias.byDistance);
    EXPECT_EQ(found->ofSpecial, made.bias.ofSpecial);
    EXPECT_EQ(found->toSpecial, made.bias.toSpecial);
    EXPECT_EQ(found->amongSpecial, made.bias.amongSpecial);
  }
}

TEST(BiasOnGrid, OneNumberThatDoesNotFitIsEnough) {
  Made made = madeBias(1, {4, 3});
  for (const std::size_t at : {std::size_t{13 + 5}, std::size_t{13 * 13 + 7}, std::size_t{5}}) {
    std::vector<float> values = made.values;
    values[at] += 0.01F;
    EXPECT_FALSE(onnx::findRelativeBias(values.data(), 3, placesInOrder(13), 4, 3)) << at;
  }
}

TEST(BiasOnGrid, NumbersByDistanceAreResizedAndThoseOfSpecialRowsStay) {
  const Made made = madeBias(1, {4, 3});
  const onnx::RelativeBias moved = onnx::biasOnGrid(made.bias, 5, 6);
  EXPECT_EQ(moved.byDistance, onnx::resizePositions(made.bias.byDistance, 3, 7, 5, 9, 11));
  std::vector<float> values(3 * 31 * 31);
  moved.write(values.data());
  const auto at = [&](std::size_t head, std::size_t query, std::size_t key) {
    return values[(head * 31 + query) * 31 + key];
  };
  EXPECT_EQ(at(2, 0, 0), made.bias.amongSpecial[2]);
  EXPECT_EQ(at(1, 0, 9), made.bias.ofSpecial[1]);
  EXPECT_EQ(at(1, 9, 0), made.bias.toSpecial[1]);
  // From (1, 2) to (4, 0): 3 up and 2 to the right.
  EXPECT_EQ(at(0, 1 + 8, 1 + 24), moved.byDistance[((5 - 1 - 3) * 11 + 6 - 1 + 2) * 3]);
}

}  // namespace
}  // namespace mpm::test
