// SPDX-License-Identifier: Apache-2.0
// mpm: the command line of MPM for OpenCV DNN.
#include "cli/commands.h"

int main(int argc, char** argv) {
  return mpm::cli::runMpm(argc, argv, {
#if MPM_HAS_MONITOR
    mpm::cli::addMonitor, mpm::cli::addExport, mpm::cli::addRestore,
#endif
        mpm::cli::addDemo
  });
}
