// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/clips.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/videoio.hpp>

#include "monitor/eventually.h"
#include "monitor/record/record.h"
#include "monitor/record/record_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kEver = std::int64_t{1} << 60;

/// A record, and frames of ten a second that say in their brightness how old they are.
class Watched {
 public:
  Watched() : record_(path()), run_(record_.beginRun(sampleRun())), clips_(record_) {}

  std::string path() const { return folder_ / "a.sqlite"; }
  EventClips& clips() { return clips_; }
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
    return RecordReader(path()).snapshots("gate", 0, kEver);
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
  std::vector<Event> events() { return RecordReader(path()).events("gate", 0, kEver); }

 private:
  Folder folder_;
  Record record_;
  std::int64_t run_;
  EventClips clips_;
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

TEST(EventClips, HoldWhatWasBeforeAnEventAndBehindIt) {
  Watched watched;
  watched.clips().want(0, true);
  watched.watch(9000);
  watched.begin("bright");
  watched.watch(15000);
  const auto found = watched.found();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].reason, "bright");
  EXPECT_EQ(found[0].taken.utcMs, kNoon + 9000);
  EXPECT_EQ(found[0].labels, "");
  const std::vector<int> ages = agesIn(found[0].clip);
  ASSERT_GT(ages.size(), 30U);
  EXPECT_NEAR(ages.front(), 40, 3);  // 5 s before 9 s
  EXPECT_NEAR(ages.back(), 190, 3);  // 10 s behind
  EXPECT_TRUE(std::is_sorted(ages.begin(), ages.end()));
  const auto facts = nlohmann::json::parse(found[0].facts);
  EXPECT_EQ(facts["to_utc_ms"], kNoon + 19000);
  EXPECT_EQ(facts["snapshot"]["clip"], fs::path(found[0].clip).filename().string());
}

TEST(EventClips, AnEventMeanwhileLengthensTheClipUpToAMinute) {
  Watched watched;
  watched.clips().want(0, true);
  watched.watch(6000);
  for (int event = 0; event < 20; ++event) {
    watched.begin(event % 2 == 0 ? "bright" : "dark");
    watched.watch(5000);
  }
  const auto found = watched.found();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].reason, "bright, dark");
  const auto facts = nlohmann::json::parse(found[0].facts);
  const auto lasts =
      facts["to_utc_ms"].get<std::int64_t>() - facts["from_utc_ms"].get<std::int64_t>();
  EXPECT_NEAR(static_cast<double>(lasts), 60000, 500);
}

TEST(EventClips, ASourceThatIsLostHasItsLastSeconds) {
  Watched watched;
  watched.clips().want(0, true);
  watched.watch(3000);
  watched.begin("camera lost", true);
  const auto found = watched.found();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GT(agesIn(found[0].clip).size(), 10U);
}

// Who breaks in cuts the camera's cable: what was seen until then is whole when its time is over.
TEST(EventClips, WhenTheCameraIsLostMeanwhileTheClipEndsInTime) {
  Watched watched;
  watched.clips().want(0, true);
  watched.watch(6000);
  watched.begin("bright");
  watched.watch(2000);
  watched.passWithoutFrames(7900);
  watched.clips().look(0, watched.now());
  EXPECT_TRUE(watched.written().empty()) << "the camera may be back";
  watched.passWithoutFrames(100);
  watched.clips().look(0, watched.now());
  ASSERT_TRUE(test::eventually([&] { return watched.written().size() == 1; }));
  EXPECT_NEAR(agesIn(watched.written()[0].clip).back(), 79, 3);
}

TEST(EventClips, AFrameThatComesMuchLaterIsNoneOfTheClip) {
  Watched watched;
  watched.clips().want(0, true);
  watched.watch(6000);
  watched.begin("bright");
  watched.watch(2000);
  watched.passWithoutFrames(3600000);
  watched.watch(100);
  const auto found = watched.found();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(agesIn(found[0].clip).back(), 79, 3);
  EXPECT_EQ(nlohmann::json::parse(found[0].facts)["to_utc_ms"], kNoon + 7900);
}

TEST(EventClips, NothingIsKeptWhereNoRuleAsks) {
  Watched watched;
  watched.watch(3000);
  watched.begin("bright");
  EXPECT_TRUE(watched.found().empty());
}

TEST(EventClips, LargePicturesAreMadeSmallerAndTheirMemoryIsBounded) {
  Watched watched;
  watched.clips().want(0, true);
  watched.watch(6000, {1920, 1080});
  watched.begin("bright", true);
  const auto found = watched.found();
  ASSERT_EQ(found.size(), 1U);
  cv::VideoCapture video(found[0].clip, cv::CAP_OPENCV_MJPEG);
  cv::Mat picture;
  ASSERT_TRUE(video.read(picture));
  EXPECT_EQ(picture.size(), cv::Size(800, 450));
  EXPECT_LE(agesIn(found[0].clip).size() * picture.total() * 3, EventClips::kMostBytes);
}

TEST(EventClips, OneThatIsNotWholeIsKeptAndToldOf) {
  Watched watched;
  const auto heed = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 400000;  // a record has room in it
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &few), 0);
  watched.clips().want(0, true);
  watched.watch(1000, {640, 480}, true);
  watched.begin("bright");
  watched.watch(5000, {640, 480}, true);
  const auto found = watched.found();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, heed);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GT(fs::file_size(found[0].clip), 300000U);
  ASSERT_EQ(watched.events().size(), 1U);
  EXPECT_NE(watched.events()[0].text.find("A clip is not whole"), std::string::npos);
}

// Seen: it held up the engine, and so all cameras; and the monitor did not end.
TEST(EventClips, ADiskThatDoesNotAnswerHoldsNobodyUp) {
  Watched watched;
  const fs::path folder = snapshotFolderOf(watched.path());
  fs::create_directories(folder);
  // Nobody reads from the other end, so whoever opens them waits.
  std::vector<fs::path> silent;
  for (int clip = 1; clip <= 2; ++clip) {
    silent.push_back(folder / (std::string(kGrowingClip) + std::to_string(clip) + ".clip.avi"));
    ASSERT_EQ(mkfifo(silent.back().c_str(), 0600), 0);
  }
  watched.clips().want(0, true);
  watched.watch(1000);
  for (int clip = 1; clip <= 3; ++clip) watched.begin("bright", true);
  EXPECT_TRUE(watched.found().empty());
  ASSERT_EQ(watched.events().size(), 1U);
  EXPECT_NE(watched.events()[0].text.find("the disk has not yet taken"), std::string::npos);
  // For their threads, which are left behind and may still write when nobody reads any more.
  std::signal(SIGPIPE, SIG_IGN);
  for (const fs::path& path : silent) std::ifstream(path).get();
}

TEST(EventClips, APlaceThatCannotBeWrittenIsAnEvent) {
  Watched watched;
  std::ofstream(snapshotFolderOf(watched.path())) << "a file";
  watched.clips().want(0, true);
  watched.watch(1000);
  watched.begin("bright");
  EXPECT_TRUE(watched.found().empty());
  ASSERT_EQ(watched.events().size(), 1U);
  EXPECT_NE(watched.events()[0].text.find("No clip could be made: "), std::string::npos);
}

}  // namespace
}  // namespace mpm::monitor
