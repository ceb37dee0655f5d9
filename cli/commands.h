// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mpm::cli {

/// Wrong use of the program: exit status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using AddCommand = void (*)(CLI::App&);

/// Each adds a command of `mpm`, which runs when the command line names it.
void addInfo(CLI::App& app);
void addConvert(CLI::App& app);
void addRun(CLI::App& app);
void addSegment(CLI::App& app);
void addBench(CLI::App& app);
void addTune(CLI::App& app);
void addEval(CLI::App& app);
void addTeach(CLI::App& app);
void addWatch(CLI::App& app);
void addRecord(CLI::App& app);

/// Runs `mpm` with `more` and the commands that need only the layers and OpenCV. A command that
/// this build lacks says so when it is named. Returns the exit status, as the other programs do.
int runMpm(int argc, char** argv, const std::vector<AddCommand>& more = {});
int runScene(int argc, char** argv);  ///< mpm-scene
int runDemo(int argc, char** argv);   ///< mpm-demo

/// Adds --version, which every program has.
void addVersion(CLI::App& app);

/// Returns a page made from a program's options: its man page (`kind` "--page=man"), or a shell's
/// completion ("--page=bash", "--page=zsh"); empty for any other kind.
std::string pageOf(const CLI::App& app, const std::string& kind);

/// Parses the command line and runs its command. Returns the exit status: 0, 1 for an error, 2 for
/// wrong use. One line on stderr describes the error.
int runProgram(CLI::App& app, int argc, char** argv);

}  // namespace mpm::cli
