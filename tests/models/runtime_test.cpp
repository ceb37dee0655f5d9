// SPDX-License-Identifier: Apache-2.0
// Against ONNX Runtime in the same process, as it optimises models by itself.
#include <algorithm>
#include <gtest/gtest.h>
#include <onnxruntime_cxx_api.h>

#include <cstdint>
#include <map>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "mpm/net.h"
#include "net_run.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

Ort::Env& environment() {
  static Ort::Env one(ORT_LOGGING_LEVEL_ERROR, "mpm");
  return one;
}

std::vector<std::int64_t> dimsOf(const cv::Mat& blob) {
  return {blob.size.p, blob.size.p + blob.dims};
}

cv::Mat matOf(const Ort::Value& value) {
  const auto info = value.GetTensorTypeAndShapeInfo();
  const std::vector<std::int64_t> shape = info.GetShape();
  const std::vector<int> dims(shape.begin(), shape.end());
  if (info.GetElementType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT)
    return cv::Mat(dims, CV_32F, const_cast<float*>(value.GetTensorData<float>())).clone();
  cv::Mat mat;
  cv::Mat(dims, CV_16F, const_cast<Ort::Float16_t*>(value.GetTensorData<Ort::Float16_t>()))
      .convertTo(mat, CV_32F);
  return mat;
}

/// A blob as a tensor of ONNX Runtime's; the blob holds its values.
Ort::Value valueOf(cv::Mat& blob) {
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  const bool isHalf = blob.type() == CV_16F;
  const std::vector<std::int64_t> dims = dimsOf(blob);
  return Ort::Value::CreateTensor(
      memory, blob.data, blob.total() * blob.elemSize(), dims.data(), dims.size(),
      isHalf ? ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 : ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
}

Outputs runInRuntime(const Fixture& fixture, const cv::Mat& images) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(1);
  Ort::Session session(environment(), fixture.path().c_str(), options);
  const auto type = session.GetInputTypeInfo(0).GetTensorTypeAndShapeInfo().GetElementType();
  cv::Mat blob;
  images.convertTo(blob, type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 ? CV_16F : CV_32F);
  const Ort::Value input = valueOf(blob);
  const char* inputName = fixture.inputName.c_str();
  std::vector<const char*> names;
  for (const std::string& name : fixture.outputs) names.push_back(name.c_str());
  const std::vector<Ort::Value> values =
      session.Run(Ort::RunOptions(), &inputName, &input, 1, names.data(), names.size());
  Outputs outputs;
  for (std::size_t i = 0; i < values.size(); ++i) outputs[fixture.outputs[i]] = matOf(values[i]);
  return outputs;
}

class Runtime : public FixtureTest {
 protected:
  void expectEqual(cv::dnn::Net& net, const cv::Mat& images) {
    Outputs expected;
    try {
      expected = runInRuntime(GetParam(), images);
    } catch (const Ort::Exception& error) {
      const std::string what = error.what();
      if (what.find("opset") == std::string::npos) throw;
      GTEST_SKIP() << "newer than this ONNX Runtime: " << what;
    }
    const Outputs outputs = run(net, images);
    for (const auto& [name, blob] : expected) {
      const double error = relativeError(outputs.at(name), blob);
      EXPECT_LE(error, GetParam().isHalf() ? kHalfModelOutput : kModelOutput) << name;
      RecordProperty(name, cv::format("%.1e", error));
    }
  }
};

TEST_P(Runtime, FullTokensGiveWhatItGives) {
  cv::dnn::Net net = netOf(GetParam(), {});
  expectEqual(net, GetParam().images());
}

// Other images than those whose outputs are stored. What float16 loses on noise is nobody's to say.
TEST_P(Runtime, NoiseGivesWhatItGives) {
  if (GetParam().isHalf()) return;
  cv::dnn::Net net = netOf(GetParam(), {});
  cv::Mat images = GetParam().images().clone();
  cv::RNG random(11);
  random.fill(images, cv::RNG::NORMAL, 0, 1);
  expectEqual(net, images);
}

// It computes quantised ones with whole numbers.
std::vector<Fixture> realFixtures() {
  std::vector<Fixture> some = mergeableFixtures();
  some.erase(std::remove_if(some.begin(), some.end(),
                            [](const Fixture& one) { return one.isQuantised(); }),
             some.end());
  return some;
}

MPM_FOR_FIXTURES(Runtime, realFixtures());

// A model that resizes its positions itself does so at every size.
class RuntimeSize : public Runtime {};

TEST_P(RuntimeSize, AnotherGivesWhatItGives) {
  for (const cv::Size& size : {cv::Size(80, 64), cv::Size(32, 40), cv::Size(64, 64)}) {
    SCOPED_TRACE(size);
    ReadOptions options;
    options.schedule.emplace();
    options.inputSize = size;
    cv::dnn::Net net = readNet(GetParam().path(), options);
    cv::Mat images({2, 3, size.height, size.width}, CV_32F);
    cv::RNG random(13);
    random.fill(images, cv::RNG::NORMAL, 0, 1);
    expectEqual(net, images);
  }
}

MPM_FOR_FIXTURES(RuntimeSize, (std::vector<Fixture>{fixtureNamed("hf_vit_open_size")}));

}  // namespace
}  // namespace mpm::test
