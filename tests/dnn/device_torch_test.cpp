// SPDX-License-Identifier: Apache-2.0
// Whole models on the runner of LibTorch, which computes on the processor as it does on a GPU: in
// packed rows, as many as there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/net_run.h"
#include "mpm/layers.h"
#include "mpm/net.h"
#include "mpm/segmenter.h"
#include "scoped.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

using cv::Mat;
using cv::dnn::Net;

// Relative to the largest value. Other kernels, other orders of the sums.
constexpr double kTolerance = 2e-4;

class DeviceTorch : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string fault = deviceFault(GetParam());
    if (std::string(GetParam()) == "cuda" && !fault.empty()) GTEST_SKIP() << fault;
  }

 private:
  ScopedVariable runner_{"MPM_RUNNER", MPM_TORCH};
};

Net netOn(const std::string& device, const Fixture& fixture, Restore restore,
          const std::string& precision = "") {
  ReadOptions options = optionsOf(fixture);
  options.device = device;
  options.precision = precision;
  options.schedule = std::vector<int>{};
  options.restore = restore;
  return readNet(fixture.path(), options);
}

void expectNear(const Outputs& is, const Outputs& right) {
  ASSERT_EQ(is.size(), right.size());
  for (const auto& [name, blob] : right)
    EXPECT_LE(relativeError(is.at(name), blob), kTolerance) << name;
}

// The last two have blocks that the processor computes amid the others: in single layers, and
// within windows.
TEST_P(DeviceTorch, GivesWhatTheProcessorGives) {
  for (const char* name :
       {"timm_vit", "timm_vit_gap", "timm_dinov2_reg4", "timm_clip", "hf_deit", "segmenter_mask",
        "segmenter_linear", "setr_pup", "upernet", "hf_dinov3", "hf_vitdet"}) {
    for (const Restore restore : {Restore::late, Restore::early}) {
      const Fixture fixture = fixtureNamed(name);
      const Mat images = fixture.images();
      Net cpu = netOn("cpu", fixture, restore), device = netOn(GetParam(), fixture, restore);
      // More rows, then fewer: nothing of one frame may stay for the next.
      for (const Schedule& blocks : {Schedule{0, 1}, {}, {0, 1}, {1}, {1}, {0, 1}, {0, 1}}) {
        SCOPED_TRACE(testing::Message() << name << ", merge before " << blocks.text());
        setSchedule(cpu, blocks), setSchedule(device, blocks);
        expectNear(run(device, images), run(cpu, images));
        EXPECT_EQ(liveRows(device), liveRows(cpu));
      }
    }
  }
}

// Pictures of which other parts merge, one after the other.
TEST_P(DeviceTorch, FollowsPicturesThatDiffer) {
  const Fixture fixture = fixtureNamed("segmenter_mask");
  Net cpu = netOn("cpu", fixture, Restore::late),
      device = netOn(GetParam(), fixture, Restore::late);
  for (Net* net : {&cpu, &device}) setSchedule(*net, {0, 1});
  const Mat images = fixture.images();
  for (const int rows : {64, 48, 0, 64, 32, 0}) {
    Mat some = images.clone();
    const int height = images.size[2], width = images.size[3];
    for (int plane = 0; plane < images.size[0] * images.size[1]; ++plane) {
      Mat(height, width, CV_32F, some.ptr<float>() + plane * height * width)
          .rowRange(0, std::min(rows, height))
          .setTo(0.5);
    }
    SCOPED_TRACE(testing::Message() << rows << " plain lines");
    expectNear(run(device, some), run(cpu, some));
    EXPECT_EQ(liveRows(device), liveRows(cpu));
  }
}

// Rounded tokens may have other partners; of an image that merges the same the scores are near.
TEST_P(DeviceTorch, IsNearInBfloat16) {
  if (!hasPrecision("bf16", GetParam())) GTEST_SKIP() << GetParam() << " has no bfloat16";
  const Fixture fixture = fixtureNamed("segmenter_mask");
  const Mat images = fixture.images();
  Net cpu = netOn("cpu", fixture, Restore::late),
      device = netOn(GetParam(), fixture, Restore::late, "bf16");
  int compared = 0;
  for (const Schedule& blocks : {Schedule{}, {0}, {1}, {}}) {
    SCOPED_TRACE(testing::Message() << "merge before " << blocks.text());
    setSchedule(cpu, blocks), setSchedule(device, blocks);
    const Outputs is = run(device, images), right = run(cpu, images);
    ASSERT_EQ(is.size(), right.size());
    if (!blocks.empty() && !isSame(is.at("mpm_map"), right.at("mpm_map"))) continue;
    ++compared;
    for (const auto& [name, blob] : right) {
      for (std::size_t i = 0; i < blob.total(); ++i) {
        const double wanted = blob.ptr<float>()[i];
        ASSERT_NEAR(is.at(name).ptr<float>()[i], wanted,
                    kBf16ModelOutput * std::max(1.0, std::abs(wanted)))
            << name << ' ' << i;
      }
    }
  }
  EXPECT_GE(compared, 2);
}

TEST_P(DeviceTorch, SegmentsFrames) {
  Mat frame(90, 120, CV_8UC3);
  cv::RNG random(5);
  random.fill(frame, cv::RNG::UNIFORM, 0, 256);
  frame.rowRange(0, 40).setTo(cv::Scalar(200, 150, 100));
  for (const bool stages : {false, true}) {
    SegmenterOptions options;
    options.read.schedule = std::vector<int>{0, 1};
    options.stages = stages;
    Segmenter cpu(fixtureNamed("segmenter_mask").path(), options);
    options.read.device = GetParam();
    Segmenter device(fixtureNamed("segmenter_mask").path(), options);
    const Segmentation is = device.segment(frame), right = cpu.segment(frame);
    EXPECT_LE(cv::countNonZero(is.labels != right.labels), frame.total() / 1000);
    EXPECT_TRUE(isSame(is.mergeMap, right.mergeMap));
    EXPECT_EQ(is.rows, right.rows);
    EXPECT_EQ(is.stages.size(), right.stages.size());
  }
}

INSTANTIATE_TEST_SUITE_P(, DeviceTorch, testing::Values("cpu-torch", "cpu-torch-folded", "cuda"),
                         [](const auto& tested) {
                           const std::string device = tested.param;
                           return device == "cuda"        ? "Cuda"
                                  : device == "cpu-torch" ? "Plain"
                                                          : "Folded";
                         });

}  // namespace
}  // namespace mpm::test
