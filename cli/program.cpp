// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <stdexcept>
#include <string>

#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/read_options.h"
#include "cli/usage_error.h"
#include "cli/wording.h"
#include "files/standard_files.h"

namespace mpm::cli {
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
  return chosen.empty() ? app.get_name() : app.get_name() + " " + chosen[0]->get_name();
}

}  // namespace

int runProgram(CLI::App& app, int argc, char** argv) {
  files::keepStandardFiles();
  silenceOpenCv();
  endWithoutLeftovers();
  try {
    app.parse(argc, argv);
    return std::cout.flush() ? 0 : tell("cannot write to the standard output", kFailed);
  } catch (const CLI::Success& help) {  // --help, --version
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return tell(std::string(error.what()) + "; see " + commandOf(app) + " --help", kUsedWrongly);
  } catch (const UsageError& error) {
    return tell(error.what(), kUsedWrongly);
  } catch (const std::invalid_argument& error) {
    return tell(inOptionWords(error.what()), kUsedWrongly);
  } catch (const cv::Exception& error) {
    return tell(withoutFrame(error.err), kFailed);
  } catch (const std::exception& error) {
    return tell(inOptionWords(error.what()), kFailed);
  }
}

}  // namespace mpm::cli
