// SPDX-License-Identifier: Apache-2.0
// What a model does to its scores at each place: a Segmenter labels by live scores where that is
// adding, by the model's output else, and finds the same labels either way.
#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "mpm/net.h"
#include "mpm/segmenter.h"
#include "onnx/graph_text.h"
#include "onnx/proto_model.h"

namespace mpm::test {
namespace {

// Scores of five classes for pictures of 48 x 32, in patches of 4: "scores" [B, 96, 5] pass
// `steps`, as "rows", before they become "planes", "grid" and "masks".
std::string segmenter(const std::string& steps) {
  return changed(
      vit(), R"(image[-1, 3, 32, 48]; planes = Conv(image, some(8, 3, 4, 4), some(8)) strides=[4, 4]
columns = Reshape(planes, [0, 8, 96]); tokens = Add(all, some(1, 97, 8)); y = LayerNormalization(b1, some(8), some(8))
patches_of = Slice(y, [1], [97], [1]); scores = MatMul(patches_of, some(8, 5)); rows = Identity(scores)
turned = Transpose(rows) perm=[0, 2, 1]; map = Reshape(turned, [-1, 5, 8, 12]); grid = Identity(map)
masks = Resize(grid, _, _, [1, 5, 32, 48]) mode='linear'; out masks
)" + steps);
}

// The best class of each pixel, by the model's output.
cv::Mat bestOfOutput(const std::string& path, const cv::Mat& frame, const Schedule& schedule) {
  ReadOptions options;
  options.schedule = schedule;
  cv::dnn::Net net = readNet(path, options);
  net.setInput(
      cv::dnn::blobFromImage(frame, 1 / 127.5, frame.size(), cv::Scalar::all(127.5), true));
  const cv::Mat scores = net.forward("masks");
  cv::Mat labels(frame.size(), CV_8U, cv::Scalar(0)), best;
  for (int k = 0; k < scores.size[1]; ++k) {
    const cv::Mat plane(labels.size(), CV_32F, const_cast<float*>(scores.ptr<float>(0, k)));
    if (k > 0) labels.setTo(k, plane > best);
    best = k > 0 ? cv::Mat(cv::max(best, plane)) : plane.clone();
  }
  return labels;
}

TEST(Scores, LabelsAreThoseOfTheOutput) {
  for (const std::string steps :
       {"", "rows = Add(scores, some(96, 5))", "rows = Mul(scores, some(96, 5))",
        "rows = Relu(scores)", "a = Add(scores, some(96, 5)); rows = Relu(a)",
        "a = Add(scores, some(96, 5)); rows = Mul(a, some(96, 5))",
        "a = Mul(scores, 1000.0); rows = Min(a, fill(10, 96, 5))",
        "grid = Add(map, some(5, 8, 12))", "grid = Mul(map, some(5, 8, 12))"}) {
    SCOPED_TRACE(steps);
    const Folder folder;
    const std::string path =
        folder.put("model.onnx", graph(segmenter(steps)).SerializeAsString()).string();
    Segmenter segmenter(path);
    cv::Mat frame(segmenter.model().input, CV_8UC3);
    ASSERT_EQ(frame.size(), cv::Size(48, 32));
    for (const Schedule& schedule : {Schedule(), Schedule{1}, Schedule{0, 1}}) {
      segmenter.setSchedule(schedule);
      for (int seed = 1; seed < 4; ++seed) {
        cv::RNG(static_cast<unsigned>(seed)).fill(frame, cv::RNG::UNIFORM, 0, 255);
        frame.rowRange(0, frame.rows / 2).setTo(cv::Scalar(90, 120, 200));
        const cv::Mat labels = segmenter.segment(frame).labels;
        const int same = cv::countNonZero(labels == bestOfOutput(path, frame, schedule));
        EXPECT_GE(same, 0.999 * static_cast<double>(labels.total())) << schedule.text();
      }
    }
  }
}

}  // namespace
}  // namespace mpm::test
