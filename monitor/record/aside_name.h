// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// How files are called that are moved aside: BEFORE-MOMENT, as isoUtcCompact has the moment, and
/// BEFORE-MOMENT-NUMBER from the second of the same moment on.
namespace mpm::monitor {

/// When, and the how manieth of that moment.
using AsideName = std::pair<std::string, int>;

/// Of what stands behind "BEFORE-"; nothing of another name, as people give them.
std::optional<AsideName> asideName(std::string_view rest);

/// The first of a moment that is not there yet, with an ending that is no part of the name.
std::filesystem::path freeAsideName(const std::string& before, std::int64_t utcMs,
                                    const std::string& ending = {});

}  // namespace mpm::monitor
