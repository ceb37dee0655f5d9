// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <iostream>
#include <opencv2/core.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "files/new_file.h"

namespace mpm::cli {

/// Writes a file, for all commands: under a new name in the same folder, until finish() renames it.
/// The final name always has the whole file or what was there before. Links are followed. Anything
/// but a regular file (a pipe, a terminal, /dev/stdout) is written directly.
class OutputFile {
 public:
  /// `ending` belongs to the temporary name. Throws std::runtime_error if `path` cannot be written.
  explicit OutputFile(const std::filesystem::path& path, const std::string& ending = ".part");

  bool isFile() const { return part_.has_value(); }
  /// Returns where to write until it is finished.
  const std::filesystem::path& part() const { return part_ ? part_->path() : target_; }

  /// Writes the whole content. Throws std::runtime_error if that fails.
  void write(const std::function<void(std::ostream&)>& give) const;
  /// Throws std::runtime_error if that fails.
  void finish();

 private:
  std::filesystem::path target_;
  std::optional<files::NewFile> part_;  // of one that is not finished nothing is left
};

/// Throws std::runtime_error: this file cannot be written, and why, from errno.
[[noreturn]] void failToWrite(const std::filesystem::path& path);

/// Writes a file. Throws std::runtime_error if that fails.
void writeFile(const std::filesystem::path& path, std::string_view bytes);
void writeFile(const std::filesystem::path& path, const std::function<void(std::ostream&)>& give);

constexpr const char* kStandardOutput = "-";  ///< as the path of a text

/// Prints a report: `table` for people or, if `asJson`, `json`. `json` also goes to the file `out`
/// unless that is empty. Throws std::runtime_error if that fails.
void printReport(const std::string& table, const std::string& json, bool asJson,
                 const std::string& out);

/// Makes a folder and its parents; false if it exists. Throws std::runtime_error if that fails, and
/// UsageError for "-" and paths in it.
bool makeFolder(const std::filesystem::path& folder);

/// Writes a picture in the format of its extension, with cv::imwrite's parameters. Throws
/// std::runtime_error if that fails, even on a full disk, which cv::imwrite ignores.
void writePicture(const std::filesystem::path& path, const cv::Mat& picture,
                  const std::vector<int>& parameters = {});

/// Returns the target of links, even if that does not exist yet.
std::filesystem::path followed(std::filesystem::path path);

/// Makes a signal that ends the program (Ctrl-C, SIGTERM, a closed terminal) remove unfinished
/// files (files::NewFile). A program that handles or ignores these signals keeps doing so.
void endWithoutLeftovers();

/// Removes a model's unfinished files of an earlier run that was killed (files::removeLeftovers).
void removeLeftovers(const std::filesystem::path& model);

/// Files that a command reads, and therefore may not write.
class InputFiles {
 public:
  InputFiles() = default;
  explicit InputFiles(std::string model) : model_(std::move(model)) {}  ///< what belongs to it, too

  /// Adds a file, or the files that a folder contains at present. Adds nothing if it does not
  /// exist.
  void add(const std::filesystem::path& path);
  template <class Paths>
  void addAll(const Paths& paths) {
    for (const auto& path : paths) add(path);
  }

  /// Tells whether a path is one of these, by any name or link.
  bool has(const std::filesystem::path& path) const;

  /// Throws UsageError if `path`, the output, is one of these.
  void refuse(const std::filesystem::path& path) const;

  /// Reports before long work that its result could not be written. Throws as refuse() does, and
  /// std::runtime_error if `path` is a folder or has none. Accepts an empty path, for no output;
  /// rejects "-", the standard output of other commands.
  void checkOutput(const std::filesystem::path& path) const;

 private:
  using Id = std::pair<std::uint64_t, std::uint64_t>;  // device, inode

  static std::optional<Id> idOf(const std::filesystem::path& path);

  std::string model_;
  std::set<Id> files_;
  mutable std::optional<std::set<Id>> modelFiles_;  // looked up where an output is there already
};

/// Returns "measuring  [=====>    ]  50%, 12 s left". `seconds` have passed; the rest is omitted
/// until it can be estimated.
inline std::string progressLine(const std::string& what, double share, double seconds) {
  constexpr std::size_t kBar = 28;
  share = std::clamp(share, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(share * kBar);
  std::string bar(filled, '=');
  if (filled < kBar) bar += '>';
  bar.resize(kBar, ' ');
  std::string percent = std::to_string(static_cast<int>(share * 100));
  percent.insert(0, 3 - percent.size(), ' ');
  std::string line = what + "  [" + bar + "] " + percent + "%";
  if (share <= 0.02 || seconds <= 1) return line;
  const auto left = static_cast<long>(std::ceil(seconds * (1 - share) / share));
  const bool inSeconds = left < 100;
  return line + ", " + std::to_string(inSeconds ? left : (left + 59) / 60) +
         (inSeconds ? " s left" : " min left");
}

/// Shows on the terminal how far long work is and how long it will take, while it lives. If stderr
/// is no terminal it shows nothing or, for work of minutes, a line every `linesEvery`.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kLines{2};

  explicit Progress(std::string what, Clock::duration linesEvery = Clock::duration::max())
      : what_(std::move(what)), onTerminal_(isatty(2) == 1), linesEvery_(linesEvery) {}
  ~Progress() {
    if (drawn_ && onTerminal_) std::cerr << kClear << std::flush;
  }

  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows that `share` of the work is done, from 0 to 1. Draws at most ten times a second.
  void show(double share) {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    if (!onTerminal_) {
      if (now - (drawn_ ? last_ : start_) < linesEvery_) return;
      std::cerr << progressLine(what_, share, seconds) << std::endl;
    } else {
      if (drawn_ && now - last_ < kBetween) return;
      std::cerr << kClear << progressLine(what_, share, seconds) << std::flush;
    }
    drawn_ = true;
    last_ = now;
  }

 private:
  static constexpr auto kBetween = std::chrono::milliseconds(100);
  static constexpr const char* kClear = "\r\033[K";

  std::string what_;
  bool onTerminal_, drawn_ = false;
  Clock::duration linesEvery_;
  Clock::time_point start_ = Clock::now(), last_;
};

}  // namespace mpm::cli
