// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "monitor/record/past_runs.h"

namespace mpm::monitor {

/// How the run of a bucket's frames is numbered, and which view they have, for exports.
class RunsOfBuckets {
 public:
  RunsOfBuckets(const RecordReader& record, const std::string& source)
      : runs_(pastRuns(record, source)) {}

  struct Place {
    std::size_t run = 0;  ///< from 1 on, in the order of exportRuns; 0: the record has none
    std::string view;     ///< at its beginning, as Way has it, kHomeView the first
  };
  Place of(std::int64_t run, const Bucket& bucket) const;

 private:
  std::vector<PastRun> runs_;
};

}  // namespace mpm::monitor
