// SPDX-License-Identifier: Apache-2.0
// Reading as programs do: quietly, checked or not, and by programs that know nothing of the
// library: one input, forward() without a name.
#include <gtest/gtest.h>

#include <exception>
#include <opencv2/dnn.hpp>
#include <string>

#include "cli/folder.h"
#include "mpm/layers.h"
#include "mpm/net.h"
#include "net_run.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

class Checked : public FixtureTest {};

TEST_P(Checked, NetsGiveWhatTheyGiveUnchecked) {
  ReadOptions options = optionsOf(GetParam());
  options.check = true;
  options.schedule = {0};
  cv::dnn::Net net = readNet(GetParam().path(), options);
  EXPECT_TRUE(liveRows(net).empty()) << "no frame was there yet";
  expectSame(run(net, GetParam().images()), outputsOf(GetParam(), {0}));
}

MPM_FOR_FIXTURES(Checked, shareOf(mergeableFixtures(), 3));

// Its map has two rows a picture.
TEST(CheckedPicture, BesideItselfMirrored) {
  const Fixture fixture = unlistedFixture("mirrored", {"logits"});
  for (const Schedule& schedule : {Schedule{}, Schedule{1}}) {
    ReadOptions options;
    options.check = true;
    options.schedule = schedule;
    cv::dnn::Net net = readNet(fixture.path(), options);
    const Outputs outputs = run(net, fixture.images());
    EXPECT_EQ(outputs.at("mpm_map").size[0], 2 * fixture.images().size[0]);
    if (!schedule.empty()) continue;
    EXPECT_LE(relativeError(outputs.at("logits"), fixture.stored("logits")), kModelOutput);
  }
}

class PlainForward : public FixtureTest {};

// OpenCV 4 gives the last one, OpenCV 5 the first.
void expectPlainOutput(cv::dnn::Net net, const Fixture& fixture) {
  const bool isFirst = CV_VERSION_MAJOR >= 5;
  const cv::Mat images = fixture.images();
  net.setInput(images);
  const cv::Mat plain = net.forward().clone();
  net.setInput(images);
  EXPECT_TRUE(
      isSame(plain, net.forward(isFirst ? fixture.outputs.front() : fixture.outputs.back())));
}

TEST_P(PlainForward, GivesTheOutputThatOpenCvGives) {
  expectPlainOutput(readNet(GetParam().path(), optionsOf(GetParam())), GetParam());
  const Folder folder;
  convert(GetParam().path(), folder.at("converted.onnx"), optionsOf(GetParam()));
  registerLayers();
  expectPlainOutput(cv::dnn::readNetFromONNX(folder.at("converted.onnx")), GetParam());
}

MPM_FOR_FIXTURES(PlainForward, shareOf(mergeableFixtures(), 2));

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
TEST_P(QuietNotMergeable, ReadingSaysTheReasonOnceAndDescribingNothing) {
  const std::string printed = printedBy([] {
    try {
      readNet(GetParam().path());
    } catch (const std::exception&) {
    }
  });
  std::string reason;
  EXPECT_EQ(printedBy([&] { reason = describe(GetParam().path()).reason; }), "");
  const std::string line = "MPM: " + GetParam().path() + " runs without merging: " + reason + "\n";
  const auto first = printed.find("MPM: ");
  ASSERT_NE(first, std::string::npos) << printed;
  EXPECT_EQ(printed.substr(first, line.size()), line);
  EXPECT_EQ(printed.find("MPM: ", first + 1), std::string::npos) << printed;
}

MPM_FOR_FIXTURES(QuietNotMergeable, refusedFixtures());

}  // namespace
}  // namespace mpm::test
