// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace mpm::cli {

/// Parses the command line and runs what it names. Gives the exit status: 0, 1 where something went
/// wrong, 2 where the program was used wrongly; what it was is told in one line.
int runProgram(CLI::App& app, int argc, char** argv);

}  // namespace mpm::cli
