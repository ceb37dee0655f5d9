// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "monitor/record/past_runs.h"

namespace mpm::monitor {

/// Which run a bucket's frames are of, and which view they have, for exports.
class RunsOfBuckets {
 public:
  RunsOfBuckets(const RecordReader& record, const std::string& source)
      : runs_(pastRuns(record, source)) {}

  struct Place {
    std::size_t run = 0;  ///< from 1 on, in the order of exportRuns; 0: the record has none
    std::string view;     ///< at its beginning, as Way has it, kHomeView the first
  };
  /// The newest run that had begun by the bucket's end.
  Place of(const Bucket& bucket, Resolution resolution) const;

 private:
  std::vector<PastRun> runs_;
};

}  // namespace mpm::monitor
