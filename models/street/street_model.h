// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mpm {

/// The path of the model that comes with the programs: installed beside this one, or in the sources
/// that it was built from. std::runtime_error, one sentence, where it is in neither place.
std::string streetModel();

}  // namespace mpm
