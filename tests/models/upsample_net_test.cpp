// SPDX-License-Identifier: Apache-2.0
// Bilinear resizes and convolutions are layers of ours, behind an encoder and without one.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "model_edit.h"
#include "mpm/net.h"
#include "net_run.h"

namespace mpm::test {
namespace {

int countOf(cv::dnn::Net& net, const std::string& type) {
  int count = 0;
  for (const cv::String& name : net.getLayerNames()) {
    if (net.getLayer(net.getLayerId(name))->type == type) ++count;
  }
  return count;
}

TEST(UpsampleNet, ASegmentersHeadIsTheLayerOnItsScores) {
  for (const char* name : {"segmenter_mask", "segmenter_linear", "timm_vit_linear_head"}) {
    SCOPED_TRACE(name);
    const Fixture fixture = fixtureNamed(name);
    for (const cv::Size size : {fixture.imageSize(), cv::Size(96, 80)}) {
      ReadOptions options;
      options.inputSize = size;
      cv::dnn::Net net = readNet(fixture.path(), options);
      EXPECT_EQ(countOf(net, "mpm.Upsample"), 1) << size;
      EXPECT_EQ(countOf(net, "Resize"), 0) << size;
      EXPECT_EQ(countOf(net, "Permute"), 0) << size;
    }
  }
}

TEST(UpsampleNet, SoAreThoseOfConvolutionalHeads) {
  for (const auto& [name, count] : {std::pair{"setr_naive", 1}, {"setr_pup", 2}, {"upernet", 9}}) {
    SCOPED_TRACE(name);
    cv::dnn::Net net = readNet(fixtureNamed(name).path());
    EXPECT_EQ(countOf(net, "mpm.Upsample"), count);
    EXPECT_EQ(countOf(net, "Resize"), 0);
  }
}

// All but those of less than eight outputs.
TEST(ConvolveNet, SoAreTheirConvolutions) {
  for (const auto& [name, count] :
       {std::pair{"setr_pup", 2}, {"upernet", 11}, {"hf_depth_anything", 13}}) {
    SCOPED_TRACE(name);
    cv::dnn::Net net = readNet(fixtureNamed(name).path());
    EXPECT_EQ(countOf(net, "mpm.Convolve"), count);
  }
}

// OpenCV from 4.7 on loses digits in deep networks of convolutions, which it computes after
// Winograd.
TEST(UpsampleNet, SoTheyAreInAModelWithoutAnEncoder) {
  ::onnx::ModelProto model = protoOf(fixtureNamed("refused_cnn").path());
  auto& graph = *model.mutable_graph();
  graph.mutable_node(graph.node_size() - 1)->set_output(0, "grid");
  auto& sizes = *graph.add_initializer();
  sizes.set_name("sizes");
  sizes.set_data_type(::onnx::TensorProto::INT64);
  sizes.add_dims(4);
  for (const int size : {1, 5, 48, 64}) sizes.add_int64_data(size);
  auto& resize = *graph.add_node();
  resize.set_op_type("Resize");
  for (const char* input : {"grid", "", "", "sizes"}) resize.add_input(input);
  resize.add_output("masks");
  auto& mode = *resize.add_attribute();
  mode.set_name("mode");
  mode.set_type(::onnx::AttributeProto::STRING);
  mode.set_s("linear");
  const std::string bytes = model.SerializeAsString();
  cv::dnn::Net net = readNet(bytes.data(), bytes.size());
  EXPECT_EQ(countOf(net, "mpm.Upsample"), 1);
  EXPECT_EQ(countOf(net, CV_VERSION_MAJOR >= 5 ? "Resize2" : "Resize"), 0);
  EXPECT_EQ(countOf(net, "mpm.Convolve"), 4);
}

}  // namespace
}  // namespace mpm::test
