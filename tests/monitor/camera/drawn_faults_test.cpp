// SPDX-License-Identifier: Apache-2.0
// Drawn cameras, by day and by night: faults are told in time, with the right name, and ended;
// moves of a few pixels with their distance; and days without any.
#include <array>
#include <cstdlib>
#include <iostream>

#include "models/scenes/camera.h"
#include "monitor/camera/camera_watch.h"
#include "monitor/camera/moved_picture.h"

namespace mpm::test {
namespace {

using namespace monitor;

// What is done to a drawn camera.
enum class Drawn {
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
constexpr const char* kNames[] = {"moved",       "moved_a_little", "turned",    "turned_a_little",
                                  "turned_away", "covered",        "defocused", "iced",
                                  "frozen",      "stuck",          "flapping"};

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

// What befalls a camera between two times, in seconds since it began.
class Misfortune {
 public:
  Misfortune(Drawn drawn, double from, double to, std::uint64_t seed)
      : drawn_(drawn), from_(from), to_(to), chance_(seed) {}

  // Changes the picture of a moment, one after the other.
  void befall(cv::Mat& picture, double seconds) {
    if (seconds < from_) picture.copyTo(last_);
    if (seconds >= from_ && seconds < to_) change(picture, seconds);
  }

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
    case Drawn::moved:
      picture = moved(picture, 0.05, 0.03);
      return;
    case Drawn::movedALittle:
      picture = moved(picture, 0.02);
      return;
    case Drawn::turned:
      picture = moved(picture, 0, 0, 5);
      return;
    case Drawn::turnedALittle:
      picture = moved(picture, 0, 0, -2);
      return;
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
    const Moment taken = momentAt(seconds);
    for (CameraChange& change : watch.update(picture, taken, meter.update(picture, taken)))
      told.push_back({seconds, std::move(change)});
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
  if (!kept || kept->street != wanted)
    kept.emplace(Kept{wanted, DrawnCamera(street(seed, isNight ? 1 : 12)), {}});
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
                          kNames[static_cast<int>(drawn)]) +
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
class DrawnFault : public testing::TestWithParam<std::tuple<std::uint64_t, bool, int>> {};

TEST_P(DrawnFault, IsTold) {
  const auto [seed, isNight, drawn] = GetParam();
  expectTold(seed, isNight, static_cast<Drawn>(drawn));
}

std::string nameOfCase(const testing::TestParamInfo<DrawnFault::ParamType>& one) {
  const auto& [seed, isNight, drawn] = one.param;
  return std::string(kNames[drawn]) + (isNight ? "_by_night_in_" : "_by_day_in_") +
         std::to_string(seed);
}
INSTANTIATE_TEST_SUITE_P(All, DrawnFault,
                         testing::Combine(testing::ValuesIn(streets()), testing::Bool(),
                                          testing::Range(0, 11)),
                         nameOfCase);

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

constexpr double kLearnSeconds = 90, kStillSeconds = 10, kMostSeconds = 30;
const cv::Size kSize(640, 480);

// Most moves are told within 20 seconds.
double movedSeconds() { return isLong() ? 65 : 35; }

struct Move {
  double pixels = 0, degrees = 0;
  Placement placement(int direction) const {
    Placement placement;
    const double angle = direction * 1.1;
    placement.shift = cv::Point2d(std::cos(angle), std::sin(angle)) * pixels / kSize.width;
    placement.degrees = degrees;
    return placement;
  }
};

// A street's camera that has been learnt, and what it shows then.
class Street {
 public:
  Street(std::uint64_t seed, double hour) {
    scenes::CameraOptions options;
    options.seed = seed;
    options.size = kSize;
    scenes::Camera camera(options);
    cv::Mat labels;
    CameraWatch watch;
    LightMeter meter;
    const double end = kLearnSeconds + kStillSeconds + movedSeconds();
    for (double seconds = 0; seconds < end; seconds += kStepSeconds) {
      cv::Mat picture;
      camera.shoot(hour * 3600 + seconds, picture, labels);
      if (seconds >= kLearnSeconds) {
        later_.push_back(picture);
      } else {
        watch.update(picture, momentAt(seconds), meter.update(picture, momentAt(seconds)));
      }
    }
    view_ = watch.view();
  }

  // What was told of a move, and after how many seconds.
  std::optional<std::pair<CameraChange, double>> told(const Placement& move) const {
    auto told = toldOf([&](double s) { return s < kStillSeconds ? Placement{} : move; });
    if (told) told->second -= kStillSeconds;
    return told;
  }

  // Of a camera that is there at each moment.
  std::optional<std::pair<CameraChange, double>> toldOf(
      const std::function<Placement(double seconds)>& placement) const {
    CameraWatch watch;
    EXPECT_TRUE(watch.setView(view_));
    LightMeter meter;
    for (std::size_t i = 0; i < later_.size(); ++i) {
      const double seconds = kStepSeconds * static_cast<double>(i);
      const Placement now = placement(seconds);
      const cv::Mat picture = moved(later_[i], now.shift.x, now.shift.y, now.degrees);
      for (CameraChange& change :
           watch.update(picture, momentAt(seconds), meter.update(picture, momentAt(seconds)))) {
        return std::pair(std::move(change), seconds);
      }
    }
    return std::nullopt;
  }

 private:
  std::vector<cv::Mat> later_;
  std::string view_;
};

std::vector<Move> moves() {
  if (!isLong()) return {{0, 0}, {3, 0}, {12, 0}, {0, 1}};
  std::vector<Move> moves;
  for (const double pixels : {0, 1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40})
    moves.push_back({pixels, 0});
  for (const double degrees : {0.25, 0.5, 1.0, 2.0, 3.0}) moves.push_back({0, degrees});
  moves.push_back({6, -1});
  return moves;
}

TEST(SmallMoves, AreToldFromThreePixelsOnWithTheirDistance) {
  int direction = 0;
  for (const std::uint64_t seed : streets()) {
    for (const double hour : {12.0, 0.0}) {
      const Street street(seed, hour);
      for (const Move& move : moves()) {
        const Placement truth = move.placement(++direction);
        const double pixels = truth.reach(kSize) * kSize.width;
        const auto told = street.told(truth);
        SCOPED_TRACE(cv::format("seed %d, %.0f o'clock, %.1f pixels at a corner (%.0f, %.2f deg)",
                                static_cast<int>(seed), hour, pixels, move.pixels, move.degrees));
        if (isLong()) {
          std::cout << seed << ' ' << hour << " h " << move.pixels << " px " << move.degrees
                    << " deg, corner " << pixels << ": ";
          if (told) std::cout << told->second << " s " << told->first.text;
          std::cout << std::endl;
        }
        if (pixels < 1.5) {
          EXPECT_FALSE(told) << told->first.text;
        }
        if (pixels < 2.9) continue;
        ASSERT_TRUE(told);
        EXPECT_LE(told->second, kMostSeconds);
        EXPECT_EQ(told->first.fault, CameraFault::moved);
        ASSERT_TRUE(told->first.placement);
        const Placement& found = *told->first.placement;
        EXPECT_LT(cv::norm(found.shift - truth.shift) * kSize.width, 1.0);
        EXPECT_NEAR(found.degrees, truth.degrees, 0.15);
      }
    }
  }
}

// A mast in the wind, however slow: it comes by its place again and again. Seen: one that swayed in
// four seconds was always on the same side where it was looked for every two.
TEST(SmallMoves, AreNotWhatSways) {
  const std::vector<double> periods =
      isLong() ? std::vector<double>{2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24}
               : std::vector<double>{4, 10};
  for (const double hour : isLong() ? std::vector<double>{12, 0} : std::vector<double>{12}) {
    const Street street(7, hour);
    for (const double period : periods) {
      for (const double pixels : {4.0, 8.0}) {
        const auto told = street.toldOf([&](double seconds) {
          Placement placement;
          placement.shift.x = pixels / kSize.width * std::sin(seconds / period * 2 * CV_PI);
          return placement;
        });
        if (isLong()) {
          std::cout << hour << " h, sways " << pixels << " px in " << period << " s: "
                    << (told ? cv::format("%.1f s ", told->second) + told->first.text : "nothing")
                    << std::endl;
        }
        EXPECT_FALSE(told) << hour << " h, " << pixels << " pixels in " << period
                           << " s: " << told->second << " s, " << told->first.text;
      }
    }
  }
}

}  // namespace
}  // namespace mpm::test
