// SPDX-License-Identifier: Apache-2.0
// mpm: the command line of MPM for OpenCV DNN.
#include <CLI/CLI.hpp>
#include <iostream>
#include <opencv2/core/version.hpp>

#include "cli/commands.h"

int main(int argc, char** argv) {
  CLI::App app("Mutual Pair Merging for Vision Transformers in OpenCV DNN.", "mpm");
  app.set_version_flag("--version", "mpm " MPM_VERSION " (OpenCV " CV_VERSION ")");
  app.require_subcommand(1);
  app.footer("mpm COMMAND --help shows a command's options and an example.");
  mpm::cli::addInfo(app);
  mpm::cli::addConvert(app);
  mpm::cli::addRun(app);
  mpm::cli::addSegment(app);
  mpm::cli::addBench(app);
  mpm::cli::addTune(app);
  mpm::cli::addEval(app);
  mpm::cli::addTeach(app);
  mpm::cli::addScene(app);
#if MPM_HAS_MONITOR
  mpm::cli::addMonitor(app);
  mpm::cli::addExport(app);
  mpm::cli::addRestore(app);
#endif
  mpm::cli::addDemo(app);
  if (argc == 1) {
    std::cout << app.help();
    return 2;
  }
  return mpm::cli::runProgram(app, argc, argv);
}
