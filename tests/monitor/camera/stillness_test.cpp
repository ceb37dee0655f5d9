// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/sighting.h"

#include <gtest/gtest.h>

#include <functional>

namespace mpm::test {
namespace {

using namespace monitor;

// Half a second at a time.
class Camera {
 public:
  Sighting look(const cv::Mat& samples) { return stillness_.look(samples, nowMs_ += 500, 500); }
  Sighting lookFor(double seconds, const std::function<cv::Mat()>& samples) {
    Sighting last;
    for (double passed = 0; passed < seconds; passed += 0.5) last = look(samples());
    return last;
  }
  cv::Mat noisy() {
    cv::Mat samples(240, 320, CV_8U);
    rng_.fill(samples, cv::RNG::UNIFORM, 100, 104);
    return samples;
  }
  // As a strong compression leaves it: one part in four changes now and then.
  cv::Mat hardlyNoisy() {
    cv::Mat samples(240, 320, CV_8U, cv::Scalar(100));
    samples.rowRange(0, 50) += rng_.uniform(0, 3);
    return samples;
  }

 private:
  Stillness stillness_;
  std::int64_t nowMs_ = 0;
  cv::RNG rng_{7};
};

TEST(Stillness, IsSeenWhenNoiseStops) {
  Camera camera;
  EXPECT_FALSE(camera.lookFor(70, [&] { return camera.noisy(); }).isSeen);
  const cv::Mat still = camera.noisy();
  EXPECT_FALSE(camera.lookFor(40, [&] { return still; }).isSeen);
  EXPECT_TRUE(camera.lookFor(10, [&] { return still; }).isSeen);
  EXPECT_FALSE(camera.lookFor(6, [&] { return camera.noisy(); }).isSeen);
}

TEST(Stillness, IsSeenAlthoughAClockGoesOn) {
  Camera camera;
  camera.lookFor(70, [&] { return camera.noisy(); });
  const cv::Mat still = camera.noisy();
  int count = 0;
  EXPECT_TRUE(camera
                  .lookFor(50,
                           [&] {
                             cv::Mat clock = still.clone();
                             clock(cv::Rect(0, 0, 100, 20)).setTo(++count % 256);
                             return clock;
                           })
                  .isSeen);
}

TEST(Stillness, IsNotToldWhereHardlyAnythingEverChanges) {
  Camera camera;
  EXPECT_FALSE(camera.lookFor(200, [&] { return camera.hardlyNoisy(); }).isKnown);
  const cv::Mat still = camera.hardlyNoisy();
  EXPECT_FALSE(camera.lookFor(100, [&] { return still; }).isSeen);
}

TEST(Stillness, StartsAnewWithAnotherSize) {
  Camera camera;
  camera.lookFor(70, [&] { return camera.noisy(); });
  EXPECT_FALSE(camera.look(cv::Mat(90, 160, CV_8U, cv::Scalar(3))).isSeen);
}

}  // namespace
}  // namespace mpm::test
