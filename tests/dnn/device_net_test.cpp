// SPDX-License-Identifier: Apache-2.0
// Whole models on a device give what they give on the processor, and only what has to be is copied.
#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "dnn/host_runner/loaded_runner.h"
#include "mpm/layers.h"

namespace mpm::test {
namespace {

using cv::Mat;
using cv::dnn::Net;

class DeviceNet : public OnHostRunner {};

const std::vector<Reading> kReadings = {{{}, Restore::late},
                                        {{}, Restore::early},
                                        {{1}, Restore::late},
                                        {{0, 1}, Restore::late},
                                        {{0, 1}, Restore::early}};

// A head, a decoder, OpenCV's own layers behind the encoder, other special tokens.
std::vector<Fixture> someFixtures() {
  std::vector<Fixture> some;
  for (const char* name : {"timm_vit", "timm_vit_gap", "timm_dinov2_reg4", "timm_clip", "hf_vit",
                           "segmenter_mask", "segmenter_linear", "setr_pup", "upernet"}) {
    some.push_back(fixtureNamed(name));
  }
  return some;
}

Mat batchOf(const Fixture& fixture, int batch) {
  const Mat images = fixture.images();
  if (!fixture.hasOpenBatch) return images;
  Mat all;
  for (int b = 0; b < batch; ++b) {
    Mat one = imageOf(images, b % images.size[0]).clone();
    one *= 1 + 0.25 * b;
    all.push_back(one.reshape(1, 1));
  }
  std::vector<int> shape(images.size.p, images.size.p + images.dims);
  shape[0] = batch;
  return all.reshape(1, shape).clone();
}

TEST_F(DeviceNet, GivesWhatTheProcessorGives) {
  for (const Fixture& fixture : someFixtures()) {
    for (const Reading& reading : kReadings) {
      Net cpu = netOn("cpu", fixture, reading), device = netOn("cuda", fixture, reading);
      for (const int batch : {1, 3, 1}) {
        SCOPED_TRACE(testing::Message() << fixture << ", merge before " << reading.schedule.text()
                                        << (reading.restore == Restore::early ? ", early" : "")
                                        << ", " << batch << " at once");
        const Mat images = batchOf(fixture, batch);
        expectSame(run(device, images), run(cpu, images));
        EXPECT_EQ(liveRows(device), liveRows(cpu));
        if (!fixture.hasOpenBatch) break;
      }
    }
  }
  EXPECT_GT(counts().layers, 100);
  EXPECT_GT(counts().calls, 1000);
}

TEST_F(DeviceNet, CopiesTheImageAndWhatLeaves) {
  const Fixture fixture = fixtureNamed("segmenter_mask");
  for (const Reading& reading : kReadings) {
    SCOPED_TRACE(testing::Message() << "merge before " << reading.schedule.text());
    Net net = netOn("cuda", fixture, reading);
    const Mat images = fixture.images();
    run(net, images);
    resetRunner();
    const Outputs outputs = run(net, images);
    EXPECT_EQ(counts().uploads, 1);
    EXPECT_EQ(counts().uploadedFloats, static_cast<long>(images.total()));
    // The scores of the patches, and not yet those of the pixels.
    const int side = fixture.patch * fixture.patch;
    long floats = 0;
    for (const auto& [name, blob] : outputs)
      floats += static_cast<long>(blob.total()) / (blob.dims == 4 ? side : 1);
    EXPECT_EQ(counts().downloads, static_cast<int>(outputs.size()));
    EXPECT_EQ(counts().downloadedFloats, floats);
  }
}

TEST_F(DeviceNet, IsNamed) {
  const Fixture fixture = fixtureNamed("timm_vit");
  Net cpu = netOn("cpu", fixture, {}), device = netOn("cuda", fixture, {});
  EXPECT_EQ(deviceName(cpu), "cpu");
  EXPECT_EQ(deviceName(device), "Host Memory 1");
  const ScopedVariable variable("MPM_DEVICE", "cuda");
  Net byVariable = netOn("", fixture, {});
  EXPECT_EQ(deviceName(byVariable), "Host Memory 1");
}

TEST_F(DeviceNet, ChangesItsScheduleWhileItLives) {
  const Fixture fixture = fixtureNamed("segmenter_mask");
  const Mat images = fixture.images();
  Net device = netOn("cuda", fixture, {}), cpu = netOn("cpu", fixture, {});
  for (const Schedule& blocks : {Schedule{0, 1}, {}, {1}, {0}}) {
    setSchedule(device, blocks), setSchedule(cpu, blocks);
    expectSame(run(device, images), run(cpu, images));
    EXPECT_EQ(liveRows(device), liveRows(cpu));
  }
  setMerging(device, false), setMerging(cpu, false);
  expectSame(run(device, images), run(cpu, images));
  setMerging(device, true), setMerging(cpu, true);
  expectSame(run(device, images), run(cpu, images));
}

TEST_F(DeviceNet, TwoInTwoThreadsGiveWhatOneGives) {
  const Fixture fixture = fixtureNamed("timm_vit");
  const Mat images = fixture.images();
  Net cpu = netOn("cpu", fixture, {{0, 1}});
  const Outputs expected = run(cpu, images);
  std::vector<std::thread> threads;
  std::vector<Outputs> results(3);
  for (Outputs& result : results) {
    threads.emplace_back([&] {
      for (int nets = 0; nets < 3; ++nets) {
        Net net = netOn("cuda", fixture, {{0, 1}});
        for (int frame = 0; frame < 10; ++frame) result = run(net, images);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Outputs& result : results) expectSame(result, expected);
}

// Layers that the runner leaves to the processor find what they need, and are found.
TEST_F(DeviceNet, LeavesSomeKindsToTheProcessor) {
  const Fixture fixture = fixtureNamed("segmenter_mask");
  const Mat images = fixture.images();
  const Reading reading{{0, 1}};
  Net cpu = netOn("cpu", fixture, reading);
  const Outputs expected = run(cpu, images);
  for (const char* without :
       {"mpm.PatchEmbed", "mpm.TransformerBlock", "mpm.MutualPairMerge", "mpm.MergeRestore",
        "mpm.ReplaceSpecial", "mpm.MaskDecoderHead", "mpm.Normalize,mpm.Linear",
        "mpm.TransformerBlock,mpm.MutualPairMerge,mpm.PatchEmbed"}) {
    SCOPED_TRACE(without);
    resetRunner(without);
    Net device = netOn("cuda", fixture, reading);
    expectSame(run(device, images), expected);
    expectSame(run(device, images), expected);
    EXPECT_EQ(liveRows(device), liveRows(cpu));
    EXPECT_GT(counts().calls, 0);
  }
}

}  // namespace
}  // namespace mpm::test
