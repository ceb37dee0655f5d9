// SPDX-License-Identifier: Apache-2.0
#include "mpm/threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <opencv2/core/utility.hpp>

#include "dnn/layer_call.h"
#include "processor/pool.h"

namespace mpm {
namespace {

using cv::Mat;

class Threads : public testing::Test {
 protected:
  void TearDown() override {
    setThreads(0);
    cv::setNumThreads(-1);
  }
};

TEST_F(Threads, AreAsManyAsOpenCvHas) {
  const int cores = processor::usableCores();
  for (const int count : {1, 2, 3, 100}) {
    cv::setNumThreads(count);
    EXPECT_EQ(threads(), std::min(count, cores));
  }
  // None and the default are what OpenCV's backend makes of them.
  for (const int count : {0, -1}) {
    cv::setNumThreads(count);
    EXPECT_EQ(threads(), std::clamp(cv::getNumThreads(), 1, cores));
  }
}

TEST_F(Threads, ThatAreSetStandAboveOpenCvs) {
  cv::setNumThreads(1);
  for (const int count : {3, 1, 7}) {
    setThreads(count);
    EXPECT_EQ(threads(), count);
    cv::setNumThreads(2);
    EXPECT_EQ(threads(), count);
    cv::setNumThreads(1);
  }
  setThreads(0);
  EXPECT_EQ(threads(), 1);
}

Mat linear(const Mat& tokens) {
  const auto layer =
      test::makeLayer("mpm.Linear", "inputs=tokens,weight", {test::normalBlob({70, 48}, 2)});
  return test::callLayer(*layer, {tokens})[0];
}

TEST_F(Threads, DoNotChangeResults) {
  const Mat tokens = test::normalBlob({2, 300, 48}, 1);
  setThreads(1);
  const Mat expected = linear(tokens);
  for (const int count : {2, 3, 5, 0}) {
    setThreads(count);
    EXPECT_EQ(cv::norm(linear(tokens), expected, cv::NORM_INF), 0) << count << " threads";
  }
}

#ifdef __linux__
int threadsOfThisProcess() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

// In a process that has not asked for anything: how many threads a forward started.
[[noreturn]] void tellThreadsStarted(int ofOpenCv, int ofOurs) {
  cv::setNumThreads(ofOpenCv);
  if (ofOurs > 0) setThreads(ofOurs);
  const int before = threadsOfThisProcess();
  linear(test::normalBlob({2, 300, 48}, 1));
  std::_Exit(threadsOfThisProcess() - before);
}

TEST_F(Threads, OfOpenCvHoldFromTheStart) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(tellThreadsStarted(1, 0), testing::ExitedWithCode(0), "");
}

TEST_F(Threads, ThatAreSetAreStarted) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(tellThreadsStarted(1, 4), testing::ExitedWithCode(3), "");
  EXPECT_EXIT(tellThreadsStarted(8, 1), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace mpm
