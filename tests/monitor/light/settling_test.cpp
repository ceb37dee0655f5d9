// SPDX-License-Identifier: Apache-2.0
#include "monitor/light/light_steps.h"

#include <gtest/gtest.h>

namespace mpm::test {
namespace {

using monitor::LightState;
using monitor::Settling;

constexpr double kDwellMs = 5000;

// `ms` of frames, 100 ms from each other, and what the last one gives.
LightState show(Settling& settling, LightState seen, double ms, bool moving = false) {
  LightState state = LightState::transition;
  for (double time = 0; time < ms; time += 100) state = settling.update(seen, moving, 100);
  return state;
}

TEST(Settling, IsInTransitionUntilTheFirstDwellIsOver) {
  Settling settling(kDwellMs);
  EXPECT_EQ(show(settling, LightState::day, 5000), LightState::transition);
  EXPECT_EQ(show(settling, LightState::day, 100), LightState::day);
}

TEST(Settling, AnotherStateHasToStayForADwell) {
  Settling settling(kDwellMs);
  show(settling, LightState::day, 6000);
  EXPECT_EQ(show(settling, LightState::dusk, 4900), LightState::day);
  EXPECT_EQ(show(settling, LightState::day, 100), LightState::day);
  EXPECT_EQ(show(settling, LightState::dusk, 4900), LightState::day) << "counts anew";
  EXPECT_EQ(show(settling, LightState::dusk, 200), LightState::dusk);
}

TEST(Settling, LightThatMovesIsInTransition) {
  Settling settling(kDwellMs);
  show(settling, LightState::day, 6000);
  EXPECT_EQ(show(settling, LightState::dusk, 4900, true), LightState::day);
  EXPECT_EQ(show(settling, LightState::dusk, 300, true), LightState::transition);
  EXPECT_EQ(show(settling, LightState::dusk, 1000, true), LightState::transition);
  EXPECT_EQ(show(settling, LightState::dusk, 100, false), LightState::dusk);
}

TEST(Settling, TheWayThroughAnotherStateIsTransition) {
  Settling settling(kDwellMs);
  show(settling, LightState::day, 6000);
  show(settling, LightState::dusk, 3000);
  EXPECT_EQ(show(settling, LightState::night, 2500), LightState::transition);
  EXPECT_EQ(show(settling, LightState::night, 3000), LightState::night);
}

TEST(Settling, LightThatNeverStandsStillIsTakenAsItIs) {
  Settling settling(kDwellMs);
  EXPECT_EQ(show(settling, LightState::night, 19000, true), LightState::transition);
  EXPECT_EQ(show(settling, LightState::night, 2000, true), LightState::night);
}

TEST(Settling, ColourThatGoesShowsSoon) {
  Settling settling(kDwellMs);
  show(settling, LightState::night, 6000);
  EXPECT_EQ(show(settling, LightState::infrared, 900, true), LightState::night);
  EXPECT_EQ(show(settling, LightState::infrared, 300, true), LightState::transition);
  EXPECT_EQ(show(settling, LightState::infrared, 4000), LightState::infrared);
  EXPECT_EQ(show(settling, LightState::day, 1300, true), LightState::transition);
}

TEST(Settling, NoSignalShowsAfterAShortDwell) {
  Settling settling(kDwellMs);
  show(settling, LightState::day, 6000);
  EXPECT_EQ(show(settling, LightState::noSignal, 800, true), LightState::day);
  EXPECT_EQ(show(settling, LightState::noSignal, 300, true), LightState::noSignal);
  EXPECT_EQ(show(settling, LightState::day, 800), LightState::noSignal);
  EXPECT_EQ(show(settling, LightState::day, 400), LightState::transition);
  EXPECT_EQ(show(settling, LightState::day, 4000), LightState::day);
}

TEST(Settling, OneFrameIsNoDwellHoweverSlowTheCamera) {
  Settling settling(kDwellMs);
  for (int i = 0; i < 4; ++i) settling.update(LightState::night, false, 10000);
  EXPECT_EQ(settling.update(LightState::night, false, 10000), LightState::night);
  EXPECT_EQ(settling.update(LightState::day, false, 10000), LightState::night);
  EXPECT_EQ(settling.update(LightState::day, false, 10000), LightState::night);
  EXPECT_EQ(settling.update(LightState::day, false, 10000), LightState::day);
}

TEST(Settling, AfterALongGapAnotherLightIsTransition) {
  Settling settling(kDwellMs);
  show(settling, LightState::day, 6000);
  EXPECT_EQ(settling.update(LightState::night, false, 3600000), LightState::transition);
  EXPECT_EQ(show(settling, LightState::night, 5100), LightState::night);
  EXPECT_EQ(settling.update(LightState::night, false, 3600000), LightState::night);
}

TEST(Settling, WithoutADwellFollowsAtOnce) {
  Settling settling(0);
  EXPECT_EQ(settling.update(LightState::day, false, 0), LightState::day);
  EXPECT_EQ(settling.update(LightState::night, false, 40), LightState::night);
}

TEST(Settling, ItsReferenceIsWhatItSettledFor) {
  Settling settling(kDwellMs);
  EXPECT_FALSE(settling.reference().has_value());
  settling.update(LightState::dusk, false, 0);
  EXPECT_EQ(settling.reference(), LightState::dusk);
  show(settling, LightState::dusk, 6000);
  settling.update(LightState::night, false, 100);
  EXPECT_EQ(settling.reference(), LightState::dusk);
}

}  // namespace
}  // namespace mpm::test
