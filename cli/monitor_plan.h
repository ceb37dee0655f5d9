// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "monitor/engine/engine.h"
#include "monitor/publish/http_server.h"
#include "monitor/publish/mqtt_publisher.h"
#include "monitor/record/record.h"
#include "mpm/segmenter.h"

namespace mpm::cli {

/// Which file has the rules and zones of a source.
struct RulesFiles {
  std::string forAll;                           ///< that have none of their own; empty: none
  std::map<std::string, std::string> bySource;  ///< by the source's name

  const std::string& of(const std::string& source) const;  ///< empty: it has none
};

/// What `mpm monitor` was asked for, checked as far as that goes without opening anything.
struct MonitorPlan {
  std::string model;
  SegmenterOptions segmenter;
  monitor::EngineOptions engine;  ///< its sources without zones and rules
  RulesFiles rules;
  std::string record;  ///< a file; empty: none
  monitor::RecordOptions recordOptions;
  std::optional<monitor::HttpOptions> http;
  std::optional<monitor::MqttOptions> mqtt;
  double seconds = 0;  ///< then it ends; 0: never
  bool json = false;
};

/// "NAME=ADDRESS", or an address alone, which is then "camera", of several "camera1", ...
/// UsageError on what is neither.
std::vector<monitor::NamedSource> parseSources(const std::vector<std::string>& texts);

/// "FILE", for all sources, and "NAME=FILE", for one. UsageError where two are for the same, or one
/// is for a source that there is not.
RulesFiles parseRules(const std::vector<std::string>& texts,
                      const std::vector<monitor::NamedSource>& sources);

/// "127.0.0.1:9120", ":9120", "9120", "[::1]:9120". UsageError on anything else.
monitor::HttpOptions parseHttp(const std::string& text);

/// "48.1,11.6": degrees north and east. UsageError on anything else.
cv::Vec2d parseLocation(const std::string& text);

/// A secret's file: its first line. UsageError where it cannot be read, is empty, or others than
/// its owner and group may read it.
std::string readSecret(const std::string& path);

}  // namespace mpm::cli
