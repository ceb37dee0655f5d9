// SPDX-License-Identifier: Apache-2.0
#include "cli/thread_option.h"

#include <CLI/CLI.hpp>
#include <opencv2/core/utility.hpp>

#include "mpm/threads.h"

namespace mpm::cli {

void ThreadOption::addTo(CLI::App& command) {
  command.add_option("--threads", count_, "how many compute (default: one for each core)")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N");
}

int ThreadOption::use() const {
  if (count_ > 0) {
    cv::setNumThreads(count_);
    setThreads(count_);
  }
  return threads();
}

}  // namespace mpm::cli
