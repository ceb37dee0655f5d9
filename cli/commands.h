// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace CLI {
class App;
}

/// Each `add` adds a subcommand of `mpm`, which runs when the command line names it. What it throws
/// runProgram turns into the exit status: UsageError 2, any other exception 1.
namespace mpm::cli {

void addInfo(CLI::App& app);
void addConvert(CLI::App& app);
void addRun(CLI::App& app);
void addSegment(CLI::App& app);
void addBench(CLI::App& app);
void addTune(CLI::App& app);
void addEval(CLI::App& app);
void addTeach(CLI::App& app);
void addScene(CLI::App& app);
void addMonitor(CLI::App& app);
void addExport(CLI::App& app);
void addRestore(CLI::App& app);
void addDemo(CLI::App& app);

/// The demo as a program of its own.
int runDemoProgram(int argc, char** argv);

/// Parses the command line and runs what it names. Gives the exit status: 0, 1 where something went
/// wrong, 2 where the program was used wrongly; what it was is told in one line.
int runProgram(CLI::App& app, int argc, char** argv);

using AddCommand = void (*)(CLI::App&);

/// runProgram of `mpm` with all commands that need no more than the layers and OpenCV do, and
/// `more` of the others; those that are not there say so when they are named, with status 2.
int runMpm(int argc, char** argv, const std::vector<AddCommand>& more);

}  // namespace mpm::cli
