// SPDX-License-Identifier: Apache-2.0
// What happens in a street: who moves, who does not, and what light does.
#include <gtest/gtest.h>

#include <algorithm>

#include "drawn_scene.h"
#include "models/scenes/drawing/still.h"
#include "models/scenes/drawing/traffic.h"

namespace mpm::test {
namespace {

using scenes::Class;

constexpr int kSide = 256;

double meanWhere(const cv::Mat& picture, const cv::Mat& mask) {
  const cv::Scalar mean = cv::mean(picture, mask);
  return (mean[0] + mean[1] + mean[2]) / 3;
}

TEST(SceneStreet, ThingsMoveAndTheStreetDoesNot) {
  scenes::Weather calm;
  calm.wind = 0, calm.clouds = 0;
  scenes::Light light = noonLight();
  light.direct = {0, 0, 0};  // no shadows that move along
  scenes::Scene scene(21, {kSide, kSide});
  DrawnScene now, later;
  int moved = 0;
  for (int step = 0; step < 6; ++step) {
    const double time = 12 * kHourSeconds + 7 * step;
    scene.draw(time, light, calm, now.picture, now.labels);
    scene.draw(time + 0.5, light, calm, later.picture, later.labels);
    const int first = static_cast<int>(Class::car);
    cv::Mat still = (now.labels < first) & (later.labels < first);
    cv::Mat difference;
    cv::absdiff(now.picture, later.picture, difference);
    cv::Mat channels[3];
    cv::split(difference, channels);
    const cv::Mat changed = cv::max(channels[0], cv::max(channels[1], channels[2])) > 0;
    const int stillPixels = cv::countNonZero(still);
    // Edges and contact shadows of what moves reach beyond its labels.
    EXPECT_LT(cv::countNonZero(changed & still), 0.05 * stillPixels);
    EXPECT_EQ(cv::countNonZero((now.labels != later.labels) & still), 0);
    moved += cv::countNonZero(now.labels != later.labels);
  }
  EXPECT_GT(moved, 500);
}

TEST(SceneStreet, TreesSwayInTheWind) {
  scenes::Weather calm, wind;
  calm.wind = 0, wind.wind = 0.9;
  const auto edges = [](const scenes::Weather& weather) {
    int changed = 0;
    for (std::uint64_t seed = 40; seed < 46; ++seed) {
      const DrawnScene a = drawOnce(seed, {kSide, kSide}, 5000, noonLight(), weather);
      const DrawnScene b = drawOnce(seed, {kSide, kSide}, 5000.6, noonLight(), weather);
      const cv::Mat turned = (a.labels == static_cast<int>(Class::tree)) !=
                             (b.labels == static_cast<int>(Class::tree));
      const int first = static_cast<int>(Class::lamp);
      changed += cv::countNonZero(turned & (a.labels < first) & (b.labels < first));
    }
    return changed;
  };
  EXPECT_LT(edges(calm), 30);
  EXPECT_GT(edges(wind), 300);
}

TEST(SceneStreet, NightIsDarkerThanDay) {
  for (std::uint64_t seed = 60; seed < 66; ++seed) {
    const DrawnScene day = drawOnce(seed, {kSide, kSide}, 43200, noonLight());
    scenes::Light dark = nightLight();
    dark.lamps = 0, dark.windows = 0;  // away from lamps
    const DrawnScene night = drawOnce(seed, {kSide, kSide}, 43200, dark);
    EXPECT_EQ(differing(day.labels, night.labels), 0) << seed;
    for (int k = 0; k < scenes::kClasses; ++k) {
      const cv::Mat mask = day.labels == k;
      if (cv::countNonZero(mask) < 50) continue;
      EXPECT_LT(meanWhere(night.picture, mask), 0.6 * meanWhere(day.picture, mask))
          << seed << " " << scenes::kClassFacts[k].name;
    }
  }
}

TEST(SceneStreet, LampsLightTheStreet) {
  scenes::Light dark = nightLight();
  dark.lamps = 0;
  for (std::uint64_t seed = 70; seed < 74; ++seed) {
    const DrawnScene off = drawOnce(seed, {kSide, kSide}, 7200, dark);
    const DrawnScene on = drawOnce(seed, {kSide, kSide}, 7200, nightLight());
    EXPECT_EQ(differing(off.labels, on.labels), 0) << seed;
    const cv::Mat road = off.labels == static_cast<int>(Class::road);
    EXPECT_GT(meanWhere(on.picture, road), 1.25 * meanWhere(off.picture, road)) << seed;
  }
}

TEST(SceneStreet, TheMoreWindowsAreLitTheMoreShine) {
  for (std::uint64_t seed = 80; seed < 84; ++seed) {
    scenes::Light light = nightLight();
    cv::Mat before, first;
    for (const double share : {0.0, 0.2, 0.5, 0.8, 1.0}) {
      light.windows = share;
      const DrawnScene drawn = drawOnce(seed, {kSide, kSide}, 77000, light);
      if (!before.empty()) {
        const cv::Mat building = drawn.labels == static_cast<int>(Class::building);
        cv::Mat darker = drawn.picture + cv::Scalar::all(1) < before;
        EXPECT_EQ(cv::countNonZero(darker.reshape(1)), 0) << seed << " " << share;
        EXPECT_GE(meanWhere(drawn.picture, building), meanWhere(before, building)) << seed;
      }
      if (first.empty()) first = drawn.picture;
      before = drawn.picture;
    }
    EXPECT_GT(cv::mean(before)[1], cv::mean(first)[1] + 2) << seed;
  }
}

TEST(SceneStreet, AWindowIsLitByItsThreshold) {
  int lit = 0;
  constexpr int kWindows = 2000;
  for (int i = 0; i < kWindows; ++i) {
    const scenes::Chance chance(i, 3);
    const scenes::Window window{chance.uniform(50), {1, 1, 1}, chance};
    EXPECT_EQ(window.lit(0, 1000.0 * i), 0);
    EXPECT_EQ(window.lit(1.02, 1000.0 * i), 1);
    EXPECT_LE(window.lit(0.3, 1000.0 * i), window.lit(0.5, 1000.0 * i));
    lit += window.lit(0.4, 1000.0 * i) > 0.5;
  }
  EXPECT_NEAR(lit, 0.4 * kWindows, 0.1 * kWindows);
}

TEST(SceneStreet, WeatherShows) {
  const DrawnScene clear = drawOnce(91, {kSide, kSide}, 50000, noonLight());
  scenes::Weather snow, fog, rain;
  snow.snow = 1, fog.fog = 1, rain.rain = 1;
  const cv::Mat road = clear.labels == static_cast<int>(Class::road);
  const cv::Mat building = clear.labels == static_cast<int>(Class::building);
  EXPECT_GT(meanWhere(drawOnce(91, {kSide, kSide}, 50000, noonLight(), snow).picture, road),
            1.2 * meanWhere(clear.picture, road));
  EXPECT_LT(meanWhere(drawOnce(91, {kSide, kSide}, 50000, noonLight(), rain).picture, road),
            0.95 * meanWhere(clear.picture, road));
  cv::Scalar mean, spread, mistySpread;
  cv::meanStdDev(clear.picture, mean, spread, building);
  cv::meanStdDev(drawOnce(91, {kSide, kSide}, 50000, noonLight(), fog).picture, mean, mistySpread,
                 building);
  EXPECT_LT(mistySpread[1], 0.7 * spread[1]);
}

// Over a hundred streets, by what is where, without drawing.
TEST(SceneStreet, ThereIsTrafficByDayAndLessByNight) {
  double cars[2]{}, walkers[2]{}, riders[2]{};
  constexpr int kStreets = 150;
  for (std::uint64_t seed = 0; seed < kStreets; ++seed) {
    const scenes::Layout layout = scenes::layoutOf(seed, {512, 512});
    const auto seen = [&](double x, double z) {
      const double column = layout.view.at(x, 0, z).x;
      return column > 0 && column < 512;
    };
    for (int night = 0; night < 2; ++night) {
      const scenes::Traffic traffic = scenes::trafficAt(layout, (night ? 2 : 13) * kHourSeconds);
      for (const auto& car : traffic.cars) cars[night] += seen(car.x, car.z);
      for (const auto& walker : traffic.walkers) walkers[night] += seen(walker.x, walker.z);
      for (const auto& rider : traffic.riders) riders[night] += seen(rider.x, rider.z);
    }
  }
  EXPECT_GT(cars[0] / kStreets, 1);
  EXPECT_GT(walkers[0] / kStreets, 1);
  EXPECT_LT(walkers[0] / kStreets, 4);
  EXPECT_GT(riders[0] / kStreets, 0.12);
  EXPECT_GT(walkers[1], 0);
  EXPECT_LT(walkers[1], 0.5 * walkers[0]);
  EXPECT_LT(riders[1], riders[0]);
  EXPECT_LT(cars[1], cars[0]);
}

TEST(SceneStreet, CarsInALaneKeepApart) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const scenes::Layout layout = scenes::layoutOf(seed, {512, 512});
    for (double time = 30000; time < 30060; time += 3.1) {
      std::vector<scenes::Car> cars = scenes::trafficAt(layout, time).cars;
      for (std::size_t i = 0; i < cars.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (cars[i].z != cars[j].z) continue;
          ASSERT_GT(std::abs(cars[i].x - cars[j].x), 4.4) << seed << " " << time;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mpm::test
