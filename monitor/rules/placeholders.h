// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mpm::monitor {

using PlaceholderValues = std::vector<std::pair<std::string, std::string>>;

/// What a rule's command may hold: rule, source, value, time, state.
const std::vector<std::string>& placeholderNames();

/// Each "{name}" of a value becomes it, read once from left to right: what a value brings in stays
/// as it is, and so do braces around anything else.
std::string withValues(const std::string& text, const PlaceholderValues& values);

/// A "{word}" that is none of placeholderNames() but so like one that it was meant: the one that is
/// right. Braces around anything else are a program's own.
std::optional<std::pair<std::string, std::string>> misspelled(const std::string& text);

}  // namespace mpm::monitor
