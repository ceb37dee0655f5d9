// SPDX-License-Identifier: Apache-2.0
// A device that guessed wrong is told everything again.
#include "dnn/host_runner/loaded_runner.h"
#include "mpm/layers.h"

namespace mpm::test {
namespace {

using cv::Mat;
using cv::dnn::Net;

class DeviceReplay : public OnHostRunner {};

TEST_F(DeviceReplay, GivesWhatIsRight) {
  for (const char* name : {"segmenter_mask", "timm_vit", "upernet"}) {
    const Fixture fixture = fixtureNamed(name);
    const Mat images = fixture.images();
    const Reading reading{{0, 1}};
    Net cpu = netOn("cpu", fixture, reading), device = netOn("cuda", fixture, reading);
    const Outputs expected = run(cpu, images);
    for (const int times : {1, 2, 0, 5}) {
      SCOPED_TRACE(testing::Message() << fixture << ", " << times << " times");
      resetRunner("", "", times);
      expectSame(run(device, images), expected);
      EXPECT_EQ(liveRows(device), liveRows(cpu));
      if (fixture.name != "segmenter_mask") continue;  // OpenCV's layers give to ours
      EXPECT_EQ(counts().uploads, 1 + times);
    }
  }
  EXPECT_EQ(counts().blobs, 0);
}

TEST_F(DeviceReplay, HoldsForRowsThatAreAskedForLater) {
  const Fixture fixture = fixtureNamed("timm_vit");
  const Mat images = fixture.images();
  Net cpu = netOn("cpu", fixture, {{0, 1}}), device = netOn("cuda", fixture, {{0, 1}});
  run(cpu, images);
  const Outputs expected = run(device, images);
  resetRunner("", "", 2);
  EXPECT_EQ(liveRows(device), liveRows(cpu));
  EXPECT_EQ(liveRows(device), liveRows(cpu));
  expectSame(run(device, images), expected);
}

TEST_F(DeviceReplay, EndsWhereItNeverHelps) {
  const Fixture fixture = fixtureNamed("timm_vit");
  Net device = netOn("cuda", fixture, {{0, 1}});
  resetRunner("", "", 1000000);
  try {
    run(device, fixture.images());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const cv::Exception& error) {
    EXPECT_NE(error.err.find("': the device gave no result in 64 attempts; one is right"),
              std::string::npos)
        << error.err;
  }
  resetRunner();
  Net cpu = netOn("cpu", fixture, {{0, 1}});
  expectSame(run(device, fixture.images()), run(cpu, fixture.images()));
}

}  // namespace
}  // namespace mpm::test
