// SPDX-License-Identifier: Apache-2.0
// What a model does to its scores at each place: a Segmenter labels by live scores where that is
// adding, by the model's output else, and finds the same labels either way.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "model_edit.h"
#include "mpm/segmenter.h"
#include "net_run.h"

namespace mpm::test {
namespace {

constexpr double kLimit = 10;  // which no few hundred draws of a normal distribution reach

struct Step {
  const char* type;
  bool hasTable;            // a constant of [places x classes]
  double mean = 0;          // of its values
  bool isOfPlanes = false;  // the scores are planes by then
};

void addTable(::onnx::ModelProto& model, const std::string& name, const std::vector<int>& dims,
              double mean) {
  auto& constant = *model.mutable_graph()->add_initializer();
  constant.set_name(name);
  constant.set_data_type(::onnx::TensorProto::FLOAT);
  for (const int dim : dims) constant.add_dims(dim);
  cv::Mat values(dims, CV_32F);
  cv::RNG(5).fill(values, cv::RNG::NORMAL, mean, 1);
  const float* first = values.ptr<float>();
  for (std::size_t i = 0; i < values.total(); ++i) constant.add_float_data(first[i]);
}

// Scores [B, places, classes] pass these nodes before they become planes, or right behind.
::onnx::ModelProto withSteps(const Fixture& fixture, const std::vector<Step>& steps,
                             const cv::Size& grid, int classes) {
  ::onnx::ModelProto model = protoOf(fixture.path());
  auto& nodes = *model.mutable_graph()->mutable_node();
  int planes = nodes.size() - 1;
  const bool isOfPlanes = !steps.empty() && steps[0].isOfPlanes;
  while (nodes[planes].op_type() != (isOfPlanes ? "Resize" : "Transpose")) --planes;
  const std::vector<int> dims = isOfPlanes ? std::vector<int>{classes, grid.height, grid.width}
                                           : std::vector<int>{grid.area(), classes};
  std::string scores = nodes[planes].input(0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string name = "step_" + std::to_string(i);
    auto& node = *nodes.Add();
    node.set_op_type(steps[i].type);
    node.add_input(scores);
    if (steps[i].hasTable) {
      addTable(model, name + "_table", dims, steps[i].mean);
      node.add_input(name + "_table");
    }
    node.add_output(name);
    for (int at = nodes.size() - 1; at > planes; --at) nodes.SwapElements(at, at - 1);
    ++planes;
    scores = name;
  }
  nodes[planes].set_input(0, scores);
  return model;
}

// The scores themselves, in front of all that is done to them.
void scaleScores(::onnx::ModelProto& model, int classes, float by) {
  auto& constants = *model.mutable_graph()->mutable_initializer();
  const auto weights = std::find_if(constants.begin(), constants.end(), [&](const auto& one) {
    return one.dims_size() == 2 && one.dims(1) == classes && one.has_raw_data();
  });
  ASSERT_NE(weights, constants.end());
  std::string& bytes = *weights->mutable_raw_data();
  cv::Mat values(1, static_cast<int>(bytes.size() / sizeof(float)), CV_32F, bytes.data());
  values *= by;
}

cv::Mat bestOfOutput(const std::string& path, const cv::Mat& frame, const Schedule& schedule) {
  ReadOptions options;
  options.schedule = schedule;
  cv::dnn::Net net = readNet(path, options);
  net.setInput(
      cv::dnn::blobFromImage(frame, 1 / 127.5, frame.size(), cv::Scalar::all(127.5), true));
  const cv::Mat scores = net.forward("masks");
  cv::Mat labels(scores.size[2], scores.size[3], CV_8U, cv::Scalar(0)), best;
  for (int k = 0; k < scores.size[1]; ++k) {
    const cv::Mat plane(labels.size(), CV_32F, const_cast<float*>(scores.ptr<float>(0, k)));
    if (k > 0) labels.setTo(k, plane > best);
    best = k > 0 ? cv::Mat(cv::max(best, plane)) : plane.clone();
  }
  cv::resize(labels, labels, frame.size(), 0, 0, cv::INTER_NEAREST);
  return labels;
}

class BehindScores : public testing::TestWithParam<std::vector<Step>> {};

TEST_P(BehindScores, LabelsAreThoseOfTheOutput) {
  const Fixture fixture = fixtureNamed("segmenter_linear");
  const Description own = describe(fixture.path(), optionsOf(fixture));
  const int classes = outputsOf(fixture, {}).at("masks").size[1];
  const Folder folder;
  const std::string path = folder.at("changed.onnx");
  ::onnx::ModelProto model = withSteps(fixture, GetParam(), own.grid, classes);
  // Beyond what a limit of kLimit lets by.
  if (!GetParam().empty() && GetParam()[0].mean == kLimit) scaleScores(model, classes, 1000);
  {
    std::ofstream file(path, std::ios::binary);
    model.SerializeToOstream(&file);
  }
  Segmenter segmenter(path);
  cv::Mat frame(segmenter.model().input, CV_8UC3);
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

const std::vector<Step> kNone,
    kAdd = {{"Add", true}}, kTimes = {{"Mul", true}}, kRelu = {{"Relu", false}},
    kAddRelu = {{"Add", true}, {"Relu", false}}, kMin = {{"Min", true, kLimit}},
    kAddTimes = {{"Add", true}, {"Mul", true}}, kAddPlanes = {{"Add", true, 0, true}},
    kTimesPlanes = {{"Mul", true, 0, true}};
INSTANTIATE_TEST_SUITE_P(Nodes, BehindScores,
                         testing::Values(kNone, kAdd, kTimes, kRelu, kAddRelu, kAddTimes, kMin,
                                         kAddPlanes, kTimesPlanes),
                         [](const auto& steps) {
                           std::string name = "Scores";
                           for (const Step& step : steps.param)
                             name += std::string(step.type) + (step.isOfPlanes ? "Planes" : "");
                           return name;
                         });

}  // namespace
}  // namespace mpm::test
