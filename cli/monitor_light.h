// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "monitor/light/light_meter.h"

namespace mpm::cli {

/// "day=0.4,night=0.3,dwell=20": what is not named keeps its default. UsageError, one sentence that
/// says what would be right.
monitor::LightOptions parseLight(const std::string& text);

/// What `options` are in the same words, all of them, so that a record says what it was made with.
std::string lightText(const monitor::LightOptions& options);

std::string lightHelp();  ///< of --light, with the defaults

}  // namespace mpm::cli
