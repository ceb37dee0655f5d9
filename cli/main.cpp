// SPDX-License-Identifier: Apache-2.0
// Entry point of mpm, mpm-scene and mpm-demo: MPM_RUN is the call that runs one of them.
#include "cli/commands.h"

int main(int argc, char** argv) {
  using namespace mpm::cli;
  return MPM_RUN;
}
