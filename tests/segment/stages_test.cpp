// SPDX-License-Identifier: Apache-2.0
// SegmenterOptions::stages: what each merge did, beside a segmentation that stays the same.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "best_similarity.h"
#include "cli/folder.h"
#include "dnn/host.h"
#include "dnn/mutual_pair_merge_layer.h"
#include "mpm/layers.h"
#include "mpm/segmenter.h"
#include "segment/model_frames.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

SegmenterOptions withStages(const ReadOptions& read = {}) {
  SegmenterOptions options;
  options.read = read;
  options.stages = true;
  return options;
}

int at(const cv::Mat& map, int place) { return map.ptr<int>()[place]; }

void expectSameResult(const Segmentation& a, const Segmentation& b) {
  EXPECT_TRUE(isSame(a.labels, b.labels));
  EXPECT_TRUE(isSame(a.confidence, b.confidence));
  EXPECT_TRUE(isSame(a.mergeMap, b.mergeMap));
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.windows, b.windows);
}

void expectSameStages(const Segmentation& a, const Segmentation& b) {
  ASSERT_EQ(a.stages.size(), b.stages.size());
  for (std::size_t k = 0; k < a.stages.size(); ++k) {
    EXPECT_TRUE(isSame(a.stages[k].map, b.stages[k].map));
    EXPECT_TRUE(isSame(a.stages[k].similarity, b.stages[k].similarity));
  }
}

cv::Mat identityOn(const cv::Size& grid) {
  cv::Mat map(grid, CV_32S);
  for (int place = 0; place < grid.area(); ++place) map.ptr<int>()[place] = place;
  return map;
}

// Each row in front of a merge goes on in one row behind it, alone or with one that was as alike.
void expectRefines(const cv::Mat& before, const MergeStage& stage) {
  std::vector<std::set<int>> members(stage.map.total());
  std::vector<float> similarity(stage.map.total());
  for (int place = 0; place < static_cast<int>(before.total()); ++place) {
    const auto row = static_cast<std::size_t>(at(before, place));
    members[static_cast<std::size_t>(at(stage.map, place))].insert(at(before, place));
    similarity[row] = stage.similarity.ptr<float>()[place];
  }
  std::set<int> seen;
  for (const std::set<int>& rows : members) {
    ASSERT_LE(rows.size(), 2U);
    for (const int row : rows) EXPECT_TRUE(seen.insert(row).second) << row << " is in two";
    if (rows.size() == 2) {
      EXPECT_EQ(similarity[static_cast<std::size_t>(*rows.begin())],
                similarity[static_cast<std::size_t>(*rows.rbegin())]);
    }
  }
}

void expectConsistent(const Segmentation& found, const Description& model) {
  ASSERT_EQ(found.stages.size() + 1, found.rows.size());
  cv::Mat before = identityOn(model.gridSize);
  for (std::size_t k = 0; k < found.stages.size(); ++k) {
    SCOPED_TRACE(testing::Message() << "stage " << k);
    const MergeStage& stage = found.stages[k];
    ASSERT_EQ(stage.map.size(), model.gridSize);
    ASSERT_EQ(stage.map.type(), CV_32S);
    ASSERT_EQ(stage.similarity.size(), model.gridSize);
    ASSERT_EQ(stage.similarity.type(), CV_32F);
    const std::set<int> rows(stage.map.begin<int>(), stage.map.end<int>());
    EXPECT_EQ(model.numPrefixTokens + static_cast<int>(rows.size()), found.rows[k + 1]);
    EXPECT_EQ(*rows.begin(), 0);
    EXPECT_EQ(*rows.rbegin(), static_cast<int>(rows.size()) - 1);
    expectRefines(before, stage);
    before = stage.map;
  }
  EXPECT_TRUE(isSame(found.mergeMap, before));
}

// The tokens that stood in front of each merge that is on: the net is asked for them.
std::vector<cv::Mat> tokensInFront(cv::dnn::Net& net) {
  std::vector<cv::Mat> tokens;
  for (const std::string& name : mergeLayers(net)) {
    const auto merge = net.getLayer(name).dynamicCast<dnn::MutualPairMergeLayer>();
    if (!merge || !merge->enabled()) continue;
    std::vector<std::vector<cv::Mat>> blobs;
    dnn::forwardTo(net, {dnn::sourcesOf(net, *merge)[0]->name}, blobs);
    tokens.push_back(blobs[0][0].clone());
  }
  return tokens;
}

// Against float64. `segmenter`: another one of the same model, for the same frame; one that is
// asked for other outputs need not give the same labels again, where OpenCV 4.6 fuses layers anew.
void expectTrueSimilarities(Segmenter& segmenter, const cv::Mat& frame, const Segmentation& found) {
  segmenter.segment(frame);
  const std::vector<cv::Mat> tokens = tokensInFront(segmenter.net());
  ASSERT_EQ(tokens.size(), found.stages.size());
  const int special = segmenter.model().numPrefixTokens;
  cv::Mat before = identityOn(segmenter.model().gridSize);
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    SCOPED_TRACE(testing::Message() << "stage " << k);
    const ConstRows rows(tokens[k].ptr<float>(0, special),
                         static_cast<std::size_t>(found.rows[k] - special),
                         static_cast<std::size_t>(tokens[k].size[2]));
    const std::vector<double> expected = bestSimilarities(rows);
    for (int place = 0; place < static_cast<int>(before.total()); ++place) {
      ASSERT_NEAR(found.stages[k].similarity.ptr<float>()[place],
                  expected[static_cast<std::size_t>(at(before, place))], kSimilarity)
          << "place " << place;
    }
    before = found.stages[k].map;
  }
}

// Frame after frame, with and without.
void expectStages(const std::string& path, const ReadOptions& read = {}) {
  SCOPED_TRACE(path + " " + read.precision);
  SegmenterOptions options = withStages(read);
  Segmenter with(path, options);
  options.stages = false;
  Segmenter without(path, options), asked(path, options);
  for (const std::uint64_t seed : {61U, 62U, 63U}) {
    const cv::Mat frame = randomFrame({97, 61}, seed);
    const Segmentation found = with.segment(frame), plain = without.segment(frame);
    EXPECT_TRUE(plain.stages.empty());
    EXPECT_EQ(found.stages.size(), with.schedule().size());
    expectSameResult(found, plain);
    expectConsistent(found, with.model());
    expectTrueSimilarities(asked, frame, found);
  }
}

TEST(Stages, AreWhatTheMergesDid) {
  for (const char* name :
       {"segmenter_mask", "segmenter_mask_deit", "timm_vit_linear_head", "setr_naive", "upernet"}) {
    expectStages(modelPath(name));
  }
}

TEST(Stages, WithEveryRestoreAndSchedule) {
  ReadOptions read;
  read.restore = Restore::early;
  expectStages(modelPath("segmenter_mask"), read);
  for (const std::vector<int>& schedule : {std::vector<int>{}, {0}, {1, 2, 4}}) {
    read.schedule = schedule;
    expectStages(modelPath("segmenter_mask"), read);
    read.restore = Restore::late;
  }
}

TEST(Stages, InBfloat16) {
  if (!hasPrecision("bf16")) GTEST_SKIP() << "this processor has no bfloat16 products";
  ReadOptions read;
  read.precision = "bf16";
  expectStages(modelPath("segmenter_mask"), read);
  read.restore = Restore::early;
  expectStages(modelPath("segmenter_mask"), read);
}

TEST(Stages, OfAConvertedFile) {
  const Folder folder;
  convert(modelPath("segmenter_mask"), folder.at("merged.onnx"));
  expectStages(folder.at("merged.onnx"));
}

TEST(Stages, FollowTheScheduleOfALivingSegmenter) {
  Segmenter living(modelPath("segmenter_mask"), withStages());
  const cv::Mat frame = randomFrame({64, 48});
  for (const std::vector<int>& schedule : {std::vector<int>{2, 5}, {1}, {}, {0, 1, 3, 4}, {2, 5}}) {
    SCOPED_TRACE(testing::PrintToString(schedule));
    living.setSchedule(schedule);
    const Segmentation found = living.segment(frame);
    EXPECT_EQ(found.stages.size(), schedule.size());
    expectConsistent(found, living.model());
    ReadOptions read;
    read.schedule = schedule;
    Segmenter fresh(modelPath("segmenter_mask"), withStages(read));
    const Segmentation expected = fresh.segment(frame);
    expectSameResult(found, expected);
    expectSameStages(found, expected);
  }
  setMerging(living.net(), false);
  EXPECT_TRUE(living.segment(frame).stages.empty());
  setMerging(living.net(), true);
  const Segmentation all = living.segment(frame);
  EXPECT_EQ(all.stages.size(), static_cast<std::size_t>(living.model().depth));
  expectConsistent(all, living.model());
}

TEST(Stages, OfSlidingAreTheFirstWindows) {
  SegmenterOptions options = withStages();
  Segmenter stretch(modelPath("segmenter_mask"), options);
  options.fit = Fit::slide;
  Segmenter slide(modelPath("segmenter_mask"), options);
  const cv::Mat frame = randomFrame({100, 48});
  const Segmentation found = slide.segment(frame);
  EXPECT_EQ(found.windows, 2);
  ASSERT_EQ(found.stages.size(), 2U);
  expectSameStages(found, stretch.segment(frame(cv::Rect(0, 0, 64, 48))));
  EXPECT_TRUE(isSame(found.mergeMap, found.stages[1].map));
}

TEST(Stages, AreTheCallersOwn) {
  Segmenter segmenter(modelPath("segmenter_mask"), withStages());
  const Segmentation first = segmenter.segment(randomFrame({60, 40}, 1));
  Segmentation kept = first;
  for (MergeStage& stage : kept.stages) {
    stage = {stage.map.clone(), stage.similarity.clone()};
  }
  segmenter.segment(randomFrame({60, 40}, 2));
  expectSameStages(first, kept);
}

// Nothing of what somebody else asks of the net, and nothing where there are no merges.
TEST(Stages, AreOfTheFrameAlone) {
  Segmenter segmenter(modelPath("segmenter_mask"), withStages());
  const cv::Mat frame = randomFrame({64, 48}, 1);
  const Segmentation expected = segmenter.segment(frame);
  const int dims[] = {2, 3, 48, 64};
  cv::Mat batch(4, dims, CV_32F, cv::Scalar(0.5));
  cv::RNG(5).fill(batch, cv::RNG::NORMAL, 0, 1);
  segmenter.net().setInput(batch);
  segmenter.net().forward("masks");
  const Segmentation again = segmenter.segment(frame);
  expectSameResult(again, expected);
  expectSameStages(again, expected);
  Segmenter refused(modelPath("refused_cnn"), withStages());
  EXPECT_TRUE(refused.segment(frame).stages.empty());
}

}  // namespace
}  // namespace mpm::test
