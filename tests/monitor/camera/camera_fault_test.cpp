// SPDX-License-Identifier: Apache-2.0
// What makes a fault of what is seen, frozen and wrongly exposed pictures, and what is said.
#include "monitor/camera/camera_fault.h"

#include <gtest/gtest.h>

#include <functional>
#include <opencv2/core.hpp>
#include <optional>
#include <sstream>
#include <string>

namespace mpm::test {
namespace {

using namespace monitor;

const Sighting kSeen{true, true, 1, std::nullopt}, kNot{true, false, 0, std::nullopt};

// Steps such as "s1=+": seen (s), not seen (n) or not known (?) for so many seconds; "+" where it
// begins with that, "-" where it ends.
TEST(Holding, BeginsAndEndsWhenItWasSoForLongEnough) {
  for (const char* steps :
       {"s1 s1 s1=+ n1 n1=-", "s2 n0.5 s2 n0.5 s2 n0.5 s2 n0.5 s2", "s2 ?60 s1=+ ?60 n2=-"}) {
    SCOPED_TRACE(steps);
    Holding holding(3000, 2000);
    std::istringstream words(steps);
    for (std::string word; words >> word;) {
      const Sighting& seen = word[0] == 's' ? kSeen : word[0] == 'n' ? kNot : Sighting{};
      const auto began = holding.update(seen, 1000 * std::stod(word.substr(1)));
      EXPECT_EQ(began ? (*began ? "=+" : "=-") : "",
                word.find('=') == word.npos ? "" : word.substr(word.find('=')))
          << word;
      if (began) {
        EXPECT_EQ(holding.holds(), *began);
      }
    }
  }
}

TEST(ChangeText, SaysWhereTheViewIsNow) {
  Placement placement;
  placement.shift = {-0.12, 0.031};
  placement.degrees = -3.2;
  EXPECT_EQ(beganText(CameraFault::moved, {true, true, 0.13, placement}),
            "the camera was moved: what it shows is now 12% further left, 3.1% further down, "
            "3.2 degrees counterclockwise (of the picture's width)");
}

TEST(ChangeText, SaysWhereAPlacementIs) {
  EXPECT_EQ(placementText({{0.0042, 0}, 1.02, 0.9, 0.5}),
            "0.4% further right, 1 degree clockwise (of the picture's width)");
  EXPECT_EQ(placementText({}), "where it was");
}

TEST(ChangeText, HasASentenceForEachBeginningAndEnd) {
  for (const CameraFault fault : kAllCameraFaults) {
    EXPECT_FALSE(beganText(fault, {true, true, 0.9, std::nullopt}).empty()) << nameOf(fault);
    EXPECT_TRUE(endedText(fault, 125000).ends_with(", after 2 min 5 s")) << nameOf(fault);
  }
}

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

// So much of it is white, and so much black.
cv::Mat samples(double white, double black) {
  cv::Mat picture(100, 100, CV_8U, cv::Scalar(120));
  picture.rowRange(0, static_cast<int>(white * 100)).setTo(255);
  picture.rowRange(100 - static_cast<int>(black * 100), 100).setTo(0);
  return picture;
}

Sighting lookFor(ExposureWatch& watch, double seconds, LightState light, const cv::Mat& picture) {
  Sighting last;
  for (double passed = 0; passed < seconds; passed += 0.5) last = watch.look(picture, light, 500);
  return last;
}

TEST(ExposureWatch, SeesThatMostIsWhite) {
  ExposureWatch watch;
  EXPECT_FALSE(lookFor(watch, 61, LightState::day, samples(0.05, 0.1)).isSeen);
  const Sighting white = watch.look(samples(0.7, 0), LightState::day, 500);
  EXPECT_TRUE(white.isKnown);
  EXPECT_TRUE(white.isSeen);
  EXPECT_NEAR(white.value, 0.7, 1e-9);
}

TEST(ExposureWatch, TakesWhatIsUsualByNightForGood) {
  ExposureWatch watch;
  lookFor(watch, 61, LightState::day, samples(0, 0.1));
  EXPECT_FALSE(lookFor(watch, 61, LightState::night, samples(0, 0.7)).isSeen);
  EXPECT_FALSE(watch.look(samples(0, 0.7), LightState::day, 500).isSeen);
  EXPECT_FALSE(lookFor(watch, 600, LightState::night, samples(0, 0.7)).isSeen);
}

TEST(ExposureWatch, DoesNotLearnWhatIsWrong) {
  ExposureWatch watch;
  lookFor(watch, 61, LightState::day, samples(0, 0.1));
  EXPECT_TRUE(lookFor(watch, 7200, LightState::day, samples(0.6, 0)).isSeen);
}

TEST(ExposureWatch, KnowsNothingInItsFirstMinute) {
  ExposureWatch watch;
  EXPECT_FALSE(lookFor(watch, 59, LightState::day, samples(0.9, 0)).isKnown);
}

}  // namespace
}  // namespace mpm::test
