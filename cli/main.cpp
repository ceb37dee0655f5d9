// SPDX-License-Identifier: Apache-2.0
// mpm: the command line of MPM for OpenCV DNN.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <stdexcept>
#include <string>

#include "cli/commands.h"
#include "cli/read_options.h"
#include "cli/usage_error.h"
#include "cli/wording.h"

namespace {

constexpr int kFailed = 1, kUsedWrongly = 2;

int tell(std::string sentence, int status) {
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  std::cerr << "mpm: " << sentence << '\n';
  return status;
}

// OpenCV prints what it throws, and its importer what it stumbles over; both are told by main.
void silenceOpenCv() {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });
}

std::string commandOf(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? "mpm" : "mpm " + chosen[0]->get_name();
}

int parseAndRun(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::cout.flush() ? 0 : tell("cannot write to the standard output", kFailed);
  } catch (const CLI::Success& help) {  // --help, --version
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return tell(std::string(error.what()) + "; " + commandOf(app) + " --help says what is right",
                kUsedWrongly);
  } catch (const mpm::cli::UsageError& error) {
    return tell(error.what(), kUsedWrongly);
  } catch (const std::invalid_argument& error) {
    return tell(mpm::cli::inOptionWords(error.what()), kUsedWrongly);
  } catch (const cv::Exception& error) {
    return tell(mpm::cli::withoutFrame(error.err), kFailed);
  } catch (const std::exception& error) {
    return tell(error.what(), kFailed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  silenceOpenCv();
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
  mpm::cli::addScene(app);
  mpm::cli::addDemo(app);
  if (argc == 1) {
    std::cout << app.help();
    return kUsedWrongly;
  }
  return parseAndRun(app, argc, argv);
}
