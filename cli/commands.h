// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

/// Each adds a subcommand of `mpm`, which runs when the command line names it. What it throws is
/// told and turned into the exit status by main: UsageError 2, any other exception 1.
namespace mpm::cli {

void addInfo(CLI::App& app);
void addConvert(CLI::App& app);
void addRun(CLI::App& app);
void addSegment(CLI::App& app);
void addBench(CLI::App& app);
void addTune(CLI::App& app);
void addEval(CLI::App& app);
void addScene(CLI::App& app);
void addMonitor(CLI::App& app);
void addExport(CLI::App& app);
void addDemo(CLI::App& app);

/// Makes a program's only command the demo.
void setUpDemo(CLI::App& program);

}  // namespace mpm::cli
