// SPDX-License-Identifier: Apache-2.0
// Pictures that a record keeps without being asked: how many, when, and what of them.
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "monitor/record/sample_record.h"
#include "monitor/service/recorder.h"

namespace mpm::monitor {
namespace {

constexpr std::int64_t kMinute = 60000;

class DayPicturesTest : public testing::Test {
 protected:
  void begin(const DayPictures& pictures, std::optional<std::int64_t> pictured = {}) {
    recorder_ = std::make_unique<Recorder>(record_, pictures);
    recorder_->begin(0, sampleRun(), {{1, 2, 3}, {4, 5, 6}}, pictured);
  }
  std::shared_ptr<FrameResult> frame(std::int64_t utcMs) const {
    auto result = std::make_shared<FrameResult>();
    result->frame.taken = {utcMs - kNoon, utcMs, 0, true};
    result->frame.picture = cv::Mat(40, 60, CV_8UC3, cv::Scalar(50, 100, 200));
    result->segmentation.labels = cv::Mat(40, 60, CV_8U, cv::Scalar(1));
    result->segmentation.mergeMap = (cv::Mat_<int>(2, 3) << 0, 0, 1, 2, 300, 300);
    result->light.state = LightState::dusk;
    return result;
  }
  void show(const FrameResultPtr& result) { recorder_->onResult(0, result); }
  // A frame a minute of `hours` hours.
  void watch(std::int64_t fromUtcMs, int hours) {
    for (int minute = 0; minute < hours * 60; ++minute) show(frame(fromUtcMs + minute * kMinute));
  }
  std::vector<RecordedSnapshot> found() {
    EXPECT_TRUE(record_.flush(kDiskMs));
    return snapshotsIn(folder_ / "a.sqlite");
  }
  // The times of those that were found, in seconds since noon.
  std::vector<std::int64_t> times() {
    std::vector<std::int64_t> times;
    for (const RecordedSnapshot& each : found()) times.push_back((each.taken.utcMs - kNoon) / 1000);
    return times;
  }
  static void expectFrame(const std::string& path) {
    const cv::Mat picture = cv::imread(path);
    ASSERT_EQ(picture.size(), cv::Size(60, 40)) << "its own size";
    EXPECT_LE(cv::norm(picture, cv::Mat(40, 60, CV_8UC3, cv::Scalar(50, 100, 200)), cv::NORM_INF),
              4);
  }

  const Folder folder_;
  Record record_{folder_ / "a.sqlite"};
  std::unique_ptr<Recorder> recorder_;
};

TEST_F(DayPicturesTest, SoManyAnHourWithNoonAmongThem) {
  begin({4});
  watch(kNoon - 120 * kMinute, 6);
  const auto pictures = found();
  ASSERT_EQ(pictures.size(), 24u);
  for (const RecordedSnapshot& each : pictures) EXPECT_EQ(each.reason, kDayPicture);
  const auto all = times();
  EXPECT_EQ(std::count(all.begin(), all.end(), 0), 1);
}

TEST_F(DayPicturesTest, AreTheFrameItsLabelsAndItsMergeMap) {
  begin({1});
  show(frame(kNoon));
  const auto pictures = found();
  ASSERT_EQ(pictures.size(), 1u);
  EXPECT_EQ(pictures[0].overlay + pictures[0].clip, "");
  expectFrame(pictures[0].picture);
  EXPECT_EQ(cv::imread(pictures[0].labels, cv::IMREAD_UNCHANGED).at<uchar>(5, 5), 1);
  const cv::Mat map = cv::imread(pictures[0].mergeMap, cv::IMREAD_UNCHANGED);
  ASSERT_EQ(map.type(), CV_16U);
  EXPECT_EQ(map.at<std::uint16_t>(1, 1), 300);
  EXPECT_EQ(nlohmann::json::parse(pictures[0].facts)["light"], "dusk");
}

TEST_F(DayPicturesTest, WithAMemoryTheFrameThatToldHowItsTokensMergedIsKept) {
  begin({1});
  const auto telling = frame(kNoon - 1000);
  for (const int hour : {0, 1}) {  // of a moment ago, and of an hour ago
    auto silent = frame(kNoon + hour * 60 * kMinute);
    silent->segmentation.mergeMap.release();
    silent->merged = telling;
    show(silent);
  }
  EXPECT_EQ(times(), (std::vector<std::int64_t>{-1, 3600}));
  EXPECT_NE(found()[0].mergeMap, "");
  EXPECT_EQ(found()[1].mergeMap, "");
}

TEST_F(DayPicturesTest, ALightThatHasNotSettledIsWaitedForForAMinuteAndNightsAreNotSimulated) {
  begin({4});
  const auto unsettled = [&](std::int64_t second) {
    auto result = frame(kNoon + 1000 * second);
    result->light.state = LightState::transition;
    return result;
  };
  for (const int second : {0, 5}) show(unsettled(second));
  show(frame(kNoon + 9000));
  for (const int minute : {15, 16}) show(unsettled(60 * minute));
  auto night = frame(kNoon + 30 * kMinute);
  night->filtered = true;
  show(night);
  EXPECT_EQ(times(), (std::vector<std::int64_t>{9, 16 * 60}));
  show(frame(kNoon + 31 * kMinute));
  EXPECT_EQ(times().back(), 31 * 60);
}

TEST_F(DayPicturesTest, AProgramThatIsStartedAgainAndAgainKeepsNoMore) {
  begin({4}, kNoon + kMinute);
  watch(kNoon + 2 * kMinute, 1);
  EXPECT_EQ(times(), (std::vector<std::int64_t>{15 * 60, 30 * 60, 45 * 60, 60 * 60}));
}

TEST_F(DayPicturesTest, WhatARuleOrAHandWantsHasItsFrameAsWell) {
  begin({1});
  recorder_->snapshot(0, *frame(kNoon), "by hand");
  const auto kept = found();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(cv::imread(kept[0].overlay).size(), cv::Size(60, 40));
  const auto listed = dayPictures(RecordReader(folder_ / "a.sqlite"), "gate", 0, kEver);
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].picture, kept[0].overlay) << "is looked at";
  EXPECT_EQ(listed[0].frame, kept[0].picture) << "is taught on";
  expectFrame(listed[0].frame);
}

TEST_F(DayPicturesTest, NoneWhereNoneAreWantedNotEvenOfTheCamera) {
  begin({0});
  watch(kNoon, 2);
  recorder_->onCamera(0, {CameraFault::moved, true, 0.1, "it was moved"}, frame(kNoon));
  const auto kept = found();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].reason, "camera moved");
  EXPECT_EQ(kept[0].overlay + kept[0].picture, "");
  recorder_->snapshot(0, *frame(kNoon + kMinute), "by hand");
  const auto wanted = found();
  ASSERT_EQ(wanted.size(), 2u);
  EXPECT_NE(wanted[1].overlay, "") << "as it was asked for";
  EXPECT_EQ(wanted[1].picture, "");
  EXPECT_THROW(recorder_->setPicturesPerHour(-1), std::invalid_argument);
  EXPECT_THROW(recorder_->setPicturesPerHour(61), std::invalid_argument);
  recorder_->setPicturesPerHour(60);
  watch(kNoon + 300 * kMinute, 1);
  EXPECT_EQ(found().size(), 62u);
}

TEST_F(DayPicturesTest, OnADiskThatIsNearlyFullTheyAreGivenUpFirstAndItIsSaidOnce) {
  begin({4, std::numeric_limits<std::int64_t>::max()});
  watch(kNoon, 2);
  EXPECT_TRUE(found().empty());
  const auto events = eventsIn(folder_ / "a.sqlite");
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].name, "pictures");
  EXPECT_TRUE(has(events[0].text, "No pictures of the day are kept while less than"));
}

}  // namespace
}  // namespace mpm::monitor
