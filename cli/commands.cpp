// SPDX-License-Identifier: Apache-2.0
// mpm: its commands, and the replacements of those of earlier releases.
#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

namespace mpm::cli {
namespace {

// Commands that were `mpm OLD` until 0.1.
struct Renamed {
  const char *old, *now;
};
constexpr Renamed kRenamed[] = {{"monitor", "mpm watch"},
                                {"export", "mpm record export"},
                                {"restore", "mpm record restore"},
                                {"scene", "mpm-scene"},
                                {"demo", "mpm-demo"}};

bool hasCommand(const CLI::App& app, const std::string& name) {
  return !app.get_subcommands([&](const CLI::App* each) { return each->get_name() == name; })
              .empty();
}

// Adds a command, hidden from the help, that answers everything with one sentence.
void addAnswer(CLI::App& app, const std::string& name, const std::string& sentence) {
  CLI::App* command = app.add_subcommand(name)->group("")->prefix_command();
  command->set_help_flag();
  command->callback([sentence] { throw UsageError(sentence); });
}

}  // namespace

int runMpm(int argc, char** argv, const std::vector<AddCommand>& more) {
  CLI::App app("Mutual Pair Merging for Vision Transformers in OpenCV DNN.", "mpm");
  addVersion(app);
  app.require_subcommand(1);
  app.footer("mpm COMMAND --help shows a command's options and an example.");
  for (const AddCommand add :
       {addInfo, addConvert, addRun, addSegment, addBench, addTune, addEval, addTeach}) {
    add(app);
  }
  for (const AddCommand add : more) add(app);
  for (const std::string name : {"watch", "record"}) {
    if (hasCommand(app, name)) continue;
    addAnswer(app, name,
              "this build has no " + name +
                  "; build mpm from source with all its dependencies to get it");
  }
  for (const auto& [old, now] : kRenamed)
    addAnswer(app, old, std::string("mpm ") + old + " is " + now + " now");
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
