// SPDX-License-Identifier: Apache-2.0
// mpm-demo: `mpm demo` by itself, for a first look without waiting until all of mpm is compiled.
#include "cli/commands.h"

int main(int argc, char** argv) { return mpm::cli::runDemoProgram(argc, argv); }
