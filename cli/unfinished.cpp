// SPDX-License-Identifier: Apache-2.0
#include "cli/unfinished.h"

#include <csignal>

#include "cli/output_file.h"
#include "files/new_file.h"

namespace mpm::cli {
namespace {

void removeAll(int signal) {
  files::removeUnfinished();
  files::removeUnfinishedOfLibrary();
  raise(signal);  // which now does what it would have done; see SA_RESETHAND
}

}  // namespace

void endWithoutLeftovers() {
  struct sigaction action {};
  action.sa_handler = removeAll;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction present {};
    if (sigaction(signal, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    sigaction(signal, &action, nullptr);
  }
}

void removeLeftovers(const std::filesystem::path& model) {
  files::removeLeftovers(followed(model).string() + ".part");
}

}  // namespace mpm::cli
