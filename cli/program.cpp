// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/core/version.hpp>
#include <stdexcept>
#include <string>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/wording.h"
#include "files/standard_files.h"
#include "mpm/version.h"

namespace mpm::cli {
namespace {

constexpr int kFailed = 1, kUsedWrongly = 2;

// Silences OpenCV, which prints its exceptions and its importer's problems: runProgram reports
// both.
void silenceOpenCv() {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });
}

std::string commandOf(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return app.get_name() + (chosen.empty() ? "" : " " + commandOf(*chosen[0]));
}

// Explains --json, which took a FILE until 0.1.
std::string jsonHint(const CLI::ParseError& error) {
  const std::string sentence = error.what();
  const bool isFile = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) &&
                      (sentence.ends_with(".json") || sentence.ends_with(": -"));
  return isFile ? " (--json is a flag now, and --out names a file)" : "";
}

}  // namespace

void addVersion(CLI::App& app) {
  app.set_version_flag("--version", app.get_name() + " " + version() + " (OpenCV " CV_VERSION ")");
}

int runProgram(CLI::App& app, int argc, char** argv) {
  files::keepStandardFiles();
  silenceOpenCv();
  endWithoutLeftovers();
  const auto tell = [&](std::string sentence, int status) {
    std::replace(sentence.begin(), sentence.end(), '\n', ' ');
    std::cerr << app.get_name() << ": " << sentence << '\n';
    return status;
  };
  if (const std::string page = argc == 2 ? pageOf(app, argv[1]) : ""; !page.empty()) {
    std::cout << page;
    return 0;
  }
  try {
    app.parse(argc, argv);
    return std::cout.flush() ? 0 : tell("cannot write to the standard output", kFailed);
  } catch (const CLI::Success& help) {  // --help, --version
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return tell(std::string(error.what()) + "; see " + commandOf(app) + " --help" + jsonHint(error),
                kUsedWrongly);
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
