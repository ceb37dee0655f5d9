// SPDX-License-Identifier: Apache-2.0
// mpm-demo: `mpm demo` by itself, for a first look without waiting until all of mpm is compiled.
#include <CLI/CLI.hpp>

#include "cli/commands.h"

int main(int argc, char** argv) {
  CLI::App app("The street model over a day, with and without merging.", "mpm-demo");
  mpm::cli::setUpDemo(app);
  return mpm::cli::runProgram(app, argc, argv);
}
