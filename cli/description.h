// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "mpm/net.h"

namespace mpm::cli {

/// Rows of a label and what it is, for a person; of the metadata those of mpm.
std::string descriptionTable(const std::string& path, const Description& description);

/// One JSON object. `mergeable` decides: with it, what was recognised; without it, `reason`.
std::string descriptionJson(const std::string& path, const Description& description);

}  // namespace mpm::cli
