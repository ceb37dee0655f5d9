// SPDX-License-Identifier: Apache-2.0
#include "segment/patch_watch.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace mpm::segment {
namespace {

constexpr int kPatch = 16, kWidth = 12, kHeight = 8;  // in patches

// A street of one grey below and another above, in [-1, 1], and a camera that looks at it.
struct Camera {
  PatchWatch watch{kPatch, kWidth, kHeight, Colours()};
  std::vector<float> planes =
      std::vector<float>(static_cast<std::size_t>(3 * kPatch * kWidth * kPatch * kHeight));
  std::mt19937 random{17};
  float dark = 0.25F, bright = 0.55F, noise = 0.02F;  // grey values from 0 to 1

  void look(const std::function<float(int x, int y)>& added = {}) {
    std::normal_distribution<float> deviate(0, noise);
    std::size_t at = 0;
    for (int c = 0; c < 3; ++c) {
      for (int y = 0; y < kPatch * kHeight; ++y) {
        for (int x = 0; x < kPatch * kWidth; ++x) {
          const float grey = 2 * y < kPatch * kHeight ? bright : dark;
          planes[at++] = 2 * (grey + deviate(random) + (added ? added(x, y) : 0)) - 1;
        }
      }
    }
    watch.look(planes.data());
  }
  void keepAll() {
    for (std::size_t p = 0; p < kWidth * kHeight; ++p) watch.keep(p);
  }
  int changed() const {
    int count = 0;
    for (std::size_t p = 0; p < kWidth * kHeight; ++p) count += watch.isChanged(p) ? 1 : 0;
    return count;
  }
};

TEST(PatchWatch, NoiseIsNoChangeAndSomebodyWhoPassesIs) {
  for (const float noise : {0.0F, 0.02F, 0.1F}) {
    SCOPED_TRACE(testing::Message() << "noise " << noise << ", seed 17");
    Camera camera;
    camera.noise = noise;
    camera.look();
    camera.keepAll();
    int falsely = 0;
    for (int frame = 0; frame < 20; ++frame) {
      camera.look();
      if (frame >= 4) falsely += camera.changed();
    }
    EXPECT_LE(falsely, 16 * kWidth * kHeight / 10);
    // A quarter of a patch's cells, at patch (3, 5).
    const float contrast = 0.1F + 3 * noise;
    camera.look(
        [&](int x, int y) { return x >= 48 && x < 56 && y >= 80 && y < 88 ? contrast : 0.0F; });
    EXPECT_TRUE(camera.watch.isChanged(5 * kWidth + 3));
    EXPECT_LE(camera.changed(), kWidth * kHeight / 8);
  }
}

TEST(PatchWatch, DarkAndBrightHaveTolerancesOfTheirOwn) {
  Camera camera;
  camera.noise = 0;
  std::normal_distribution<float> deviate(0, 0.1F);
  for (int frame = 0; frame < 10; ++frame) {
    camera.look([&](int, int y) { return y < 64 ? 0.0F : deviate(camera.random); });
    camera.keepAll();
  }
  EXPECT_GT(camera.watch.tolerance(camera.dark), 1.5F * camera.watch.tolerance(camera.bright));
}

TEST(PatchWatch, WhatChangesSlowlyIsSeen) {
  Camera camera;
  camera.look();
  camera.keepAll();
  int frame = 0;
  for (; frame < 60 && !camera.watch.isChanged(0); ++frame) {
    const float by = 0.002F * static_cast<float>(frame);
    camera.look([&](int x, int y) { return x < kPatch && y < kPatch ? -3 * by : 0.0F; });
  }
  EXPECT_GT(frame, 5);
  EXPECT_LT(frame, 60);
  EXPECT_LE(camera.changed(), 2);
}

TEST(PatchWatch, LightThatChangesALittleIsFollowedAndMuchIsSeen) {
  Camera camera;
  camera.noise = 0.005F;
  camera.look();
  camera.keepAll();
  for (int frame = 0; frame < 3; ++frame) camera.look();
  camera.bright += 0.05F;  // with the noise more than the tolerance
  camera.look();
  EXPECT_LE(camera.changed(), 1);
  camera.bright += 0.05F;
  camera.look();
  EXPECT_GE(camera.changed(), kWidth * kHeight / 2);
  camera.keepAll();
  EXPECT_EQ(camera.changed(), 0);
  camera.look([](int, int) { return -0.3F; });  // the light goes out
  EXPECT_EQ(camera.changed(), kWidth * kHeight);
}

TEST(PatchWatch, StrictnessNarrowsEverything) {
  Camera camera;
  camera.noise = 0;
  camera.look();
  camera.keepAll();
  camera.look([](int x, int y) { return x < 16 && y < 16 ? 0.03F : 0.0F; });
  EXPECT_FALSE(camera.watch.isChanged(0));
  camera.watch.setStrictness(0.5F);
  EXPECT_TRUE(camera.watch.isChanged(0));
}

}  // namespace
}  // namespace mpm::segment
