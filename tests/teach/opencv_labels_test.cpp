// SPDX-License-Identifier: Apache-2.0
// A taught file that was converted, in OpenCV's own importer: the labels are those that are found
// here. (Without it OpenCV 4.6 reads none of these encoders.)
#include <gtest/gtest.h>

#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

#include "cli/folder.h"
#include "in_project.h"
#include "mpm/layers.h"
#include "mpm/net.h"
#include "mpm/segmenter.h"
#include "mpm/teach.h"
#include "teach/painted_frames.h"

namespace mpm::test {
namespace {

class TaughtInOpenCv : public testing::TestWithParam<const char*> {};

TEST_P(TaughtInOpenCv, FindsTheSameLabels) {
  const Folder folder;
  const std::string path = folder.at("taught.onnx");
  TeachOptions options;
  options.classes = {"sky", "ground", "box"};
  Teacher teacher(inProject("tests/models/") + GetParam() + ".onnx", options);
  for (int i = 0; i < 4; ++i) teacher.add(paintedScene(i).frame, paintedScene(i).labels);
  teacher.teach();
  teacher.write(path);
  Segmenter segmenter(path);
  segmenter.setSchedule({});
  registerLayers();
  ReadOptions full;
  full.schedule = Schedule();
  convert(path, folder.at("converted.onnx"), full);
  cv::dnn::Net net = cv::dnn::readNetFromONNX(folder.at("converted.onnx"));
  const auto metadata = describe(path).metadata;
  for (const int number : {6, 7}) {
    cv::Mat frame;
    cv::resize(paintedScene(number).frame, frame, segmenter.model().input);
    net.setInput(blobOf(frame, metadata));
    EXPECT_GE(agreement(segmenter.segment(frame).labels, bestOf(net.forward("scores"))), 0.999);
  }
}

INSTANTIATE_TEST_SUITE_P(Exported, TaughtInOpenCv,
                         testing::Values("segmenter_mask", "segmenter_linear", "setr_naive",
                                         "timm_vit_opset13", "timm_vit_avg", "timm_vit_map",
                                         "timm_vit_tokens", "timm_dinov2", "timm_dinov2_reg4",
                                         "timm_beit", "timm_parallel", "timm_rope", "timm_qk_norm",
                                         "clip_openai", "timm_vit_external", "hf_dinov2", "hf_vit",
                                         "hf_deit", "hf_siglip"),
                         [](const auto& named) { return std::string(named.param); });

}  // namespace
}  // namespace mpm::test
