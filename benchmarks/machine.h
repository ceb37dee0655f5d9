// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace mpm::bench {

/// The processor's name, as the system gives it.
std::string processorName();

/// The path of the BLAS library that this process has loaded; empty where there is none.
std::string loadedBlas();

/// By how many bytes the resident memory of this process rises, at its peak, while `call` runs;
/// negative where the system does not tell.
double peakGrowth(const std::function<void()>& call);

}  // namespace mpm::bench
