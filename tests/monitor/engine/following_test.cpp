// SPDX-License-Identifier: Apache-2.0
// A camera that is moved: zones that follow it, those that do not, and what is told of them.
#include "monitor/engine/watched.h"

#include "comma_locale.h"
#include "monitor/engine/engine_case.h"
#include "monitor/statistics/comparison.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

constexpr int kMovedFrom = 200, kBackFrom = 320, kFrames = 400;  // twice a second

Placement moveOf() {
  Placement placement;
  placement.shift = {0.08, 0.03};
  placement.degrees = 2;
  return placement;
}

// A wall full of structure with one bright square, moved for a while.
std::unique_ptr<Reader> movedReader() {
  cv::Mat wall(240, 320, CV_8UC3, cv::Scalar(110, 115, 120));
  cv::RNG rng(1);
  for (int i = 0; i < 150; ++i) {
    const cv::Point corner(rng.uniform(0, 320), rng.uniform(0, 240));
    const cv::Size sides(rng.uniform(6, 40), rng.uniform(6, 40));
    const cv::Scalar colour(rng.uniform(40, 150), rng.uniform(40, 150), rng.uniform(40, 150));
    cv::rectangle(wall, {corner, sides}, colour, cv::FILLED);
  }
  cv::rectangle(wall, {120, 100, 40, 40}, cv::Scalar(200, 225, 200), cv::FILLED);
  return std::make_unique<MadeReader>(
      kFrames, 500, [wall, chance = cv::RNG(11)](int frame) mutable {
        cv::Mat picture = wall, noise(wall.size(), CV_16SC3), noisy;
        if (frame >= kMovedFrom && frame < kBackFrom) {
          picture.release();
          cv::warpAffine(wall, picture, transformOf(moveOf(), wall.size()), wall.size(),
                         cv::INTER_LINEAR, cv::BORDER_REFLECT);
        }
        chance.fill(noise, cv::RNG::NORMAL, cv::Scalar::all(0), cv::Scalar::all(3));
        cv::add(picture, noise, noisy, cv::noArray(), CV_8U);
        return noisy;
      });
}

RuleBook bookOf(bool follows) {
  RuleBook book;
  const double left = 120.0 / 320, right = 160.0 / 320, top = 100.0 / 240, bottom = 140.0 / 240;
  book.zones = {{"square", {{left, top}, {right, top}, {right, bottom}, {left, bottom}}, true}};
  book.ground = Ground{{{{left, top}, {right, top}, {right, bottom}, {left, bottom}}},
                       {{{0, 0}, {2, 0}, {2, 2}, {0, 2}}}};
  book.greenness = true;
  book.followCamera = follows;
  return book;
}

class Following : public EngineCase {
 protected:
  void watchMoved(bool follows) {
    EngineOptions options = watching(movedReader, true);
    options.sources[0].book = bookOf(follows);
    watch(options);
    ASSERT_EQ(heard_.results.size(), static_cast<std::size_t>(kFrames));
    EXPECT_EQ(heard_.of(std::string(kViewEvent) + " " + kHomeView).size(), 1u);
    EXPECT_EQ(heard_.of(kViewEvent).size(), 2u);
  }
};

TEST_F(Following, ZonesAndGroundGoWithTheCamera) {
  watchMoved(true);
  const char *share = "zone.square.area.bright", *metres = "zone.square.m2.bright";
  EXPECT_GT(figure(100, share), 0.98);
  EXPECT_NEAR(figure(100, metres), 4, 0.05);
  EXPECT_LT(figure(kMovedFrom + 10, share), 0.7) << "nothing was told yet";
  EXPECT_GT(figure(kBackFrom - 5, share), 0.93);
  EXPECT_NEAR(figure(kBackFrom - 5, metres), 4, 0.3);
  EXPECT_NEAR(figure(kBackFrom - 5, "m2.bright"), 4, 0.3);
  EXPECT_NEAR(figure(kBackFrom - 5, "zone.square.gcc"), 0.36, 0.005);
  EXPECT_TRUE(heard_.results[kBackFrom - 5]->placed);
  EXPECT_GT(figure(kFrames - 1, share), 0.98);
  EXPECT_FALSE(heard_.results[kFrames - 1]->placed);
}

TEST_F(Following, WithoutItZonesStayAndTheSeriesIsMarked) {
  watchMoved(false);
  EXPECT_LT(figure(kBackFrom - 5, "zone.square.area.bright"), 0.7);
  EXPECT_FALSE(heard_.results[kBackFrom - 5]->placed);
}

TEST_F(Following, SaysWhatBecomesOfZones) {
  const CameraChange moved{CameraFault::moved, true, 0.1, "", moveOf()};
  const CameraChange lost{CameraFault::moved, true, 1, "", std::nullopt};
  const CameraChange back{CameraFault::moved, false, 0, "", std::nullopt};
  {
    // Else the app in German and `mpm watch` would never compare what they saw of one view.
    const CommaLocale locale;
    EXPECT_EQ(viewName(moved), "0.0800,0.0300,2.00");
  }
  EXPECT_EQ(viewName(lost), "other");
  EXPECT_EQ(viewName(back), kHomeView);
  const std::string other = "figures are of another view from now on";
  EXPECT_EQ(viewText(moved, {}), other);
  EXPECT_EQ(viewText(moved, bookOf(false)), other + "; zones stay where they are in the picture");
  EXPECT_EQ(viewText(moved, bookOf(true)),
            other +
                "; zones follow the camera, to 8% further right, 3% further down, 2 degrees "
                "clockwise (of the picture's width)");
  EXPECT_TRUE(has(viewText(lost, bookOf(true)), "zones cannot follow"));
  EXPECT_EQ(viewText(back, bookOf(true)),
            "figures are of the first view again, and zones are where they were drawn");
}

}  // namespace
}  // namespace mpm::test
