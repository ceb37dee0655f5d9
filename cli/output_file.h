// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <opencv2/core.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "files/new_file.h"

namespace mpm::cli {

/// A file on its way, the only way in which a command writes one: beside its place, in a file of
/// its own that was nobody's, until finish() renames it. Under its name there is the whole file or
/// what was there before. A link is followed. What is no regular file (a pipe, a terminal,
/// /dev/stdout) is written as it is.
class OutputFile {
 public:
  /// `ending`: of the name that it has until then. std::runtime_error where `path` cannot be
  /// written.
  explicit OutputFile(const std::filesystem::path& path, const std::string& ending = ".part");

  bool isFile() const { return part_.has_value(); }
  /// Where it is written to, until it is finished.
  const std::filesystem::path& part() const { return part_ ? part_->path() : target_; }

  /// Writes the whole of it. std::runtime_error where that fails.
  void write(const std::function<void(std::ostream&)>& give) const;
  /// std::runtime_error where that fails.
  void finish();

 private:
  std::filesystem::path target_;
  std::optional<files::NewFile> part_;  // of one that is not finished nothing is left
};

/// std::runtime_error: this file cannot be written, and why, as errno has it.
[[noreturn]] void failToWrite(const std::filesystem::path& path);

/// Writes a file. std::runtime_error where that fails.
void writeFile(const std::filesystem::path& path, std::string_view bytes);
void writeFile(const std::filesystem::path& path, const std::function<void(std::ostream&)>& give);

constexpr const char* kStandardOutput = "-";  ///< as the path of a text

/// What was measured: `table` for people and, where it has a path, `json`; at "-" the JSON is
/// printed instead. std::runtime_error where that fails.
void printReport(const std::string& table, const std::string& json, const std::string& jsonPath);

/// Makes a folder and those around it; false where it is there. std::runtime_error where that
/// fails; UsageError for "-" and what is in it.
bool makeFolder(const std::filesystem::path& folder);

/// Writes a picture in the format of its ending, with cv::imwrite's parameters. std::runtime_error
/// where that fails, on a full disk too, which cv::imwrite does not notice.
void writePicture(const std::filesystem::path& path, const cv::Mat& picture,
                  const std::vector<int>& parameters = {});

/// Where links lead to, also one to a file that is not there yet.
std::filesystem::path followed(std::filesystem::path path);

/// From now on a signal that ends the program (Ctrl-C, SIGTERM, a closed terminal) takes the files
/// with it that are on their way (files::NewFile). A program that handles or ignores these signals
/// keeps its own way.
void endWithoutLeftovers();

/// Files on their way to a model, of an earlier run that was killed (files::removeLeftovers).
void removeLeftovers(const std::filesystem::path& model);

}  // namespace mpm::cli
