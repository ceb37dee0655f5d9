// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/clips.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <opencv2/videoio.hpp>

#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

/// A record, and frames of ten a second that say in their brightness how old they are.
class EventClipsTest : public testing::Test {
 protected:
  void SetUp() override { clips_.want(0, true); }
  std::string path() const { return folder_ / "a.sqlite"; }
  Moment now() const { return {nowMs_, kNoon + nowMs_, 0, true}; }
  void watch(std::int64_t forMs, cv::Size size = {64, 48}, bool isNoisy = false) {
    for (const std::int64_t end = nowMs_ + forMs; nowMs_ < end; nowMs_ += 100) {
      Frame frame;
      frame.taken = now();
      frame.picture = cv::Mat(size, CV_8UC3, cv::Scalar::all(static_cast<double>(nowMs_ / 100)));
      if (isNoisy) cv::RNG(1).fill(frame.picture, cv::RNG::UNIFORM, 0, 256);
      clips_.frame(0, frame);
    }
  }
  void passWithoutFrames(std::int64_t forMs) { nowMs_ += forMs; }
  void begin(const std::string& rule, bool isLast = false) {
    clips_.begin(0, run_, rule, now(), isLast);
  }
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
  EventClips clips_{record_};
  std::int64_t nowMs_ = 0;
};

// What its pictures say, in tenths of a second.
std::vector<int> agesIn(const std::string& clip) {
  std::vector<int> ages;
  cv::VideoCapture video(clip, cv::CAP_OPENCV_MJPEG);
  for (cv::Mat picture; video.read(picture);) {
    ages.push_back(static_cast<int>(cv::mean(picture)[1] + 0.5));
  }
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
  clips_.look(0, now());
  EXPECT_TRUE(written().empty()) << "the camera may be back";
  passWithoutFrames(100);
  clips_.look(0, now());
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
  clips_.want(0, false);
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
    silent.push_back(folder / (std::string(kGrowingClip) + std::to_string(clip) + ".clip.avi"));
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
