// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/readers.h"

#include <gtest/gtest.h>

#include "models/scenes/camera.h"

namespace mpm::monitor {
namespace {

const std::string kScene = "scene:?size=64x64&clock=600x&hour=8";

cv::Mat shotAt(double cameraSeconds) {
  const scenes::CameraOptions options = scenes::parseSceneAddress(kScene);
  scenes::Camera camera(options);
  cv::Mat picture, labels;
  camera.shoot(options.start + options.clock * cameraSeconds, picture, labels);
  return picture;
}

TEST(SceneReader, ShootsWithTheScenesClock) {
  const auto reader = makeReader(parseSourceAddress(kScene));
  ASSERT_TRUE(reader->open()) << reader->fault();
  EXPECT_FALSE(reader->isLive());
  EXPECT_EQ(reader->paceMs(), 100);
  cv::Mat first;
  for (int i = 0; i < 3; ++i) {
    Shot shot;
    ASSERT_EQ(reader->read(shot), ReadStatus::frame);
    EXPECT_EQ(shot.positionMs, 100 * i);
    EXPECT_EQ(shot.picture.type(), CV_8UC3);
    EXPECT_EQ(cv::norm(shot.picture, shotAt(0.1 * i), cv::NORM_INF), 0);
    if (i == 0) first = shot.picture.clone();
  }
  ASSERT_TRUE(reader->open());
  Shot again;
  ASSERT_EQ(reader->read(again), ReadStatus::frame);
  EXPECT_EQ(cv::norm(first, again.picture, cv::NORM_INF), 0);
}

TEST(SceneReader, GoesToAnyTime) {
  const auto reader = makeReader(parseSourceAddress(kScene));
  ASSERT_TRUE(reader->open());
  ASSERT_TRUE(reader->seek(86400000));
  Shot shot;
  ASSERT_EQ(reader->read(shot), ReadStatus::frame);
  EXPECT_EQ(shot.positionMs, 86400000);
  EXPECT_EQ(cv::norm(shot.picture, shotAt(86400), cv::NORM_INF), 0);
  ASSERT_TRUE(reader->seek(0));
  ASSERT_EQ(reader->read(shot), ReadStatus::frame);
  EXPECT_EQ(shot.positionMs, 0);
}

TEST(SceneReader, GivesPicturesOfTheirOwn) {
  const auto reader = makeReader(parseSourceAddress(kScene));
  ASSERT_TRUE(reader->open());
  Shot first, second;
  ASSERT_EQ(reader->read(first), ReadStatus::frame);
  const cv::Mat copy = first.picture.clone();
  ASSERT_EQ(reader->read(second), ReadStatus::frame);
  EXPECT_NE(first.picture.data, second.picture.data);
  EXPECT_EQ(cv::norm(first.picture, copy, cv::NORM_INF), 0);
}

}  // namespace
}  // namespace mpm::monitor
