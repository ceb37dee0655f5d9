// SPDX-License-Identifier: Apache-2.0
// Readers in a process of their own, and captures of them: what kills, holds or stops one; and that
// a source that is lost and opened again leaves nothing behind, however often.
#include "monitor/source/readers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <opencv2/imgcodecs.hpp>

#include "cli/folder.h"
#include "monitor/engine/resident.h"
#include "monitor/process/processes.h"
#include "monitor/says.h"
#include "monitor/source/capture.h"
#include "monitor/source/scripted_reader.h"
#include "monitor/source/test_video.h"
#include "monitor/source/tiny_server.h"

namespace mpm::monitor {
namespace {

using test::eventually;
using test::kLong;
using test::processEntries;
using test::readersHere;

// Gives frames whenever it is asked.
const std::string kScene = "scene:?size=64x64";

class SeparateReader : public testing::Test {
 protected:
  void make(const std::string& address = kScene, const ReaderOptions& options = {}) {
    there_ = makeSeparateReader(readerProgram(), parseSourceAddress(address), options);
  }
  void open(const std::string& address = kScene, const ReaderOptions& options = {}) {
    make(address, options);
    ASSERT_TRUE(there_->open()) << there_->fault();
    ASSERT_EQ(readersHere().size(), 1U);
  }
  void expectFault(const std::string& part) const { EXPECT_TRUE(has(there_->fault(), part)); }

  const test::Folder folder_;
  std::unique_ptr<Reader> there_;
  Shot shot_;
};

TEST_F(SeparateReader, GivesWhatTheReaderItselfGives) {
  test::writeVideo(folder_.at("a.avi"), 30);
  const auto here = makeReader(parseSourceAddress(folder_.at("a.avi")));
  ASSERT_TRUE(here->open());
  open(folder_.at("a.avi"));
  EXPECT_EQ(there_->isLive(), here->isLive());
  EXPECT_EQ(there_->paceMs(), here->paceMs());
  for (int i = 0; i < 22; ++i) {
    ASSERT_TRUE(i != 12 || here->seek(1000) == there_->seek(1000));
    Shot own;
    ASSERT_EQ(here->read(own), ReadStatus::frame) << here->fault();
    ASSERT_EQ(there_->read(shot_), ReadStatus::frame) << there_->fault();
    EXPECT_EQ(own.positionMs, shot_.positionMs);
    ASSERT_EQ(own.picture.size(), shot_.picture.size());
    EXPECT_EQ(cv::norm(own.picture, shot_.picture, cv::NORM_INF), 0);
  }
  EXPECT_EQ(here->read(shot_), ReadStatus::ended);
  EXPECT_EQ(there_->read(shot_), ReadStatus::ended);
  EXPECT_EQ(there_->fault(), here->fault());
}

TEST_F(SeparateReader, PicturesMayChangeTheirSizeAndKeepTheirOwnMemory) {
  const auto picture = [](int i) {
    return cv::Mat(cv::Size(8 + i % 3, 6 + i / 6), CV_8UC3, cv::Scalar::all(20 * i));
  };
  for (int i = 0; i < 9; ++i) cv::imwrite(folder_.at(std::to_string(i) + ".png"), picture(i));
  open(folder_.at(""));
  std::vector<cv::Mat> pictures;
  while (there_->read(shot_) == ReadStatus::frame) pictures.push_back(shot_.picture);
  ASSERT_EQ(pictures.size(), 9U);
  for (int i = 0; i < 9; ++i) {
    ASSERT_EQ(pictures[i].size(), picture(i).size());
    EXPECT_EQ(cv::norm(pictures[i], picture(i), cv::NORM_INF), 0);
  }
}

// OpenCV refuses large pictures of a folder before it takes memory: of this one, 300 MB.
TEST_F(SeparateReader, LargePicturesAreRefusedOrLeftOutBeforeTheyAreDecoded) {
  ReaderOptions options;
  options.mostMegapixels = 0.01;
  make("scene:?size=128x128", options);
  EXPECT_FALSE(there_->open());
  expectFault("limit of 0.01 megapixels");
  cv::imwrite(folder_.at("a.png"), cv::Mat(10000, 10000, CV_8UC1, cv::Scalar::all(0)));
  cv::imwrite(folder_.at("b.png"), cv::Mat(8, 8, CV_8UC3, cv::Scalar::all(20)));
  options.mostMegapixels = 1;
#if !defined(MPM_SANITIZE_ADDRESS) && \
    !defined(MPM_SANITIZE_THREAD)  // they take memory of their own
  options.mostMegabytes = 250;
#endif
  there_.reset();
  open(folder_.at(""), options);
  ASSERT_EQ(there_->read(shot_), ReadStatus::frame) << there_->fault();
  EXPECT_EQ(shot_.picture.size(), cv::Size(8, 8));
  EXPECT_EQ(there_->read(shot_), ReadStatus::ended);
  expectFault("1 of them have more than 1 megapixels");
}

TEST_F(SeparateReader, AKilledOneIsAFaultThatSaysHowAndItOpensAgain) {
  open();
  ASSERT_EQ(there_->read(shot_), ReadStatus::frame);
  kill(readersHere().at(0), SIGKILL);
  EXPECT_EQ(there_->read(shot_), ReadStatus::failed);
  EXPECT_EQ(there_->fault(),
            "the process that reads scene:?size=64x64 was ended by signal 9 (Killed)");
  EXPECT_TRUE(readersHere().empty());  // no zombie either
  ASSERT_TRUE(there_->open()) << there_->fault();
  EXPECT_EQ(there_->read(shot_), ReadStatus::frame) << there_->fault();
}

TEST_F(SeparateReader, OneThatTakesTooMuchMemoryEnds) {
  ReaderOptions options;
  options.mostMegabytes = 1;
  make(kScene, options);
  bool failed = !there_->open();
  ASSERT_TRUE(eventually([&] {
    failed = failed || there_->read(shot_) == ReadStatus::failed;
    return failed;
  }));
  expectFault("took more than 1 MB of memory");
}

TEST_F(SeparateReader, AnyThreadMayEndItAndItStaysSo) {
  open();
  const auto end = there_->interruption();
  ASSERT_TRUE(end);
  kill(readersHere().at(0), SIGSTOP);  // it would never answer
  end();
  EXPECT_EQ(there_->read(shot_), ReadStatus::failed);
  EXPECT_FALSE(there_->open());
  EXPECT_TRUE(readersHere().empty());
}

// A child of this process that says whether it did something, and goes on until it is killed.
class Doer {
 public:
  explicit Doer(const std::function<bool()>& act) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    id_ = fork();
    if (id_ == 0) {
      alarm(60);
      const char did = act() ? 'y' : 'n';
      if (write(ends[1], &did, 1) != 1) _exit(1);
      for (;;) pause();
    }
    char did = 'n';
    EXPECT_EQ(read(ends[0], &did, 1), 1);
    did_ = did == 'y';
    close(ends[0]);
    close(ends[1]);
  }
  ~Doer() { end(); }
  Doer(const Doer&) = delete;
  Doer& operator=(const Doer&) = delete;

  bool did() const { return did_; }
  pid_t id() const { return id_; }
  void end() {
    if (id_ > 0 && kill(id_, SIGKILL) == 0) waitpid(id_, nullptr, 0);
    id_ = 0;
  }

 private:
  pid_t id_ = 0;
  bool did_ = false;
};

// As where a driver holds it: while another process traces it, its end is told to nobody.
TEST_F(SeparateReader, OneThatDoesNotEndIsLeftAndWaitedForLater) {
  open();
  const pid_t held = readersHere().at(0);
  Doer tracer([&] { return ptrace(PTRACE_SEIZE, held, nullptr, nullptr) == 0; });
  there_->interruption()();
  there_.reset();
  const auto left = readersHere();
  tracer.end();
  if (!tracer.did()) GTEST_SKIP() << "no process may trace another here";
  EXPECT_EQ(left, std::vector<pid_t>{held});
  open();
  EXPECT_NE(readersHere().at(0), held);
}

TEST_F(SeparateReader, EndsWithTheProcessThatStartedItAlsoWhereThatIsKilled) {
  const std::string program = readerProgram();
  const SourceAddress scene = parseSourceAddress(kScene);
  Doer monitor([&] {
    static const auto there = makeSeparateReader(program, scene);
    return there->open();
  });
  EXPECT_TRUE(monitor.did());
  const auto readers = test::readersOf(monitor.id());
  monitor.end();
  ASSERT_EQ(readers.size(), 1U);
  EXPECT_TRUE(eventually([&] { return !test::isAlive(readers[0]); }));
}

TEST_F(SeparateReader, OthersReadNoPasswordOfItAndItHasNoDescriptorOfOurs) {
  int ours[2];
  ASSERT_EQ(pipe(ours), 0);  // not closed at exec
  make("http://me:geheim@127.0.0.1:1/x?pwd=geheim");
  EXPECT_FALSE(there_->open());
  EXPECT_FALSE(has(there_->fault(), "geheim"));
  ASSERT_EQ(readersHere().size(), 1U);
  const pid_t id = readersHere().at(0);
  EXPECT_TRUE(has(test::processFile(id, "cmdline"), "mpm-reader"));
  for (const char* file : {"cmdline", "environ"})
    EXPECT_FALSE(has(test::processFile(id, file), "geheim"));
  std::error_code denied;  // to all but root
  const auto pipeHere =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(ours[0]), denied);
  ASSERT_FALSE(denied);
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(id) + "/fd", denied))
    EXPECT_NE(std::filesystem::read_symlink(entry, denied), pipeHere);
  close(ours[0]);
  close(ours[1]);
}

TEST_F(SeparateReader, AProgramThatIsNotThereOrNoReaderIsAFault) {
  setenv("MPM_READER", "/nowhere/mpm-reader", 1);
  EXPECT_THROW(readerProgram(), std::runtime_error);
  unsetenv("MPM_READER");
  EXPECT_NO_THROW(readerProgram());
  for (const auto& [program, part] :
       {std::pair{"/nowhere/mpm-reader", "/nowhere/mpm-reader cannot be started"},
        {"/bin/false", "ended with status 1"}}) {
    there_ = makeSeparateReader(program, parseSourceAddress("scene:"));
    EXPECT_FALSE(there_->open());
    expectFault(part);
  }
}

class SeparateCapture : public testing::Test {
 protected:
  void begin(const ReaderOptions& reading = {}) {
    capture_ = std::make_unique<Capture>(
        "camera",
        [reading] {
          return makeSeparateReader(readerProgram(), parseSourceAddress(kScene), reading);
        },
        test::quick());
    ASSERT_TRUE(capture_->next(kLong)) << capture_->status().fault;
    ASSERT_EQ(readersHere().size(), 1U);
  }
  bool becomes(const std::function<bool(const CaptureStatus&)>& holds) {
    return eventually([&] { return holds(capture_->status()); });
  }

  std::unique_ptr<Capture> capture_;
};

TEST_F(SeparateCapture, AKilledReaderIsReplacedAndNothingOfItStays) {
  begin();
  const std::size_t threads = processEntries("task"), files = processEntries("fd");
  std::uint64_t number = 0;
  for (std::uint64_t killed = 1; killed <= 20; ++killed) {
    ASSERT_EQ(readersHere().size(), 1U);
    kill(readersHere().at(0), SIGKILL);
    ASSERT_TRUE(becomes([&](auto& is) { return is.reconnects >= killed; }));
    const auto frame = capture_->next(kLong);
    ASSERT_TRUE(frame);
    EXPECT_GT(frame->number, number);
    number = frame->number;
    ASSERT_TRUE(becomes([](auto& is) { return is.state == CaptureState::live; }));
  }
  EXPECT_EQ(capture_->status().abandoned, 0U);
  EXPECT_TRUE(eventually([&] { return processEntries("task") <= threads; }));
  EXPECT_LE(processEntries("fd"), files);
  EXPECT_EQ(readersHere().size(), 1U);
}

TEST_F(SeparateCapture, ItEndsAndItsReaderWithItAlsoWhereThatHangs) {
  for (const bool hangs : {false, true}) {
    begin();
    if (hangs) kill(readersHere().at(0), SIGSTOP);
    capture_.reset();
    EXPECT_TRUE(eventually([&] { return readersHere().empty(); }));
  }
}

TEST_F(SeparateCapture, AReplayOfPicturesEndsWhereItsReaderDoesAndSaysWhy) {
  const test::Folder folder;
  for (const char* name : {"a.png", "b.png", "c.png", "d.png"})
    cv::imwrite(folder.at(name), cv::Mat(6, 8, CV_8UC3, cv::Scalar::all(90)));
  CaptureOptions options = test::quick();
  options.everyFrame = true;
  Capture capture(parseSourceAddress(folder.at("")), options);
  ASSERT_TRUE(capture.next(kLong));
  kill(readersHere().at(0), SIGABRT);
  int more = 0;
  while (capture.next(kLong)) ++more;
  EXPECT_LT(more, 3) << "none is given twice";
  EXPECT_EQ(capture.status().state, CaptureState::ended);
  EXPECT_TRUE(capture.status().isCutShort);
  EXPECT_TRUE(has(capture.status().fault, "signal 6"));
}

// A busy machine may take longer than a reader may hang here to start one: another is tried then.
TEST_F(SeparateCapture, AReaderThatHangsIsReplacedAndLeavesNothing) {
  ReaderOptions reading;
  reading.abandonAfterMs = 3000;
  begin(reading);
  const std::size_t threads = processEntries("task");
  std::uint64_t reconnects = 0;
  pid_t hung = 0;
  std::string fault;
  ASSERT_TRUE(becomes([&](const CaptureStatus& is) {
    if (!is.fault.empty()) fault = is.fault;
    // Where this thread slept while it was told, the next one hangs.
    const auto readers = readersHere();
    if (is.state == CaptureState::live && readers.size() == 1 && readers[0] != hung) {
      reconnects = is.reconnects;
      hung = readers[0];
      kill(hung, SIGSTOP);
    }
    return bool(has(fault, "did not return from reading within 3.0 s"));
  })) << fault;
  EXPECT_TRUE(becomes([&](auto& is) { return is.reconnects > reconnects; }));
  EXPECT_GE(capture_->status().abandoned, 1U);
  EXPECT_FALSE(test::isAlive(hung));
  EXPECT_TRUE(eventually([&] { return processEntries("task") <= threads; }));
}

constexpr int kFirst = 20;  // of which it may keep what only a beginning takes
// Under sanitizers a process takes seconds to start.
const int kReconnects = std::getenv("MPM_RECONNECTS") != nullptr ? 6 : 40;
constexpr double kMostMb = 5;
constexpr std::chrono::minutes kPatience{10};  // beside programs that go first, a try may take long

CaptureOptions restless() {
  CaptureOptions options = test::quick();
  options.firstWaitMs = options.longestWaitMs = options.atOnceMs = 1;
  options.reader.loop = true;
  options.reader.abandonAfterMs = std::chrono::milliseconds(kPatience).count();
  return options;
}

void expectNoGrowth(Capture& capture) {
  const auto reach = [&](std::uint64_t reconnects) {
    return eventually([&] { return capture.status().reconnects >= reconnects; }, kPatience);
  };
  ASSERT_TRUE(reach(kFirst)) << capture.status().fault;
  const double mb = test::residentMb();
  const std::size_t threads = processEntries("task"), files = processEntries("fd");
  ASSERT_TRUE(reach(kFirst + kReconnects)) << capture.status().fault;
  EXPECT_LT(test::residentMb() - mb, kMostMb);
  // A reader's socket, and the server's connection; a reader that is replaced just now. What is
  // counted in the midst of a change may have more.
  EXPECT_TRUE(eventually([&] { return processEntries("fd") <= files + 3; }))
      << files << " descriptors became " << processEntries("fd");
  EXPECT_TRUE(eventually([&] { return processEntries("task") <= threads + 1; }))
      << threads << " threads became " << processEntries("task");
  EXPECT_TRUE(eventually([&] { return readersHere().size() <= 1; }));
  EXPECT_EQ(capture.status().abandoned, 0U);
}

TEST(Reconnects, ToAStreamLeaveNothing) {
  const test::TinyServer server(test::cameraAnswer(3, {320, 240}), true);
  Capture capture(
      parseSourceAddress("http://127.0.0.1:" + std::to_string(server.port()) + "/video"),
      restless());
  expectNoGrowth(capture);
}

// It stays open, and its process opens the file anew.
TEST(Reconnects, AVideoThatBeginsAgainLeavesNothingInItsReader) {
  const test::Folder folder;
  test::writeVideo(folder.at("a.avi"), 2);
  const auto reader = makeSeparateReader(readerProgram(), parseSourceAddress(folder.at("a.avi")),
                                         restless().reader);
  ASSERT_TRUE(reader->open()) << reader->fault();
  const pid_t id = readersHere().at(0);
  const auto loop = [&](int times) {
    Shot shot;
    for (int i = 0; i < 2 * times; ++i) {
      if (reader->read(shot) != ReadStatus::frame) return false;
    }
    return true;
  };
  const auto use = [&] {
    const std::filesystem::directory_iterator files("/proc/" + std::to_string(id) + "/fd");
    return std::pair(test::residentMb(id),
                     std::distance(files, std::filesystem::directory_iterator()));
  };
  ASSERT_TRUE(loop(kFirst)) << reader->fault();
  const auto before = use();
  ASSERT_TRUE(loop(kReconnects)) << reader->fault();
  const auto after = use();
  EXPECT_LT(after.first - before.first, kMostMb);
  EXPECT_LE(after.second, before.second);
}

}  // namespace
}  // namespace mpm::monitor
