// SPDX-License-Identifier: Apache-2.0
// Models at another size than their own, or of a size that is open: which sizes they may have, and
// what becomes of positions and of numbers that depend on it. Whole nets at other sizes are among
// the tests of tests/models.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "onnx/graph/error.h"
#include "onnx/graph/model.h"
#include "onnx/graph_text.h"
#include "onnx/layers/positions.h"
#include "onnx/layers/recognise.h"
#include "onnx/layers/rewrite_model.h"
#include "onnx/recognise/embedding.h"
#include "onnx/small_nets.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

using Integers = std::vector<std::int64_t>;
using onnx::Model;

TEST(OpenSize, BecomesTheOneThatIsAskedForOrFits) {
  const auto openModel = [](const std::string& added) {
    return Model(
        graph("image[-1, 3, height, width]\np = Conv(image, some(5, 3, 1, 1))\ny = Add(p, " +
              added + ")"));
  };
  Model taking = openModel("some(1, 5, 1, 1)");
  const onnx::Recognised recognised = onnx::recognise(taking, {true, 8, 4});
  EXPECT_EQ(recognised.encoder.obstacle, "it has no transformer block");
  EXPECT_EQ(*recognised.values->dims("y"), (Integers{-1, 5, 4, 8}));
  Model open = openModel("some(1, 5, 1, 1)");
  EXPECT_EQ((*onnx::recognise(open, {}).values->dims("y"))[1], 5) << "known as far as it can be";
  for (const std::int64_t height : {3, 4}) {
    Model model = openModel("some(1, 1, 3, 1)");
    EXPECT_EQ(onnx::recognise(model, {true, 8, height}).ownHeight == height, height == 3);
  }
  // All pixels of a picture of any size and channels, and a layer for so many of them.
  const auto pixels = [](const std::string& count) {
    return Model(
        graph("image[-1, channels, height, width]\nf = Flatten(image)\np = MatMul(f, some(" +
              count + ", 5))\ny = Softmax(p)"));
  };
  Model colours = pixels("96"), grey = pixels("32"), wrong = pixels("96"), unasked = pixels("96");
  EXPECT_EQ(onnx::recognise(colours, {true, 8, 4}).channels, 3);
  EXPECT_EQ(onnx::recognise(grey, {true, 8, 4}).channels, 1);
  const std::string sentence = onnx::recognise(wrong, {true, 16, 4}).encoder.obstacle;
  EXPECT_NE(sentence.find("does not fit 16x4; please give the size that it was exported for"),
            std::string::npos);
  EXPECT_NE(onnx::recognise(unasked, {}).encoder.obstacle.find("please give an input size"),
            std::string::npos);
  EXPECT_EQ(onnx::imageInput(
                Model(graph("points[-1, n, m, 2]\npicture[-1, 3, 32, 64]\ny = Relu(picture)")))
                .name,
            "picture");
}

// As PyTorch's exporter writes Depth Pro and ZoeDepth from two pictures: a split of the batch has
// their number.
TEST(OpenBatch, InWhichTwoImagesAreBuiltInIsTwo) {
  for (const std::string second : {"1", "2"}) {
    Model model(graph("image[-1, 3, 4, 4]\na, y = Split(image, [1, " + second + "])\nout y"));
    onnx::recognise(model, {});
    EXPECT_EQ(model.inputs().front().dims.front().size == 2, second == "1")
        << "three are right for three";
  }
}

// The grids, rows and columns, that a model with these positions may have. Linear layers have
// weights [25, 4], which `reader` reads on their way.
std::vector<Integers> gridsOf(const std::string& positions, const std::string& reader) {
  const Model model(
      graph("image[-1, 1, height, width]\np = Conv(image, some(4, 1, 2, 2)) strides=[2, 2]\n"
            "t = Add(p, some(" +
            positions + "))\nw = some(25, 4)\nr = " + reader + "(w)\ny = MatMul(t, " +
            (reader == "Neg" ? "w" : "r") + ")"));
  std::vector<Integers> grids;
  for (onnx::ImageInput size : onnx::sizesByPositions(model, onnx::imageInput(model)))
    grids.push_back({size.height() / 2, size.width() / 2});
  return grids;
}

TEST(SizesByPositions, AreSquareGridsOrThoseThatAGraphResizes) {
  EXPECT_EQ(gridsOf("1, 5, 4", "Neg"), (std::vector<Integers>{{2, 2}}));
  EXPECT_EQ(gridsOf("1, 5, 4", "Transpose"), (std::vector<Integers>{{2, 2}}))
      << "rows of weights are no patches";
  EXPECT_EQ(gridsOf("1, 5, 4", "Exp"), (std::vector<Integers>{{5, 5}, {4, 4}, {3, 3}, {2, 2}}));
  EXPECT_EQ(gridsOf("1, 4, 3, 5", "Neg"), (std::vector<Integers>{{3, 5}}));
  EXPECT_EQ(gridsOf("1, 3, 5, 4", "Neg"), (std::vector<Integers>{{3, 5}}));
  EXPECT_EQ(gridsOf("1, 3, 5, 7", "Neg"), std::vector<Integers>());
  EXPECT_EQ(gridsOf("1, 4, 1, 1", "Neg"), std::vector<Integers>());
}

TEST(OtherSize, NumbersThatMayBeCountsOfTokensAreRefused) {
  const auto resizedWith = [](const std::string& divisor) -> std::string {
    Model model(
        graph(changed(vit(),
                      "sum = ReduceSum(n, [1]); n = LayerNormalization(b1, some(8), some(8))\n"
                      "root = Sqrt(sum); y = Div(root, " +
                          divisor + ")")));
    onnx::RewriteOptions options;
    options.recognise.width = 6;
    options.recognise.height = 8;
    try {
      onnx::rewriteInFile(model, onnx::planRewriting(model, options));
    } catch (const onnx::ModelError& error) {
      return error.what();
    }
    return "taken";
  };
  for (const char* count : {"7.0", "6.0", "0.14285714", "1.1666667", "5.0", "23.0"}) {
    EXPECT_EQ(resizedWith(count),
              "another input size is not possible: a number of node 'y_node' ('Div') may have "
              "been made from how many tokens or pixels there are")
        << count;
  }
  for (const char* other : {"2.0", "9.0", "100.0"}) EXPECT_EQ(resizedWith(other), "taken") << other;
}

TEST(OtherSize, SizesInAHeadAreReplaced) {
  // Of a grid of 4 x 6 with one special row, at twice the height.
  const auto replaced = [](Integers sizes, std::int64_t features = 32) {
    return onnx::replaceSizes(sizes, {32, 48, 64, 48, 4, 6, 8, 6, 1, features}) ? sizes
                                                                                : Integers{};
  };
  EXPECT_EQ(replaced({-1, 32, 4, 6}), (Integers{-1, 32, 8, 6}));
  EXPECT_EQ(replaced({-1, 3, 32, 48}), (Integers{-1, 3, 64, 48}));
  EXPECT_EQ(replaced({-1, 24, 32}), (Integers{-1, 48, 32}));
  EXPECT_EQ(replaced({-1, 25, 2, 16}), (Integers{-1, 49, 2, 16}));
  EXPECT_EQ(replaced({-1, 3, 32 * 48}), (Integers{-1, 3, 64 * 48}));
  EXPECT_EQ(replaced({-1, 7}), (Integers{-1, 7}));
  EXPECT_EQ(replaced({-1, 24, 24}), Integers{}) << "which may be features";
  EXPECT_EQ(replaced({-1, 24}, 24), Integers{});
  EXPECT_EQ(replaced({-1, 25, 24}, 24), (Integers{-1, 49, 24})) << "all rows are more";
  EXPECT_EQ(replaced({-1, 32, 8, 12}), Integers{}) << "of a picture, of what size is open";
}

// Positions are resized on their grid, and those of special rows stay.
TEST(OtherSize, IsTheModelWithResizedPositions) {
  const std::string resized =
      R"(columns = Reshape(planes, [0, 8, 24]); own = Identity(some(1, 7, 8)#tokens/1)
special = Slice(own, [0], [1], [1]); rest = Slice(own, [1], [7], [1]); grid = Reshape(rest, [1, 2, 3, 8])
turned = Transpose(grid) perm=[0, 3, 1, 2]; larger = Resize(turned, _, _, [1, 8, %g]) mode='linear'
back = Transpose(larger) perm=[0, 2, 3, 1]; flat = Reshape(back, [1, 24, 8])
placed = Concat(special, flat) axis=1; tokens = Add(all, placed); image[-1, 1, %s]
)";
  for (const auto& [grid, size, width, height] :
       {std::tuple{"4, 6", "8, 12", 12, 8}, std::tuple{"6, 4", "12, 8", 8, 12}}) {
    const std::string same = replaced(replaced(resized, "%g", grid), "%s", size);
    expectAsComputed({size, vit(), "", changed(vit(), same), width, height});
  }
}

// Of the whole table, by the model's own Resize, whose sizes its exporter wrote down.
TEST(OtherSize, TakesPositionsFromTheTableThatTheyWereMadeOf) {
  const std::string resized = R"(
columns = Reshape(planes, [0, 8, %n]); larger = Resize(some(1, 8, 5, 7)#table, _, _, [1, 8, %g]) mode='cubic' cubic_coeff_a=-0.75
flat = Reshape(larger, [1, 8, %n]); rows = Transpose(flat) perm=[0, 2, 1]
placed = Concat(some(1, 1, 8)#first, rows) axis=1; tokens = Add(all, placed); image[-1, 1, %s]
)";
  const auto at = [&](const char* count, const char* grid, const char* size) {
    return changed(vit(),
                   replaced(replaced(replaced(resized, "%n", count), "%g", grid), "%s", size));
  };
  const std::string own = at("6", "2, 3", "4, 6");
  expectAsComputed({"larger", own, "", at("24", "4, 6", "8, 12"), 12, 8});
  expectAsComputed({"taller", own, "", at("24", "6, 4", "12, 8"), 8, 12});
}

// Pixel centres at halves, and no averaging where the grid shrinks.
TEST(Positions, AreResizedAsOpenCvDoes) {
  constexpr int kDim = 5;
  for (const cv::Size from : {cv::Size(6, 8), cv::Size(24, 24), cv::Size(1, 7), cv::Size(2, 2)}) {
    for (const cv::Size to : {from, cv::Size(8, 6), cv::Size(37, 50), cv::Size(3, 4),
                              cv::Size(1, 1), cv::Size(5, 24)}) {
      std::vector<float> positions(static_cast<std::size_t>(from.area() * kDim));
      for (std::size_t i = 0; i < positions.size(); ++i)
        positions[i] = 2 * std::sin(static_cast<float>(i * i));
      const std::vector<float> is =
          onnx::resizePositions(positions, kDim, from.height, from.width, to.height, to.width);
      cv::Mat expected;
      cv::resize(cv::Mat(from, CV_32FC(kDim), positions.data()), expected, to, 0, 0,
                 cv::INTER_LINEAR);
      ASSERT_EQ(is.size(), expected.total() * kDim);
      for (std::size_t i = 0; i < is.size(); ++i)
        ASSERT_NEAR(is[i], expected.ptr<float>()[i], kResizedPosition) << from << " to " << to;
      if (from == to) {
        EXPECT_EQ(is, positions);
      }
    }
  }
}

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
