// SPDX-License-Identifier: Apache-2.0
#include "mpm/segmenter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "segment/model_frames.h"

namespace mpm::test {
namespace {

// A model's output for a frame that is resized to its input: in [-1, 1], RGB.
cv::Mat outputFor(cv::dnn::Net& net, const cv::Size& input, const cv::Mat& frame,
                  const std::string& name = "masks") {
  cv::Mat resized;
  frame.convertTo(resized, CV_32F);
  cv::resize(resized, resized, input, 0, 0, cv::INTER_LINEAR);
  net.setInput(cv::dnn::blobFromImage(resized, 1 / 127.5, {}, cv::Scalar::all(127.5), true));
  return net.forward(name).clone();
}

// A frame of the output's size, where labels are the output's own largest scores.
void expectOutputsLabels(const std::string& name, const ReadOptions& options = {}) {
  SCOPED_TRACE(name);
  SegmenterOptions with;
  with.read = options;
  Segmenter segmenter(modelPath(name), with);
  cv::dnn::Net net = readNet(modelPath(name), options);
  const cv::Size input = segmenter.model().input;
  const cv::Mat first = outputFor(net, input, randomFrame({9, 9}));
  const cv::Mat frame = randomFrame({first.size[3], first.size[2]});
  const cv::Mat output = outputFor(net, input, frame);
  const Segmentation found = segmenter.segment(frame);
  ASSERT_EQ(found.labels.size(), frame.size());
  ASSERT_EQ(found.labels.type(), CV_8U);
  ASSERT_EQ(found.confidence.type(), CV_32F);
  for (int y = 0; y < frame.rows; ++y) {
    for (int x = 0; x < frame.cols; ++x) {
      const auto score = [&](int k) { return output.ptr<float>(0, k)[y * frame.cols + x]; };
      float best = score(0);
      double sum = 0;
      for (int k = 0; k < output.size[1]; ++k) best = std::max(best, score(k));
      for (int k = 0; k < output.size[1]; ++k) sum += std::exp(score(k) - best);
      ASSERT_NEAR(score(found.labels.at<std::uint8_t>(y, x)), best, 1e-3) << y << ", " << x;
      ASSERT_NEAR(found.confidence.at<float>(y, x), 1 / sum, 2e-3) << y << ", " << x;
    }
  }
}

TEST(Segmenter, LabelsAreTheOutputsLargestScores) {
  for (const char* name : {"segmenter_mask", "segmenter_mask_small", "segmenter_linear",
                           "timm_vit_linear_head", "setr_naive", "upernet", "refused_cnn"}) {
    expectOutputsLabels(name);
  }
}

TEST(Segmenter, AlsoWithAnEarlyRestoreAndWithFullTokens) {
  ReadOptions options;
  options.restore = Restore::early;
  expectOutputsLabels("segmenter_mask", options);
  options.restore = Restore::late;
  options.schedule = std::vector<int>{};
  expectOutputsLabels("segmenter_mask", options);
}

TEST(Segmenter, AlsoAtAnotherInputSize) {
  ReadOptions options;
  options.inputSize = {80, 64};
  for (const char* name : {"segmenter_mask", "segmenter_linear"})
    expectOutputsLabels(name, options);
  EXPECT_EQ(describe(modelPath("segmenter_mask"), options).gridSize, cv::Size(10, 8));
}

// Of each place the label and its share of what the queries say.
struct Claim {
  int label = 0;
  double share = 0, lead = 0;  // before the second best
};
Claim claimAt(const cv::Mat& classes, const cv::Mat& masks, int place) {
  const int count = classes.size[2] - 1;
  std::vector<double> weights(static_cast<std::size_t>(count), 0);
  for (int q = 0; q < classes.size[1]; ++q) {
    const float* logits = classes.ptr<float>(0, q);
    double sum = 0;
    for (int k = 0; k <= count; ++k) sum += std::exp(logits[k]);
    const double mask = 1 / (1 + std::exp(-masks.ptr<float>(0, q)[place]));
    for (int k = 0; k < count; ++k)
      weights[static_cast<std::size_t>(k)] += std::exp(logits[k]) / sum * mask;
  }
  double all = 0;
  for (const double weight : weights) all += weight;
  const auto best = std::max_element(weights.begin(), weights.end());
  Claim claim{static_cast<int>(best - weights.begin()), *best / all, *best / all};
  *best = 0;
  claim.lead -= *std::max_element(weights.begin(), weights.end()) / all;
  return claim;
}

TEST(Segmenter, QueriesAddUpToLabels) {
  for (const Schedule& schedule : {Schedule{}, Schedule{0, 1}}) {
    ReadOptions read;
    read.schedule = schedule;
    SegmenterOptions options;
    options.read = read;
    Segmenter segmenter(modelPath("hf_eomt"), options);
    cv::dnn::Net net = readNet(modelPath("hf_eomt"), read);
    const cv::Size input = segmenter.model().input;
    const auto output = [&](const cv::Mat& frame, const char* name) {
      return outputFor(net, input, frame, name);
    };
    const cv::Mat first = output(randomFrame({9, 9}), "masks_queries_logits");
    const cv::Mat frame = randomFrame({first.size[3], first.size[2]});
    const cv::Mat masks = output(frame, "masks_queries_logits");
    const cv::Mat classes = output(frame, "class_queries_logits");
    ASSERT_EQ(static_cast<int>(segmenter.classes().size()), classes.size[2] - 1);
    const Segmentation found = segmenter.segment(frame);
    EXPECT_FALSE(found.mergeMap.empty());
    for (int place = 0; place < frame.rows * frame.cols; ++place) {
      const Claim claim = claimAt(classes, masks, place);
      ASSERT_NEAR(found.confidence.ptr<float>()[place], claim.share, 2e-3) << place;
      if (claim.lead > 1e-4) {
        ASSERT_EQ(found.labels.ptr()[place], claim.label) << place;
      }
    }
  }
}

// Behind the labels stand scores, of live tokens even.
TEST(Segmenter, LabelsOfTheModelsOwn) {
  SegmenterOptions options;
  options.read.schedule = std::vector<int>{1};
  Segmenter segmenter(modelPath("labels"), options);
  EXPECT_EQ(segmenter.memoryFault(), "");
  cv::dnn::Net net = readNet(modelPath("labels"), options.read);
  const cv::Mat frame = randomFrame({16, 12});
  cv::Mat labels;  // OpenCV 5 keeps whole numbers
  outputFor(net, segmenter.model().input, frame, "labels").convertTo(labels, CV_32F);
  const Segmentation found = segmenter.segment(frame);
  ASSERT_EQ(labels.total(), found.labels.total());
  for (int i = 0; i < 16 * 12; ++i)
    EXPECT_EQ(labels.ptr<float>()[i], static_cast<float>(found.labels.ptr()[i])) << i;
  EXPECT_GT(cv::mean(found.confidence)[0], 0.2);
  EXPECT_EQ(found.rows.size(), 2U);
}

TEST(Segmenter, ValuesWhereTheyAreAskedFor) {
  const std::string model = modelPath("hf_depth_anything");
  SegmenterOptions options;
  options.values = true;
  Segmenter segmenter(model, options);
  cv::dnn::Net net = readNet(model);
  const cv::Size input = segmenter.model().input;
  const cv::Mat first = outputFor(net, input, randomFrame({9, 9}), "predicted_depth");
  const cv::Mat frame = randomFrame({first.size[2], first.size[1]});
  const cv::Mat depth = outputFor(net, input, frame, "predicted_depth");
  const Segmentation found = segmenter.segment(frame);
  ASSERT_EQ(found.values.size(), frame.size());
  ASSERT_EQ(found.values.type(), CV_32F);
  EXPECT_TRUE(found.labels.empty());
  EXPECT_TRUE(segmenter.classes().empty());
  EXPECT_FALSE(found.mergeMap.empty());
  const cv::Mat expected(frame.size(), CV_32F, const_cast<float*>(depth.ptr<float>()));
  EXPECT_LT(cv::norm(found.values, expected, cv::NORM_INF),
            1e-4 * cv::norm(expected, cv::NORM_INF));
  EXPECT_EQ(segmenter.segment(randomFrame({31, 77})).values.size(), cv::Size(31, 77));

  options.fit = Fit::slide;
  EXPECT_THROW(Segmenter(model, options), std::invalid_argument);
  EXPECT_THROW(Segmenter{model}, std::runtime_error);
}

// 16 tokens of 16 features each, for a square picture: they were taken for a plane of depth.
TEST(Segmenter, AsManyTokensAsFeaturesAreNoDepth) {
  SegmenterOptions options;
  options.read.inputSize = {32, 32};
  options.values = true;
  try {
    const Segmenter segmenter(modelPath("hf_aimv2"), options);
    ADD_FAILURE() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("last_hidden_state is [1 x 16 x 16]"),
              std::string::npos)
        << error.what();
  }
}

TEST(Segmenter, ColoursBesideEachOtherAndPaddedPictures) {
  Segmenter last(modelPath("channels_last")), twin(modelPath("timm_vit_linear_head"));
  const cv::Mat frame = randomFrame({75, 50});
  const Segmentation found = last.segment(frame);
  EXPECT_EQ(found.rows, twin.segment(frame).rows);
  EXPECT_LT(cv::norm(found.confidence, twin.segment(frame).confidence, cv::NORM_INF), 1e-5);
  SceneMemory memory;  // which has no use: the turning is a layer that takes whole pictures
  EXPECT_EQ(last.segment(frame, memory).labels.size(), frame.size());

  Segmenter padded(modelPath("padded"));
  EXPECT_EQ(padded.segment(frame).labels.size(), frame.size());
  EXPECT_NE(padded.memoryFault().find("pads"), std::string::npos) << padded.memoryFault();
}

TEST(Segmenter, ItTellsTheMerge) {
  Segmenter segmenter(modelPath("segmenter_mask"));
  const cv::Mat frame = randomFrame({97, 61});
  const Segmentation merged = segmenter.segment(frame);
  ASSERT_EQ(merged.rows.size(), 3U);
  EXPECT_EQ(merged.rows[0], 49);
  EXPECT_LT(merged.rows[1], merged.rows[0]);
  EXPECT_LT(merged.rows[2], merged.rows[1]);
  EXPECT_EQ(merged.mergeMap.size(), cv::Size(8, 6));
  ASSERT_EQ(merged.mergeMap.type(), CV_32S);
  double largest = 0;
  cv::minMaxLoc(merged.mergeMap, nullptr, &largest);
  EXPECT_EQ(largest, merged.rows[2] - 2);
  EXPECT_GT(merged.times.networkMs, 0);

  EXPECT_EQ(segmenter.schedule(), (Schedule{2, 5}));
  segmenter.setSchedule({});
  const Segmentation full = segmenter.segment(frame);
  EXPECT_EQ(full.rows, std::vector<int>{49});
  EXPECT_EQ(full.mergeMap.at<int>(5, 7), 47);
  segmenter.setSchedule({2, 5});
  const Segmentation again = segmenter.segment(frame);
  EXPECT_EQ(cv::countNonZero(again.labels != merged.labels), 0);
  EXPECT_EQ(cv::norm(again.confidence, merged.confidence, cv::NORM_INF), 0);
}

TEST(Segmenter, AModelThatCannotMergeHasNoMap) {
  Segmenter segmenter(modelPath("refused_cnn"));
  const Segmentation found = segmenter.segment(randomFrame({50, 50}));
  EXPECT_TRUE(found.rows.empty());
  EXPECT_TRUE(found.mergeMap.empty());
  EXPECT_EQ(found.labels.size(), cv::Size(50, 50));
}

TEST(Segmenter, FramesOfEverySizeAndKind) {
  Segmenter segmenter(modelPath("segmenter_mask"));
  for (const cv::Size& size : {cv::Size(1, 1), cv::Size(3, 2), cv::Size(7, 200), cv::Size(401, 5),
                               cv::Size(64, 48), cv::Size(333, 222)}) {
    SCOPED_TRACE(testing::PrintToString(size));
    const cv::Mat around = randomFrame(size + cv::Size(9, 7));
    const cv::Mat inside = around(cv::Rect({4, 3}, size)), alone = inside.clone();
    const Segmentation expected = segmenter.segment(alone);
    ASSERT_EQ(expected.labels.size(), size);
    ASSERT_TRUE(cv::checkRange(expected.confidence, true, nullptr, 0.199, 1.0001));
    const auto expectSame = [&](const cv::Mat& frame) {
      const Segmentation found = segmenter.segment(frame);
      EXPECT_EQ(cv::countNonZero(found.labels != expected.labels), 0);
      EXPECT_EQ(cv::norm(found.confidence, expected.confidence, cv::NORM_INF), 0);
    };
    expectSame(inside);
    cv::Mat bgra;
    cv::cvtColor(alone, bgra, cv::COLOR_BGR2BGRA);
    expectSame(bgra);
  }
  cv::Mat grey, bgr;
  cv::cvtColor(randomFrame({40, 30}), grey, cv::COLOR_BGR2GRAY);
  cv::cvtColor(grey, bgr, cv::COLOR_GRAY2BGR);
  EXPECT_EQ(cv::countNonZero(segmenter.segment(grey).labels != segmenter.segment(bgr).labels), 0);
}

TEST(Segmenter, ResultsAreTheCallersOwn) {
  Segmenter segmenter(modelPath("segmenter_mask"));
  const Segmentation first = segmenter.segment(randomFrame({60, 40}, 1));
  const cv::Mat labels = first.labels.clone(), map = first.mergeMap.clone();
  segmenter.segment(randomFrame({60, 40}, 2));
  EXPECT_EQ(cv::countNonZero(first.labels != labels), 0);
  EXPECT_EQ(cv::countNonZero(first.mergeMap != map), 0);
}

TEST(Segmenter, WithoutConfidence) {
  SegmenterOptions options;
  Segmenter with(modelPath("segmenter_mask"), options);
  options.confidence = false;
  Segmenter without(modelPath("segmenter_mask"), options);
  const cv::Mat frame = randomFrame({80, 50});
  const Segmentation found = without.segment(frame);
  EXPECT_TRUE(found.confidence.empty());
  EXPECT_EQ(cv::countNonZero(found.labels != with.segment(frame).labels), 0);
}

TEST(Segmenter, FramesThatCannotBeRead) {
  Segmenter segmenter(modelPath("segmenter_mask"));
  EXPECT_THROW(segmenter.segment({}), std::invalid_argument);
  EXPECT_THROW(segmenter.segment(cv::Mat(4, 4, CV_32FC3)), std::invalid_argument);
  EXPECT_THROW(segmenter.segment(cv::Mat(4, 4, CV_8UC2)), std::invalid_argument);
}

// ---- What is known of a model ------------------------------------------------------------------

TEST(Segmenter, FactsBesideTheModel) {
  const Folder folder;
  const std::string model = folder.at("m.onnx");
  std::filesystem::copy_file(modelPath("segmenter_mask"), model);
  folder.write("m.toml",
               "mean = [0.1, 0.2, 0.3]\nstd = [0.2, 0.3, 0.4]\nchannel_order = \"BGR\"\n"
               "classes = [\"a\", \"b\", \"c\", \"d\", \"e\"]\n"
               "palette = [\"#000001\", \"#000002\", \"#000003\", \"#000004\", \"#000005\"]\n");
  Segmenter told(model);
  EXPECT_EQ(told.classes(), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(told.palette()[1], cv::Vec3b(2, 0, 0));
  SegmenterOptions options;
  options.mean = cv::Vec3f(0.1F, 0.2F, 0.3F), options.std = cv::Vec3f(0.2F, 0.3F, 0.4F);
  options.rgb = false;
  Segmenter given(modelPath("segmenter_mask"), options);
  const cv::Mat frame = randomFrame({70, 50});
  const cv::Mat confidence = told.segment(frame).confidence;
  EXPECT_EQ(cv::norm(confidence, given.segment(frame).confidence, cv::NORM_INF), 0);
  Segmenter plain(modelPath("segmenter_mask"));
  EXPECT_GT(cv::norm(confidence, plain.segment(frame).confidence, cv::NORM_INF), 0);
  EXPECT_EQ(plain.classes()[4], "class 4");
  EXPECT_EQ(plain.palette().size(), 5U);

  folder.write("m.toml", "classes = [\"a\"]\n");
  EXPECT_THROW(Segmenter{model}, std::runtime_error);
}

TEST(Segmenter, ModelsThatAreNone) {
  for (const char* name : {"timm_vit", "timm_vit_tokens", "nothing"}) {
    try {
      Segmenter segmenter(modelPath(name));
      ADD_FAILURE() << name << " is not refused";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace mpm::test
