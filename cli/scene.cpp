// SPDX-License-Identifier: Apache-2.0
// mpm-scene: draws a street as pictures with labels, as bytes, or as a video.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/frames.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/scene_plan.h"
#include "cli/wording.h"
#include "models/scenes/camera.h"
#include "models/scenes/chance.h"
#include "models/scenes/classes.h"
#include "models/scenes/light.h"
#include "models/scenes/sensor.h"
#include "monitor/source/readers.h"
#include "segment/pictures.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Draws frames of streets with the requested seeds and times.
class SceneShots {
 public:
  // Takes all `options` but the seed. `paperNight` darkens every frame as the paper did.
  SceneShots(const scenes::CameraOptions& options, bool paperNight);

  void shoot(std::uint64_t seed, double time, cv::Mat& picture, cv::Mat& labels);
  const cv::Mat& puddles() const { return camera_->puddles(); }  // of what was shot last
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

// Writes frames as bytes to a file, a pipe, or stdout for "-".
class SceneBytes {
 public:
  // Throws UsageError for a terminal, and std::runtime_error if it cannot be written.
  explicit SceneBytes(const std::string& file);
  ~SceneBytes();
  SceneBytes(const SceneBytes&) = delete;
  SceneBytes& operator=(const SceneBytes&) = delete;

  bool isFile() const { return output_ && output_->isFile(); }

  // Writes each frame's bytes, BGR, followed by those of its labels. Ends quietly when the reader
  // has gone. A file appears as a whole or not at all.
  void write(ScenePlan& plan, SceneShots& shots);

 private:
  bool put(const cv::Mat& picture) const;  // false where nobody reads any more
  [[noreturn]] void fail() const;

  std::string name_;
  std::optional<OutputFile> output_;
  int file_ = 1;
};

struct SceneVideo {
  std::string path;  // .mp4 or .avi
  double seconds = 20, fps = 30;
  bool json = false;
};

SceneShots::SceneShots(const scenes::CameraOptions& options, bool paperNight) : options_(options) {
  if (paperNight) night_ = std::make_unique<scenes::PaperNight>();
}

void SceneShots::shoot(std::uint64_t seed, double time, cv::Mat& picture, cv::Mat& labels) {
  if (!camera_ || options_.seed != seed) {
    options_.seed = seed;
    camera_ = std::make_unique<scenes::Camera>(options_);
  }
  camera_->shoot(time, picture, labels);
  if (night_)
    night_->darken(picture, scenes::Chance(seed).bits(std::bit_cast<std::uint64_t>(time)));
}

SceneBytes::SceneBytes(const std::string& file)
    : name_(file == "-" ? "the standard output" : file) {
  if (file != "-") {
    output_.emplace(file);
    file_ = ::open(output_->part().c_str(), O_WRONLY | O_CLOEXEC);
  }
  if (file_ < 0) fail();
  if (isatty(file_) == 1) {
    throw UsageError("--raw " + file +
                     " would write bytes to a terminal; write to a pipe or a file");
  }
  std::signal(SIGPIPE, SIG_IGN);
}

SceneBytes::~SceneBytes() {
  if (file_ > 1) ::close(file_);
}

void SceneBytes::write(ScenePlan& plan, SceneShots& shots) {
  cv::Mat picture, labels;
  for (SceneFrame frame; plan.next(frame);) {
    shots.shoot(frame.seed, frame.second, picture, labels);
    CV_Assert(picture.isContinuous() && labels.isContinuous());
    if (!put(picture) || !put(labels)) return;
  }
  if (output_) output_->finish();
}

bool SceneBytes::put(const cv::Mat& picture) const {
  const unsigned char* bytes = picture.data;
  for (std::size_t left = picture.total() * picture.elemSize(); left > 0;) {
    const ssize_t written = ::write(file_, bytes, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return false;
    if (written < 0) fail();
    bytes += written;
    left -= static_cast<std::size_t>(written);
  }
  return true;
}

void SceneBytes::fail() const {
  throw std::runtime_error("cannot write to " + name_ + ": " +
                           std::generic_category().message(errno));
}

std::string classesText() {
  std::string text;
  for (const scenes::ClassFacts& one : scenes::kClassFacts) {
    text += one.name;
    text += cv::format("\t#%02x%02x%02x\n", one.colour[2], one.colour[1], one.colour[0]);
  }
  return text;
}

constexpr const char* kPuddleClasses = "puddle\t#3c78d2\nground\t#8a8a80\nother\t#404048\n";

// Uses the numbers of kPuddleClasses.
cv::Mat puddlePainting(const cv::Mat& labels, const cv::Mat& puddles) {
  cv::Mat painting(labels.size(), CV_8U, cv::Scalar(2));
  painting.setTo(1, labels == static_cast<int>(scenes::Class::road));
  painting.setTo(1, labels == static_cast<int>(scenes::Class::pavement));
  painting.setTo(0, puddles);
  return painting;
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
// request, overlays/NAME.jpg. Shots with puddles add puddles/NAME.png (0 puddle, 1 other road and
// pavement, 2 everything else) and puddles/classes.txt. Throws std::runtime_error if one cannot be
// written.
void writeSceneFolder(ScenePlan& plan, SceneShots& shots, const SceneFolder& folder) {
  const fs::path root = folder.path;
  const bool puddles = shots.options().puddles;
  for (const char* name : {"images", "labels"}) makeFolder(root / name);
  if (folder.overlay) makeFolder(root / "overlays");
  writeFile(root / "classes.txt", classesText());
  if (puddles) {
    makeFolder(root / "puddles");
    writeFile(root / "puddles/classes.txt", kPuddleClasses);
  }
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
      if (puddles) {
        line["puddles"] = "puddles/" + name + ".png";
        writePicture(root / line["puddles"], puddlePainting(labels, shots.puddles()), how);
      }
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

bool isAvi(const std::string& path) { return std::filesystem::path(path).extension() == ".avi"; }

// Opens Motion JPEG with OpenCV itself, anything else with FFmpeg or GStreamer.
void openWriter(cv::VideoWriter& writer, const std::string& part, const SceneVideo& video,
                cv::Size size) {
  if (isAvi(video.path)) {
    const int code = cv::VideoWriter::fourcc('M', 'J', 'P', 'G');
    if (writer.open(part, cv::CAP_OPENCV_MJPEG, code, video.fps, size)) return;
    throw std::runtime_error("cannot write " + video.path);
  }
  const int code = cv::VideoWriter::fourcc('m', 'p', '4', 'v');
  if (writer.open(part, cv::CAP_FFMPEG, code, video.fps, size)) return;
  throw std::runtime_error(
      "cannot write " + video.path +
      ": this OpenCV has no FFmpeg that can write it; use a name that ends in .avi");
}

// Reads the video back, since a writer reports no errors, not even a full disk.
void checkWritten(const std::string& part, const std::string& path, int frames) {
  cv::VideoCapture written;
  const int found =
      openVideo(written, part) ? monitor::promisedFrames(written.get(cv::CAP_PROP_FRAME_COUNT)) : 0;
  if (found == frames) return;
  throw std::runtime_error(
      cv::format("cannot write %s: %d of %d frames have arrived in it; is the disk full?",
                 path.c_str(), found, frames));
}

// Throws UsageError if the name is none of a video that can be written.
void checkVideoName(const std::string& path) {
  if (isAvi(path) || std::filesystem::path(path).extension() == ".mp4") return;
  throw UsageError("--video " + path + " cannot be written; use a name that ends in .mp4 or .avi");
}

// Plays a street from the plan's first frame on, at the camera's clock.
void writeSceneVideo(ScenePlan& plan, SceneShots& shots, const SceneVideo& video) {
  const int frames = std::max(1, static_cast<int>(std::lround(video.seconds * video.fps)));
  const double clock = shots.options().clock;
  SceneFrame first;
  plan.next(first);
  cv::VideoWriter writer;
  InputFiles().checkOutput(video.path);
  OutputFile file(video.path, isAvi(video.path) ? ".avi" : ".mp4");  // which tells the format
  openWriter(writer, file.part().string(), video, shots.options().size);
  {
    Progress progress("drawing");
    cv::Mat picture, labels;
    for (int i = 0; i < frames; ++i) {
      shots.shoot(first.seed, first.second + i / video.fps * clock, picture, labels);
      writer.write(picture);
      progress.show((i + 1.0) / frames);
    }
  }
  writer.release();
  checkWritten(file.part().string(), video.path, frames);
  file.finish();
  if (video.json) {
    const Json line = {{"video", video.path},
                       {"frames", frames},
                       {"fps", video.fps},
                       {"seed", first.seed},
                       {"hour", first.second / 3600.0},
                       {"clock", clock}};
    std::cout << jsonText(line, -1);
  } else {
    std::cout << "wrote " << frames << " frames to " << video.path << '\n';
  }
}

struct SceneArguments {
  SceneWords words;
  std::string size = "640x480", weather, clock;
  bool ideal = false, paperNight = false, puddles = false;
  SceneFolder folder;
  std::string raw;
  SceneVideo video;
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
  options.puddles = arguments.puddles;
  if (options.puddles && !scenes::hasRain(options.weather)) {
    throw UsageError("--puddles does not go with --weather " + arguments.weather +
                     ", which brings none; use --weather rain, or leave --weather out");
  }
  if (!arguments.clock.empty()) {
    const auto clock = scenes::clockOf(arguments.clock);
    if (!clock) {
      throw UsageError(
          "--clock " + arguments.clock +
          " is not a clock; give a number from 0.001 to 100000 with an x, such as 600x");
    }
    options.clock = *clock;
  }
  return options;
}

void checkOutput(const CLI::App& command) {
  const auto outputs = command.count("--out") + command.count("--video") + command.count("--raw");
  if (outputs != 1) {
    throw UsageError("give exactly one of --out DIR, --video FILE and --raw -; " +
                     std::to_string(outputs) + " of them are given");
  }
  for (const char* option : {"--seeds", "--hours", "--count", "--per-seed"}) {
    if (command.count("--video") > 0 && command.count(option) > 0)
      throw UsageError(std::string("--video does not go together with ") + option);
  }
}

UsageError endless(const SceneArguments& arguments) {
  return UsageError("--seeds " + arguments.words.seeds +
                    " would never end; for a folder or a file, give a last seed, such as "
                    "1000..1999");
}

void drawScenes(const SceneArguments& arguments) {
  if (!arguments.video.path.empty()) checkVideoName(arguments.video.path);
  SceneShots shots(cameraOptions(arguments), arguments.paperNight);
  ScenePlan plan(arguments.words);
  if (!arguments.raw.empty()) {
    SceneBytes bytes(arguments.raw);
    if (plan.isEndless() && bytes.isFile()) throw endless(arguments);
    bytes.write(plan, shots);
  } else if (!arguments.video.path.empty()) {
    writeSceneVideo(plan, shots, arguments.video);
  } else if (plan.isEndless()) {
    throw endless(arguments);
  } else {
    writeSceneFolder(plan, shots, arguments.folder);
  }
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
  command
      .add_flag("--puddles", arguments.puddles,
                "rain leaves puddles; with --out also puddles/*.png, paintings\n"
                "for mpm teach: puddle, ground, other")
      ->group(kAdvanced);
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
  SceneVideo& video = arguments.video;
  addOut(command, folder.path, "DIR", "a folder for images/*.png, labels/*.png, classes.txt");
  command.add_flag("--jpeg", folder.jpeg, "images/*.jpg instead");
  command.add_flag("--overlay", folder.overlay, "overlays/*.jpg as well: labels in colours");
  addOption(command, "--video", video.path, "FILE.mp4|.avi",
            "a video of one street, from --hour on");
  addOption(command, "--clock", arguments.clock, "600x",
            "for --video: how fast time passes (default: 1x)")
      ->group(kAdvanced);
  addOption(command, "--seconds", video.seconds, "S", "for --video: its length (default: 20)")
      ->check(within(0.01, 86400.0));
  addOption(command, "--fps", video.fps, "F", "for --video: frames a second (default: 30)")
      ->check(within(1.0, 240.0))
      ->group(kAdvanced);
  addOption(command, "--raw", arguments.raw, "FILE",
            "frames as bytes, BGR and then labels; - is stdout")
      ->group(kAdvanced);
  command.add_flag("--json", folder.json,
                   "a line of JSON for each frame, or for the video, on stdout");
  addNeeds(command, "--out", {"--jpeg", "--overlay"});
  addNeeds(command, "--video", {"--clock", "--seconds", "--fps"});
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
  command.callback([&] {
    checkOutput(command);
    arguments.video.json = arguments.folder.json;
    drawScenes(arguments);
  });
  return runProgram(command, argc, argv);
}

}  // namespace mpm::cli
