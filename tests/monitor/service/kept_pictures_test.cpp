// SPDX-License-Identifier: Apache-2.0
// Pictures that a record keeps without being asked, and clips that rules ask for: how many, when,
// and what of them.
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>

#include "monitor/record/sample_record.h"
#include "monitor/service/clips.h"
#include "monitor/service/recorder.h"

namespace mpm::monitor {
namespace {

constexpr std::int64_t kMinute = 60000;

class DayPicturesTest : public testing::Test {
 protected:
  void begin(const DayPictures& pictures, std::optional<std::int64_t> pictured = {}) {
    const std::vector<cv::Vec3b> palette{{1, 2, 3}, {4, 5, 6}};
    recorder_ = std::make_unique<Recorder>(record_, pictures, sampleRun(), palette, pictured);
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
  void show(const FrameResultPtr& result) { recorder_->onResult("gate", result); }
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
  recorder_->snapshot(*frame(kNoon), "by hand");
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
  recorder_->onCamera("gate", {CameraFault::moved, true, 0.1, "it was moved"}, frame(kNoon));
  const auto kept = found();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].reason, "camera moved");
  EXPECT_EQ(kept[0].overlay + kept[0].picture, "");
  recorder_->snapshot(*frame(kNoon + kMinute), "by hand");
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

namespace fs = std::filesystem;

/// A record, and frames of ten a second that say in their brightness how old they are.
class EventClipsTest : public testing::Test {
 protected:
  void SetUp() override { clips_.want(true); }
  std::string path() const { return folder_ / "a.sqlite"; }
  Moment now() const { return {nowMs_, kNoon + nowMs_, 0, true}; }
  void watch(std::int64_t forMs, cv::Size size = {64, 48}, bool isNoisy = false) {
    for (const std::int64_t end = nowMs_ + forMs; nowMs_ < end; nowMs_ += 100) {
      Frame frame;
      frame.taken = now();
      frame.picture = cv::Mat(size, CV_8UC3, cv::Scalar::all(static_cast<double>(nowMs_ / 100)));
      if (isNoisy) cv::RNG(1).fill(frame.picture, cv::RNG::UNIFORM, 0, 256);
      clips_.frame(frame);
    }
  }
  void passWithoutFrames(std::int64_t forMs) { nowMs_ += forMs; }
  void begin(const std::string& rule, bool isLast = false) { clips_.begin(rule, now(), isLast); }
  std::vector<RecordedSnapshot> written() {
    EXPECT_TRUE(record_.flush(kDiskMs));
    return snapshotsIn(path());
  }
  std::vector<RecordedSnapshot> found() {
    clips_.end();
    std::vector<RecordedSnapshot> found = written();
    // Each was written by a thread of its own, a short one before a long one.
    std::sort(found.begin(), found.end(), [](const RecordedSnapshot& a, const RecordedSnapshot& b) {
      return a.taken.utcMs < b.taken.utcMs;
    });
    return found;
  }
  // The one clip.
  RecordedSnapshot one() {
    const auto all = found();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? RecordedSnapshot() : all[0];
  }
  void expectTold(const std::string& part) {
    const auto events = eventsIn(path());
    ASSERT_EQ(events.size(), 1U);
    EXPECT_TRUE(has(events[0].text, part));
  }

  Folder folder_;
  Record record_{path()};
  std::int64_t run_ = record_.beginRun(sampleRun());
  EventClips clips_{record_, run_};
  std::int64_t nowMs_ = 0;
};

// What its pictures say, in tenths of a second.
std::vector<int> agesIn(const std::string& clip) {
  std::vector<int> ages;
  cv::VideoCapture video(clip, cv::CAP_OPENCV_MJPEG);
  for (cv::Mat picture; video.read(picture);)
    ages.push_back(static_cast<int>(cv::mean(picture)[1] + 0.5));
  return ages;
}

TEST_F(EventClipsTest, HoldWhatWasBeforeAnEventAndBehindIt) {
  watch(9000);
  begin("bright");
  watch(15000);
  const RecordedSnapshot clip = one();
  EXPECT_EQ(clip.reason, "bright");
  EXPECT_EQ(clip.taken.utcMs, kNoon + 9000);
  EXPECT_EQ(clip.labels, "");
  const std::vector<int> ages = agesIn(clip.clip);
  ASSERT_GT(ages.size(), 30U);
  EXPECT_NEAR(ages.front(), 40, 3);  // 5 s before 9 s
  EXPECT_NEAR(ages.back(), 190, 3);  // 10 s behind
  EXPECT_TRUE(std::is_sorted(ages.begin(), ages.end()));
  const auto facts = nlohmann::json::parse(clip.facts);
  EXPECT_EQ(facts["to_utc_ms"], kNoon + 19000);
  EXPECT_EQ(facts["snapshot"]["clip"], fs::path(clip.clip).filename().string());
}

TEST_F(EventClipsTest, AnEventMeanwhileLengthensTheClipUpToAMinute) {
  watch(6000);
  for (int event = 0; event < 20; ++event) {
    begin(event % 2 == 0 ? "bright" : "dark");
    watch(5000);
  }
  const auto all = found();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].reason, "bright, dark");
  const auto facts = nlohmann::json::parse(all[0].facts);
  const auto lasts =
      facts["to_utc_ms"].get<std::int64_t>() - facts["from_utc_ms"].get<std::int64_t>();
  EXPECT_NEAR(static_cast<double>(lasts), 60000, 500);
}

TEST_F(EventClipsTest, ASourceThatIsLostHasItsLastSeconds) {
  watch(3000);
  begin("camera lost", true);
  const RecordedSnapshot clip = one();
  EXPECT_GT(agesIn(clip.clip).size(), 10U);
}

// Who breaks in cuts the camera's cable: what was seen until then is whole when its time is over.
TEST_F(EventClipsTest, WhenTheCameraIsLostMeanwhileTheClipEndsInTime) {
  watch(6000);
  begin("bright");
  watch(2000);
  passWithoutFrames(7900);
  clips_.look(now());
  EXPECT_TRUE(written().empty()) << "the camera may be back";
  passWithoutFrames(100);
  clips_.look(now());
  ASSERT_TRUE(test::eventually([&] { return written().size() == 1; }));
  EXPECT_NEAR(agesIn(written()[0].clip).back(), 79, 3);
}

TEST_F(EventClipsTest, AFrameThatComesMuchLaterIsNoneOfTheClip) {
  watch(6000);
  begin("bright");
  watch(2000);
  passWithoutFrames(3600000);
  watch(100);
  const RecordedSnapshot clip = one();
  EXPECT_NEAR(agesIn(clip.clip).back(), 79, 3);
  EXPECT_EQ(nlohmann::json::parse(clip.facts)["to_utc_ms"], kNoon + 7900);
}

TEST_F(EventClipsTest, NothingIsKeptWhereNoRuleAsks) {
  clips_.want(false);
  watch(3000);
  begin("bright");
  EXPECT_TRUE(found().empty());
}

TEST_F(EventClipsTest, LargePicturesAreMadeSmallerAndTheirMemoryIsBounded) {
  watch(6000, {1920, 1080});
  begin("bright", true);
  const RecordedSnapshot clip = one();
  cv::VideoCapture video(clip.clip, cv::CAP_OPENCV_MJPEG);
  cv::Mat picture;
  ASSERT_TRUE(video.read(picture));
  EXPECT_EQ(picture.size(), cv::Size(800, 450));
  EXPECT_LE(agesIn(clip.clip).size() * picture.total() * 3, EventClips::kMostBytes);
}

TEST_F(EventClipsTest, OneThatIsNotWholeIsKeptAndToldOf) {
  const auto heed = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 400000;  // a record has room in it
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &few), 0);
  watch(1000, {640, 480}, true);
  begin("bright");
  watch(5000, {640, 480}, true);
  const auto all = found();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, heed);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_GT(fs::file_size(all[0].clip), 300000U);
  expectTold("A clip is not whole");
}

// Seen: it held up the engine, and so all cameras; and the monitor did not end.
TEST_F(EventClipsTest, ADiskThatDoesNotAnswerHoldsNobodyUp) {
  const fs::path folder = snapshotFolderOf(path());
  fs::create_directories(folder);
  // Nobody reads from the other end, so whoever opens them waits.
  std::vector<fs::path> silent;
  for (int clip = 1; clip <= 2; ++clip) {
    silent.push_back(folder / (std::string(kGrowingClip) + std::to_string(run_) + "-" +
                               std::to_string(clip) + ".clip.avi"));
    ASSERT_EQ(mkfifo(silent.back().c_str(), 0600), 0);
  }
  watch(1000);
  for (int clip = 1; clip <= 3; ++clip) begin("bright", true);
  EXPECT_TRUE(found().empty());
  expectTold("the disk has not yet taken");
  // For their threads, which are left behind and may still write when nobody reads any more.
  std::signal(SIGPIPE, SIG_IGN);
  for (const fs::path& path : silent) std::ifstream(path).get();
}

TEST_F(EventClipsTest, APlaceThatCannotBeWrittenIsAnEvent) {
  std::ofstream(snapshotFolderOf(path())) << "a file";
  watch(1000);
  begin("bright");
  EXPECT_TRUE(found().empty());
  expectTold("No clip could be made: ");
}

TEST(ClipWriter, WritesWhatItWasGiven) {
  const Folder folder;
  const std::string path = folder / "clip.avi";
  {
    ClipWriter writer(path, 10);
    for (int i = 0; i < 5; ++i) {
      // Another size is brought to the first one's.
      const cv::Size size = i == 3 ? cv::Size(32, 32) : cv::Size(64, 48);
      writer.add(cv::Mat(size, CV_8UC3, cv::Scalar::all(i * 40)), i == 4 ? 3 : 1);
    }
    EXPECT_TRUE(test::eventually([&] { return writer.status().written == 5; }));
    EXPECT_EQ(writer.status().leftOut, 0u);
    bool isWhole = false;
    writer.finish([&](const ClipWriter::Status& is) { isWhole = is.isWhole; });
    EXPECT_TRUE(test::eventually([&] { return writer.isDone(); }));
    EXPECT_TRUE(isWhole);
  }
  EXPECT_EQ(agesIn(path).size(), 7u) << "the last one stands for three frames";
  cv::Mat picture;
  EXPECT_TRUE(cv::VideoCapture(path, cv::CAP_OPENCV_MJPEG).read(picture));
  EXPECT_EQ(picture.size(), cv::Size(64, 48));
}

}  // namespace
}  // namespace mpm::monitor
