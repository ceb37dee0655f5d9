// SPDX-License-Identifier: Apache-2.0
// A converted file is the same net, for programs that know OpenCV and the layers alone.
#include <gtest/gtest.h>

#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "model_edit.h"
#include "mpm/layers.h"
#include "mpm/net.h"
#include "net_run.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

class Converted : public FixtureTest {
 protected:
  std::string convertWith(const Schedule& schedule) {
    ReadOptions options = optionsOf(GetParam());
    options.schedule = schedule;
    options.check = true;  // of the file: what other programs read
    const std::string file = folder_.at(schedule.text() + ".onnx");
    convert(GetParam().path(), file, options);
    return file;
  }

  Folder folder_;
};

TEST_P(Converted, IsTheSameNetForOpenCVAndForReadNet) {
  registerLayers();
  for (const Schedule& blocks : schedulesOf(GetParam())) {
    SCOPED_TRACE("merge before " + blocks.text());
    const std::string file = convertWith(blocks);
    for (cv::dnn::Net read : {cv::dnn::readNetFromONNX(file), readNet(file)}) {
      expectSame(run(read, GetParam().images()), outputsOf(GetParam(), blocks));
      EXPECT_EQ(schedule(read), blocks);
    }
  }
  cv::dnn::Net read = readNet(convertWith({}));
  const Outputs &full = outputsOf(GetParam(), {}), is = run(read, GetParam().images());
  for (const std::string& name : GetParam().outputs)
    EXPECT_TRUE(isSame(is.at(name), full.at(name))) << name;
}

TEST_P(Converted, DescribesWhatItIs) {
  const Schedule blocks = schedulesOf(GetParam()).back();
  const Description description = describe(convertWith(blocks)), full = describe(convertWith({}));
  EXPECT_EQ(description.schedule, blocks);
  expectDescribed(description, GetParam());
  EXPECT_EQ(description.input, GetParam().imageSize());
  EXPECT_EQ(full.schedule, Schedule{});
  EXPECT_EQ(full.numPrefixTokens, GetParam().special);
  EXPECT_EQ(full.gridSize, GetParam().grid);
}

TEST_P(Converted, HasOnlyTheMergesOfItsSchedule) {
  cv::dnn::Net net = readNet(convertWith({1}));
  EXPECT_EQ(mergeLayers(net).size(), 1U);
  setSchedule(net, {});
  EXPECT_EQ(schedule(net), Schedule());
  try {
    setSchedule(net, {0});
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "merge before 0: the net can only merge before 1");
  }
}

TEST_P(Converted, CannotBeConvertedAgain) {
  const std::string file = convertWith({0});
  try {
    convert(file, folder_.at("again.onnx"));
    ADD_FAILURE() << "accepted";
  } catch (const std::exception& error) {
    EXPECT_EQ(error.what(),
              file +
                  ": it is already converted, and merges before 0; convert the model that it was "
                  "made from");
  }
  EXPECT_EQ(folder_.content(), (std::set<std::string>{"0.onnx"}));
}

TEST_P(Converted, MeasuredRangesChangeInt8Alone) {
  const Fixture& fixture = GetParam();
  if (describe(fixture.path()).inputs.size() != 1) GTEST_SKIP() << "a model of several inputs";
  ReadOptions options = optionsOf(fixture);
  const std::string plain = convertWith({0}), ranged = folder_.at("ranged.onnx");
  options.schedule = Schedule{0};
  try {
    options.check = true;  // runs what is written at two sizes of a batch
    convert(fixture.path(), ranged, options, {fixture.images()});
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(": none of its blocks uses ranges"), std::string::npos)
        << error.what();
    EXPECT_FALSE(std::filesystem::exists(ranged));
    return;
  }
  options = {};
  options.precision = "fp32";
  cv::dnn::Net exact = readNet(ranged, options);
  expectSame(run(exact, fixture.images()), outputsOf(fixture, {0}));
  options.precision = "int8";
  cv::dnn::Net int8 = readNet(ranged, options), before = readNet(plain, options);
  for (cv::dnn::Net* net : {&int8, &before}) setSchedule(*net, {});  // else other tokens may merge
  const Outputs is = run(int8, fixture.images()), was = run(before, fixture.images());
  const Outputs& expected = outputsOf(fixture, {});
  bool isOther = false;
  for (const std::string& name : fixture.outputs) {
    EXPECT_LE(relativeError(is.at(name), expected.at(name)), kInt8ModelOutput) << name;
    isOther = isOther || !isSame(is.at(name), was.at(name));
  }
  EXPECT_TRUE(isOther);
}

MPM_FOR_FIXTURES(Converted, shareOf(mergeableFixtures(), 0));

// What a .toml says would be looked for beside the new file.
TEST(ConvertedFile, KeepsTheMetadataAndHoldsWhatATomlBesideTheModelSays) {
  const Folder folder;
  folder.write("from.toml", "mean = [0.485, 0.456, 0.406]\nchannel_order = \"BGR\"\n");
  ::onnx::ModelProto model = protoOf(fixtureNamed("segmenter_mask_small").path());
  setMetadata(model, "mpm.mean", "0.5,0.5,0.5");
  setMetadata(model, "mpm.classes", "road, building, sky");
  setMetadata(model, "author", "J\xc3\xbcrgen");
  convert(folder.write("from.onnx", model.SerializeAsString()), folder.at("to.onnx"));
  const auto metadata = describe(folder.at("to.onnx")).metadata;
  EXPECT_EQ(metadata.at("mpm.classes"), "road, building, sky");
  EXPECT_EQ(metadata.at("author"), "J\xc3\xbcrgen");
  EXPECT_EQ(metadata.at("mpm.mean"), "0.485,0.456,0.406");
  EXPECT_EQ(metadata.at("mpm.channel_order"), "BGR");
}

TEST(ConvertedFile, IsNoneOfThoseThatTheModelIsReadFrom) {
  const Folder folder;
  const std::string fixture = fixtureNamed("timm_vit_external").path();
  const std::string from = folder.write("a.onnx", bytesOf(fixture));
  const std::string weights =
      folder.write("timm_vit_external.onnx.data", bytesOf(fixture + ".data"));
  const std::string before = bytesOf(weights);
  for (const std::string& file : {from, weights})
    EXPECT_THROW(convert(from, file), std::invalid_argument) << file;
  EXPECT_EQ(bytesOf(weights), before);
  EXPECT_EQ(bytesOf(from), bytesOf(fixture));
}

TEST(ConvertedFile, IsNotWrittenOnCalibrationInputsThatDoNotFit) {
  const Folder folder;
  const Fixture fixture = fixtureNamed("segmenter_mask_small");
  const auto sentence = [&](const cv::Mat& second) {
    try {
      convert(fixture.path(), folder.at("to.onnx"), {}, {fixture.images(), second});
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_EQ(sentence({}), "calibration input 2 is empty");
  for (const double value : {std::nan(""), HUGE_VAL}) {
    cv::Mat images = fixture.images().clone();
    images.ptr<float>()[7] = static_cast<float>(value);
    EXPECT_EQ(sentence(images), "calibration input 2 has values that are not finite");
  }
  const cv::Mat small(std::vector<int>{1, 3, 16, 16}, CV_32F, cv::Scalar(0.5));
  EXPECT_EQ(sentence(small).rfind("calibration input 2, [1 x 3 x 16 x 16], does not run: ", 0), 0U)
      << sentence(small);
  EXPECT_FALSE(std::filesystem::exists(folder.at("to.onnx")));
}

// As exporters leave masks in a file; and types, to whoever reads it.
TEST(ConvertedFile, RunsWithAnInputThatNothingReadsAndAnOutputWithoutAType) {
  const Folder folder;
  const Fixture fixture = fixtureNamed("segmenter_mask_small");
  ::onnx::ModelProto model = protoOf(fixture.path());
  auto& unread = *model.mutable_graph()->add_input();
  unread.set_name("unread");
  unread.mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT);
  for (const int size : {1, 7})
    unread.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(size);
  for (auto& output : *model.mutable_graph()->mutable_output()) output.clear_type();
  ReadOptions options;
  options.schedule = {1};
  options.check = true;
  convert(folder.write("from.onnx", model.SerializeAsString()), folder.at("to.onnx"), options);
  registerLayers();
  cv::dnn::Net read = cv::dnn::readNetFromONNX(folder.at("to.onnx"));
  read.setInput(cv::Mat(1, 7, CV_32F, cv::Scalar(0)), "unread");
  const Outputs made = run(read, fixture.images(), model.graph().input(0).name());
  EXPECT_TRUE(isSame(made.at("masks"), outputsOf(fixture, {1}).at("masks")));
}

TEST(ConvertedFile, IsProvedBeforeItIsWritten) {
  const Folder folder;
  ::onnx::ModelProto model = protoOf(fixtureNamed("segmenter_mask_small").path());
  auto& last = *model.mutable_graph()->add_node();
  last.set_op_type("Log");
  last.add_input("masks");
  last.add_output("logarithms");
  model.mutable_graph()->mutable_output(0)->set_name("logarithms");
  const std::string from = folder.write("from.onnx", model.SerializeAsString());
  ReadOptions options;
  options.check = true;
  try {
    convert(from, folder.at("to.onnx"), options);
    ADD_FAILURE() << "written";
  } catch (const std::exception& error) {
    EXPECT_EQ(error.what(), from +
                                ": on a batch of one picture its output 'logarithms' has values "
                                "that are not finite");
  }
  EXPECT_EQ(folder.content(), (std::set<std::string>{"from.onnx"}));
  options.check = false;
  convert(from, folder.at("to.onnx"), options);
}

// Its layers hold positions for one grid.
TEST(ConvertedFile, RefusesAnotherInputSize) {
  const Folder folder;
  convert(fixtureNamed("segmenter_mask_small").path(), folder.at("to.onnx"));
  ReadOptions options;
  options.inputSize = {80, 64};
  EXPECT_THROW(readNet(folder.at("to.onnx"), options), std::invalid_argument);
}

class NotConverted : public FixtureTest {};

TEST_P(NotConverted, IsRefusedWithTheReasonAndLeavesNoFile) {
  const Folder folder;
  try {
    convert(GetParam().path(), folder.at("to.onnx"));
    ADD_FAILURE() << "converted";
  } catch (const std::exception& error) {
    expectSentence(error.what());
    EXPECT_EQ(error.what(),
              GetParam().path() + ": it cannot merge: " + describe(GetParam().path()).reason);
  }
  EXPECT_EQ(folder.content(), std::set<std::string>{});
}

MPM_FOR_FIXTURES(NotConverted, refusedFixtures());

}  // namespace
}  // namespace mpm::test
