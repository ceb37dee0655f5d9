// SPDX-License-Identifier: Apache-2.0
#include "mpm/threads.h"

#include <algorithm>
#include <opencv2/core/utility.hpp>

#include "processor/pool.h"

namespace mpm {
namespace {

int openCvThreads() { return std::min(std::max(1, cv::getNumThreads()), processor::usableCores()); }

}  // namespace

void setThreads(int count) {
  processor::setDefaultThreadCount(openCvThreads);
  processor::setThreadCount(count);
}

int threads() {
  processor::setDefaultThreadCount(openCvThreads);
  return processor::threadCount();
}

}  // namespace mpm
