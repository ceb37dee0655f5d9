// SPDX-License-Identifier: Apache-2.0
#include "evaluate/picture.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "evaluate/fake_model.h"
#include "evaluate/label_pictures.h"
#include "evaluate/pairs.h"
#include "evaluate/test_data.h"
#include "evaluate/truth.h"
#include "mpm/tune.h"

namespace mpm::test {
namespace {

using evaluate::FaultKind;
using evaluate::Format;
using evaluate::Measure;
using evaluate::Pair;
using evaluate::PictureRecord;

class Picture : public testing::Test {
 protected:
  Picture() {
    putFolder(folder_, 2, 4);
    measure_ = measureOf(folder_, 4);
    pairs_ = evaluate::listPairs(Format::folder, folder_.at(""), "").pairs;
  }

  PictureRecord record(std::size_t index = 1) const {
    return measurePicture(pairs_[index % 2], index, measure_, FakeModel{4, &ran_});
  }

  void expectFault(FaultKind kind, const std::string& part) const {
    const PictureRecord found = record();
    ASSERT_TRUE(found.fault) << part;
    EXPECT_EQ(found.fault->kind, kind) << found.fault->sentence;
    EXPECT_NE(found.fault->sentence.find(part), std::string::npos) << found.fault->sentence;
    EXPECT_EQ(found.name, "p01");
    EXPECT_TRUE(ran_.empty());
  }

  Folder folder_;
  Measure measure_;
  std::vector<Pair> pairs_;
  mutable std::vector<Schedule> ran_;
};

TEST_F(Picture, IsCountedWithinAndWithoutEdges) {
  const PictureRecord found = record();
  ASSERT_FALSE(found.fault);
  ASSERT_EQ(found.schedules.size(), 3U);
  const cv::Mat photo = cv::imread(pairs_[1].photo);
  cv::Mat truth;
  cv::imread(pairs_[1].label, cv::IMREAD_UNCHANGED).convertTo(truth, CV_16U);
  truth.setTo(65535, truth == 255);
  const cv::Mat near = evaluate::nearEdges(truth, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const evaluate::ScheduleRecord& one = found.schedules[i];
    evaluate::Confusion all(4), edges(4);
    for (const evaluate::Count& count : one.counts) all.add(count);
    for (const evaluate::Count& count : one.edgeCounts) edges.add(count);
    const std::vector<Labelled> plain = {{truth, FakeModel{4}.found(measure_.schedules[i], photo)}};
    EXPECT_NEAR(qualityOf(all).meanIou, plainMeanIou(plain, 4), 1e-12);
    EXPECT_NEAR(qualityOf(edges).meanIou, plainMeanIou(plain, 4, {near}), 1e-12);
    EXPECT_EQ(one.rows.size(), measure_.schedules[i].size() + 1);
    EXPECT_GT(one.ms, one.networkMs);
  }
}

TEST_F(Picture, NoScheduleIsAlwaysTheFirst) {
  for (const std::size_t index : {0U, 1U, 2U, 3U}) {
    ran_.clear();
    record(index);
    ASSERT_EQ(ran_.size(), 3U);
    EXPECT_EQ(ran_[0], measure_.schedules[index % 3]);
  }
}

// Labels of a model whose every other column is 0 change wherever the picture is moved by one.
TEST_F(Picture, SomeAreComparedWithFullTokensAndTellTheNoiseFloor) {
  const cv::Mat photo = cv::imread(pairs_[1].photo);
  const FakeModel model{4, &ran_};
  const auto run = [&](const Schedule& schedule, const cv::Mat& seen) {
    Segmentation found = model(schedule, seen);
    for (int x = 0; x < seen.cols; x += 2) found.labels.col(x).setTo(cv::Scalar(0));
    return found;
  };
  struct {
    const char* what;
    std::vector<Schedule> schedules;
    std::size_t every, index, runs;
  } const cases[] = {{"its turn", {{2, 5}, {}}, 3, 3, 3},
                     {"not its turn", {{}, {2}}, 3, 4, 2},
                     {"none is asked for", {{}, {2}}, 0, 0, 2},
                     {"nothing merges", {{}}, 1, 0, 1},
                     {"nothing unmerged", {{2}, {5}}, 1, 0, 2}};
  for (const auto& one : cases) {
    SCOPED_TRACE(one.what);
    ran_.clear();
    measure_.schedules = one.schedules;
    measure_.compareEvery = one.every, measure_.input = photo.size();
    const PictureRecord found = measurePicture(pairs_[1], one.index, measure_, run);
    EXPECT_EQ(ran_.size(), one.runs);
    const bool isCompared = one.runs > one.schedules.size();
    EXPECT_EQ(found.floor.has_value(), isCompared);
    for (const evaluate::ScheduleRecord& schedule : found.schedules)
      EXPECT_EQ(schedule.agreement.has_value(), isCompared);
    if (!isCompared) continue;
    const cv::Mat full = run({}, photo).labels;
    EXPECT_EQ(found.schedules[0].agreement, agreementOf(full, run({2, 5}, photo).labels));
    EXPECT_LT(found.schedules[0].agreement, 1);
    EXPECT_EQ(found.schedules[1].agreement, 1);
    EXPECT_LT(found.floor, 1);
  }
}

TEST(CompareEvery, IsTenOrLessSoThatThereAreEight) {
  for (const auto& [pictures, every] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 1}, {1, 1}, {8, 1}, {15, 1}, {16, 2}, {79, 9}, {80, 10}, {5000, 10}})
    EXPECT_EQ(evaluate::compareEvery(pictures), every) << pictures;
}

// Its first forward prepares weights, which is no schedule's time.
TEST_F(Picture, TheModelIsWarmBeforeTheFirstOneIsTimed) {
  measurePictures(
      pairs_, measure_, FakeModel{4, &ran_}, {}, [](const PictureRecord&) {}, [](double) {});
  ASSERT_EQ(ran_.size(), 1 + pairs_.size() * measure_.schedules.size());
  EXPECT_EQ(ran_[0], ran_[1]);
}

TEST_F(Picture, WhatIsDoneToThePhotoFirst) {
  std::size_t index = 0;
  measure_.before = [&](const cv::Mat& photo, std::size_t given) {
    index = given;
    return cv::Mat(photo.size(), photo.type(), cv::Scalar::all(0));
  };
  const PictureRecord found = record(5);
  EXPECT_EQ(index, 5U);
  for (const evaluate::Count& count : found.schedules[0].counts) EXPECT_EQ(count.found, 0U);
}

TEST_F(Picture, WhatCannotBeMeasuredIsSaid) {
  const std::string photo = pairs_[1].photo, label = pairs_[1].label;
  const std::string photoBytes = bytesOf(photo), labelBytes = bytesOf(label);
  cv::Mat numbers = cv::imread(label, cv::IMREAD_UNCHANGED);
  numbers.at<uchar>(7, 7) = 4;
  const std::tuple<FaultKind, std::string, std::function<void()>> cases[] = {
      {FaultKind::missingLabel, photo + ": its label " + label,
       [&] { std::filesystem::remove(label); }},
      {FaultKind::missingPhoto, photo, [&] { std::filesystem::remove(photo); }},
      {FaultKind::unreadablePhoto, photo, [&] { std::ofstream(photo) << "no picture"; }},
      {FaultKind::unreadableLabel, label, [&] { std::ofstream(label) << "no picture"; }},
      {FaultKind::unreadableLabel, "one channel of class numbers",
       [&] { putPicture(label, cv::Mat(20, 31, CV_8UC3, cv::Scalar(1, 2, 3))); }},
      {FaultKind::otherSize, label + ": it is 30 x 20, and its photo 31 x 20",
       [&] { putPicture(label, cv::Mat(20, 30, CV_8U, cv::Scalar(1))); }},
      {FaultKind::outsideClass, "it has the number 4, which is not one of its 4 classes",
       [&] { putPicture(label, numbers); }}};
  for (const auto& [kind, part, damage] : cases) {
    std::ofstream(photo, std::ios::binary) << photoBytes;
    std::ofstream(label, std::ios::binary) << labelBytes;
    damage();
    expectFault(kind, part);
  }
}

// OpenCV would fill up with grey what is missing.
TEST_F(Picture, WithAPhotoThatWasCutOff) {
  const std::string photo = folder_.at("images/cut.jpg");
  cv::Mat noise(40, 60, CV_8UC3);
  cv::RNG(1).fill(noise, cv::RNG::UNIFORM, 0, 256);
  putPicture(photo, noise);
  const std::string bytes = bytesOf(photo);
  EXPECT_EQ(evaluate::readPhotoFile(photo).size(), cv::Size(60, 40));
  EXPECT_FALSE(evaluate::isCutJpeg(bytes + "behind its end"));
  EXPECT_FALSE(evaluate::isCutJpeg("no JPEG"));
  for (std::size_t size = 2; size < bytes.size(); size += 1 + size / 8)
    EXPECT_TRUE(evaluate::isCutJpeg(bytes.substr(0, size))) << size;
  EXPECT_TRUE(evaluate::isCutJpeg(bytes.substr(0, bytes.size() - 1)));
  std::filesystem::resize_file(photo, bytes.size() / 2);
  EXPECT_TRUE(evaluate::readPhotoFile(photo).empty());
  pairs_[1].photo = photo;
  expectFault(FaultKind::unreadablePhoto, photo);
}

}  // namespace
}  // namespace mpm::test
