// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "evaluate/header.h"
#include "evaluate/record.h"

namespace mpm::evaluate {

/// Shards put together.
struct Joined {
  Header header;                       ///< the first one's, as if of a run without shards
  std::vector<PictureRecord> records;  ///< of every picture, in the data set's order
  std::vector<std::string> machines;   ///< that they were made on, each once
};

/// From journals, or folders that hold them. std::runtime_error, one sentence, where a shard is
/// missing, there twice, not finished or was run with other options.
Joined joinJournals(const std::vector<std::string>& places);

}  // namespace mpm::evaluate
