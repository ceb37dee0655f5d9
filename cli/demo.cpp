// SPDX-License-Identifier: Apache-2.0
// mpm demo: the street model on a drawn street, from midnight to midnight.
#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "cli/commands.h"
#include "cli/demo_day.h"
#include "cli/input_files.h"
#include "cli/option.h"
#include "cli/output_file.h"
#include "cli/read_options.h"
#include "cli/usage_error.h"
#include "models/street/street_model.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;

struct DemoArguments {
  DemoOptions demo;
  std::string folder = "mpm_demo";
  bool json = false;
  ReadOptionArguments read;
  ThreadOption threads;
};

void writeResults(const DemoDay& day, const fs::path& folder) {
  writePicture(folder / "rows.png", demoChart(day));
  for (const DemoMoment& moment : day.moments) {
    const char* name = moment.hour < 6 ? "midnight.png" : "noon.png";
    writePicture(folder / name, demoPicture(moment, day.palette));
  }
  writeFile(folder / "demo.json", demoJson(day));
}

// Prints a line for each hour: a day takes minutes on a small computer.
DemoDay watchDay(const DemoArguments& arguments) {
  const int threads = arguments.threads.use();
  const auto ready = [&] {
    makeFolder(arguments.folder);
    if (arguments.json) return;
    std::cout << "A day in a drawn street, " << arguments.demo.frames
              << " frames, each with full tokens and with merging:" << std::endl;
  };
  double next = 0;
  const auto seen = [&](const DemoFrame& frame) {
    if (arguments.json || frame.hour < next) return;
    std::cout << demoLine(frame) << std::endl;
    next = std::floor(frame.hour) + 1;
  };
  DemoDay day = runDemoDay(arguments.demo, ready, seen);
  day.device = usedDeviceName(arguments.demo.segmenter.read);
  day.threads = threads;
  return day;
}

void runDemo(DemoArguments& arguments) {
  DemoOptions& demo = arguments.demo;
  demo.segmenter.read = arguments.read.parse();
  if (demo.segmenter.read.schedule && demo.segmenter.read.schedule->empty()) {
    throw UsageError(
        "--merge-before none leaves nothing to compare: full tokens are shown next to merging "
        "anyway");
  }
  if (demo.frames % 2 != 0)
    throw UsageError("--frames " + std::to_string(demo.frames) +
                     " is odd; expected an even number, so that noon is among them");
  demo.segmenter.confidence = false;
  if (demo.model.empty()) demo.model = streetModel();
  for (const char* name : {"rows.png", "noon.png", "midnight.png", "demo.json"})
    InputFiles(demo.model).refuse(fs::path(arguments.folder) / name);
  const DemoDay day = watchDay(arguments);
  writeResults(day, arguments.folder);
  if (arguments.json) {
    std::cout << demoJson(day);
    return;
  }
  std::cout << '\n'
            << demoTable(day) << "Look at "
            << fs::absolute(arguments.folder).lexically_normal().string()
            << ": noon.png, midnight.png, rows.png (live rows over the day), demo.json.\n";
}

void setUpDemo(CLI::App& command) {
  const auto arguments = std::make_shared<DemoArguments>();
  addOption(command, "--model", arguments->demo.model, "FILE",
            "an ONNX file (default: the street model)");
  command.add_option("--seed", arguments->demo.seed, "which street")->capture_default_str();
  command.add_option("--frames", arguments->demo.frames, "how many, evenly spaced over the day")
      ->check(CLI::Range(2, 86400))
      ->capture_default_str();
  addOption(command, "--out", arguments->folder, "DIR", "a folder for the pictures")
      ->capture_default_str();
  arguments->read.addScheduleTo(command);
  arguments->read.addPrecisionTo(command);
  arguments->threads.addTo(command);
  command.add_flag("--json", arguments->json, "print JSON instead of a table");
  command.footer("Example: mpm demo --out demo");
  command.callback([arguments] { runDemo(*arguments); });
}

}  // namespace

void addDemo(CLI::App& app) {
  setUpDemo(
      *app.add_subcommand("demo", "segment a drawn street over a day, with and without merging"));
}

int runDemoProgram(int argc, char** argv) {
  CLI::App app("The street model over a day, with and without merging.", "mpm-demo");
  setUpDemo(app);
  return runProgram(app, argc, argv);
}

}  // namespace mpm::cli
