// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <set>
#include <string>

#include "cli/folder.h"
#include "cli/mpm.h"
#include "drawn_picture.h"
#include "in_project.h"

namespace mpm::test {
namespace {

const std::string kModel = inProject("tests/models/segmenter_mask.onnx");
const std::string kClassifier = inProject("tests/models/timm_vit.onnx");

class Samples : public testing::Test {
 protected:
  Samples() { writePicture(picture_); }

  Ended view(const std::string& model, const std::string& input, const std::string& more = "") {
    return runProgram({MPM_VIEWER, "--model=" + model, "--input=" + input,
                       more.empty() ? "--out=" + output_ : more},
                      {{"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}, {"OPENCV_LOG_LEVEL", "SILENT"}});
  }

  Folder folder_;
  const std::string picture_ = folder_.at("picture.png"), output_ = folder_.at("overlay.png");
};

TEST_F(Samples, ViewerDrawsOverThePicture) {
  const Ended ended = view(kModel, picture_);
  EXPECT_EQ(ended.status, 0) << ended.err;
  const cv::Mat before = cv::imread(picture_), after = cv::imread(output_);
  ASSERT_EQ(after.size(), before.size());
  EXPECT_GT(cv::norm(before, after, cv::NORM_L1), 0);
}

TEST_F(Samples, ViewerNamesWhatItCannotDo) {
  const std::string name = "mpm-segment-viewer";
  expectRefusal(view(folder_.at("none.onnx"), picture_), 1, name, "none.onnx");
  expectRefusal(view(kModel, folder_.at("none.mp4")), 1, name,
                "as a camera, a picture or a video\n");
  expectRefusal(view(kClassifier, picture_), 1, name,
                "expected scores [1 x classes x height x width]\n");
  expectRefusal(view(kModel, picture_, "--width=80"), 1, name, "");
  expectRefusal(view(kModel, picture_, "--merge-before=2,x"), 1, name, "'x' is not a block; ");
  expectRefusal(view(kModel, picture_, "--mean=0.5"), 1, name, "'0.5' is not three numbers\n");
  expectRefusal(view(kModel, picture_, "--bgr"), 1, name, "there is no display; ");
  EXPECT_EQ(folder_.content(), std::set<std::string>{"picture.png"});
}

TEST_F(Samples, ViewerHelps) {
  const Ended help = runProgram({MPM_VIEWER, "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("Example: mpm-segment-viewer"), std::string::npos);
  EXPECT_EQ(runProgram({MPM_VIEWER}).status, 2);
}

TEST_F(Samples, SmallestNamesAClass) {
  for (const std::string& model : {kModel, kClassifier}) {
    const Ended ended = runProgram({MPM_SMALLEST, model, picture_});
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.out.find("class "), 0U) << ended.out;
  }
  EXPECT_EQ(runProgram({MPM_SMALLEST}).status, 2);
  expectRefusal(runProgram({MPM_SMALLEST, folder_.at("none.onnx"), picture_}), 1, "mpm-smallest",
                "none.onnx");
  expectRefusal(runProgram({MPM_SMALLEST, kModel, folder_.at("")}), 1, "mpm-smallest",
                "cannot read a picture at ");
}

}  // namespace
}  // namespace mpm::test
