// SPDX-License-Identifier: Apache-2.0
// Faults of drawn cameras, by day and by night: told in time, with the right name, and ended. And
// days without any.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/scenes/camera.h"
#include "monitor/camera/camera_fault.h"
#include "monitor/camera/camera_watch.h"
#include "monitor/camera/registration.h"

namespace mpm::test {
namespace {

using namespace monitor;

// What is done to a drawn camera.
enum class Drawn {
  nothing,
  moved,          // by 5 percent of the width, and down by 3
  movedALittle,   // by 2 percent
  turned,         // by 5 degrees
  turnedALittle,  // by 2
  turnedAway,     // another part of the street: here its mirror image
  covered,        // something dark and dim close to the lens
  defocused,      // a deviation of 3 pixels in 640
  iced,           // blurred, half the contrast, a veil of the scene's own light
  frozen,         // with a running number in a corner
  stuck,          // by day as exposed for the night, by night as for the day
  flapping        // in colour and without, three seconds each
};
constexpr std::array<Drawn, 11> kAllDrawn{Drawn::moved,         Drawn::movedALittle, Drawn::turned,
                                          Drawn::turnedALittle, Drawn::turnedAway,   Drawn::covered,
                                          Drawn::defocused,     Drawn::iced,         Drawn::frozen,
                                          Drawn::stuck,         Drawn::flapping};

std::string nameOf(Drawn drawn) {
  constexpr std::array<const char*, 12> kNames{
      "nothing", "moved",     "moved a little", "turned", "turned a little", "turned away",
      "covered", "defocused", "iced",           "frozen", "stuck",           "flapping"};
  return kNames[static_cast<std::size_t>(drawn)];
}

// Which fault that is. What is black is covered: nobody can tell.
CameraFault faultOf(Drawn drawn, bool isNight) {
  switch (drawn) {
    case Drawn::covered:
      return CameraFault::covered;
    case Drawn::defocused:
    case Drawn::iced:
      return CameraFault::blurred;
    case Drawn::frozen:
      return CameraFault::frozen;
    case Drawn::stuck:
      return isNight ? CameraFault::covered : CameraFault::exposure;
    case Drawn::flapping:
      return CameraFault::flapping;
    default:
      return CameraFault::moved;
  }
}

void move(cv::Mat& picture, double x, double y, double degrees) {
  Placement placement;
  placement.shift = {x, y};
  placement.degrees = degrees;
  const cv::Mat before = picture.clone();
  cv::warpAffine(before, picture, transformOf(placement, picture.size()), picture.size(),
                 cv::INTER_LINEAR, cv::BORDER_REFLECT);
}

// What befalls a camera between two times, in seconds since it began.
class Misfortune {
 public:
  Misfortune(Drawn drawn, double from, double to, std::uint64_t seed)
      : drawn_(drawn), from_(from), to_(to), chance_(seed) {}

  // Changes the picture of a moment, one after the other.
  void befall(cv::Mat& picture, double seconds);

 private:
  void change(cv::Mat& picture, double seconds);
  void blur(cv::Mat& picture, double deviation);  // before the sensor, which adds its noise

  Drawn drawn_;
  double from_, to_;
  cv::Mat last_;
  cv::RNG chance_;
};

void Misfortune::blur(cv::Mat& picture, double deviation) {
  cv::GaussianBlur(picture, picture, {}, deviation, deviation, cv::BORDER_REPLICATE);
  cv::Mat noise(picture.size(), CV_16SC3);
  chance_.fill(noise, cv::RNG::NORMAL, cv::Scalar::all(0), cv::Scalar::all(2.5));
  cv::add(picture, noise, picture, cv::noArray(), CV_8U);
}

void Misfortune::change(cv::Mat& picture, double seconds) {
  const double width = picture.cols;
  const bool isNight = cv::mean(picture)[1] < 80;
  switch (drawn_) {
    case Drawn::nothing:
      return;
    case Drawn::moved:
      return move(picture, 0.05, 0.03, 0);
    case Drawn::movedALittle:
      return move(picture, 0.02, 0, 0);
    case Drawn::turned:
      return move(picture, 0, 0, 5);
    case Drawn::turnedALittle:
      return move(picture, 0, 0, -2);
    case Drawn::turnedAway:
      return cv::flip(picture, picture, 1);
    case Drawn::covered:
      picture = picture * 0.3 + cv::Scalar(20, 25, 30);
      return blur(picture, width / 12);
    case Drawn::defocused:
      return blur(picture, 3 * width / 640);
    case Drawn::iced:
      picture = picture * 0.5 + cv::mean(picture) * 0.6;
      return blur(picture, 2.5 * width / 640);
    case Drawn::frozen:
      last_.copyTo(picture);
      return cv::putText(picture, std::to_string(seconds), {8, picture.rows - 8},
                         cv::FONT_HERSHEY_PLAIN, 1, cv::Scalar::all(255));
    case Drawn::stuck:
      return picture.convertTo(picture, CV_8U, isNight ? 0.05 : 2.6);
    case Drawn::flapping:
      if (static_cast<int>(seconds / 3) % 2 == 0) return;
      cv::Mat grey;
      cv::cvtColor(picture, grey, cv::COLOR_BGR2GRAY);
      return cv::cvtColor(grey, picture, cv::COLOR_GRAY2BGR);
  }
}

void Misfortune::befall(cv::Mat& picture, double seconds) {
  if (seconds < from_) picture.copyTo(last_);
  if (seconds >= from_ && seconds < to_) change(picture, seconds);
}

constexpr double kStepSeconds = 0.5;

struct Told {
  double seconds;
  CameraChange change;
};

// Pictures of one camera, by the seconds since it began.
using Shoot = std::function<cv::Mat(double seconds)>;

std::vector<Told> watch(const Shoot& shoot, double end) {
  LightMeter meter;
  CameraWatch watch;
  std::vector<Told> told;
  for (double seconds = 0; seconds < end; seconds += kStepSeconds) {
    const cv::Mat picture = shoot(seconds);
    Moment taken;
    taken.steadyMs = taken.utcMs = static_cast<std::int64_t>(seconds * 1000);
    for (CameraChange& change : watch.update(picture, taken, meter.update(picture, taken))) {
      told.push_back({seconds, std::move(change)});
    }
  }
  return told;
}

scenes::CameraOptions street(std::uint64_t seed, double hour, double clock = 1) {
  scenes::CameraOptions options;
  options.seed = seed;
  options.size = {320, 240};
  options.start = hour * 3600;
  options.clock = clock;
  return options;
}

class DrawnCamera {
 public:
  explicit DrawnCamera(const scenes::CameraOptions& options)
      : options_(options), camera_(options) {}

  cv::Mat shoot(double seconds) {
    cv::Mat picture, labels;
    camera_.shoot(options_.start + seconds * options_.clock, picture, labels);
    return picture;
  }

 private:
  scenes::CameraOptions options_;
  scenes::Camera camera_;
};

std::vector<Told> watchDrawn(const scenes::CameraOptions& options, double end) {
  DrawnCamera camera(options);
  return watch([&](double seconds) { return camera.shoot(seconds); }, end);
}

// What a street's camera shows, drawn once for all that befalls it: drawing takes most of the time.
// Of the street that was asked for last.
const cv::Mat& keptPicture(std::uint64_t seed, bool isNight, double seconds) {
  struct Kept {
    std::pair<std::uint64_t, bool> street;
    DrawnCamera camera;
    std::vector<cv::Mat> pictures;
  };
  static std::optional<Kept> kept;
  const std::pair wanted(seed, isNight);
  if (!kept || kept->street != wanted) {
    kept.emplace(Kept{wanted, DrawnCamera(street(seed, isNight ? 1 : 12)), {}});
  }
  const auto index = static_cast<std::size_t>(seconds / kStepSeconds);
  while (kept->pictures.size() <= index) {
    const double next = kStepSeconds * static_cast<double>(kept->pictures.size());
    kept->pictures.push_back(kept->camera.shoot(next));
  }
  return kept->pictures[index];
}

std::string textOf(const std::vector<Told>& told) {
  std::string text;
  for (const Told& one : told) {
    text +=
        cv::format("%.1f %s %s: %s\n", one.seconds, std::string(nameOf(one.change.fault)).c_str(),
                   one.change.began ? "began" : "ended", one.change.text.c_str());
  }
  return text;
}

void expectTold(std::uint64_t seed, bool isNight, Drawn drawn) {
  constexpr double kFrom = 75;
  const double to = kFrom + (drawn == Drawn::frozen ? 60 : 30);
  const double end = to + (drawn == Drawn::flapping ? 70 : 30);
  Misfortune misfortune(drawn, kFrom, to, seed);
  const std::vector<Told> told = watch(
      [&](double seconds) {
        cv::Mat picture = keptPicture(seed, isNight, seconds).clone();
        misfortune.befall(picture, seconds);
        return picture;
      },
      end);
  SCOPED_TRACE(cv::format("seed %d, %s, %s\n", static_cast<int>(seed), isNight ? "night" : "day",
                          nameOf(drawn).c_str()) +
               textOf(told));
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].change.fault, faultOf(drawn, isNight));
  EXPECT_TRUE(told[0].change.began);
  EXPECT_LE(told[0].seconds - kFrom, drawn == Drawn::frozen ? 60 : 30);
  EXPECT_EQ(told[1].change.fault, told[0].change.fault);
  EXPECT_FALSE(told[1].change.began);
  EXPECT_LE(told[1].seconds - to, 70);
}

bool isLong() { return std::getenv("MPM_LONG_TESTS") != nullptr; }
std::vector<std::uint64_t> streets() {
  return isLong() ? std::vector<std::uint64_t>{3, 7, 11, 19, 42} : std::vector<std::uint64_t>{7};
}

// Faults come in turn in one street, then in the next, so that each is drawn once.
class DrawnFault : public testing::TestWithParam<std::tuple<std::uint64_t, bool, Drawn>> {};

TEST_P(DrawnFault, IsTold) {
  const auto [seed, isNight, drawn] = GetParam();
  expectTold(seed, isNight, drawn);
}

INSTANTIATE_TEST_SUITE_P(All, DrawnFault,
                         testing::Combine(testing::ValuesIn(streets()), testing::Bool(),
                                          testing::ValuesIn(kAllDrawn)),
                         [](const auto& one) {
                           std::string name =
                               nameOf(std::get<Drawn>(one.param)) +
                               (std::get<bool>(one.param) ? " by night in " : " by day in ") +
                               std::to_string(std::get<std::uint64_t>(one.param));
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

// In each weather: whatever comes, rain and snow.
scenes::WeatherKind weatherOf(std::size_t street) {
  constexpr std::array<scenes::WeatherKind, 5> kKinds{
      scenes::WeatherKind::changing, scenes::WeatherKind::rain, scenes::WeatherKind::snow,
      scenes::WeatherKind::changing, scenes::WeatherKind::fog};
  return kKinds[street % kKinds.size()];
}

// A minute of the street in a second: light changes sixty times as fast as it ever does. With
// MPM_LONG_TESTS 30 days, with rain and snow, of which one alarm is borne that is no move, else
// most of a day, with dusk and dawn.
TEST(DrawnDays, HaveNoFault) {
  const double seconds = isLong() ? 6 * 1440 : 900;
  std::string text;
  std::map<std::string, int> alarms;  // by kind
  int all = 0;
  for (std::size_t i = 0; i < streets().size(); ++i) {
    const std::uint64_t seed = streets()[i];
    scenes::CameraOptions options = street(seed, 13, 60);
    options.weather = weatherOf(i);
    const std::vector<Told> told = watchDrawn(options, seconds);
    for (const Told& one : told) {
      if (!one.change.began) continue;
      ++alarms[std::string(nameOf(one.change.fault))];
      ++all;
    }
    text += "seed " + std::to_string(seed) + "\n" + textOf(told);
  }
  RecordProperty("alarms", all);
  std::cout << all << " alarms in " << static_cast<double>(streets().size()) * seconds / 1440
            << " drawn days";
  for (const auto& [kind, times] : alarms) std::cout << ", " << times << " of them " << kind;
  std::cout << '\n' << (all > 0 ? text : std::string());
  EXPECT_EQ(alarms.count("moved"), 0u) << text;
  EXPECT_LE(all, isLong() ? 1 : 0) << text;
}

TEST(DrawnDays, HaveNoFaultAtTheirOwnPace) {
  for (const std::uint64_t seed : streets()) {
    for (const double hour : {6.0, 18.0}) {
      const double seconds = isLong() ? 7200 : 200;
      const std::vector<Told> told = watchDrawn(street(seed, hour), seconds);
      EXPECT_TRUE(told.empty()) << "seed " << seed << "\n" << textOf(told);
    }
  }
}

}  // namespace
}  // namespace mpm::test
