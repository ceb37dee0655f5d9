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

/// Prints what was measured: `table` for people or, `asJson`, `json`, which also goes to the file
/// `out` where it is not empty. std::runtime_error where that fails.
void printReport(const std::string& table, const std::string& json, bool asJson,
                 const std::string& out);

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

/// The files that a command reads, none of which it may write.
class InputFiles {
 public:
  InputFiles() = default;
  explicit InputFiles(std::string model) : model_(std::move(model)) {}  ///< what belongs to it, too

  /// A file, or a folder: the files that lie in it now. Of what is not there, nothing.
  void add(const std::filesystem::path& path);
  template <class Paths>
  void addAll(const Paths& paths) {
    for (const auto& path : paths) add(path);
  }

  /// Whether that is one of these, by whatever name or link.
  bool has(const std::filesystem::path& path) const;

  /// UsageError where `path`, which is to be written, is one of these.
  void refuse(const std::filesystem::path& path) const;

  /// Says before long work that its result could not be written: the same, and std::runtime_error
  /// where `path` is a folder or lies in none. An empty path is nothing to write; "-", the standard
  /// output of other commands, is refused.
  void checkOutput(const std::filesystem::path& path) const;

 private:
  using Id = std::pair<std::uint64_t, std::uint64_t>;  // device, inode

  static std::optional<Id> idOf(const std::filesystem::path& path);

  std::string model_;
  std::set<Id> files_;
  mutable std::optional<std::set<Id>> modelFiles_;  // looked up where an output is there already
};

/// The line: "measuring  [=====>    ]  50%, 12 s left". `seconds` went by until now; what is left
/// is left out until there is something to judge by.
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

/// A line on the terminal that says how far long work is and how long it will still take. It is
/// gone when this object is. Where stderr is no terminal there is none, or, of work that may take
/// minutes, one for each time of `linesEvery`.
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

  /// `share` of the work is done, from 0 to 1. Draws at most ten times a second.
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
