// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "cli/mpm.h"
#include "drawn_picture.h"
#include "in_project.h"

namespace mpm::test {
namespace {

class PythonSample : public testing::Test {
 protected:
  void SetUp() override {
    if (runProgram({MPM_PYTHON, "-c", "import cv2"}).status != 0) {
      GTEST_SKIP() << MPM_PYTHON " has no cv2; Debian's is in python3-opencv";
    }
    const std::string version =
        runProgram({MPM_PYTHON, "-c", "import cv2; print(cv2.__version__)"}).out;
    if (version.substr(0, version.find('.')) != std::to_string(CV_VERSION_MAJOR)) {
      GTEST_SKIP() << MPM_PYTHON " has the cv2 of another OpenCV than " CV_VERSION ": " << version;
    }
    writePicture(picture_);
    const Ended ended = runProgram(
        {MPM_PROGRAM, "convert", inProject("tests/models/segmenter_mask.onnx"), "-o", model_});
    ASSERT_EQ(ended.status, 0) << ended.err;
  }

  Ended run(const std::string& model, const std::string& picture,
            const std::string& library = MPM_LIBRARY) {
    return runProgram({MPM_PYTHON, inProject("mpm_layer/samples/segment.py"), model, picture,
                       "--size", "64x48", "--out", output_, "--library", library});
  }

  Folder folder_;
  const std::string picture_ = folder_.at("picture.png"), model_ = folder_.at("merged.onnx"),
                    output_ = folder_.at("overlay.png");
};

TEST_F(PythonSample, DrawsOverThePicture) {
  const Ended ended = run(model_, picture_);
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_NE(ended.out.find(" rows live\n"), std::string::npos) << ended.out;
  EXPECT_EQ(cv::imread(output_).size(), cv::imread(picture_).size());
}

TEST_F(PythonSample, NamesWhatItCannotDo) {
  expectRefusal(run(model_, picture_, folder_.at("none.so")), 1, "segment.py",
                "--library says where they are\n");
  expectRefusal(run(model_, folder_.at("none.png")), 1, "segment.py",
                "cannot read a picture from ");
}

}  // namespace
}  // namespace mpm::test
