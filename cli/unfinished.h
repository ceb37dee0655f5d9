// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace mpm::cli {

/// From now on a signal that ends the program (Ctrl-C, SIGTERM, a closed terminal) takes the files
/// with it that are on their way (files::NewFile). A program that handles or ignores these signals
/// keeps its own way.
void endWithoutLeftovers();

/// Files on their way to a model, of an earlier run that was killed (files::removeLeftovers).
void removeLeftovers(const std::filesystem::path& model);

}  // namespace mpm::cli
