// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/options.h"
#include "monitor/service/session.h"

namespace mpm::cli {

/// Files with the rules and zones of sources.
struct RulesFiles {
  std::string forAll;                           ///< that have none of their own; empty: none
  std::map<std::string, std::string> bySource;  ///< by the source's name

  /// Reads the book of each camera. Throws std::runtime_error, in one sentence with file and line.
  std::vector<monitor::RuleBook> read(const std::vector<monitor::EngineOptions>& cameras) const;
};

/// Returns a sentence for each camera with a rule that wants to keep something without a record.
std::vector<std::string> unkeptOf(const std::vector<monitor::EngineOptions>& cameras,
                                  const std::vector<monitor::RuleBook>& books);

/// Checked arguments of `mpm watch`, as far as they can be checked without opening anything.
struct WatchPlan {
  monitor::NetworkOptions network;              ///< of all cameras
  std::vector<monitor::EngineOptions> cameras;  ///< without zones and rules
  monitor::SessionOptions session;
  RulesFiles rules;
  std::vector<std::string> warnings;  ///< for whoever asked
  double seconds = 0;                 ///< then it ends; 0: never
  bool json = false;
};

/// Arguments of `mpm watch`.
class WatchArguments {
 public:
  void addTo(CLI::App& command);
  WatchPlan plan() const;  ///< UsageError, one sentence, on what cannot be
  void useThreads() const { read_.useThreads(); }

 private:
  void addSourceOptions(CLI::App& command);
  void addRecordOptions(CLI::App& command);
  void addPublishingOptions(CLI::App& command);
  void planNetwork(monitor::NetworkOptions& network) const;
  void planCameras(WatchPlan& plan) const;
  bool areTimed(const std::vector<monitor::NamedSource>& sources) const;
  void planRecord(monitor::SessionOptions& session) const;
  void planHttp(monitor::SessionOptions& session) const;
  void planMqtt(WatchPlan& plan) const;

  std::string model_, record_, http_, httpTokenFile_, mqtt_, mqttPasswordFile_, mqttCa_, location_,
      light_;
  std::vector<std::string> sources_, rules_;
  double mostFps_ = 10, mostMegapixels_ = 40, mostReaderMegabytes_ = 1000, seconds_ = 0,
         keepDays_ = 0, recordGigabytes_ = 0, clipGigabytes_ = 1, pictureGigabytes_ = 1;
  int backups_ = 3, picturesPerHour_ = monitor::DayPictures().perHour;
  bool replay_ = false, loop_ = false, json_ = false, noCameraWatch_ = false, memory_ = true,
       restart_ = false;
  ModelOptions read_;
  FitOptions fit_;
};

}  // namespace mpm::cli
