// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <opencv2/core/version.hpp>
#include <string>

#include "cli/usage_error.h"

namespace mpm::cli {
namespace {

bool hasCommand(const CLI::App& app, const std::string& name) {
  return !app.get_subcommands([&](const CLI::App* each) { return each->get_name() == name; })
              .empty();
}

void addMissing(CLI::App& app, const std::string& name) {
  CLI::App* command = app.add_subcommand(name)->group("")->prefix_command();
  command->set_help_flag();
  command->callback([name] {
    throw UsageError("this build has no " + name +
                     "; build mpm from source with all its dependencies to get it");
  });
}

}  // namespace

int runMpm(int argc, char** argv, const std::vector<AddCommand>& more) {
  CLI::App app("Mutual Pair Merging for Vision Transformers in OpenCV DNN.", "mpm");
  app.set_version_flag("--version", "mpm " MPM_VERSION " (OpenCV " CV_VERSION ")");
  app.require_subcommand(1);
  app.footer("mpm COMMAND --help shows a command's options and an example.");
  for (const AddCommand add :
       {addInfo, addConvert, addRun, addSegment, addBench, addTune, addEval, addTeach, addScene}) {
    add(app);
  }
  for (const AddCommand add : more) add(app);
  for (const char* name : {"monitor", "export", "restore", "demo"}) {
    if (!hasCommand(app, name)) addMissing(app, name);
  }
  app.preparse_callback([&](std::size_t) {
    const std::string first = argv[1];
    if (first.rfind('-', 0) != 0 && !hasCommand(app, first))
      throw UsageError("there is no command " + first + "; mpm --help lists those there are");
  });
  if (argc == 1) {
    std::cout << app.help();
    return 2;
  }
  return runProgram(app, argc, argv);
}

}  // namespace mpm::cli
