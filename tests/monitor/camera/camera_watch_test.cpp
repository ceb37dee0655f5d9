// SPDX-License-Identifier: Apache-2.0
// What makes a fault of what is seen, and what is said of it: pictures that stand still or are
// wrongly exposed, how two pictures lie to each other, and the watch over all of it.
#include <opencv2/core.hpp>

#include "models/scenes/camera.h"
#include "monitor/camera/camera_fault.h"
#include "monitor/camera/camera_watch.h"
#include "monitor/camera/moved_picture.h"
#include "monitor/camera/registration.h"
#include "monitor/says.h"

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

TEST(ChangeText, SaysWhatBeganAndEndedAndWhereTheViewIsNow) {
  EXPECT_EQ(beganText(CameraFault::moved, {true, true, 0.13, Placement{{-0.12, 0.031}, -3.2}}),
            "the camera was moved: what it shows is now 12% further left, 3.1% further down, "
            "3.2 degrees counterclockwise (of the picture's width)");
  EXPECT_EQ(placementText({{0.0042, 0}, 1.02, 0.9, 0.5}),
            "0.4% further right, 1 degree clockwise (of the picture's width)");
  EXPECT_EQ(placementText({}), "where it was");
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

// That noise stops, also where a clock goes on, is seen of drawn cameras, as wrong exposures are.
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
  const Sighting white = lookFor(watch, 7200, LightState::day, samples(0.6, 0));
  EXPECT_TRUE(white.isKnown && white.isSeen);
  EXPECT_NEAR(white.value, 0.6, 1e-9);
}

TEST(ExposureWatch, KnowsNothingInItsFirstMinute) {
  ExposureWatch watch;
  EXPECT_FALSE(lookFor(watch, 59, LightState::day, samples(0.9, 0)).isKnown);
}

cv::Mat street(double hour, cv::Size size = {640, 480}, std::uint64_t seed = 7) {
  scenes::CameraOptions options;
  options.seed = seed;
  options.size = size;
  scenes::Camera camera(options);
  cv::Mat picture, labels;
  camera.shoot(hour * 3600, picture, labels);
  return picture;
}

Placement placementOf(const cv::Mat& reference, const cv::Mat& picture) {
  return placementOfDetails(detailsOf(reducedGrey(reference, 160)),
                            detailsOf(reducedGrey(picture, 160)));
}

TEST(Registration, FindsShiftsAndTurnsInTwoPicturesOfOneStreet) {
  const cv::Mat reference = street(12), later = street(12.01);
  for (const cv::Point3d& one : {cv::Point3d(0, 0, 0),
                                 {0.02, 0, 0},
                                 {0, 0, 2},
                                 {-0.05, 0.03, -5},
                                 {0.1, -0.05, 12},
                                 {0.3, 0, 0},
                                 {0, 0.1, 25}}) {
    SCOPED_TRACE(cv::format("%.2f %.2f %.0f", one.x, one.y, one.z));
    const Placement found =
        placementOf(reference, moved(later, one.x, one.y, one.z, cv::BORDER_CONSTANT));
    EXPECT_NEAR(found.shift.x, one.x, 0.004);
    EXPECT_NEAR(found.shift.y, one.y, 0.004);
    EXPECT_NEAR(found.degrees, one.z, 0.5);
    EXPECT_GT(found.fit, 0.7);
  }
}

TEST(Registration, FindsTheStreetInOtherLightAndAtAnotherSize) {
  const Placement found =
      placementOf(street(12), moved(street(16, {320, 240}), 0.05, 0.02, 3, cv::BORDER_CONSTANT));
  EXPECT_NEAR(found.shift.x, 0.05, 0.01);
  EXPECT_NEAR(found.shift.y, 0.02, 0.01);
  EXPECT_NEAR(found.degrees, 3, 0.8);
  EXPECT_GT(found.fit, found.fitUnmoved + 0.1);
}

TEST(Registration, DoesNotFindAnotherStreetAndOfNothingFitsNothing) {
  EXPECT_LT(placementOf(street(12), street(12, {640, 480}, 42)).fit, 0.5);
  const cv::Mat grey(120, 160, CV_8UC1, cv::Scalar(90));
  const Placement found = placementOf(grey, grey);
  EXPECT_EQ(found.fit, 0);
  EXPECT_EQ(found.fitUnmoved, 0);
}

TEST(Registration, LeavesItsPicturesAsTheyAre) {
  const cv::Mat details = detailsOf(reducedGrey(street(12), 160));
  const cv::Mat before = details.clone();
  placementOfDetails(details, details);
  EXPECT_EQ(cv::norm(before, details, cv::NORM_INF), 0);
}

TEST(Registration, ReachesAsFarAsTheCornerThatMovedMost) {
  Placement placement;
  placement.shift = {0.03, 0.04};
  EXPECT_NEAR(placement.reach({640, 480}), 0.05, 1e-9);
  placement.shift = {};
  placement.degrees = 2;
  EXPECT_NEAR(placement.reach({640, 480}), 2 * CV_PI / 180 * 0.625, 1e-4);
}

// A picture full of structure that stands still, by its seed.
cv::Mat wall(std::uint64_t seed, cv::Size size = {320, 240}) {
  cv::Mat picture(size, CV_8UC3, cv::Scalar(110, 115, 120));
  cv::RNG rng(seed);
  for (int i = 0; i < 150; ++i) {
    const cv::Point corner(rng.uniform(0, size.width), rng.uniform(0, size.height));
    const cv::Size sides(rng.uniform(6, 40), rng.uniform(6, 40));
    const cv::Scalar colour(rng.uniform(40, 210), rng.uniform(40, 210), rng.uniform(40, 210));
    cv::rectangle(picture, {corner, sides}, colour, cv::FILLED);
  }
  return picture;
}

class Watched {
 public:
  // Twice a second, with fresh noise.
  std::string see(double seconds, const std::function<cv::Mat()>& picture, double deviation = 3) {
    std::string told;
    for (double passed = 0; passed < seconds; passed += 0.5) {
      now_.steadyMs += 500;
      cv::Mat shown = picture().clone(), noise(shown.size(), CV_16SC3);
      rng_.fill(noise, cv::RNG::NORMAL, cv::Scalar::all(0), cv::Scalar::all(deviation));
      cv::add(shown, noise, shown, cv::noArray(), CV_8U);
      for (const CameraChange& change : watch.update(shown, now_, meter_.update(shown, now_))) {
        last = change;
        told += std::string(change.began ? "+" : "-") + std::string(nameOf(change.fault)) + " ";
      }
    }
    return told;
  }
  std::string see(double seconds, const cv::Mat& picture, double deviation = 3) {
    return see(
        seconds, [&] { return picture; }, deviation);
  }
  void wait(std::int64_t ms) { now_.steadyMs += ms; }

  CameraWatch watch;
  CameraChange last;

 private:
  LightMeter meter_;
  Moment now_;
  cv::RNG rng_{11};
};

// Has learnt a wall by day.
class CameraWatchTest : public testing::Test {
 protected:
  void SetUp() override { EXPECT_EQ(camera_.see(100, street_), ""); }
  // Another one, which is given what this one keeps over a restart.
  Watched next(const std::string& view) const {
    Watched other;
    EXPECT_TRUE(other.watch.setView(view));
    return other;
  }
  Watched next() const { return next(camera_.watch.view()); }

  const cv::Mat street_ = wall(1);
  Watched camera_;
};

TEST_F(CameraWatchTest, WhatWasKeptOverARestartIsKnownAtOnce) {
  EXPECT_LT(camera_.watch.view().size(), 2000000U);
  EXPECT_EQ(next().see(40, street_), "") << "it is where it was";
  EXPECT_EQ(next().see(40, moved(street_, 0.06)), "+moved ");
  EXPECT_EQ(Watched().see(40, moved(street_, 0.06)), "");
}

// The monitor may have begun anew because of that very camera.
TEST_F(CameraWatchTest, WhatIsWrongWhenItBeginsIsToldOfACameraThatIsKnown) {
  EXPECT_EQ(next().see(60, street_, 0), "+frozen ");
  EXPECT_EQ(Watched().see(60, street_, 0), "");
  cv::Mat glaring = street_.clone();
  glaring.rowRange(0, glaring.rows * 7 / 10).setTo(255);
  EXPECT_TRUE(has(next().see(30, glaring), "+exposure "));
}

TEST_F(CameraWatchTest, TheViewAloneIsWhatEarlierVersionsKeptAndWhatIsNoneIsRefused) {
  const std::string view = camera_.watch.view();
  const std::size_t usual = 4 + 8 * (2 + 3 * kLearntLights);
  EXPECT_EQ(next(view.substr(usual)).see(60, moved(street_, 0.06), 0), "+moved ");
  CameraWatch watch;
  for (const std::string& none : {std::string(), std::string("no view at all"), view + "x"})
    EXPECT_FALSE(watch.setView(none));
  for (std::size_t size = 0; size < view.size(); size += 1 + view.size() / 50)
    EXPECT_FALSE(watch.setView(view.substr(0, size))) << size;
  EXPECT_TRUE(watch.setView(view));
}

TEST_F(CameraWatchTest, SaysNothingOfWhatPassesBy) {
  cv::Mat lorry = street_.clone();  // fills nine tenths of the picture for eight seconds
  lorry(cv::Rect(0, 0, 290, 240)).setTo(cv::Scalar(70, 90, 160));
  EXPECT_EQ(camera_.see(8, lorry), "");
  EXPECT_EQ(camera_.see(60, street_), "");
}

TEST_F(CameraWatchTest, LearnsWhatStaysInAPartOfThePicture) {
  cv::Mat street = street_.clone();
  street(cv::Rect(20, 40, 150, 150)).setTo(cv::Scalar(70, 90, 160));
  EXPECT_EQ(camera_.see(300, street), "");
}

TEST_F(CameraWatchTest, StaysMovedUntilItIsBackAndFindsOtherFaultsMeanwhile) {
  const cv::Mat other = moved(street_, 0.1);
  EXPECT_EQ(camera_.see(30, other), "+moved ");
  EXPECT_EQ(camera_.see(100, other), "");
  cv::Mat covered(street_.size(), CV_8UC3, cv::Scalar(80, 90, 100));
  EXPECT_EQ(camera_.see(30, covered), "+covered ");
  EXPECT_EQ(camera_.see(30, other), "-covered ");
  EXPECT_TRUE(camera_.watch.faults()[0]);
  EXPECT_EQ(camera_.see(30, street_), "-moved ");
  EXPECT_TRUE(camera_.watch.faults().none());
}

TEST_F(CameraWatchTest, SeesACameraThatSagsSlowly) {
  std::string told;
  for (int step = 1; step <= 20; ++step) told += camera_.see(15, moved(street_, step * 0.0015));
  // Once for each percent at most.
  EXPECT_TRUE(told == "+moved " || told == "+moved +moved " || told == "+moved +moved +moved ")
      << told;
}

TEST_F(CameraWatchTest, TellsWhereAMovedCameraIsThatIsMovedOnceMore) {
  EXPECT_EQ(camera_.see(100, moved(street_, 0.03)), "+moved ");
  ASSERT_TRUE(camera_.last.placement);
  EXPECT_NEAR(camera_.last.placement->shift.x, 0.03, 0.002);
  EXPECT_EQ(camera_.see(60, moved(street_, 0.09)), "+moved ");
  ASSERT_TRUE(camera_.last.placement);
  EXPECT_NEAR(camera_.last.placement->shift.x, 0.09, 0.002) << "against its first view";
  EXPECT_EQ(camera_.see(60, street_), "-moved ");
  EXPECT_FALSE(camera_.last.placement);
}

TEST(CameraWatch, DoesNotTakeAShakeForAMoveOrABlur) {
  Watched camera;
  const cv::Mat street = wall(1, {640, 480});
  EXPECT_EQ(camera.see(100, street), "");
  int frame = 0;
  EXPECT_EQ(camera.see(120, [&] { return moved(street, 0.006 * std::sin(0.9 * ++frame)); }), "");
}

TEST(CameraWatch, SaysNothingOfPicturesThatHaveNothingInCommon) {
  Watched camera;
  std::uint64_t seed = 0;
  EXPECT_EQ(camera.see(300, [&] { return wall(++seed); }), "");
}

TEST(CameraWatch, SaysNothingOfAWallWithoutStructure) {
  Watched camera;
  const cv::Mat plain(240, 320, CV_8UC3, cv::Scalar(120, 125, 130));
  cv::Mat switchOnIt = plain.clone();
  switchOnIt(cv::Rect(100, 60, 12, 12)).setTo(cv::Scalar(20, 20, 20));
  EXPECT_EQ(camera.see(100, switchOnIt), "");
  EXPECT_EQ(camera.see(100, moved(switchOnIt, 0.2)), "");
}

TEST_F(CameraWatchTest, TakesOneSwitchToInfraredForWhatItIs) {
  cv::Mat infrared;
  cv::cvtColor(wall(2), infrared, cv::COLOR_BGR2GRAY);
  cv::cvtColor(infrared, infrared, cv::COLOR_GRAY2BGR);
  EXPECT_EQ(camera_.see(100, infrared), "");
  EXPECT_EQ(camera_.see(60, street_), "");
  EXPECT_EQ(camera_.see(60, infrared), "");
}

TEST_F(CameraWatchTest, GoesOnBehindAGapAndWhereAFileBeginsAgain) {
  camera_.wait(3600000);
  EXPECT_EQ(camera_.see(60, street_), "");
  camera_.wait(-3000000);
  EXPECT_EQ(camera_.see(60, street_), "");
  EXPECT_EQ(camera_.see(60, cv::Mat(cv::Mat::zeros(street_.size(), CV_8UC3))), "+covered ");
}

TEST(CameraWatch, TakesAnySize) {
  for (const cv::Size size : {cv::Size(1, 1), cv::Size(7, 400), cv::Size(3840, 60)}) {
    Watched camera;
    camera.see(20, cv::Mat(size, CV_8UC3, cv::Scalar(1, 2, 3)));
  }
}

}  // namespace
}  // namespace mpm::test
