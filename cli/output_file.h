// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <opencv2/core.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mpm::cli {

/// Says before long work that its result could not be written: std::runtime_error where `path` is a
/// folder or lies in none. An empty path is nothing to write.
void checkOutputFile(const std::string& path);

/// Writes a file. std::runtime_error where that fails.
void writeFile(const std::string& path, std::string_view bytes);

/// Under its name a file is whole, the old one or the new one: `write` writes beside it first.
/// std::runtime_error where that fails.
void replaceFile(const std::filesystem::path& path,
                 const std::function<void(std::ostream&)>& write);

/// Makes a folder and those around it; false where it is there. std::runtime_error where that
/// fails.
bool makeFolder(const std::filesystem::path& folder);

/// Writes a picture in the format of its ending, with cv::imwrite's parameters. std::runtime_error
/// where that fails, on a full disk too, which cv::imwrite does not notice.
void writePicture(const std::filesystem::path& path, const cv::Mat& picture,
                  const std::vector<int>& parameters = {});

}  // namespace mpm::cli
