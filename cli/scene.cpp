// SPDX-License-Identifier: Apache-2.0
// mpm-scene: draws a street as pictures with labels, in a folder or as bytes.
#include <CLI/CLI.hpp>
#include <bit>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/wording.h"
#include "files/text.h"
#include "models/scenes/camera.h"
#include "models/scenes/chance.h"
#include "models/scenes/classes.h"
#include "models/scenes/light.h"
#include "models/scenes/sensor.h"
#include "segment/pictures.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// One frame of a drawn street.
struct SceneFrame {
  std::uint64_t seed = 0;
  int second = 0;  // since the first day's midnight
};

// Frames that the options request, in the command line's words; empty if not given.
struct SceneWords {
  std::string seed, seeds, hour, hours;
  std::optional<int> count, perSeed;
};

// Selects frames to draw: one street at an hour or through hours, or many streets at different
// hours. Frames of a street follow each other, and no two share a second.
class ScenePlan {
 public:
  // Throws UsageError if the words make no plan.
  explicit ScenePlan(const SceneWords& words) {
    if (!words.seeds.empty()) {
      const auto [from, to] = ends(words.seeds);
      const auto first = scenes::seedOf(from);
      lastSeed_ = scenes::seedOf(to);
      if (!first || (!lastSeed_ && !to.empty()) || (lastSeed_ && *lastSeed_ < *first)) {
        throw UsageError(
            "--seeds " + words.seeds +
            " is not a range of seeds; give whole numbers, such as 1000..1999, or 1000..");
      }
      firstSeed_ = *first;
      if (words.count)
        throw UsageError("--count goes with one --seed; with --seeds use --per-seed");
    } else {
      const std::string word = wordOr(words.seed, kSeed);
      lastSeed_ = scenes::seedOf(word);
      if (!lastSeed_)
        throw UsageError("--seed " + word + " is not a seed; give a whole number from 0");
      firstSeed_ = *lastSeed_;
      if (words.perSeed)
        throw UsageError("--per-seed goes with --seeds; with one --seed use --count");
    }
    seed_ = firstSeed_;
    byChance_ = !words.seeds.empty() && words.hour.empty();
    perSeed_ = words.count.value_or(words.perSeed.value_or(1));
    if (words.hours.empty() && !byChance_) {
      if (perSeed_ != 1)
        throw UsageError("one --hour is one frame of a street; for more use --hours");
      from_ = secondIn(wordOr(words.hour, kHour));
      length_ = 1;
      return;
    }
    const auto [from, to] = secondsIn(wordOr(words.hours, "0..24"));
    from_ = from, length_ = to - from;
    if (perSeed_ > length_) {
      throw UsageError(cv::format("%d frames do not fit into %d seconds of a street, one for each",
                                  perSeed_, length_));
    }
  }

  // Returns false after the last one.
  bool next(SceneFrame& frame) {
    if (ended_) return false;
    frame = {seed_, secondOf(seed_, index_)};
    if (++index_ == perSeed_) {
      index_ = 0;
      ended_ = lastSeed_ == seed_;
      ++seed_;
    }
    return true;
  }

  bool isEndless() const { return !lastSeed_; }
  // Returns the share of frames so far, from 0 to 1.
  double share() const {
    if (!lastSeed_) return 0;
    const double done = static_cast<double>(seed_ - firstSeed_) + 1.0 * index_ / perSeed_;
    return done / (static_cast<double>(*lastSeed_ - firstSeed_) + 1);
  }

 private:
  static constexpr const char* kSeed = "7";
  static constexpr const char* kHour = "12";
  static std::string wordOr(const std::string& word, const char* standing) {
    return word.empty() ? standing : word;
  }

  static std::pair<std::string, std::string> ends(const std::string& text) {
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) return {text, "none"};
    return {text.substr(0, dots), text.substr(dots + 2)};
  }

  static int secondsOf(double hour) { return static_cast<int>(std::lround(hour * 3600)); }
  static constexpr double kLastHour = 8760;  // of a year

  static std::optional<double> hourIn(const std::string& text) {
    double hour = 0;
    const bool isGood = files::parseWhole(text, hour) && hour >= 0 && hour <= kLastHour;
    return isGood ? std::optional(hour) : std::nullopt;
  }

  static int secondIn(const std::string& text) {
    const auto hour = hourIn(text);
    if (!hour) {
      throw UsageError("--hour " + text +
                       " is not an hour; give one from 0 on, such as 13.5, or 37.5 for half past "
                       "one on the second day");
    }
    return secondsOf(*hour);
  }

  static std::pair<int, int> secondsIn(const std::string& text) {
    const auto [from, to] = ends(text);
    const auto first = hourIn(from), last = hourIn(to);
    if (!first || !last || secondsOf(*first) >= secondsOf(*last)) {
      throw UsageError("--hours " + text +
                       " is not a range of hours; give one such as 6..18.5, or 24..48 for the "
                       "second day");
    }
    return {secondsOf(*first), secondsOf(*last)};
  }

  // Divides the range into as many parts as frames. Returns the beginning of each, or a random
  // second of it.
  int secondOf(std::uint64_t seed, int index) const {
    const auto beginning = [&](int part) {
      return static_cast<int>(static_cast<std::int64_t>(length_) * part / perSeed_);
    };
    const int begin = beginning(index);
    if (!byChance_) return from_ + begin;
    const scenes::Chance chance(seed, 7800);
    return from_ + begin +
           chance.below(static_cast<std::uint64_t>(index), beginning(index + 1) - begin);
  }

  std::uint64_t firstSeed_, seed_;
  std::optional<std::uint64_t> lastSeed_;
  int from_, length_;  // in seconds
  int perSeed_ = 1, index_ = 0;
  bool byChance_ = false;  // hours of their own, not evenly apart
  bool ended_ = false;
};

// Returns "seed7_h1330", with seconds if there are any: "seed7_h133012". The second day is
// "seed7_day2_h1330".
std::string nameOf(const SceneFrame& frame) {
  constexpr int kDay = 86400;
  const int day = frame.second / kDay, minutes = frame.second % kDay / 60,
            seconds = frame.second % 60;
  std::string name = "seed" + std::to_string(frame.seed);
  if (day > 0) name += "_day" + std::to_string(day + 1);
  name += cv::format("_h%02d%02d", minutes / 60, minutes % 60);
  if (seconds != 0) name += cv::format("%02d", seconds);
  return name;
}

// Draws frames of streets with the requested seeds and times.
class SceneShots {
 public:
  // Takes all `options` but the seed. `paperNight` darkens every frame as the paper did.
  SceneShots(const scenes::CameraOptions& options, bool paperNight) : options_(options) {
    if (paperNight) night_ = std::make_unique<scenes::PaperNight>();
  }

  void shoot(std::uint64_t seed, double time, cv::Mat& picture, cv::Mat& labels) {
    if (!camera_ || options_.seed != seed) {
      options_.seed = seed;
      camera_ = std::make_unique<scenes::Camera>(options_);
    }
    camera_->shoot(time, picture, labels);
    if (night_)
      night_->darken(picture, scenes::Chance(seed).bits(std::bit_cast<std::uint64_t>(time)));
  }
  const scenes::CameraOptions& options() const { return options_; }

 private:
  scenes::CameraOptions options_;
  std::unique_ptr<scenes::Camera> camera_;  // of options_.seed
  std::unique_ptr<scenes::PaperNight> night_;
};

struct SceneFolder {
  std::string path;
  bool jpeg = false, overlay = false;
  bool json = false;  // a line for each frame on stdout
};

// Returns false if nobody reads any more.
bool put(const cv::Mat& picture) {
  const unsigned char* bytes = picture.data;
  for (std::size_t left = picture.total() * picture.elemSize(); left > 0;) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return false;
    if (written < 0) {
      throw std::runtime_error("cannot write to the standard output: " +
                               std::generic_category().message(errno));
    }
    bytes += written;
    left -= static_cast<std::size_t>(written);
  }
  return true;
}

// Writes each frame's bytes to the standard output, BGR, followed by those of its labels. Ends
// quietly when the reader has gone.
void writeSceneBytes(ScenePlan& plan, SceneShots& shots) {
  if (isatty(STDOUT_FILENO) == 1)
    throw UsageError("--raw - would write bytes to a terminal; write to a pipe or a file");
  std::signal(SIGPIPE, SIG_IGN);
  cv::Mat picture, labels;
  for (SceneFrame frame; plan.next(frame);) {
    shots.shoot(frame.seed, frame.second, picture, labels);
    CV_Assert(picture.isContinuous() && labels.isContinuous());
    if (!put(picture) || !put(labels)) return;
  }
}

std::string classesText() {
  std::string text;
  for (const scenes::ClassFacts& one : scenes::kClassFacts) {
    text += one.name;
    text += cv::format("\t#%02x%02x%02x\n", one.colour[2], one.colour[1], one.colour[0]);
  }
  return text;
}

Json frameFacts(const SceneFrame& frame, scenes::WeatherKind kind) {
  const double time = frame.second;
  const scenes::Weather weather = scenes::weatherAt(frame.seed, time, kind);
  const scenes::Light light = scenes::lightAt(frame.seed, time, weather);
  return {{"seed", frame.seed},
          {"hour", rounded(time / 3600, 4)},
          {"weather", scenes::nameOf(weather.kind())},
          {"level", rounded(light.level, 4)},
          {"lamps", rounded(light.lamps, 4)}};
}

// Writes images/NAME.png, labels/NAME.png (a pixel's value is its class), classes.txt and, on
// request, overlays/NAME.jpg. Throws std::runtime_error if one cannot be written.
void writeSceneFolder(ScenePlan& plan, SceneShots& shots, const SceneFolder& folder) {
  const fs::path root = folder.path;
  for (const char* name : {"images", "labels"}) makeFolder(root / name);
  if (folder.overlay) makeFolder(root / "overlays");
  writeFile(root / "classes.txt", classesText());
  const std::vector<cv::Vec3b> colours = scenes::classColours();
  // Labels compress well anyhow, and noise does not.
  const std::vector<int> how = {cv::IMWRITE_JPEG_QUALITY, 92, cv::IMWRITE_PNG_COMPRESSION, 1};
  const std::string ending = folder.jpeg ? ".jpg" : ".png";
  int count = 0;
  {
    Progress progress("drawing");
    cv::Mat picture, labels;
    for (SceneFrame frame; plan.next(frame); ++count, progress.show(plan.share())) {
      shots.shoot(frame.seed, frame.second, picture, labels);
      const std::string name = nameOf(frame);
      Json line = {{"image", "images/" + name + ending}, {"labels", "labels/" + name + ".png"}};
      writePicture(root / line["image"], picture, how);
      writePicture(root / line["labels"], labels, how);
      if (folder.overlay) {
        line["overlay"] = "overlays/" + name + ".jpg";
        writePicture(root / line["overlay"], drawOverlay(picture, labels, colours), how);
      }
      line.update(frameFacts(frame, shots.options().weather));
      if (folder.json) std::cout << line.dump() << '\n';
    }
  }
  if (folder.json) return;
  std::cout << "wrote " << countText(count, "frame") << " and " << (count == 1 ? "its" : "their")
            << " labels to " << folder.path << '\n';
}

struct SceneArguments {
  SceneWords words;
  std::string size = "640x480", weather;
  bool ideal = false, paperNight = false;
  SceneFolder folder;
  std::string raw;
};

scenes::CameraOptions cameraOptions(const SceneArguments& arguments) {
  scenes::CameraOptions options;
  const auto size = scenes::sizeOf(arguments.size);
  if (!size) {
    throw UsageError(
        "--size " + arguments.size +
        " is not a size; give width x height in pixels, each from 64 to 4096, such as 640x480");
  }
  options.size = *size;
  options.sensor = !arguments.ideal;
  if (!arguments.weather.empty()) {
    const auto kind = scenes::weatherOf(arguments.weather);
    if (!kind) {
      throw UsageError("--weather " + arguments.weather +
                       " is not known; use fair, rain, snow or fog");
    }
    options.weather = *kind;
  }
  return options;
}

void drawScenes(const SceneArguments& arguments) {
  const bool isRaw = !arguments.raw.empty();
  if (isRaw == !arguments.folder.path.empty()) throw UsageError("give either --out DIR or --raw -");
  if (isRaw && arguments.raw != kStandardOutput)
    throw UsageError("--raw " + arguments.raw +
                     ": bytes go to the standard output; write --raw - > " + arguments.raw);
  SceneShots shots(cameraOptions(arguments), arguments.paperNight);
  ScenePlan plan(arguments.words);
  if (isRaw) return writeSceneBytes(plan, shots);
  if (plan.isEndless()) {
    throw UsageError("--seeds " + arguments.words.seeds +
                     " would never end; for a folder, give a last seed, such as 1000..1999");
  }
  writeSceneFolder(plan, shots, arguments.folder);
}

void addFrameOptions(CLI::App& command, SceneArguments& arguments) {
  SceneWords& words = arguments.words;
  addOption(command, "--seed", words.seed, "N", "which street (default: 7)");
  addOption(command, "--seeds", words.seeds, "A..B",
            "many streets, each at its own hours; 1000.. never ends\n(only with --raw)");
  addOption(command, "--hour", words.hour, "H",
            "the time of day (default: 12); from 24 on, the days after");
  addOption(command, "--hours", words.hours, "A..B",
            "a range of hours (default with --seeds: 0..24)");
  addOption(command, "--count", words.count, "N",
            "how many frames of --hours, evenly spaced (default: 1)")
      ->check(within(1, 86400));
  addOption(command, "--per-seed", words.perSeed, "N",
            "how many frames for each of --seeds (default: 1)")
      ->check(within(1, 86400))
      ->group(kAdvanced);
  addOption(command, "--size", arguments.size, "WxH", "in pixels (default: 640x480)");
  addOption(command, "--weather", arguments.weather, "fair|rain|snow|fog",
            "the same all day long (default: it changes)");
  command.add_flag("--ideal", arguments.ideal, "without raindrops, snowflakes and sensor effects")
      ->group(kAdvanced);
  command
      .add_flag("--paper-night", arguments.paperNight,
                "darken frames as the paper did: less light, Gaussian\n"
                "and Poisson noise")
      ->group(kAdvanced);
}

void addOutputOptions(CLI::App& command, SceneArguments& arguments) {
  SceneFolder& folder = arguments.folder;
  addOut(command, folder.path, "DIR", "a folder for images/*.png, labels/*.png, classes.txt");
  command.add_flag("--jpeg", folder.jpeg, "images/*.jpg instead");
  command.add_flag("--overlay", folder.overlay, "overlays/*.jpg as well: labels in colours");
  addOption(command, "--raw", arguments.raw, "-",
            "frames as bytes on the standard output, BGR and then labels")
      ->group(kAdvanced);
  command.add_flag("--json", folder.json, "a line of JSON for each frame on stdout");
  addNeeds(command, "--out", {"--jpeg", "--overlay"});
  for (const auto& [one, other] :
       {std::pair("--raw", "--json"), {"--seed", "--seeds"}, {"--hour", "--hours"}})
    command.get_option(one)->excludes(command.get_option(other));
}

}  // namespace

int runScene(int argc, char** argv) {
  CLI::App command("Draws a street by day and night, with its labels.", "mpm-scene");
  addVersion(command);
  SceneArguments arguments;
  addFrameOptions(command, arguments);
  addOutputOptions(command, arguments);
  command.footer(
      "A frame depends on its seed and time alone. images/NAME.png and labels/NAME.png share the\n"
      "NAME, such as seed7_h1330; a label's value is its line in classes.txt, from 0. With --raw,\n"
      "a frame is height x width x 3 bytes BGR, then at once height x width bytes of labels.\n"
      "A day:    mpm-scene --seed 7 --hours 0..24 --count 96 --out day\n"
      "The next: mpm-scene --seed 7 --hours 24..48 --count 96 --out next, as seed7_day2_h1330\n"
      "Training: mpm-scene --seeds 1000.. --size 512x512 --raw - | ./train\n"
      "Example: mpm-scene --seed 7 --hour 13.5 --out street --overlay");
  command.callback([&] { drawScenes(arguments); });
  return runProgram(command, argc, argv);
}

}  // namespace mpm::cli
