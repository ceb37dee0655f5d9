// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "monitor/source/capture_impl.h"

namespace mpm::monitor {
namespace {

std::atomic<bool> ending{false};
std::atomic<int> threadsLeft{0};

void endProcess(int status, void* /*unused*/) {
  ending = true;
  if (threadsLeft <= 0) return;
  std::cout << std::flush;
  std::clog << std::flush;
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

void noticeProcessEnd() {
  // Handlers run before what was constructed ahead of them is destroyed: the other libraries.
  static const bool registered = on_exit(endProcess, nullptr) == 0;
  (void)registered;
}

void stopAtProcessEnd() {
  while (ending) pause();
}

void noteThreadLeft() { ++threadsLeft; }
void noteThreadBack() { --threadsLeft; }

}  // namespace mpm::monitor
