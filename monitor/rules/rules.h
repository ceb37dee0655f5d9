// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/light/light_state.h"
#include "monitor/statistics/ground.h"
#include "monitor/statistics/metrics.h"
#include "monitor/statistics/zones.h"

namespace mpm::monitor {

/// When something is to be told, and how. One of `metric`, `light`, `stale` is what it looks at.
struct Rule {
  std::string name;
  std::string metric;                  ///< a name of Metrics
  std::optional<double> above, below;  ///< of the metric; both: outside of [below, above]
  double hysteresis = 0;               ///< how far back a value has to come for the rule to end
  std::vector<LightState> light;       ///< begins with one of these states
  bool stale = false;                  ///< begins when no frame comes for `dwellMs`
  std::int64_t dwellMs = 0;            ///< how long it has to hold
  std::int64_t quietAfterLightMs = 0;  ///< for so long after a light change a metric's rule neither
                                       ///< begins nor ends
  std::vector<LightState> during;      ///< a metric's rule: only in these states; empty: in all
  bool snapshot = false, clip = false, publish = true;
  std::vector<std::string> command;  ///< program and arguments, no shell; {rule} {source} {value}
                                     ///< {time} {state} ("began", "ended") in them are replaced
  bool operator==(const Rule&) const = default;
};

/// What a rules file holds: [[rule]] and [[zone]] tables, [ground], and two words of its own
/// (docs/monitor.md, monitor/rules/example.toml).
struct RuleBook {
  std::vector<Rule> rules{};
  std::vector<Zone> zones{};
  std::optional<Ground> ground{};
  bool greenness = false;     ///< measured of the picture and of each zone
  bool followCamera = false;  ///< zones and ground go where a camera that was moved has them
  bool operator==(const RuleBook&) const = default;
};

/// Whether the same is measured with both: their rules may differ.
bool measuresAlike(const RuleBook& a, const RuleBook& b);

/// std::runtime_error "FILE:LINE: sentence" on anything unknown, missing or impossible.
RuleBook readRules(const std::string& path);
RuleBook parseRules(const std::string& toml, const std::string& name);

/// A rules file that parseRules makes the same book of. Only what is not usual is said in it.
std::string rulesToml(const RuleBook& book);

struct RuleFault {
  std::string key;  ///< of a rules file: where it was said, or would be
  std::string sentence;
};

/// What is impossible in a rule, whatever the metrics are.
std::optional<RuleFault> faultOf(const Rule& rule);

/// Where a rule looks at a zone that is not one of these.
std::optional<RuleFault> zoneFaultOf(const Rule& rule, const std::vector<Zone>& zones);

/// Where a rule looks at a metric that does not exist.
std::optional<RuleFault> metricFaultOf(const Rule& rule, const Metrics& metrics);

/// std::runtime_error, one sentence that names the rule, on each of these but the second.
void checkRules(const RuleBook& book, const Metrics& metrics);

/// A rule that began or ended to hold.
struct Firing {
  std::size_t rule = 0;  ///< its index in the book
  bool began = true;
  Moment at;
  std::optional<double> value;
  std::string text;  ///< one sentence for people
};

/// One source's rules. What it says depends on what it is told alone, never on a clock of its own.
/// Not from two threads at once.
class Rules {
 public:
  Rules(std::vector<Rule> rules, const Metrics& metrics);  ///< throws as checkRules does
  ~Rules();

  /// What nobody saw does not count as held: time in which the source was away or a metric not
  /// known, before a frame behind a missed one, or behind a gap far longer than is usual.
  std::vector<Firing> update(const Figures& figures);
  void miss();  ///< a frame came, and could not be measured
  /// To be called from time to time while no frame comes: `silentMs` since the last one, or since
  /// the beginning.
  std::vector<Firing> silence(const Moment& now, std::int64_t silentMs);
  const std::vector<Rule>& rules() const;
  /// Other rules from now on; throws as checkRules does, and changes nothing then. Those that stay
  /// as they are go on; of the others, tells which of the old ones no longer hold.
  struct Replaced {
    std::vector<Rule> before;
    std::vector<Firing> firings;  ///< their indices are those of `before`
  };
  Replaced replace(std::vector<Rule> rules, const Moment& at);
  /// Nothing comes any more: ends those that hold.
  std::vector<Firing> end(const Moment& at);
  std::vector<bool> holding() const;  ///< for each rule

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm::monitor
