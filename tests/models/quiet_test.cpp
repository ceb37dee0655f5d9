// SPDX-License-Identifier: Apache-2.0
// What reading and running print: nothing, or once why a model does not merge.
#include <gtest/gtest.h>

#include <exception>
#include <string>

#include "mpm/net.h"
#include "net_run.h"

namespace mpm::test {
namespace {

/// What `action` prints to either stream.
template <class Action>
std::string printedBy(Action action) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  action();
  const std::string err = testing::internal::GetCapturedStderr();
  return testing::internal::GetCapturedStdout() + err;
}

class Quiet : public FixtureTest {};

TEST_P(Quiet, ReadingDescribingAndRunningPrintNothing) {
  EXPECT_EQ(printedBy([] {
              describe(GetParam().path());
              cv::dnn::Net net = readNet(GetParam().path(), optionsOf(GetParam()));
              run(net, GetParam().images());
            }),
            "");
}

MPM_FOR_FIXTURES(Quiet, shareOf(mergeableFixtures(), 0));

class QuietNotMergeable : public FixtureTest {};

// OpenCV does not load each of them, and says so itself.
TEST_P(QuietNotMergeable, ReadingSaysTheReasonOnce) {
  const std::string printed = printedBy([] {
    try {
      readNet(GetParam().path());
    } catch (const std::exception&) {
    }
  });
  const std::string line = "MPM: " + GetParam().path() +
                           " runs without merging: " + describe(GetParam().path()).reason + "\n";
  const auto first = printed.find("MPM: ");
  ASSERT_NE(first, std::string::npos) << printed;
  EXPECT_EQ(printed.substr(first, line.size()), line);
  EXPECT_EQ(printed.find("MPM: ", first + 1), std::string::npos) << printed;
}

TEST_P(QuietNotMergeable, DescribingPrintsNothing) {
  EXPECT_EQ(printedBy([] { describe(GetParam().path()); }), "");
}

MPM_FOR_FIXTURES(QuietNotMergeable, refusedFixtures());

}  // namespace
}  // namespace mpm::test
