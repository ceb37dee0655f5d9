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
  EXPECT_EQ(health.text, "north: ok\nfile: ok\nmodel: ok\nrecord: ok\n");
}

TEST(Health, EachOtherStateSaysWhatIsWrong) {
  PublishedState state = sampleState();
  state.record.reset();
  CaptureStatus& capture = state.sources[0].capture;
  capture.state = CaptureState::opening;
  EXPECT_EQ(healthOf(state).text, "north: opening\nmodel: ok\n");
  capture.state = CaptureState::stale;
  capture.msSinceFrame = 7400;
  EXPECT_EQ(healthOf(state).text, "north: no new frame for 7 s\nmodel: ok\n");
  capture.state = CaptureState::waiting;
  capture.msToNextTry = 12000;
  capture.fault = "the camera does not answer";
  EXPECT_EQ(healthOf(state).text,
            "north: not available, next try in 12 s: the camera does not answer\nmodel: ok\n");
  EXPECT_FALSE(healthOf(state).healthy);
}

TEST(Health, FramesThatAreNotLabelledAreNotWell) {
  PublishedState state = sampleState();
  state.sources.push_back(sampleSource("south"));
  state.sources[1].netFault = "the net is out of order";
  Health health = healthOf(state);
  EXPECT_FALSE(health.healthy);
  EXPECT_EQ(health.text,
            "north: ok\nsouth: the model fails on its frames: the net is out of order\n"
            "model: ok\nrecord: ok\n");
  state.sources.pop_back();
  state.netStillMs = 75400;
  health = healthOf(state);
  EXPECT_FALSE(health.healthy);
  EXPECT_EQ(health.text, "north: ok\nmodel: has been working on one frame for 75 s\nrecord: ok\n");
}

TEST(Health, ABackupThatCannotBeMadeIsNotWell) {
  PublishedState state = sampleState();
  state.record->backupFault = "the disk is full";
  const Health health = healthOf(state);
  EXPECT_FALSE(health.healthy);
  EXPECT_EQ(health.text, "north: ok\nmodel: ok\nrecord: ok\nbackup: the disk is full\n");
}

TEST(Health, ARecordWithAFaultIsToldOnOneLine) {
  PublishedState state = sampleState();
  state.record->fault = "the disk is full:\nno space";
  const Health health = healthOf(state);
  EXPECT_FALSE(health.healthy);
  EXPECT_EQ(health.text, "north: ok\nmodel: ok\nrecord: the disk is full: no space\n");
}

}  // namespace
}  // namespace mpm::monitor
