// SPDX-License-Identifier: Apache-2.0
// Whatever does not fit is a cv::Exception that names the layer, the input and what would fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <string>

#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"
#include "mpm/net.h"

namespace mpm {
namespace {

using cv::Mat;
using test::filledBlob;
using test::kCapacity;
using test::kDim;
using test::Mats;
using test::refusal;

/// `sentence` follows "mpm.KIND 'sut'".
void expectRefused(const char* kind, const std::string& settings, const Mats& inputs,
                   const Mats& constants, const std::string& sentence) {
  const std::string type = std::string("mpm.") + kind;
  EXPECT_EQ(refusal(type, settings, inputs, constants), type + " 'sut'" + sentence) << settings;
}

Mat blob(const std::vector<int>& shape) { return test::normalBlob(shape, 1); }
Mat someTokens() { return blob({2, 10, 4}); }
Mat someRows(float first, float second = 10) { return filledBlob({2, 1}, {first, second}); }
Mat someMap(float last = 8) {
  return filledBlob({2, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6, 7, last});
}
Mat converted(const Mat& from, int depth) {
  Mat to;
  from.convertTo(to, depth);
  return to;
}

constexpr const char* kMerge = "MutualPairMerge";
constexpr const char* kRestore = "MergeRestore";

TEST(LayerRefusal, OfMergesAndRestores) {
  const Mat tokens = someTokens(), map = someMap(), rows = someRows(10);
  const Mat shortMap = filledBlob({1, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  const Mat half = filledBlob({1, 9}, std::vector<float>(9, 0.5F));
  const cv::Range part[] = {cv::Range(0, 2), cv::Range(0, 10), cv::Range(0, 3)};
  expectRefused(
      kMerge, "special=10", {tokens}, {},
      ", input tokens: has 10 rows, of which special = 10; expected at least one image token");
  expectRefused(
      kMerge, "special=11", {tokens}, {},
      ", input tokens: has 10 rows, of which special = 11; expected at least one image token");
  expectRefused(kMerge, "special=-1", {tokens}, {}, ": special = -1; expected 0 or more");
  expectRefused(kMerge, "", {blob({10, 4})}, {},
                ", input tokens: is [10 x 4]; expected 3 dimensions, [batch x tokens x features]");
  expectRefused(kMerge, "", {tokens, filledBlob({3, 1}, {9, 9, 9}), map}, {},
                ", input rows: is [3 x 1]; expected [2 x 1], the batch of tokens");
  expectRefused(kMerge, "", {tokens, rows, shortMap}, {},
                ", input map: is [1 x 9]; expected [2 x image tokens], the batch of tokens");
  expectRefused(kRestore, "", {tokens, shortMap}, {},
                ", input map: is [1 x 9]; expected [2 x image tokens], the batch of tokens");
  expectRefused(
      kMerge, "special=0", {tokens, rows, map}, {},
      ", input map: has 9 image tokens; expected 10, the 10 rows of tokens less 0 special ones");
  // Inside the capacity, but not alive.
  expectRefused(
      kMerge, "", {tokens, someRows(10, 9), map}, {},
      ", input map: value 8 at 8; expected a whole number from 0 to 7, the live image rows");
  expectRefused(
      kMerge, "special=1", {tokens, someRows(7)}, {},
      ", input rows: says that 6 of 9 image rows are live; expected all of them, or a map");
  expectRefused(kMerge, "window=2", {tokens}, {},
                ": window = 2 needs grid = [height, width] of the image tokens");
  expectRefused(kMerge, "window=-2", {tokens}, {}, ": window = -2; expected 0 or more");
  expectRefused(kMerge, "window=2 grid=3,4", {tokens}, {},
                ", input tokens: has 10 image tokens; expected 12, those of grid 3 x 4");
  expectRefused(kMerge, "before_block=-2", {tokens}, {},
                ": before_block = -2; expected the index of a block, or -1 for none");
  expectRefused(kMerge, "", {converted(tokens, CV_16S)}, {},
                ", input tokens: has type CV_16SC1; expected CV_32FC1");
  expectRefused(kRestore, "", {tokens, converted(map, CV_64F)}, {},
                ", input map: has type CV_64FC1; expected CV_32FC1");
  expectRefused(kMerge, "", {tokens(part)}, {},
                ", input tokens: is not continuous; expected a continuous Mat (clone() makes one)");
  expectRefused(kRestore, "", {tokens}, {}, ": has 1 inputs; expected 2 to 2: tokens, map");
  expectRefused(kMerge, "", {tokens, rows, map, map, map}, {},
                ": has 5 inputs; expected 1 to 4: tokens, rows, map, regions");
  expectRefused(kMerge, "special=1 inputs=tokens,regions", {tokens, blob({1, 8})}, {},
                ", input regions: is [1 x 8]; expected [2 or 1 x 9]");
  expectRefused(kMerge, "special=1 inputs=tokens,regions", {tokens, half}, {},
                ", input regions: value 0.5 at 0; expected a whole number from -16777216 to "
                "16777216, a label");
  if (CV_VERSION_MAJOR >= 5) return;  // there tokens may be fewer
  expectRefused(
      kMerge, "special=2", {tokens, rows, map}, {},
      ", input map: has 9 image tokens; expected 8, the 10 rows of tokens less 2 special ones");
}

TEST(LayerRefusal, OfNumbersThatAreNoRows) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto expectFound = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  for (const float bad : {9.0F, -1.0F, 2.5F, 1e30F, std::numeric_limits<float>::quiet_NaN()}) {
    const std::string text =
        refusal("mpm.MutualPairMerge", "", {someTokens(), someRows(10), someMap(bad)});
    expectFound(text, "mpm.MutualPairMerge 'sut', input map: value ");
    expectFound(text, " at 8; expected a whole number from 0 to 8, the live image rows");
    expectFound(refusal("mpm.MergeRestore", "", {someTokens(), someMap(bad)}),
                " at 8; expected a whole number from 0 to 8, the image rows");
  }
  for (const float bad : {0.0F, 11.0F, -3.0F, 5.5F, kInfinity}) {
    const std::string text =
        refusal("mpm.MutualPairMerge", "", {someTokens(), someRows(bad), someMap()});
    expectFound(text, "input rows: value ");
    expectFound(text, "expected a whole number from 1 to 10");
  }
}

// A name that no layer looks for would drop what it names without a word.
TEST(LayerRefusal, OfLinearsAndNorms) {
  const test::RaggedBatch batch;
  const Mat tokens = batch.tokens, weight = blob({10, kDim}), single = blob({3, kDim});
  const Mats two = {blob({3, 4}), blob({1, 3})};
  expectRefused("Linear", "inputs=tokens,weight,biass", {someTokens()}, two,
                ": has no input 'biass'; expected some of tokens,rows,weight,bias");
  expectRefused(
      "Linear", "inputs=tokens,weight,mix_scores", {someTokens()}, two,
      ": has an input 'mix_scores', which is not computed any more; please convert the model "
      "again");
  expectRefused("Linear", "inputs=tokens,weight,weight", {someTokens()}, two,
                ": has two inputs weight; expected each name once");
  expectRefused("Linear", "", {tokens, batch.rows}, {blob({10, 23})},
                ", input weight: is [10 x 23]; expected [any x 24]");
  expectRefused("Linear", "", {tokens, batch.rows}, {}, ": has no input weight, which it needs");
  expectRefused("Normalize", "", {tokens, batch.rows}, {blob({1, 5})},
                ", input scale: has 5 values; expected 24");
  expectRefused(
      "Normalize", "", {tokens, filledBlob({3, 1}, {12, 13, 12})}, {},
      ", input rows: value 13 at 1; expected a whole number from 0 to 12, the special rows to "
      "all rows");
  // One live row for each image.
  expectRefused(
      "Linear", "", {single, filledBlob({3, 1}, {1, 1, 1})}, {weight},
      ", input rows: is there, but tokens is [3 x 24], one live row for each image; expected no "
      "rows");
  expectRefused(
      "Linear", "special=1 inputs=tokens,weight", {single}, {weight},
      ", input tokens: has 1 rows, of which special = 1; expected at least one image token");
  expectRefused(
      "Linear", "inputs=tokens,weight", {blob({1, 2, 3, kDim})}, {weight},
      ", input tokens: is [1 x 2 x 3 x 24]; expected 3 dimensions, [batch x tokens x features]");
  EXPECT_EQ(refusal("mpm.Linear", "inputs=tokens,weight,bias", {someTokens()}, two),
            "nothing was thrown");
}

TEST(LayerRefusal, OfMeansAndHeads) {
  const test::RaggedBatch batch;
  const Mat tokens = batch.tokens, square = blob({kDim, kDim});
  Mat map = batch.map();
  map.ptr<float>(1)[4] = 6;
  const Mats head = {square, square, blob({1, 3}), blob({1, 3})};
  const std::string noClasses = ": needs special = the number of class rows in front, 1 or more";
  expectRefused(
      "MeanRows", "", {tokens, batch.rows}, {},
      ": has rows but no map, so it cannot know how often each row counts; expected both, or "
      "neither");
  expectRefused(
      "MeanRows", "", {tokens, batch.rows, map}, {},
      ", input map: value 6 at 4; expected a whole number from 0 to 5, the live image rows");
  expectRefused("MeanRows", "", {blob({3, kDim})}, {},
                ", input tokens: is [3 x 24]; expected 3 dimensions, [batch x tokens x features]");
  expectRefused("MaskDecoderHead", "", {tokens, batch.rows}, head, noClasses);
  expectRefused("MaskDecoderHead", "special=0", {tokens, batch.rows}, head, noClasses);
  expectRefused("MaskDecoderHead", "special=3", {tokens, batch.rows}, {},
                ": has no input proj_patch, which it needs");
  expectRefused("MaskDecoderHead", "special=3", {tokens, batch.rows}, {square, blob({kDim, 20})},
                ", input proj_classes: is [24 x 20]; expected [24 x 24]");
  expectRefused("MaskDecoderHead", "special=2", {tokens, batch.rows}, head,
                ", input norm_scale: has 3 values; expected 2");
  expectRefused("ReplaceSpecial", "", {tokens}, {},
                ": needs special = the number of rows in front to replace, 0 or more");
  expectRefused("ReplaceSpecial", "special=2 kept=1", {tokens}, {},
                ": has kept, which is not computed any more; please convert the model again");
  expectRefused(
      "ReplaceSpecial", "special=12", {tokens}, {},
      ", input tokens: has 12 rows, of which special = 12; expected at least one image token");
  expectRefused("ReplaceSpecial", "special=1", {tokens, batch.rows}, {blob({3, 23})},
                ", input special_rows: is [3 x 23]; expected [any x 24], the features of tokens");
  expectRefused(
      "ReplaceSpecial", "special=4", {tokens, batch.rows}, {},
      ", input rows: value 3 at 2; expected a whole number from 4 to 12, the special rows to all "
      "rows");
}

TEST(LayerRefusal, OfAttention) {
  const Mat tokens = blob({1, kCapacity, 24}), rows = filledBlob({1, 1}, {5});
  const Mat table = blob({kCapacity, 4}), down = blob({3, 4}), across = blob({7, 4});
  const Mat outside = blob({1, 24}), bias = blob({2 * kCapacity, kCapacity});
  const Mat one = filledBlob({1, 1}, {1}), zeros(1, kCapacity, CV_32F, cv::Scalar(0));
  const std::string noMap =
      ": has positions and rows but no map, so it cannot know whose positions merged rows have; "
      "expected a map with rows";
  const auto attention = [](const std::string& settings, const std::string& names,
                            const Mats& inputs, const Mats& constants,
                            const std::string& sentence) {
    expectRefused("Attention", settings + " inputs=" + names, inputs, constants, sentence);
  };
  attention("heads=5", "tokens", {tokens}, {},
            ", input tokens: has 24 features; expected a multiple of 15, for q, k and v of "
            "heads = 5");
  attention("heads=2", "tokens,rotary_own", {tokens}, {table},
            ": has one of rotary_own and rotary_other; expected both, or neither");
  attention("heads=2", "tokens,rows,rotary_own,rotary_other", {tokens, rows}, {table, table},
            noMap);
  attention("heads=2", "tokens,bias", {tokens}, {table},
            ", input bias: is [12 x 4]; expected [24 x 12]");
  attention("heads=2", "tokens,q_norm_scale", {tokens}, {blob({1, 4})},
            ": has constants of norms; expected norm = layer or rms with them");
  attention("heads=2 grid=3,5", "tokens", {tokens}, {},
            ": has 0 special and 12 image rows; expected none and 15, those of its grid");
  attention("heads=2 grid=3", "tokens", {tokens}, {},
            ": grid is no [height, width]; expected two numbers of 1 or more");
  attention("heads=2 grid=3,4 window=4,0", "tokens", {tokens}, {},
            ": window is no [height, width]; expected two numbers from 1 to 1024");
  attention("heads=2 grid=3,4 window=2,4", "tokens", {tokens}, {},
            ": has windows that reach over its grid; expected outside with them: q, k and v of "
            "a cell there");
  attention("heads=2 grid=3,4 window=3,2", "tokens,outside", {tokens}, {outside},
            ": has cells outside, but its windows do not reach over its grid");
  attention("heads=2 grid=3,4 window=2,4", "tokens,distance_down,outside", {tokens},
            {down, outside},
            ": has one of distance_down and distance_across; expected both, or neither");
  // 3 rows, where a window of 3 has 5 distances.
  attention("heads=2 grid=3,4", "tokens,distance_down,distance_across", {tokens}, {down, across},
            ", input distance_down: is [3 x 4]; expected [5 x 4]");
  attention("heads=2 grid=3,4 window=3,2", "tokens,rows", {tokens, rows}, {}, noMap);
  attention("heads=2", "tokens,outside", {tokens}, {outside},
            ": has distances or cells outside; expected a grid with them");
  attention("heads=2 grid=3,4 norm=rms", "tokens", {tokens}, {},
            ": has a grid with norm or counts; expected a grid without them");
  attention("heads=2 grid=3,4", "tokens,bias", {tokens}, {bias},
            ": has a grid with a bias; expected a grid without it");
  attention("heads=2 grid=3,4 window=2,4", "tokens,rotary_own,rotary_other,outside", {tokens},
            {table, table, outside},
            ": has rotary positions with distances or cells outside; expected a grid without "
            "them");
  attention("heads=2 grid=3,4 window=3,2", "tokens,rows,map", {tokens, one, zeros}, {},
            ", input map: merges token 2 of window 1 with one of window 0; expected merges "
            "within windows, by their input regions");
}

TEST(LayerRefusal, OfPictures) {
  const Mat planes = blob({1, 2, 5, 5}), weight = blob({3, 2, 3, 3}),
            patches = blob({8, 3, 16, 16});
  const Mat small = blob({1, 2, 3, 4});
  const std::string steps = ": expected [down, across], each 1 or more";
  const std::string size =
      ": needs size = [height, width] of the result, or scale = its size over that of planes; "
      "expected one of the two";
  expectRefused(
      "PatchEmbed", "", {blob({1, 3, 20, 32})}, {patches},
      ", input image: is [1 x 3 x 20 x 32]; expected [batch x channels x height x width], height "
      "and width multiples of patch = 16");
  expectRefused("PatchEmbed", "", {blob({1, 2, 32, 32})}, {patches},
                ", input image: is [1 x 2 x 32 x 32]; its weights are for 3 channels");
  // As many patches, but not where the positions belong.
  expectRefused("PatchEmbed", "grid=1,2", {blob({1, 3, 32, 16})}, {patches},
                ", input image: is [1 x 3 x 32 x 16]; expected a height of 16 and a width of 32");
  expectRefused("Convolve", "stride=1,0", {planes}, {weight}, ": stride" + steps);
  expectRefused("Convolve", "dilation=1", {planes}, {weight}, ": dilation" + steps);
  expectRefused("Convolve", "padding=0,0,-1,0", {planes}, {weight},
                ": padding: expected [top, left, bottom, right], each 0 or more");
  expectRefused("Convolve", "activation=gelu", {planes}, {weight},
                ": activation = gelu; expected relu, or none");
  expectRefused("Convolve", "", {blob({1, 50, 2})}, {weight},
                ", input planes: is [1 x 50 x 2]; expected [batch x channels x height x width]");
  expectRefused(
      "Convolve", "", {planes}, {blob({3, 4, 3, 3})},
      ", input weight: is [3 x 4 x 3 x 3]; expected [outputs x 2 x height x width], as planes are "
      "[1 x 2 x 5 x 5]");
  expectRefused("Convolve", "", {planes}, {blob({3, 2, 3, 6})},
                ", input planes: is [1 x 2 x 5 x 5], too small for a weight of [3 x 2 x 3 x 6]");
  expectRefused("Convolve", "padding=0,16777216,0,0", {planes}, {weight},
                ", input planes: is [1 x 2 x 5 x 5], too large for a weight of [3 x 2 x 3 x 3]");
  expectRefused("Upsample", "", {small}, {}, size);
  expectRefused("Upsample", "size=6,8 scale=2,2", {small}, {}, size);
  expectRefused(
      "Upsample", "size=6,8 mode=cubic", {small}, {},
      ": mode = cubic; expected half_pixel, pytorch_half_pixel, align_corners or asymmetric");
  expectRefused("Upsample", "size=0,8", {small}, {},
                ": size: expected [height, width], both 1 or more");
  expectRefused("Upsample", "size=8", {small}, {},
                ": size: expected [height, width], both 1 or more");
  expectRefused("Upsample", "scale=2,-1", {small}, {},
                ": scale: expected [height, width], both more than 0");
  expectRefused("Upsample", "size=6,8 grid=3,0", {small}, {},
                ": grid: expected [height, width], both 1 or more");
  expectRefused(
      "Upsample", "size=6,8", {blob({2, 12, 4})}, {},
      ", input planes: is [2 x 12 x 4]; expected [batch x channels x height x width], or, with "
      "grid = [height, width], [batch x places of the grid x channels]");
  expectRefused(
      "Upsample", "size=6,8 grid=3,4", {blob({2, 11, 4})}, {},
      ", input planes: is [2 x 11 x 4]; expected [batch x 12 x channels], the places of grid 3 x "
      "4");
  expectRefused(
      "Upsample", "size=6,8 grid=3,4", {blob({2, 4, 3, 4})}, {},
      ", input planes: is [2 x 4 x 3 x 4]; expected [batch x 12 x channels], the places of grid 3 "
      "x 4");
  expectRefused(
      "Upsample", "scale=2,0.25", {blob({1, 2, 3, 3})}, {},
      ", input planes: has a width of 3, which scale = 0.250000 turns into 0.000000; expected 1 "
      "or "
      "more");
  expectRefused("Upsample", "size=6,8", {small, small}, {},
                ": has 2 inputs; expected 1 to 1: planes");
  expectRefused("Upsample", "size=6,8", {converted(small, CV_16S)}, {},
                ", input planes: has type CV_16SC1; expected CV_32FC1");
  expectRefused("Subgraph", "graph=nonsense", {}, {},
                ": its attribute graph: the file looks like text, not ONNX");
}

/// A block's windows: one special row of window 1, and twelve image rows in turns of 0, 1 and 2.
struct Windows {
  Mat tokens = blob({1, 13, kDim}), rows = filledBlob({1, 1}, {7});
  Mat map = Mat(1, 12, CV_32F), windowOf = Mat(1, 13, CV_32F, cv::Scalar(1));

  Windows() {
    for (int i = 0; i < 12; ++i) {
      map.ptr<float>()[i] = static_cast<float>(i / 6 * 3 + i % 3);
      windowOf.ptr<float>()[1 + i] = static_cast<float>(i % 3);
    }
  }
};

TEST(LayerRefusal, OfBlocks) {
  const test::RaggedBatch batch;
  const Windows right;
  Windows other, beyond;
  other.map.ptr<float>()[1] = 0;
  beyond.windowOf.ptr<float>()[4] = 3;
  const Mats weights = {blob({72, kDim}), blob({kDim, kDim}), blob({50, kDim}), blob({kDim, 50})};
  const auto with = [&](const Mat& last) {
    Mats all = weights;
    all.push_back(last);
    return all;
  };
  Mat ranges = cv::abs(blob({3, kDim})) + 0.1;
  ranges.at<float>(1, 3) = std::numeric_limits<float>::quiet_NaN();
  const std::string block = "qkv_weight,proj_weight,fc1_weight,fc2_weight";
  const std::string windowed = "heads=3 inputs=tokens,rows,map," + block + ",window_of windows=";
  const Mats inputs = {right.tokens, right.rows, right.map};
  const char* const kBlock = "TransformerBlock";
  expectRefused(kBlock, "gelu=relu", {batch.tokens}, {},
                ": gelu = relu; expected erf, tanh or quick");
  expectRefused(kBlock, "heads=5 inputs=tokens,rows," + block, {batch.tokens, batch.rows}, weights,
                ", input proj_weight: has 24 columns; expected a multiple of heads = 5");
  expectRefused(kBlock, "heads=3 precision=int8 inputs=tokens,rows," + block + ",norm2_ranges",
                {batch.tokens, batch.rows}, with(ranges),
                ", input norm2_ranges: has values that are not finite; expected means and "
                "distances");
  expectRefused(
      kBlock, windowed + "3", {other.tokens, other.rows, other.map}, with(other.windowOf),
      ", input map: merges token 1 of window 1 with one of window 0; expected merges within "
      "windows, by their input regions");
  expectRefused(
      kBlock, windowed + "3", inputs, with(beyond.windowOf),
      ", input window_of: value 3 at 4; expected a whole number from 0 to 2, the layer's windows");
  expectRefused(kBlock, windowed + "0", inputs, with(right.windowOf),
                ": has one of windows and window_of; expected both, or neither");
  expectRefused(kBlock, windowed + "-1", inputs, with(right.windowOf),
                ": windows = -1; expected 0 or more");
  expectRefused(
      kBlock, "heads=3 windows=3 special=1 inputs=tokens,rows," + block + ",window_of",
      {right.tokens, right.rows}, with(right.windowOf),
      ": has windows and rows but no map, so it cannot know in which window merged rows are; "
      "expected a map with rows");
}

TEST(LayerRefusal, ItsWordsEndWithWhatWouldFit) {
  try {
    test::makeLayer("mpm.MutualPairMerge", "special=-1");
    FAIL() << "it was taken";
  } catch (const cv::Exception& error) {
    EXPECT_EQ(std::string(error.what()).find("in function"), std::string::npos) << error.what();
  }
}

TEST(LayerRefusal, TokensWithoutFeatures) {
  const auto layer = test::makeLayer("mpm.MutualPairMerge");
  std::vector<dnn::HostShape> outputs, internals;
  try {
    layer->getMemoryShapes({dnn::HostShape{1, 4, 0}}, 1, outputs, internals);
    FAIL() << "no features were accepted";
  } catch (const cv::Exception& error) {
    EXPECT_EQ(error.err,
              "mpm.MutualPairMerge 'sut', input tokens: is [1 x 4 x 0]; expected at "
              "least one image and one feature");
  }
}

TEST(LayerRefusal, NothingIsTooStrangeToMerge) {  // NaN, infinity, zero rows and a single token
  Mat strange = someTokens();
  strange.ptr<float>(0, 3)[1] = std::numeric_limits<float>::quiet_NaN();
  strange.ptr<float>(1, 4)[2] = std::numeric_limits<float>::infinity();
  std::fill_n(strange.ptr<float>(0, 5), 4, 0.0F);
  const Mats outputs = test::callLayer(*test::makeLayer("mpm.MutualPairMerge"), {strange});
  EXPECT_GE(outputs[1].ptr<float>()[0], 5);
  const int row = static_cast<int>(outputs[2].ptr<float>(0)[3]);
  EXPECT_TRUE(std::isnan(outputs[0].ptr<float>(0, row)[1]));
  const auto single = test::makeLayer("mpm.MutualPairMerge", "special=9");
  EXPECT_EQ(test::callLayer(*single, {someTokens()})[1].ptr<float>()[0], 10);
}

// The first input stands before constants of the model, which have no place among inputs.
TEST(LayerRefusal, TokensThatAreAConstantOfTheModel) {
  registerLayers();
  test::OnnxGraph graph;
  graph.inputs = {{"x", {1, 3, 4}}};
  graph.outputs = {{"y", {1, 2, 5}}};
  graph.constants["queries"] = test::normalBlob({1, 2, 4}, 2);
  graph.constants["weight"] = test::normalBlob({5, 4}, 3);
  test::OnnxNode linear{"Linear", "projection", {"queries", "weight"}, {"y"}};
  linear.texts["inputs"] = "tokens,weight";
  graph.nodes = {linear};
  const auto bytes = test::onnxBytes(graph);
  const auto sentenceOf = [](const auto& read) -> std::string {
    try {
      read();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "it was read";
  };
  const std::string inOpenCv = sentenceOf([&] {
    cv::dnn::Net net = cv::dnn::readNetFromONNX(bytes);
    net.setInput(test::normalBlob({1, 3, 4}, 4));
    net.forward();
  });
  // Later versions leave the node out, and the net that they give is empty.
  const bool isRefused = inOpenCv.find(
                             "input tokens: is a constant of the model; expected a blob "
                             "of the net") != std::string::npos;
  EXPECT_TRUE(isRefused || inOpenCv.find("!empty()") != std::string::npos) << inOpenCv;
  const std::string inOurs = sentenceOf([&] { readNet(bytes.data(), bytes.size()); });
  EXPECT_NE(inOurs.find("node 'projection' ('mpm.Linear') gives the output 'y', which is the same"),
            std::string::npos)
      << inOurs;
}

}  // namespace
}  // namespace mpm
