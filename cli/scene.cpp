// SPDX-License-Identifier: Apache-2.0
// mpm scene: a drawn street as pictures with labels, as bytes, or as a video.
#include <CLI/CLI.hpp>
#include <initializer_list>
#include <memory>
#include <opencv2/core.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/option.h"
#include "cli/scene_output.h"
#include "cli/scene_plan.h"
#include "cli/usage_error.h"
#include "models/scenes/camera.h"

namespace mpm::cli {
namespace {

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

// Which options go together: what is given beside what it has no meaning for is refused.
void checkTogether(const CLI::App& command) {
  const auto isGiven = [&](const char* option) { return command.count(option) > 0; };
  const int outputs = isGiven("--out") + isGiven("--video") + isGiven("--raw");
  if (outputs != 1) {
    throw UsageError("give exactly one of --out DIR, --video FILE and --raw -; " +
                     std::to_string(outputs) + " of them are given");
  }
  const auto isFor = [&](const char* output, std::initializer_list<const char*> options) {
    for (const char* option : options) {
      if (isGiven(option) && !isGiven(output))
        throw UsageError(cv::format("%s only goes with %s", option, output));
    }
  };
  isFor("--out", {"--jpeg", "--overlay"});
  isFor("--video", {"--clock", "--seconds", "--fps"});
  const auto isNotWith = [&](const char* one, std::initializer_list<const char*> others) {
    for (const char* other : others) {
      if (isGiven(one) && isGiven(other))
        throw UsageError(cv::format("%s does not go together with %s", one, other));
    }
  };
  isNotWith("--video", {"--seeds", "--hours", "--count", "--per-seed"});
  isNotWith("--raw", {"--json"});
  isNotWith("--seed", {"--seeds"});
  isNotWith("--hour", {"--hours"});
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
      ->check(within(1, 86400));
  addOption(command, "--size", arguments.size, "WxH", "in pixels (default: 640x480)");
  addOption(command, "--weather", arguments.weather, "fair|rain|snow|fog",
            "the same all day long (default: it changes)");
  command.add_flag("--puddles", arguments.puddles,
                   "rain leaves puddles; with --out also puddles/*.png, paintings\n"
                   "for mpm teach: puddle, ground, other");
  command.add_flag("--ideal", arguments.ideal, "without raindrops, snowflakes and sensor effects");
  command.add_flag("--paper-night", arguments.paperNight,
                   "darken frames as the paper did: less light, Gaussian\n"
                   "and Poisson noise");
}

void addOutputOptions(CLI::App& command, SceneArguments& arguments) {
  SceneFolder& folder = arguments.folder;
  SceneVideo& video = arguments.video;
  addOption(command, "-o,--out", folder.path, "DIR",
            "a folder for images/*.png, labels/*.png, classes.txt");
  command.add_flag("--jpeg", folder.jpeg, "images/*.jpg instead");
  command.add_flag("--overlay", folder.overlay, "overlays/*.jpg as well: labels in colours");
  addOption(command, "--video", video.path, "FILE.mp4|.avi",
            "a video of one street, from --hour on");
  addOption(command, "--clock", arguments.clock, "600x",
            "for --video: how fast time passes (default: 1x)");
  addOption(command, "--seconds", video.seconds, "S", "for --video: its length (default: 20)")
      ->check(within(0.01, 86400.0));
  addOption(command, "--fps", video.fps, "F", "for --video: frames a second (default: 30)")
      ->check(within(1.0, 240.0));
  addOption(command, "--raw", arguments.raw, "FILE",
            "frames as bytes, BGR and then labels; - is stdout");
  command.add_flag("--json", folder.json,
                   "a line of JSON for each frame, or for the video, on stdout");
}

}  // namespace

void addScene(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("scene", "draw a street by day and night, with its labels");
  const auto arguments = std::make_shared<SceneArguments>();
  addFrameOptions(*command, *arguments);
  addOutputOptions(*command, *arguments);
  command->footer(
      "A frame depends on its seed and time alone. images/NAME.png and labels/NAME.png share the\n"
      "NAME, such as seed7_h1330; a label's value is its line in classes.txt, from 0. With --raw,\n"
      "a frame is height x width x 3 bytes BGR, then at once height x width bytes of labels.\n"
      "A day:    mpm scene --seed 7 --hours 0..24 --count 96 --out day\n"
      "The next: mpm scene --seed 7 --hours 24..48 --count 96 --out next, as seed7_day2_h1330\n"
      "Training: mpm scene --seeds 1000.. --size 512x512 --raw - | ./train\n"
      "Example: mpm scene --seed 7 --hour 13.5 --out street --overlay");
  command->callback([arguments, command] {
    checkTogether(*command);
    arguments->video.json = arguments->folder.json;
    drawScenes(*arguments);
  });
}

}  // namespace mpm::cli
