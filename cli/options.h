// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "mpm/net.h"
#include "mpm/segmenter.h"

/// Options that several commands have, each spelled and explained once.
namespace mpm::cli {

/// ReadOptions::precision of --precision auto; mpm::readNet knows no such one.
inline const std::string kAutoPrecision = "auto";
/// The group of the help for options that few need.
inline const std::string kAdvanced = "Advanced";

/// "nan" and "inf" can be read as numbers, and no option means them.
inline std::string refuseNotFinite(const std::string& text) {
  return std::isfinite(std::strtod(text.c_str(), nullptr)) ? "" : text + " is not a number";
}

/// Adds an option that takes a value, or a positional one. `type`: what --help calls the value.
template <class Value>
CLI::Option* addOption(CLI::App& command, const std::string& name, Value& value,
                       const std::string& type, const std::string& help) {
  CLI::Option* option = command.add_option(name, value, help)->type_name(type);
  if constexpr (std::is_floating_point_v<Value>) option->check(refuseNotFinite);
  return option;
}

/// Whether a file is a picture or a video by its name.
bool isFootage(const std::string& path);

/// MODEL, which has to be given: refuses pictures, videos and folders, as where it was forgotten.
CLI::Option* addModel(CLI::App& command, std::string& model, const std::string& what = "");

/// Both ends included. --help does not tell them: the help's own words do where anybody needs them.
template <class Number>
CLI::Validator within(Number low, Number high) {
  return CLI::Range(low, high).description("");
}

/// The whole of `text` as a number; false where it is none.
template <class Number>
bool parseWhole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// -o, --out: where the results go. `type`: FILE or DIR.
CLI::Option* addOut(CLI::App& command, std::string& path, const std::string& type,
                    const std::string& help);

/// --memory and others that are on or off.
CLI::Option* addSwitch(CLI::App& command, const std::string& name, bool& value,
                       const std::string& help);

/// Options of earlier releases, hidden from the help, each of which answers with `now`, in a
/// UsageError: {"--anew", "--restart"}.
void addRenamed(CLI::App& command,
                std::initializer_list<std::pair<const char*, const char*>> names);

/// Each of `options` goes with `needed` alone.
void addNeeds(CLI::App& command, const std::string& needed,
              std::initializer_list<const char*> options);
/// --merge-before of a command that measures several schedules.
CLI::Option* addSchedules(CLI::App& command, std::vector<std::string>& schedules,
                          const std::string& help);
/// What --merge-before was given. UsageError where it is no schedule.
Schedule parseSchedule(const std::string& text);

/// "fp32", "tf32", "bf16", "fp16" or "int8", where the device computes in it. UsageError on
/// anything else.
std::string checkPrecision(const std::string& text, const std::string& device = "cpu");

/// What products are computed in: as asked for, or MPM_PRECISION's, or fp32.
std::string usedPrecision(const ReadOptions& options);

/// What computes, where that is not the processor: "NVIDIA H200"; else empty.
std::string usedDeviceName(const ReadOptions& options);

/// std::runtime_error with `path` where the model cannot merge, and why; nothing where it can, or
/// where that is not `wanted`.
void checkCanMerge(const Description& model, const std::string& path, bool wanted = true);

/// Options of how a command reads its model, and computes.
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
  /// Adds ModelOptions to `command`; this object has to outlive it.
  void addTo(CLI::App& command, unsigned which);

  /// What was given, for mpm::readNet and mpm::convert. UsageError on what cannot be read. Where a
  /// device was asked for that is not there, a sentence on stderr says why, and the processor
  /// computes.
  ReadOptions parse() const;

  /// Sets the number of threads, of this library and of OpenCV's own layers, where --threads gave
  /// one; returns how many compute now.
  int useThreads() const;

 private:
  void chooseDevice(ReadOptions& options) const;

  std::string mergeBefore_, inputSize_, restore_ = "late", precision_, device_;
  int threads_ = 0;
  CLI::Option *mergeBeforeOption_ = nullptr, *inputSizeOption_ = nullptr,
              *precisionOption_ = nullptr, *deviceOption_ = nullptr;
  bool knowsAuto_ = false, isProportional_ = false;
};

/// --fit, --short-side, --stride: how a frame is fitted to the model's input.
class FitOptions {
 public:
  /// `ownDefault`: what --fit is without being given, for the help.
  void addTo(CLI::App& command, const std::string& ownDefault = "stretch");

  /// UsageError where they do not go together. `slides`, `shortSide`: where none was given;
  /// `shortSide` 0: the side of the model's input.
  void check(bool slides = false) const;
  /// Puts them into `options`, whose `read` says how the model is read. Windows overlap as
  /// evaluate::strideOf says unless --stride is given.
  void apply(const std::string& model, SegmenterOptions& options, bool slides = false,
             int shortSide = 0) const;
  bool isGiven() const { return !fit_.empty() || shortSide_ != 0 || stride_ != 0; }

 private:
  std::string fit_;
  int shortSide_ = 0, stride_ = 0;
};

/// What `options` broke, as a std::invalid_argument of mpm/net.h says it, in the words of the
/// command line: "merge before 12: ..." is "--merge-before 12: ...".
std::string inOptionWords(const std::string& sentence);

}  // namespace mpm::cli
