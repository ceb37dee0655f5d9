// SPDX-License-Identifier: Apache-2.0
// What a session's model is, and in which precision it computes.
#include <gtest/gtest.h>

#include <opencv2/core.hpp>

#include "in_project.h"
#include "monitor/service/session.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

// Of a lid on the lens, say: they would say yes to every precision.
TEST(Session, PicturesOfOneColourChooseNoPrecision) {
  SessionOptions options;
  options.model = inProject("tests/models/segmenter_mask.onnx");
  options.choosePrecision = true;
  const PreparedSession prepared =
      prepare(options, {cv::Mat(48, 64, CV_8UC3, cv::Scalar(0, 0, 0))});
  EXPECT_TRUE(prepared.precisions.empty());
  EXPECT_EQ(prepared.options.segmenter.read.precision, "fp32");
  EXPECT_EQ(prepared.options.chosenFor, "") << "the next pictures may say more";
}

}  // namespace
}  // namespace mpm::test
