// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/options.h"
#include "monitor/service/session.h"

namespace mpm::cli {

/// Which file has the rules and zones of a source.
struct RulesFiles {
  std::string forAll;                           ///< that have none of their own; empty: none
  std::map<std::string, std::string> bySource;  ///< by the source's name

  /// The book of each source. std::runtime_error, one sentence with file and line.
  std::vector<monitor::RuleBook> read(const std::vector<monitor::NamedSource>& sources) const;
};

/// Where a rule wants something kept and there is no record: a sentence on each such source.
std::vector<std::string> unkeptOf(const std::vector<monitor::NamedSource>& sources,
                                  const std::vector<monitor::RuleBook>& books);

/// What `mpm watch` was asked for, checked as far as that goes without opening anything.
struct WatchPlan {
  monitor::SessionOptions session;  ///< its sources without zones and rules
  RulesFiles rules;
  std::vector<std::string> warnings;  ///< for whoever asked
  double seconds = 0;                 ///< then it ends; 0: never
  bool json = false;
};

/// The words behind `mpm watch`.
class WatchArguments {
 public:
  void addTo(CLI::App& command);
  WatchPlan plan() const;  ///< UsageError, one sentence, on what cannot be
  void useThreads() const { read_.useThreads(); }

 private:
  void addSourceOptions(CLI::App& command);
  void addRecordOptions(CLI::App& command);
  void addPublishingOptions(CLI::App& command);
  void planEngine(WatchPlan& plan) const;
  void planReplay(monitor::EngineOptions& engine) const;
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
