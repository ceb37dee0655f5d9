// SPDX-License-Identifier: Apache-2.0
// What layers on a device make of blobs that they are handed.
#include <cmath>

#include "dnn/host_runner/loaded_runner.h"
#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"
#include "mpm/layers.h"

namespace mpm::test {
namespace {

using cv::Mat;
using cv::dnn::Net;
using LayerPtr = cv::Ptr<cv::dnn::Layer>;

Net readBytes(const std::vector<unsigned char>& bytes, const char* device) {
  ReadOptions options;
  options.device = device;
  return readNet(bytes.data(), bytes.size(), options);
}

// Two merges of a net in a row, which tests call by hand.
class DeviceLayers : public OnHostRunner {
 protected:
  void SetUp() override {
    OnHostRunner::SetUp();
    const std::vector<unsigned char> bytes = onnxModel({});
    device_ = readBytes(bytes, "cuda"), cpu_ = readBytes(bytes, "cpu");
  }

  static LayerPtr merge(Net& net, std::size_t index) {
    return net.getLayer(mergeLayers(net)[index]);
  }

  static std::string refusal(cv::dnn::Layer& layer, const Mats& inputs) {
    try {
      callLayer(layer, inputs);
    } catch (const cv::Exception& error) {
      return error.err.substr(error.err.find("', ") + 3);
    }
    return "nothing was thrown";
  }

  Net device_, cpu_;
  const Mat tokens_ = normalBlob({1, 65, 16}, 1);
};

TEST_F(DeviceLayers, LeaveTicketsToEachOther) {
  const Mats first = callLayer(*merge(device_, 0), {tokens_});
  for (const Mat& blob : first) {
    for (std::size_t i = 0; i < blob.total(); ++i)
      ASSERT_TRUE(std::isnan(blob.ptr<float>()[i])) << "value " << i;
  }
  resetRunner();
  const Mats second = callLayer(*merge(device_, 1), first);
  EXPECT_EQ(counts().uploads, 0);
  const Mats right = callLayer(*merge(cpu_, 1), callLayer(*merge(cpu_, 0), {tokens_}));
  EXPECT_TRUE(isSame(second[1], right[1]));
  EXPECT_TRUE(isSame(second[2], right[2]));
}

TEST_F(DeviceLayers, FollowATicketThatWasCopied) {
  Mats first = callLayer(*merge(device_, 0), {tokens_});
  for (Mat& blob : first) blob = blob.clone();
  const Mats second = callLayer(*merge(device_, 1), first);
  const Mats right = callLayer(*merge(cpu_, 1), callLayer(*merge(cpu_, 0), {tokens_}));
  EXPECT_TRUE(isSame(second[2], right[2]));
}

TEST_F(DeviceLayers, NoticeWhatTookTheTicketsPlace) {
  Mats first = callLayer(*merge(device_, 0), {tokens_});
  const Mats real = callLayer(*merge(cpu_, 0), {normalBlob({1, 65, 16}, 2)});
  for (std::size_t i = 0; i < first.size(); ++i) real[i].copyTo(first[i]);
  resetRunner();
  const Mats second = callLayer(*merge(device_, 1), first);
  EXPECT_EQ(counts().uploads, 3);
  const Mats right = callLayer(*merge(cpu_, 1), real);
  EXPECT_TRUE(isSame(second[1], right[1]));
  EXPECT_TRUE(isSame(second[2], right[2]));
}

TEST_F(DeviceLayers, RefuseATicketOfAForwardBefore) {
  const std::string kGone =
      "input tokens: its values are no longer on the device; expected those of this "
      "forward (keepOnHost has them on the host)";
  Mats old = callLayer(*merge(device_, 0), {tokens_});
  for (Mat& blob : old) blob = blob.clone();
  const Mats next = callLayer(*merge(device_, 0), {tokens_});
  EXPECT_EQ(refusal(*merge(device_, 1), {old[0], next[1], next[2]}), kGone);
  EXPECT_EQ(refusal(*merge(cpu_, 1), {old[0], next[1], next[2]}), kGone);
  EXPECT_EQ(refusal(*merge(device_, 1), next), "nothing was thrown");
  const Mat reshaped = next[0].reshape(1, std::vector<int>{1, 13, 80});
  EXPECT_EQ(refusal(*merge(device_, 1), {reshaped}), kGone);
}

TEST_F(DeviceLayers, OnTheProcessorFetchWhatIsOnTheDevice) {
  const Mats first = callLayer(*merge(device_, 0), {tokens_});
  const Mats second = callLayer(*merge(cpu_, 1), first);
  const Mats right = callLayer(*merge(cpu_, 1), callLayer(*merge(cpu_, 0), {tokens_}));
  EXPECT_TRUE(isSame(second[2], right[2]));
  EXPECT_TRUE(std::isnan(first[0].ptr<float>()[0])) << "others still find it on the device";
}

// A device would read where nothing is.
TEST_F(DeviceLayers, RefuseValuesOfTheHostThatDoNotFit) {
  const Mats first = callLayer(*merge(cpu_, 0), {tokens_});
  Mat map = first[2].clone(), rows = first[1].clone();
  map.ptr<float>()[5] = 64;
  for (Net* net : {&device_, &cpu_}) {
    const std::string sentence = refusal(*merge(*net, 1), {first[0], first[1], map});
    EXPECT_EQ(sentence.rfind("input map: value 64 at 5; expected a whole number from 0 to ", 0), 0U)
        << sentence;
    rows.ptr<float>()[0] = 66;
    EXPECT_EQ(refusal(*merge(*net, 1), {first[0], rows, first[2]}),
              "input rows: value 66 at 0; expected a whole number from 1 to 65, the special rows "
              "to all rows");
  }
}

// Layers of OpenCV's between ours, and a net that OpenCV read.
OnnxGraph graphWithRelu() {
  OnnxGraph graph;
  graph.inputs = {{"tokens", {1, 65, 16}}};
  OnnxNode first{"MutualPairMerge", "first", {"tokens"}, {"a", "rows", "map"}};
  OnnxNode relu{"Relu", "relu", {"a"}, {"b"}, {}, {}, ""};
  OnnxNode second{"MutualPairMerge", "second", {"b", "rows", "map"}, {"c", "rows2", "map2"}};
  first.numbers["special"] = second.numbers["special"] = 1;
  graph.nodes = {first, relu, second, {"MergeRestore", "restore", {"c", "map2"}, {"full"}}};
  graph.outputs = {{"full", {1, 65, 16}}, {"map2", {1, 64}}};
  return graph;
}

TEST_F(DeviceLayers, StandBesideOpenCvs) {
  const std::vector<unsigned char> bytes = onnxBytes(graphWithRelu());
  Net device = readBytes(bytes, "cuda"), cpu = readBytes(bytes, "cpu");
  registerLayers();
  Net plain = cv::dnn::readNetFromONNX(bytes);
  setDevice(plain, "cuda", "tf32");
  EXPECT_EQ(deviceName(plain), "Host Memory 1");
  const Outputs expected = run(cpu, tokens_);
  for (int again = 0; again < 2; ++again) {
    resetRunner();
    expectSame(run(device, tokens_), expected);
    EXPECT_EQ(counts().uploads, 2) << "the tokens twice, once behind the Relu";
    resetRunner();
    const Outputs made = run(plain, tokens_);
    for (const auto& [name, blob] : expected)
      EXPECT_EQ(relativeError(made.at(name), blob), 0) << name;
    EXPECT_GT(counts().calls, 0);
  }
}

TEST_F(DeviceLayers, AreToldAConstantThatIsNoWeight) {
  MergeModel model;
  model.constantRegions = true;
  const std::vector<unsigned char> bytes = onnxModel(model);
  Net device = readBytes(bytes, "cuda"), cpu = readBytes(bytes, "cpu");
  for (int again = 0; again < 2; ++again) expectSame(run(device, tokens_), run(cpu, tokens_));
}

}  // namespace
}  // namespace mpm::test
