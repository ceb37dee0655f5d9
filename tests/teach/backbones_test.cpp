// SPDX-License-Identifier: Apache-2.0
// Every kind of backbone gives its patch tokens, in the order of the patches.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "cli/folder.h"
#include "mpm/segmenter.h"
#include "mpm/teach.h"
#include "teach/painted_frames.h"

namespace mpm::test {
namespace {

class Backbones : public testing::TestWithParam<const char*> {};

// Their weights are of chance, so what is learned is little but where colours are. A head on
// other rows, or rows in another order, would not find even that.
TEST_P(Backbones, AreTaught) {
  const Folder folder;
  TeachOptions options;
  options.classes = {"sky", "ground", "box"};
  Teacher teacher(std::string(MPM_MODELS "/") + GetParam() + ".onnx", options);
  for (int i = 0; i < 5; ++i) teacher.add(paintedScene(i).frame, paintedScene(i).labels);
  teacher.teach();
  teacher.write(folder.at("taught.onnx"));
  Segmenter segmenter(folder.at("taught.onnx"));
  EXPECT_TRUE(segmenter.model().mergeable) << segmenter.model().reason;
  segmenter.setSchedule({});
  const PaintedScene scene = paintedScene(7);
  EXPECT_GT(agreement(segmenter.segment(scene.frame).labels, scene.labels), 0.85);
  // Behind live scores nothing is computed but a resize.
  segmenter.setSchedule({1});
  EXPECT_EQ(segmenter.segment(scene.frame).rows.size(), 2U);
  // What was taught is a backbone as good as the one it was made from.
  EXPECT_NO_THROW(Teacher(folder.at("taught.onnx"), options));
}

INSTANTIATE_TEST_SUITE_P(
    Exported, Backbones,
    testing::Values("segmenter_mask", "segmenter_linear", "segmenter_half", "setr_naive",
                    "timm_vit_opset13", "timm_vit_dynamo23", "timm_vit_half", "timm_vit_half_io",
                    "timm_vit_avg", "timm_vit_map", "timm_vit_tokens", "timm_dinov2",
                    "timm_dinov2_reg4", "timm_dinov2_reg4_tokens", "timm_beit", "timm_parallel",
                    "timm_rope", "timm_qk_norm", "timm_vit_ort_extended", "hf_vit_dynamo",
                    "clip_openai", "timm_vit_external", "hf_dinov2", "hf_dinov2_reg4", "hf_deit",
                    "hf_clip", "hf_siglip", "hf_dinov3", "hf_beit", "hf_vit", "hf_vit_open_size"),
    [](const auto& named) { return std::string(named.param); });

// A head would take them for rows of the picture.
TEST(Backbones, WhoseTokensComeWindowByWindowAreRefused) {
  TeachOptions options;
  options.classes = {"a", "b"};
  for (const char* name : {"hf_rf_detr", "hf_lw_detr"}) {
    try {
      Teacher(std::string(MPM_MODELS "/") + name + ".onnx", options);
      ADD_FAILURE() << name << " was taken";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("window by window"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Backbones, WithoutPatchTokensAreRefused) {
  TeachOptions options;
  options.classes = {"a", "b"};
  for (const char* name : {"refused_cnn", "refused_swin"}) {
    try {
      Teacher(std::string(MPM_MODELS "/") + name + ".onnx", options);
      ADD_FAILURE() << name << " was taken";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("no patch tokens"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace mpm::test
