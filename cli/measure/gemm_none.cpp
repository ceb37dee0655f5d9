// SPDX-License-Identifier: Apache-2.0
// A build without oneDNN.
#include "cli/measure/gemm_peak.h"

namespace mpm::cli {

std::optional<double> gemmPeak(const GemmShape&, GemmType, int) { return std::nullopt; }

}  // namespace mpm::cli
