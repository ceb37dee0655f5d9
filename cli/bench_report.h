// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/measure/machine.h"
#include "cli/measure/rounds.h"
#include "cli/measure/steps.h"

namespace mpm::cli {

/// What `mpm bench` found out.
struct BenchReport {
  struct Row {
    std::string name, precision, device;
    std::vector<int> schedule;
    Times times;  ///< ratio: to the first row
    std::vector<int> rows;
    StepTimes steps{};
  };

  std::string model;
  Machine machine;
  int threads = 0, rounds = 0;
  std::string peakShape;                 ///< "1025 x 192 x 768"
  std::optional<double> peak, peakBf16;  ///< GFLOP/s
  std::string opencv;                    ///< why OpenCV's own layers are no row; or empty
  std::string notMergeable;              ///< why the model cannot merge; or empty
  std::vector<Row> rows;                 ///< the first: full tokens
};

/// For a person.
std::string benchTable(const BenchReport& report);

/// {"model", "machine", "threads", "gemm_peak_gflops", "configs"}: see the command's help. The peak
/// is null where this build cannot measure it.
std::string benchJson(const BenchReport& report);

}  // namespace mpm::cli
