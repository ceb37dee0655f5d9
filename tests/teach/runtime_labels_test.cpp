// SPDX-License-Identifier: Apache-2.0
// A taught file in ONNX Runtime: the labels are those that are found here.
#include <gtest/gtest.h>
#include <onnxruntime_cxx_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "in_project.h"
#include "models/scenes/camera.h"
#include "models/scenes/classes.h"
#include "models/street/street_model.h"
#include "mpm/segmenter.h"
#include "mpm/teach.h"
#include "teach/painted_frames.h"

namespace mpm::test {
namespace {

// Of a pixel the class with the largest score, the first of several.
cv::Mat labelsOf(const Ort::Value& scores) {
  const std::vector<std::int64_t> shape = scores.GetTensorTypeAndShapeInfo().GetShape();
  const int classes = static_cast<int>(shape.at(1)), height = static_cast<int>(shape.at(2)),
            width = static_cast<int>(shape.at(3));
  cv::Mat labels(height, width, CV_8U, cv::Scalar(0));
  cv::Mat best(height, width, CV_32F, const_cast<float*>(scores.GetTensorData<float>()));
  best = best.clone();
  for (int k = 1; k < classes; ++k) {
    const cv::Mat plane(height, width, CV_32F,
                        const_cast<float*>(scores.GetTensorData<float>()) +
                            static_cast<std::size_t>(k) * best.total());
    labels.setTo(k, plane > best);
    cv::max(best, plane, best);
  }
  return labels;
}

// A file of ONNX Runtime's, fed as its metadata says: three colours, RGB, mean and std from 0 to 1.
class RuntimeModel {
 public:
  explicit RuntimeModel(const std::string& path)
      : session_([&] {
          Ort::SessionOptions options;
          options.SetIntraOpNumThreads(1);
          return Ort::Session(environment(), path.c_str(), options);
        }()) {}

  cv::Size input() const {
    const auto shape = session_.GetInputTypeInfo(0).GetTensorTypeAndShapeInfo().GetShape();
    return {static_cast<int>(shape.at(3)), static_cast<int>(shape.at(2))};
  }
  cv::Mat labels(const cv::Mat& frame) {
    cv::Mat rgb;
    cv::cvtColor(frame, rgb, cv::COLOR_BGR2RGB);
    rgb.convertTo(rgb, CV_32FC3, 1 / 255.0);
    rgb = (rgb - numbers("mpm.mean"));
    cv::divide(rgb, numbers("mpm.std"), rgb);
    cv::Mat blob = cv::dnn::blobFromImage(rgb);
    const bool isHalf = session_.GetInputTypeInfo(0).GetTensorTypeAndShapeInfo().GetElementType() ==
                        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16;
    if (isHalf) blob.convertTo(blob, CV_16F);
    const std::vector<std::int64_t> dims(blob.size.p, blob.size.p + blob.dims);
    const Ort::Value input = Ort::Value::CreateTensor(
        Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault), blob.data,
        blob.total() * blob.elemSize(), dims.data(), dims.size(),
        isHalf ? ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 : ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    const std::string from = session_.GetInputNameAllocated(0, allocator_).get();
    const std::string to = session_.GetOutputNameAllocated(0, allocator_).get();
    const char *fromName = from.c_str(), *toName = to.c_str();
    return labelsOf(session_.Run(Ort::RunOptions(), &fromName, &input, 1, &toName, 1).front());
  }

 private:
  static Ort::Env& environment() {
    static Ort::Env one(ORT_LOGGING_LEVEL_ERROR, "mpm");
    return one;
  }
  cv::Scalar numbers(const char* key) {
    const auto metadata = session_.GetModelMetadata();
    std::istringstream text(metadata.LookupCustomMetadataMapAllocated(key, allocator_).get());
    cv::Scalar found;
    for (int i = 0; i < 3; ++i, text.ignore()) text >> found[i];
    return found;
  }

  Ort::AllocatorWithDefaultOptions allocator_;
  Ort::Session session_;
};

// A model that is newer than this ONNX Runtime tells nothing.
void expectTheSame(const std::string& path, const std::vector<cv::Mat>& frames) {
  Segmenter segmenter(path);
  if (segmenter.model().mergeable) segmenter.setSchedule({});
  try {
    RuntimeModel runtime(path);
    for (const cv::Mat& frame : frames) {
      cv::Mat fitting;
      cv::resize(frame, fitting, runtime.input());
      const double same = agreement(segmenter.segment(fitting).labels, runtime.labels(fitting));
      EXPECT_GE(same, 0.999);
      testing::Test::RecordProperty("same", cv::format("%.6f", same));
    }
  } catch (const Ort::Exception& error) {
    if (std::string(error.what()).find("opset") == std::string::npos) throw;
    GTEST_SKIP() << error.what();
  }
}

class TaughtInRuntime : public testing::TestWithParam<const char*> {};

TEST_P(TaughtInRuntime, FindsTheSameLabels) {
  for (const int depths : {1, 4}) {
    const Folder folder;
    TeachOptions options;
    options.classes = {"sky", "ground", "box"};
    options.depths = depths;
    Teacher teacher(inProject("tests/models/") + GetParam() + ".onnx", options);
    for (int i = 0; i < 4; ++i) teacher.add(paintedScene(i).frame, paintedScene(i).labels);
    teacher.teach();
    teacher.write(folder.at("taught.onnx"));
    expectTheSame(folder.at("taught.onnx"), {paintedScene(6).frame, paintedScene(7).frame});
  }
}

INSTANTIATE_TEST_SUITE_P(Exported, TaughtInRuntime,
                         testing::Values("segmenter_mask", "segmenter_linear", "setr_naive",
                                         "timm_vit_opset13", "timm_vit_avg", "timm_vit_map",
                                         "timm_vit_tokens", "timm_dinov2", "timm_dinov2_reg4",
                                         "timm_beit", "timm_parallel", "timm_rope", "timm_qk_norm",
                                         "clip_openai", "timm_vit_external"),
                         [](const auto& named) { return std::string(named.param); });

// The street model, five frames of a street that it never saw; others of that street.
TEST(TaughtInRuntime, FindsTheSameOnAStreet) {
  if (std::getenv("MPM_LONG_TESTS") == nullptr) GTEST_SKIP() << "takes half a minute";
  const Folder folder;
  scenes::CameraOptions options;
  options.seed = 3600001;
  scenes::Camera camera(options);
  PaintedScene shot;
  TeachOptions wanted;
  for (const scenes::ClassFacts& each : scenes::kClassFacts) wanted.classes.emplace_back(each.name);
  Teacher teacher(streetModel(), wanted);
  for (const double hour : {0, 5, 10, 15, 20}) {
    camera.shoot(hour * 3600, shot.frame, shot.labels);
    teacher.add(shot.frame, shot.labels);
  }
  teacher.teach();
  teacher.write(folder.at("street.onnx"));
  std::vector<cv::Mat> others;
  for (const double hour : {3, 8, 13, 18, 23}) {
    camera.shoot(hour * 3600, shot.frame, shot.labels);
    others.push_back(shot.frame.clone());
  }
  expectTheSame(folder.at("street.onnx"), others);
}

}  // namespace
}  // namespace mpm::test
