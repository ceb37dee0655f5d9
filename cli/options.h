// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

#include "mpm/net.h"
#include "mpm/segmenter.h"

/// Options that several commands share, each named and explained once.
namespace mpm::cli {

/// ReadOptions::precision for --precision auto; mpm::readNet does not know it.
inline const std::string kAutoPrecision = "auto";
/// Group of the help for options that few need.
inline const std::string kAdvanced = "Advanced";

/// Rejects "nan" and "inf", which parse as numbers but make no sense for an option.
inline std::string refuseNotFinite(const std::string& text) {
  return std::isfinite(std::strtod(text.c_str(), nullptr)) ? "" : text + " is not a number";
}

/// Adds an option with a value, or a positional one. `type` is the value's name in --help.
template <class Value>
CLI::Option* addOption(CLI::App& command, const std::string& name, Value& value,
                       const std::string& type, const std::string& help) {
  CLI::Option* option = command.add_option(name, value, help)->type_name(type);
  if constexpr (std::is_floating_point_v<Value>) option->check(refuseNotFinite);
  return option;
}

/// Tells whether a file is a picture or a video by its name.
bool isFootage(const std::string& path);

/// Adds the required MODEL. Rejects pictures, videos and folders, which mean that it was forgotten.
CLI::Option* addModel(CLI::App& command, std::string& model, const std::string& what = "");

/// Allows both ends. --help shows no limits; the help texts state them where needed.
template <class Number>
CLI::Validator within(Number low, Number high) {
  return CLI::Range(low, high).description("");
}

/// Adds -o, --out for results. `type` is FILE or DIR.
CLI::Option* addOut(CLI::App& command, std::string& path, const std::string& type,
                    const std::string& help);

/// Adds an option that is on or off, such as --memory.
CLI::Option* addSwitch(CLI::App& command, const std::string& name, bool& value,
                       const std::string& help);

/// Adds options of earlier releases, hidden from the help. Each throws a UsageError that names its
/// replacement: {"--anew", "--restart"}.
void addRenamed(CLI::App& command,
                std::initializer_list<std::pair<const char*, const char*>> names);

/// Allows each of `options` only together with `needed`.
void addNeeds(CLI::App& command, const std::string& needed,
              std::initializer_list<const char*> options);
/// Adds --merge-before for a command that measures several schedules.
CLI::Option* addSchedules(CLI::App& command, std::vector<std::string>& schedules,
                          const std::string& help);
/// Parses --merge-before. Throws UsageError if it is no schedule.
Schedule parseSchedule(const std::string& text);

/// Accepts "fp32", "tf32", "bf16", "fp16" or "int8" if the device supports it. Throws UsageError
/// for anything else.
std::string checkPrecision(const std::string& text, const std::string& device = "cpu");

/// Returns the precision of products: as requested, or MPM_PRECISION's, or fp32.
std::string usedPrecision(const ReadOptions& options);

/// Returns the device that computes, such as "NVIDIA H200"; empty for the processor.
std::string usedDeviceName(const ReadOptions& options);

/// Throws std::runtime_error with `path` and the reason if the model cannot merge, unless that is
/// not `wanted`.
void checkCanMerge(const Description& model, const std::string& path, bool wanted = true);

/// Options for reading a model and for computing.
enum ModelOption : unsigned {
  kSchedule = 1,          ///< --merge-before
  kInputSize = 2,         ///< --input-size
  kRestore = 4,           ///< --restore
  kPrecision = 8,         ///< --precision, --device
  kPrecisionOrAuto = 16,  ///< the same with --precision auto, which the command resolves
  kDevice = 32,           ///< --device
  kThreads = 64,          ///< --threads
  kProportional = 128,    ///< --proportional
};

class ModelOptions {
 public:
  /// Adds ModelOptions to `command`; this object must outlive it.
  void addTo(CLI::App& command, unsigned which);

  /// Returns what was given, for mpm::readNet and mpm::convert. Throws UsageError for bad values.
  /// If a requested device is missing, stderr says why and the processor computes.
  ReadOptions parse() const;

  /// Sets the number of threads, for this library and OpenCV's own layers, if --threads was given.
  /// Returns how many compute.
  int useThreads() const;

 private:
  void chooseDevice(ReadOptions& options) const;

  std::string mergeBefore_, inputSize_, restore_ = "late", precision_, device_;
  int threads_ = 0;
  CLI::Option *mergeBeforeOption_ = nullptr, *inputSizeOption_ = nullptr,
              *precisionOption_ = nullptr, *deviceOption_ = nullptr;
  bool knowsAuto_ = false, isProportional_ = false;
};

/// Adds --fit, --short-side, --stride: how a frame is fitted to the model's input.
class FitOptions {
 public:
  /// `ownDefault` is --fit's default in the help.
  void addTo(CLI::App& command, const std::string& ownDefault = "stretch");

  /// Throws UsageError for options that do not go together. `slides` and `shortSide` are the
  /// defaults; a `shortSide` of 0 is the side of the model's input.
  void check(bool slides = false) const;
  /// Writes them into `options`, whose `read` says how the model is read. Windows overlap as
  /// evaluate::strideOf says unless --stride is given.
  void apply(const std::string& model, SegmenterOptions& options, bool slides = false,
             int shortSide = 0) const;
  bool isGiven() const { return !fit_.empty() || shortSide_ != 0 || stride_ != 0; }

 private:
  std::string fit_;
  int shortSide_ = 0, stride_ = 0;
};

/// Translates a message of std::invalid_argument from mpm/net.h to the command line's words: "merge
/// before 12: ..." becomes "--merge-before 12: ...".
std::string inOptionWords(const std::string& sentence);

}  // namespace mpm::cli
