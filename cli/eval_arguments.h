// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/bench_frames.h"
#include "cli/read_options.h"
#include "evaluate/format.h"
#include "evaluate/record.h"

namespace CLI {
class App;
}

namespace mpm::cli {

/// What `mpm eval` was told.
struct EvalArguments {
  std::string model, dataset, format, split;
  evaluate::ClassOptions classes;
  std::vector<std::string> schedules, small, join;
  std::string fit, shard, folder;
  int shortSide = 0, stride = 0, locality = 10, limit = 0;
  double every = 0;  // 0: not given
  bool paperNight = false, restart = false, json = false;
  ReadOptionArguments read;
  ThreadOption threads;

  /// Adds them to `command`; this object has to outlive it.
  void addTo(CLI::App& command);
};

/// What of them can be understood before anything is read. UsageError on anything else.
struct EvalWish {
  evaluate::Format format = evaluate::Format::folder;
  evaluate::Shard shard;
  ReadOptions read;
  bool slides = false;
  int shortSide = 0, stride = 0;  ///< 0: the format's, or that of the model's input
  std::optional<std::vector<Schedule>> schedules;
};
EvalWish wishOf(const EvalArguments& arguments);

/// Whether there are options that only data sets of single pictures heed.
bool hasPictureOptions(const EvalArguments& arguments);

/// Of --format sequence: a fixed camera's frames, with a memory. UsageError on what does not go
/// with it.
SequencePlan sequenceOf(const EvalArguments& arguments);

}  // namespace mpm::cli
