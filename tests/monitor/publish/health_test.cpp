// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "monitor/publish/pages.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

TEST(Health, LiveAndEndedSourcesAndAWritableRecordAreWell) {
  PublishedState state = sampleState();
  state.sources.push_back(sampleSource("file"));
  state.sources[1].capture.state = CaptureState::ended;
  const Health health = healthOf(state);
  EXPECT_TRUE(health.healthy);
  EXPECT_EQ(health.text, "north: ok\nfile: ok\nrecord: ok\n");
}

TEST(Health, EachOtherStateSaysWhatIsWrong) {
  PublishedState state = sampleState();
  state.record.reset();
  CaptureStatus& capture = state.sources[0].capture;
  capture.state = CaptureState::opening;
  EXPECT_EQ(healthOf(state).text, "north: opening\n");
  capture.state = CaptureState::stale;
  capture.msSinceFrame = 7400;
  EXPECT_EQ(healthOf(state).text, "north: no new frame for 7 s\n");
  capture.state = CaptureState::waiting;
  capture.msToNextTry = 12000;
  capture.fault = "the camera does not answer";
  EXPECT_EQ(healthOf(state).text,
            "north: not there, tried again in 12 s: the camera does not answer\n");
  EXPECT_FALSE(healthOf(state).healthy);
}

TEST(Health, ARecordWithAFaultIsToldOnOneLine) {
  PublishedState state = sampleState();
  state.record->fault = "the disk is full:\nno space";
  const Health health = healthOf(state);
  EXPECT_FALSE(health.healthy);
  EXPECT_EQ(health.text, "north: ok\nrecord: the disk is full: no space\n");
}

}  // namespace
}  // namespace mpm::monitor
