// SPDX-License-Identifier: Apache-2.0
// Whatever does not fit is a cv::Exception that names the layer, the input and what would fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <string>

#include "dnn/onnx_graph.h"
#include "dnn/ragged_batch.h"
#include "mpm/net.h"

namespace mpm {
namespace {

using cv::Mat;
using cv::dnn::LayerParams;
using test::params;
using test::refusal;
using Mats = std::vector<Mat>;

constexpr const char* kMerge = "mpm.MutualPairMerge";
constexpr const char* kRestore = "mpm.MergeRestore";

Mat someTokens() { return test::normalBlob({2, 10, 4}, 1); }
Mat someRows(float first, float second = 10) { return test::filledBlob({2, 1}, {first, second}); }
Mat someMap(float last = 8) {
  return test::filledBlob({2, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6, 7, last});
}

TEST(LayerRefusal, NoImageTokens) {
  EXPECT_EQ(refusal(kMerge, params({{"special", 10}}), {someTokens()}),
            "mpm.MutualPairMerge 'sut', input tokens: has 10 rows, of which special = 10; "
            "expected at least one image token");
  EXPECT_EQ(refusal(kMerge, params({{"special", 11}}), {someTokens()}),
            "mpm.MutualPairMerge 'sut', input tokens: has 10 rows, of which special = 11; "
            "expected at least one image token");
  EXPECT_EQ(refusal(kMerge, params({{"special", -1}}), {someTokens()}),
            "mpm.MutualPairMerge 'sut': special = -1; expected 0 or more");
}

// A name that no layer looks for would drop what it names without a word.
TEST(LayerRefusal, InputsThatItDoesNotHave) {
  LayerParams settings;
  settings.set("inputs", "tokens,weight,biass");
  const Mats constants = {test::normalBlob({3, 4}, 2), test::normalBlob({1, 3}, 3)};
  EXPECT_EQ(refusal("mpm.Linear", settings, {someTokens()}, constants),
            "mpm.Linear 'sut': has no input 'biass'; expected some of tokens,rows,weight,bias");
  settings.set("inputs", "tokens,weight,mix_scores");
  EXPECT_EQ(refusal("mpm.Linear", settings, {someTokens()}, constants),
            "mpm.Linear 'sut': has an input 'mix_scores', which is not computed any more; please "
            "convert the model again");
  settings.set("inputs", "tokens,weight,weight");
  EXPECT_EQ(refusal("mpm.Linear", settings, {someTokens()}, constants),
            "mpm.Linear 'sut': has two inputs weight; expected each name once");
  settings.set("inputs", "tokens,weight,bias");
  EXPECT_EQ(refusal("mpm.Linear", settings, {someTokens()}, constants), "nothing was thrown");
}

TEST(LayerRefusal, ItsWordsEndWithWhatWouldFit) {
  try {
    test::makeLayer(kMerge, params({{"special", -1}}));
    FAIL() << "it was taken";
  } catch (const cv::Exception& error) {
    EXPECT_EQ(std::string(error.what()).find("in function"), std::string::npos) << error.what();
  }
}

TEST(LayerRefusal, OneImageTokenIsFine) {
  const auto layer = test::makeLayer(kMerge, params({{"special", 9}}));
  const Mats outputs = test::callLayer(*layer, {someTokens()});
  EXPECT_EQ(outputs[1].ptr<float>()[0], 10);
}

TEST(LayerRefusal, ShapesOfTokens) {
  EXPECT_EQ(refusal(kMerge, {}, {test::normalBlob({10, 4}, 1)}),
            "mpm.MutualPairMerge 'sut', input tokens: is [10 x 4]; expected 3 dimensions, "
            "[batch x tokens x features]");
  const auto layer = test::makeLayer(kMerge, {});
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

TEST(LayerRefusal, BatchesThatDiffer) {
  EXPECT_EQ(refusal(kMerge, {}, {someTokens(), test::filledBlob({3, 1}, {9, 9, 9}), someMap()}),
            "mpm.MutualPairMerge 'sut', input rows: is [3 x 1]; expected [2 x 1], the batch of "
            "tokens");
  const Mat shortMap = test::filledBlob({1, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(refusal(kMerge, {}, {someTokens(), someRows(10), shortMap}),
            "mpm.MutualPairMerge 'sut', input map: is [1 x 9]; expected [2 x image tokens], the "
            "batch of tokens");
  EXPECT_EQ(refusal(kRestore, {}, {someTokens(), shortMap}),
            "mpm.MergeRestore 'sut', input map: is [1 x 9]; expected [2 x image tokens], the "
            "batch of tokens");
}

TEST(LayerRefusal, AMapOfAnotherLength) {
  EXPECT_EQ(refusal(kMerge, params({{"special", 0}}), {someTokens(), someRows(10), someMap()}),
            "mpm.MutualPairMerge 'sut', input map: has 9 image tokens; expected 10, the 10 rows "
            "of tokens less 0 special ones");
  if (CV_VERSION_MAJOR >= 5) return;  // there tokens may be fewer
  EXPECT_EQ(refusal(kMerge, params({{"special", 2}}), {someTokens(), someRows(10), someMap()}),
            "mpm.MutualPairMerge 'sut', input map: has 9 image tokens; expected 8, the 10 rows "
            "of tokens less 2 special ones");
}

TEST(LayerRefusal, AMapThatPointsOutside) {
  for (const float bad : {9.0F, -1.0F, 2.5F, 1e30F, std::numeric_limits<float>::quiet_NaN()}) {
    const std::string text = refusal(kMerge, {}, {someTokens(), someRows(10), someMap(bad)});
    EXPECT_NE(text.find("mpm.MutualPairMerge 'sut', input map: value "), std::string::npos) << text;
    EXPECT_NE(text.find(" at 8; expected a whole number from 0 to 8, the live image rows"),
              std::string::npos)
        << text;
    EXPECT_NE(refusal(kRestore, {}, {someTokens(), someMap(bad)})
                  .find(" at 8; expected a whole number from 0 to 8, the image rows"),
              std::string::npos);
  }
  // Inside the capacity, but not alive:
  EXPECT_EQ(refusal(kMerge, {}, {someTokens(), someRows(10, 9), someMap(8)}),
            "mpm.MutualPairMerge 'sut', input map: value 8 at 8; expected a whole number from 0 "
            "to 7, the live image rows");
}

TEST(LayerRefusal, RowsOutsideTheCapacity) {
  for (const float bad : {0.0F, 11.0F, -3.0F, 5.5F, std::numeric_limits<float>::infinity()}) {
    const std::string text = refusal(kMerge, {}, {someTokens(), someRows(bad), someMap()});
    EXPECT_NE(text.find("input rows: value "), std::string::npos) << text;
    EXPECT_NE(text.find("expected a whole number from 1 to 10"), std::string::npos) << text;
  }
  EXPECT_EQ(refusal(kMerge, params({{"special", 1}}), {someTokens(), someRows(7)}),
            "mpm.MutualPairMerge 'sut', input rows: says that 6 of 9 image rows are live; expected "
            "all of them, or a map");
}

TEST(LayerRefusal, AWindowWithoutItsGrid) {
  EXPECT_EQ(refusal(kMerge, params({{"window", 2}}), {someTokens()}),
            "mpm.MutualPairMerge 'sut': window = 2 needs grid = [height, width] of the image "
            "tokens");
  EXPECT_EQ(refusal(kMerge, params({{"window", -2}}), {someTokens()}),
            "mpm.MutualPairMerge 'sut': window = -2; expected 0 or more");
  LayerParams settings = params({{"window", 2}});
  const int grid[] = {3, 4};
  settings.set("grid", cv::dnn::DictValue::arrayInt(grid, 2));
  EXPECT_EQ(refusal(kMerge, settings, {someTokens()}),
            "mpm.MutualPairMerge 'sut', input tokens: has 10 image tokens; expected 12, those of "
            "grid 3 x 4");
}

TEST(LayerRefusal, ABlockThatCannotBe) {
  EXPECT_EQ(refusal(kMerge, params({{"before_block", -2}}), {someTokens()}),
            "mpm.MutualPairMerge 'sut': before_block = -2; expected the index of a block, or -1 "
            "for none");
}

TEST(LayerRefusal, TypesAndLayouts) {
  Mat halves;
  someTokens().convertTo(halves, CV_16S);
  EXPECT_EQ(refusal(kMerge, {}, {halves}),
            "mpm.MutualPairMerge 'sut', input tokens: has type CV_16SC1; expected CV_32FC1");
  Mat doubles;
  someMap().convertTo(doubles, CV_64F);
  EXPECT_EQ(refusal(kRestore, {}, {someTokens(), doubles}),
            "mpm.MergeRestore 'sut', input map: has type CV_64FC1; expected CV_32FC1");
  const cv::Range part[] = {cv::Range(0, 2), cv::Range(0, 10), cv::Range(0, 3)};
  EXPECT_EQ(refusal(kMerge, {}, {someTokens()(part)}),
            "mpm.MutualPairMerge 'sut', input tokens: is not continuous; expected a continuous "
            "Mat (clone() makes one)");
}

TEST(LayerRefusal, TooManyOrTooFewInputs) {
  EXPECT_EQ(refusal(kRestore, {}, {someTokens()}),
            "mpm.MergeRestore 'sut': has 1 inputs; expected 2 to 2: tokens, map");
  EXPECT_EQ(refusal(kMerge, {}, {someTokens(), someRows(10), someMap(), someMap(), someMap()}),
            "mpm.MutualPairMerge 'sut': has 5 inputs; expected 1 to 4: tokens, rows, map, regions");
}

TEST(LayerRefusal, RegionsOfAnotherShape) {
  LayerParams settings = params({{"special", 1}});
  settings.set("inputs", cv::String("tokens,regions"));
  EXPECT_EQ(
      refusal(kMerge, settings, {someTokens(), test::filledBlob({1, 8}, std::vector<float>(8))}),
      "mpm.MutualPairMerge 'sut', input regions: is [1 x 8]; expected [2 or 1 x 9]");
  EXPECT_NE(refusal(kMerge, settings,
                    {someTokens(), test::filledBlob({1, 9}, std::vector<float>(9, 0.5F))})
                .find("input regions: value 0.5 at 0; expected a whole number"),
            std::string::npos);
}

TEST(LayerRefusal, NothingIsTooStrangeToMerge) {  // NaN, infinity and zero rows are defined
  Mat strange = someTokens();
  strange.ptr<float>(0, 3)[1] = std::numeric_limits<float>::quiet_NaN();
  strange.ptr<float>(1, 4)[2] = std::numeric_limits<float>::infinity();
  std::fill_n(strange.ptr<float>(0, 5), 4, 0.0F);
  const auto layer = test::makeLayer(kMerge, {});
  const Mats outputs = test::callLayer(*layer, {strange});
  EXPECT_GE(outputs[1].ptr<float>()[0], 5);
  const int row = static_cast<int>(outputs[2].ptr<float>(0)[3]);
  EXPECT_TRUE(std::isnan(outputs[0].ptr<float>(0, row)[1]));
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
