// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "mpm/net.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mpm::cli {

/// ReadOptions::precision of --precision auto; mpm::readNet knows no such one.
inline const std::string kAutoPrecision = "auto";

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

/// How a command reads its model: --merge-before, --input-size, --restore, --precision, --device.
class ReadOptionArguments {
 public:
  /// Each adds options to `command`; this object has to outlive it.
  void addTo(CLI::App& command);           ///< those that a file keeps: not the last two
  void addScheduleTo(CLI::App& command);   ///< --merge-before
  void addModelTo(CLI::App& command);      ///< --input-size, --restore
  void addInputSizeTo(CLI::App& command);  ///< --input-size
  void addDeviceTo(CLI::App& command);     ///< --device
  void addPrecisionTo(CLI::App& command);  ///< --precision, --device
  /// The same with --precision auto, kAutoPrecision in what is parsed: the command resolves it.
  void addPrecisionOrAutoTo(CLI::App& command);

  /// What was given, for mpm::readNet and mpm::convert. UsageError on what cannot be read. Where a
  /// device was asked for that is not there, a sentence on stderr says why, and the processor
  /// computes.
  ReadOptions parse() const;

 private:
  void chooseDevice(ReadOptions& options) const;

  std::string mergeBefore_, inputSize_, restore_ = "late", precision_, device_;
  CLI::Option *mergeBeforeOption_ = nullptr, *inputSizeOption_ = nullptr,
              *precisionOption_ = nullptr, *deviceOption_ = nullptr;
  bool knowsAuto_ = false;
};

/// What `options` broke, as a std::invalid_argument of mpm/net.h says it, in the words of the
/// command line: "merge before 12: ..." is "--merge-before 12: ...".
std::string inOptionWords(const std::string& sentence);

/// --threads of a command: how many compute, in this library and in OpenCV's own layers.
class ThreadOption {
 public:
  /// Adds it to `command`; this object has to outlive it.
  void addTo(CLI::App& command);

  /// Sets the number where one was given; gives how many compute now.
  int use() const;

 private:
  int count_ = 0;
};

}  // namespace mpm::cli
