// SPDX-License-Identifier: Apache-2.0
// Every kind of backbone gives its patch tokens, in the order of the patches, also to OpenCV's own
// importer; what is none is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "in_project.h"
#include "models/model_edit.h"
#include "mpm/layers.h"
#include "mpm/net.h"
#include "mpm/segmenter.h"
#include "mpm/teach.h"
#include "teach/painted_frames.h"

namespace mpm::test {
namespace {

/// Those that OpenCV's own importer reads once they were taught and converted. (Without that OpenCV
/// 4.6 reads none of these encoders.)
const std::set<std::string> kOpenCvs = {"segmenter_mask",
                                        "segmenter_linear",
                                        "setr_naive",
                                        "timm_vit_opset13",
                                        "timm_vit_avg",
                                        "timm_vit_map",
                                        "timm_vit_tokens",
                                        "timm_dinov2",
                                        "timm_dinov2_reg4",
                                        "timm_beit",
                                        "timm_parallel",
                                        "timm_rope",
                                        "timm_qk_norm",
                                        "clip_openai",
                                        "timm_vit_external",
                                        "hf_dinov2",
                                        "hf_deit",
                                        "hf_siglip",
                                        "hf_vit"};

class Backbones : public testing::TestWithParam<const char*> {};

std::string fixture(const std::string& name) { return inProject("tests/models/") + name + ".onnx"; }

void expectSameInOpenCv(const Folder& folder, Segmenter& segmenter) {
  registerLayers();
  ReadOptions full;
  full.schedule = Schedule();
  convert(folder.at("taught.onnx"), folder.at("converted.onnx"), full);
  cv::dnn::Net net = cv::dnn::readNetFromONNX(folder.at("converted.onnx"));
  const auto metadata = describe(folder.at("taught.onnx")).metadata;
  for (const int number : {6, 7}) {
    cv::Mat frame;
    cv::resize(paintedScene(number).frame, frame, segmenter.model().input);
    net.setInput(blobOf(frame, metadata));
    EXPECT_GE(agreement(segmenter.segment(frame).labels, bestOf(net.forward("scores"))), 0.999);
  }
}

void expectTaught(const std::string& name, int depths) {
  const Folder folder;
  TeachOptions options;
  options.classes = {"sky", "ground", "box"};
  options.depths = depths;
  options.read.check = true;
  Teacher teacher(fixture(name), options);
  for (int i = 0; i < 5; ++i) teacher.add(paintedScene(i).frame, paintedScene(i).labels);
  EXPECT_EQ(teacher.teach().depths > 1, depths > 1);
  teacher.write(folder.at("taught.onnx"));
  Segmenter segmenter(folder.at("taught.onnx"));
  EXPECT_TRUE(segmenter.model().mergeable) << segmenter.model().reason;
  segmenter.setSchedule({});
  const PaintedScene scene = paintedScene(7);
  const cv::Mat found = segmenter.segment(scene.frame).labels;
  EXPECT_GT(agreement(found, scene.labels), 0.85);
  EXPECT_GT(agreement(found, teacher.labels(scene.frame)), 0.999);
  if (kOpenCvs.count(name) > 0) expectSameInOpenCv(folder, segmenter);
  // Behind live scores nothing is computed but a resize.
  segmenter.setSchedule({1});
  EXPECT_EQ(segmenter.segment(scene.frame).rows.size(), 2U);
  // What was taught is a backbone as good as the one it was made from.
  EXPECT_NO_THROW(Teacher(folder.at("taught.onnx"), options));
}

// Their weights are of chance, so what is learned is little but where colours are. A head on
// other rows, or rows in another order, would not find even that.
TEST_P(Backbones, AreTaught) { expectTaught(GetParam(), 1); }
TEST_P(Backbones, AreTaughtAtSeveralDepths) { expectTaught(GetParam(), 4); }

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

// The written file is of the size that was asked for, and finds what was painted there.
TEST(BackbonesAtAnotherSize, AreTaughtWhereTheirGraphAdapts) {
  const Folder folder;
  TeachOptions options;
  options.classes = {"sky", "ground", "box"};
  options.read.inputSize = {96, 48};
  options.read.check = true;
  Teacher teacher(inProject("tests/models/hf_dinov2.onnx"), options);
  for (int i = 0; i < 5; ++i) teacher.add(paintedScene(i).frame, paintedScene(i).labels);
  teacher.teach();
  teacher.write(folder.at("taught.onnx"));
  Segmenter segmenter(folder.at("taught.onnx"));
  EXPECT_EQ(segmenter.model().input, cv::Size(96, 48));
  EXPECT_TRUE(segmenter.model().mergeable) << segmenter.model().reason;
  segmenter.setSchedule({});
  const PaintedScene scene = paintedScene(7);
  const cv::Mat found = segmenter.segment(scene.frame).labels;
  EXPECT_GT(agreement(found, scene.labels), 0.85);
  EXPECT_GT(agreement(found, teacher.labels(scene.frame)), 0.999);
}

// What is said of a backbone that is refused; empty: it is taken.
std::string refusal(const std::string& path, const cv::Size& size = {}) {
  TeachOptions options;
  options.classes = {"a", "b"};
  options.read.inputSize = size;
  try {
    Teacher(path, options);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

void expectSays(const std::string& path, const std::vector<std::string>& parts) {
  const std::string said = refusal(path);
  EXPECT_EQ(said.rfind(path, 0), 0U) << "of which file: " << said;
  for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << said;
}

TEST(BackbonesAtAnotherSize, AreRefusedWhereTheirGraphDoesNot) {
  EXPECT_NE(refusal(fixture("timm_vit"), {96, 48})
                .find("its graph is for pictures of 64 x 48; export it for 96 x 48"),
            std::string::npos);
  EXPECT_EQ(refusal(fixture("timm_vit"), {64, 48}), "");
}

// Fixtures that were changed.
class ChangedBackbones : public testing::Test {
 protected:
  std::string save(const ::onnx::ModelProto& model) const {
    const std::string path = folder_.at("changed.onnx");
    std::ofstream file(path, std::ios::binary);
    model.SerializeToOstream(&file);
    return path;
  }
  // `value` goes through a node, for all that read it.
  static ::onnx::NodeProto& putBehind(::onnx::ModelProto& model, const std::string& value,
                                      const char* type) {
    auto& graph = *model.mutable_graph();
    for (auto& node : *graph.mutable_node())
      std::replace(node.mutable_input()->begin(), node.mutable_input()->end(), value,
                   std::string("changed"));
    ::onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(type);
    node.add_input(value);
    node.add_output("changed");
    auto& nodes = *graph.mutable_node();
    const auto made = std::find_if(nodes.begin(), nodes.end(), [&](const auto& each) {
      return std::find(each.output().begin(), each.output().end(), value) != each.output().end();
    });
    const auto from = made == nodes.end() ? nodes.begin() : made + 1;
    std::rotate(from, nodes.end() - 1, nodes.end());
    return *from;
  }
  static std::string numbers(::onnx::ModelProto& model, const std::vector<std::int64_t>& values) {
    auto& tensor = *model.mutable_graph()->add_initializer();
    tensor.set_name("numbers_" + std::to_string(model.graph().initializer_size()));
    tensor.set_data_type(::onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values) tensor.add_int64_data(value);
    return tensor.name();
  }
  static void setInteger(::onnx::NodeProto& node, const char* name, std::int64_t value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::INT);
    attribute.set_i(value);
  }

  const Folder folder_;
  const std::string kClassifier = fixture("timm_vit_opset17");
};

// A head would take them for rows of the picture.
TEST(Backbones, WhoseTokensComeWindowByWindowAreRefused) {
  for (const char* name : {"hf_rf_detr", "hf_lw_detr"})
    expectSays(fixture(name), {"window by window", "expected a backbone"});
}

TEST(Backbones, WithoutPatchTokensAreRefused) {
  for (const char* name : {"refused_cnn", "refused_swin"})
    expectSays(fixture(name), {"no patch tokens", "choose a Vision Transformer"});
}

// The class token alone goes on: from the last block's second half, or in front of all blocks.
TEST_F(ChangedBackbones, ThatAreClassifiersAreTaughtWhereTheyHavePatchTokens) {
  const auto classify = [&](const std::string& value) {
    ::onnx::ModelProto model = protoOf(kClassifier);
    ::onnx::NodeProto& gather = putBehind(model, value, "Gather");
    setInteger(gather, "axis", 1);
    gather.add_input(numbers(model, {0}));
    return save(model);
  };
  EXPECT_EQ(refusal(classify("/blocks/blocks.1/Add_output_0")), "");
  expectSays(classify("/Add_output_0"), {"no patch tokens", "choose a Vision Transformer"});
}

TEST_F(ChangedBackbones, ThatTurnOrMirrorTheirPictureAreRefused) {
  ::onnx::ModelProto mirrors = protoOf(kClassifier);
  ::onnx::NodeProto& slice = putBehind(mirrors, "image", "Slice");
  for (const std::int64_t value : {-1LL, -100LL, 3LL, -1LL})
    slice.add_input(numbers(mirrors, {value}));
  expectSays(save(mirrors), {"turns, mirrors or moves its picture", "export it without that"});
  ::onnx::ModelProto turns = protoOf(fixture("hf_dinov2"));
  const std::string image = turns.graph().input(0).name();
  const auto& dims = turns.graph().input(0).type().tensor_type().shape().dim();
  const bool isSquare = dims[2].dim_value() == dims[3].dim_value();
  auto& order = *putBehind(turns, image, "Transpose").add_attribute();
  order.set_name("perm");
  order.set_type(::onnx::AttributeProto::INTS);
  for (const int axis : {0, 1, 3, 2}) order.add_ints(axis);
  expectSays(save(turns), {isSquare ? "turns, mirrors or moves its picture" : "it turns, pads"});
}

// What only changes colours is none of these.
TEST_F(ChangedBackbones, ThatScaleTheirPictureAreTaught) {
  ::onnx::ModelProto model = protoOf(kClassifier);
  ::onnx::NodeProto& order = putBehind(model, "image", "Gather");  // BGR
  setInteger(order, "axis", 1);
  order.add_input(numbers(model, {2, 1, 0}));
  EXPECT_EQ(refusal(save(model)), "");
}

TEST(Backbones, WhosePatchesAreNotTheFramesAreRefused) {
  expectSays(fixture("channels_last"), {"[height x width x 3]", "export it so that"});
  for (const char* name : {"padded", "hf_dinov2_rest", "timm_oblong", "timm_overlapping"}) {
    expectSays(fixture(name), {"are not its picture of 64 x 48", "pads",
                               "export it for a picture of whole square patches"});
  }
  expectSays(fixture("timm_vit_open_size"), {"height and width are open", "exporting it at that"});
}

TEST_F(ChangedBackbones, ThatTakeOrMakeSeveralPicturesAreRefused) {
  ::onnx::ModelProto model = protoOf(kClassifier);
  for (auto* values :
       {model.mutable_graph()->mutable_input(), model.mutable_graph()->mutable_output()}) {
    auto& dim =
        *values->at(0).mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0);
    dim.set_dim_value(2);
  }
  expectSays(save(model), {"it takes several pictures at once; expected one"});
  expectSays(fixture("mirrored"), {"it makes 2 pictures of one", "export it without that"});
}

TEST_F(ChangedBackbones, AreProvedWhereThatIsAskedFor) {
  ::onnx::ModelProto model = protoOf(fixture("timm_vit_tokens"));
  auto& weights = *model.mutable_graph()->mutable_initializer();
  const auto positions = std::find_if(weights.begin(), weights.end(), [](const auto& each) {
    return each.name().find("pos_embed") != std::string::npos;
  });
  ASSERT_NE(positions, weights.end());
  constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(positions->mutable_raw_data()->data(), &kNothing, sizeof(kNothing));
  const std::string path = save(model);
  TeachOptions options;
  options.classes = {"a", "b"};
  options.read.check = true;
  try {
    Teacher(path, options);
    ADD_FAILURE() << "taken";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("not finite"), std::string::npos) << error.what();
  }
}

TEST_F(ChangedBackbones, OfAnOldOpsetAreRefused) {
  ::onnx::ModelProto model = protoOf(fixture("timm_vit_opset13"));
  model.mutable_opset_import(0)->set_version(10);
  expectSays(save(model), {"it is of ONNX opset 10; export it with opset 11 or later"});
}

TEST_F(ChangedBackbones, ThatWereConvertedAreRefused) {
  const std::string path = folder_.at("converted.onnx");
  convert(kClassifier, path, {});
  expectSays(path, {"it was converted; teach on the model that it was made from"});
}

}  // namespace
}  // namespace mpm::test
