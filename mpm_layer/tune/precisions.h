// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "mpm/tune.h"
#include "tune/trials.h"

namespace mpm::tune {

/// Lists every name that ReadOptions::precision knows, the exact one first.
inline constexpr const char* kPrecisions[] = {"fp32", "tf32", "bf16", "fp16", "int8"};

/// Runs the frame of this number. Labels depend only on it.
using RunFrame = std::function<Trial(std::size_t frame)>;

/// Compares a precision with float32 on each frame, and on some again until there are enough times.
TunedPrecision comparePrecision(const std::string& precision, const RunFrame& fp32,
                                const RunFrame& other, std::size_t frames);

}  // namespace mpm::tune
