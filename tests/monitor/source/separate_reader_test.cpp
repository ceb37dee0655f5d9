// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/separate_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/folder.h"
#include "monitor/eventually.h"
#include "monitor/process/processes.h"
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

std::unique_ptr<Reader> separate(const std::string& address, const ReaderOptions& options = {}) {
  return makeSeparateReader(readerProgram(), parseSourceAddress(address), options);
}

void expectSameFrames(Reader& one, Reader& other, int frames) {
  for (int i = 0; i < frames; ++i) {
    Shot here, there;
    ASSERT_EQ(one.read(here), ReadStatus::frame) << one.fault();
    ASSERT_EQ(other.read(there), ReadStatus::frame) << other.fault();
    EXPECT_EQ(here.positionMs, there.positionMs);
    ASSERT_EQ(here.picture.size(), there.picture.size());
    EXPECT_EQ(cv::norm(here.picture, there.picture, cv::NORM_INF), 0);
  }
}

TEST(SeparateReader, GivesWhatTheReaderItselfGives) {
  const test::Folder folder;
  test::writeVideo(folder.at("a.avi"), 30);
  const auto here = makeReader(parseSourceAddress(folder.at("a.avi")));
  const auto there = separate(folder.at("a.avi"));
  ASSERT_TRUE(here->open());
  ASSERT_TRUE(there->open()) << there->fault();
  EXPECT_EQ(there->isLive(), here->isLive());
  EXPECT_EQ(there->paceMs(), here->paceMs());
  expectSameFrames(*here, *there, 12);
  EXPECT_EQ(here->seek(1000), there->seek(1000));
  expectSameFrames(*here, *there, 10);
  Shot shot;
  EXPECT_EQ(here->read(shot), ReadStatus::ended);
  EXPECT_EQ(there->read(shot), ReadStatus::ended);
  EXPECT_EQ(there->fault(), here->fault());
}

TEST(SeparateReader, PicturesMayChangeTheirSizeAndKeepTheirOwnMemory) {
  const test::Folder folder;
  for (int i = 0; i < 9; ++i) {
    const cv::Size size(8 + i % 3, 6 + i / 6);
    cv::imwrite(folder.at(std::to_string(i) + ".png"),
                cv::Mat(size, CV_8UC3, cv::Scalar::all(20 * i)));
  }
  const auto there = separate(folder.at(""));
  ASSERT_TRUE(there->open()) << there->fault();
  std::vector<cv::Mat> pictures;
  Shot shot;
  while (there->read(shot) == ReadStatus::frame) pictures.push_back(shot.picture);
  ASSERT_EQ(pictures.size(), 9U);
  for (int i = 0; i < 9; ++i) {
    const cv::Mat& picture = pictures[static_cast<std::size_t>(i)];
    EXPECT_EQ(picture.size(), cv::Size(8 + i % 3, 6 + i / 6));
    EXPECT_EQ(
        cv::norm(picture, cv::Mat(picture.size(), CV_8UC3, cv::Scalar::all(20 * i)), cv::NORM_INF),
        0);
  }
}

TEST(SeparateReader, LargePicturesAreRefusedThereAndHere) {
  ReaderOptions options;
  options.mostMegapixels = 0.01;
  const auto there = separate("scene:?size=128x128", options);
  EXPECT_FALSE(there->open());
  EXPECT_NE(there->fault().find("limit of 0.01 megapixels"), std::string::npos) << there->fault();
}

// OpenCV refuses them before it takes memory: of this one, 300 MB.
TEST(SeparateReader, ALargePictureOfAFolderIsLeftOutBeforeItIsDecoded) {
  const test::Folder folder;
  cv::imwrite(folder.at("a.png"), cv::Mat(10000, 10000, CV_8UC1, cv::Scalar::all(0)));
  cv::imwrite(folder.at("b.png"), cv::Mat(8, 8, CV_8UC3, cv::Scalar::all(20)));
  ReaderOptions options;
  options.mostMegapixels = 1;
#if !defined(MPM_SANITIZE_ADDRESS) && \
    !defined(MPM_SANITIZE_THREAD)  // they take memory of their own
  options.mostMegabytes = 250;
#endif
  const auto there = separate(folder.at(""), options);
  ASSERT_TRUE(there->open()) << there->fault();
  Shot shot;
  ASSERT_EQ(there->read(shot), ReadStatus::frame) << there->fault();
  EXPECT_EQ(shot.picture.size(), cv::Size(8, 8));
  EXPECT_EQ(there->read(shot), ReadStatus::ended);
  EXPECT_NE(there->fault().find("1 of them have more than 1 megapixels"), std::string::npos)
      << there->fault();
}

TEST(SeparateReader, AKilledOneIsAFaultThatSaysHowAndItOpensAgain) {
  const auto there = separate("scene:?size=64x64");
  ASSERT_TRUE(there->open()) << there->fault();
  Shot shot;
  ASSERT_EQ(there->read(shot), ReadStatus::frame);
  ASSERT_EQ(test::readersHere().size(), 1U);
  kill(test::readersHere().front(), SIGKILL);
  EXPECT_EQ(there->read(shot), ReadStatus::failed);
  EXPECT_EQ(there->fault(),
            "the process that reads scene:?size=64x64 was ended by signal 9 (Killed)");
  EXPECT_TRUE(test::readersHere().empty());  // no zombie either
  ASSERT_TRUE(there->open()) << there->fault();
  EXPECT_EQ(there->read(shot), ReadStatus::frame) << there->fault();
}

TEST(SeparateReader, OneThatTakesTooMuchMemoryEnds) {
  ReaderOptions options;
  options.mostMegabytes = 1;
  const auto there = separate("scene:?size=64x64", options);
  Shot shot;
  bool failed = !there->open();
  ASSERT_TRUE(eventually([&] {
    failed = failed || there->read(shot) == ReadStatus::failed;
    return failed;
  }));
  EXPECT_NE(there->fault().find("took more than 1 MB of memory"), std::string::npos)
      << there->fault();
}

TEST(SeparateReader, AnyThreadMayEndItAndItStaysSo) {
  const auto there = separate("scene:?size=64x64");
  ASSERT_TRUE(there->open()) << there->fault();
  const auto end = there->interruption();
  ASSERT_TRUE(end);
  kill(test::readersHere().front(), SIGSTOP);  // it would never answer
  end();
  Shot shot;
  EXPECT_EQ(there->read(shot), ReadStatus::failed);
  EXPECT_FALSE(there->open());
  EXPECT_TRUE(test::readersHere().empty());
}

// As where a driver holds it: while another process traces it, its end is told to nobody.
TEST(SeparateReader, OneThatDoesNotEndIsLeftAndWaitedForLater) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  auto there = separate("scene:?size=64x64");
  ASSERT_TRUE(there->open()) << there->fault();
  const pid_t held = readersHere().at(0), tracer = fork();
  ASSERT_GE(tracer, 0);
  if (tracer == 0) {
    alarm(60);
    const char holds = ptrace(PTRACE_SEIZE, held, nullptr, nullptr) == 0 ? 'y' : 'n';
    if (write(ends[1], &holds, 1) != 1) _exit(1);
    for (;;) pause();
  }
  char holds = 'n';
  EXPECT_EQ(read(ends[0], &holds, 1), 1);
  close(ends[0]);
  close(ends[1]);
  there->interruption()();
  there.reset();
  const auto left = readersHere();
  kill(tracer, SIGKILL);
  waitpid(tracer, nullptr, 0);
  if (holds != 'y') GTEST_SKIP() << "no process may trace another here";
  EXPECT_EQ(left, std::vector<pid_t>{held});
  there = separate("scene:?size=64x64");
  ASSERT_TRUE(there->open()) << there->fault();
  const auto readers = readersHere();
  ASSERT_EQ(readers.size(), 1U);
  EXPECT_NE(readers.front(), held);
}

TEST(SeparateReader, OthersReadNoPasswordOfItAndItHasNoDescriptorOfOurs) {
  int ours[2];
  ASSERT_EQ(pipe(ours), 0);  // not closed at exec
  const auto there = separate("http://me:geheim@127.0.0.1:1/x?pwd=geheim");
  EXPECT_FALSE(there->open());
  EXPECT_EQ(there->fault().find("geheim"), std::string::npos) << there->fault();
  ASSERT_EQ(test::readersHere().size(), 1U);
  const pid_t id = test::readersHere().front();
  EXPECT_NE(test::processFile(id, "cmdline").find("mpm-reader"), std::string::npos);
  EXPECT_EQ(test::processFile(id, "cmdline").find("geheim"), std::string::npos);
  EXPECT_EQ(test::processFile(id, "environ").find("geheim"), std::string::npos);
  std::error_code denied;  // to all but root
  const auto pipeHere =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(ours[0]), denied);
  ASSERT_FALSE(denied);
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(id) + "/fd", denied)) {
    EXPECT_NE(std::filesystem::read_symlink(entry, denied), pipeHere);
  }
  close(ours[0]);
  close(ours[1]);
}

TEST(SeparateReader, EndsWithTheProcessThatStartedItAlsoWhereThatIsKilled) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string program = readerProgram();
  const SourceAddress scene = parseSourceAddress("scene:?size=64x64");
  const pid_t monitor = fork();
  ASSERT_GE(monitor, 0);
  if (monitor == 0) {
    const auto there = makeSeparateReader(program, scene);
    const char isOpen = there->open() ? 'y' : 'n';
    if (write(ends[1], &isOpen, 1) != 1) _exit(1);
    for (;;) pause();
  }
  char isOpen = 'n';
  ASSERT_EQ(read(ends[0], &isOpen, 1), 1);
  EXPECT_EQ(isOpen, 'y');
  const auto readers = test::readersOf(monitor);
  kill(monitor, SIGKILL);
  waitpid(monitor, nullptr, 0);
  ASSERT_EQ(readers.size(), 1U);
  EXPECT_TRUE(eventually([&] { return !test::isAlive(readers.front()); }));
  close(ends[0]);
  close(ends[1]);
}

TEST(SeparateReader, SaysWhereItsProgramWasLookedFor) {
  setenv("MPM_READER", "/nowhere/mpm-reader", 1);
  EXPECT_THROW(readerProgram(), std::runtime_error);
  unsetenv("MPM_READER");
  EXPECT_NO_THROW(readerProgram());
  const auto there = makeSeparateReader("/nowhere/mpm-reader", parseSourceAddress("scene:"));
  EXPECT_FALSE(there->open());
  EXPECT_NE(there->fault().find("/nowhere/mpm-reader cannot be started"), std::string::npos)
      << there->fault();
}

TEST(SeparateReader, AProgramThatIsNoReaderIsAFault) {
  const auto there = makeSeparateReader("/bin/false", parseSourceAddress("scene:"));
  EXPECT_FALSE(there->open());
  EXPECT_NE(there->fault().find("ended with status 1"), std::string::npos) << there->fault();
}

// A scene, which gives frames whenever it is asked, in a process of its own.
Capture::MakeReader sceneMaker() {
  return
      [] { return makeSeparateReader(readerProgram(), parseSourceAddress("scene:?size=64x64")); };
}

TEST(SeparateCapture, AKilledReaderIsReplacedAndNothingOfItStays) {
  Capture capture("camera", sceneMaker(), test::quick());
  ASSERT_TRUE(capture.next(kLong));
  const std::size_t threads = processEntries("task"), files = processEntries("fd");
  std::uint64_t number = 0;
  for (int killed = 1; killed <= 20; ++killed) {
    const auto readers = readersHere();
    ASSERT_EQ(readers.size(), 1U);
    kill(readers.front(), SIGKILL);
    ASSERT_TRUE(eventually(
        [&] { return capture.status().reconnects >= static_cast<std::uint64_t>(killed); }));
    const auto frame = capture.next(kLong);
    ASSERT_TRUE(frame);
    EXPECT_GT(frame->number, number);
    number = frame->number;
    ASSERT_TRUE(eventually([&] { return capture.status().state == CaptureState::live; }));
  }
  EXPECT_EQ(capture.status().abandoned, 0U);
  EXPECT_TRUE(eventually([&] { return processEntries("task") <= threads; }));
  EXPECT_LE(processEntries("fd"), files);
  EXPECT_EQ(readersHere().size(), 1U);
}

TEST(SeparateCapture, ItEndsAndItsReaderWithItAlsoWhereThatHangs) {
  for (const bool hangs : {false, true}) {
    auto capture = std::make_unique<Capture>("camera", sceneMaker(), test::quick());
    ASSERT_TRUE(capture->next(kLong));
    const auto readers = readersHere();
    ASSERT_EQ(readers.size(), 1U);
    if (hangs) kill(readers.front(), SIGSTOP);
    capture.reset();
    EXPECT_TRUE(eventually([&] { return readersHere().empty(); }));
  }
}

TEST(SeparateCapture, AReplayOfPicturesEndsWhereItsReaderDoesAndSaysWhy) {
  const test::Folder folder;
  for (const char* name : {"a.png", "b.png", "c.png", "d.png"}) {
    cv::imwrite(folder.at(name), cv::Mat(6, 8, CV_8UC3, cv::Scalar::all(90)));
  }
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
  EXPECT_NE(capture.status().fault.find("signal 6"), std::string::npos) << capture.status().fault;
}

// A busy machine may take longer than a reader may hang here to start one: another is tried then.
TEST(SeparateCapture, AReaderThatHangsIsReplacedAndLeavesNothing) {
  CaptureOptions options = test::quick();
  ReaderOptions reading;
  reading.abandonAfterMs = 3000;
  Capture capture(
      "camera",
      [reading] {
        return makeSeparateReader(readerProgram(), parseSourceAddress("scene:?size=64x64"),
                                  reading);
      },
      options);
  ASSERT_TRUE(capture.next(kLong)) << capture.status().fault;
  const std::size_t threads = processEntries("task");
  std::uint64_t reconnects = 0;
  pid_t hung = 0;
  std::string fault;
  ASSERT_TRUE(eventually([&] {
    const CaptureStatus status = capture.status();
    if (!status.fault.empty()) fault = status.fault;
    // Where this thread slept while it was told, the next one hangs.
    const auto readers = readersHere();
    if (status.state == CaptureState::live && readers.size() == 1 && readers[0] != hung) {
      reconnects = status.reconnects;
      hung = readers[0];
      kill(hung, SIGSTOP);
    }
    return fault.find("did not return from reading within 3.0 s") != std::string::npos;
  })) << fault;
  EXPECT_TRUE(eventually([&] { return capture.status().reconnects > reconnects; }));
  EXPECT_GE(capture.status().abandoned, 1U);
  EXPECT_FALSE(test::isAlive(hung));
  EXPECT_TRUE(eventually([&] { return processEntries("task") <= threads; }));
}

TEST(SeparateCapture, AServerThatNeverAnswersIsTriedAgainAndItsSecretsStayHere) {
  const test::TinyServer server("", false);
  CaptureOptions options = test::quick();
  options.reader.openTimeoutMs = options.reader.readTimeoutMs = 150;
  Capture capture(parseSourceAddress("http://me:geheim@127.0.0.1:" + std::to_string(server.port()) +
                                     "/x?pwd=geheim"),
                  options);
  std::string faults;
  ASSERT_TRUE(eventually([&] {
    faults += capture.status().fault;
    return faults.find("cannot be opened") != std::string::npos ||
           faults.find("did not answer") != std::string::npos;
  }));
  EXPECT_EQ(faults.find("geheim"), std::string::npos) << faults;
  EXPECT_EQ(capture.shown().find("geheim"), std::string::npos);
  EXPECT_EQ(capture.status().frames, 0U);
}

}  // namespace
}  // namespace mpm::monitor
