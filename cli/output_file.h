// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mpm::cli {

/// Says before long work that its result could not be written: std::runtime_error where `path` is a
/// folder or lies in none. An empty path is nothing to write.
void checkOutputFile(const std::string& path);

/// Writes a file. std::runtime_error where that fails.
void writeFile(const std::string& path, std::string_view bytes);

/// Makes a folder and those around it; false where it is there. std::runtime_error where that
/// fails.
bool makeFolder(const std::filesystem::path& folder);

}  // namespace mpm::cli
