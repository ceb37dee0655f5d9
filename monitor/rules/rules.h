// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/light/light_state.h"
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
  bool notify = false;  ///< the app says on the desktop that it began; nobody else looks at it
  std::vector<std::string> command;  ///< program and arguments, no shell; {rule} {source} {value}
                                     ///< {time} {state} ("began", "ended") in them are replaced
  bool operator==(const Rule&) const = default;
};

/// Holds what a rules file does: [[rule]] and [[zone]] tables, [ground], and two words of its own
/// (docs/rules.md, monitor/rules/example.toml).
struct RuleBook {
  std::vector<Rule> rules{};
  std::vector<Zone> zones{};
  std::optional<Ground> ground{};
  bool greenness = false;     ///< measured of the picture and of each zone
  bool followCamera = false;  ///< zones and ground go where a camera that was moved has them
  bool operator==(const RuleBook&) const = default;
};

/// Says whether the same is measured with both: their rules may differ.
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

/// Finds what is impossible in a rule, whatever the metrics are.
std::optional<RuleFault> faultOf(const Rule& rule);

/// Finds a rule that looks at a zone that is not one of these.
std::optional<RuleFault> zoneFaultOf(const Rule& rule, const std::vector<Zone>& zones);

/// Finds a rule that looks at a metric that does not exist.
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

/// How far apart frames usually are: the newest gaps count most, and frames that are farther apart
/// from now on are usual after some eight of them.
class UsualGap {
 public:
  /// Learns a gap and returns whether it is a hole, far longer than is usual: the machine slept, or
  /// the program was stopped. Gaps of 3 s are never one; the first gap is what is usual.
  bool isHole(std::int64_t gapMs) {
    if (gapMs <= 0) return false;
    const auto gap = static_cast<double>(gapMs);
    if (ms_ == 0) ms_ = gap;
    const double mostMs = kGapsOfAHole * ms_;
    ms_ += (std::min(gap, mostMs) - ms_) / kGapsLearnt;
    return gap > std::max(mostMs, kLeastHoleMs);
  }

 private:
  static constexpr double kLeastHoleMs = 3000, kGapsOfAHole = 10, kGapsLearnt = 8;
  double ms_ = 0;  // 0: not known yet
};

/// One source's rules. What it says depends on what it is told alone, never on a clock of its own.
/// Not from two threads at once.
class Rules {
 public:
  Rules(std::vector<Rule> rules, const Metrics& metrics);  ///< throws as checkRules does

  /// Time that nobody saw does not count as held: while the source was away or a metric not
  /// known, before a frame after a missed one, or after a gap far longer than is usual.
  std::vector<Firing> update(const Figures& figures);
  void miss() { missed_ = true; }  ///< a frame came, and could not be measured
  /// To be called from time to time while no frame comes: `silentMs` since the last one, or since
  /// the beginning.
  std::vector<Firing> silence(const Moment& now, std::int64_t silentMs);
  const std::vector<Rule>& rules() const { return rules_; }
  /// Other rules from now on; throws as checkRules does, and changes nothing then. Those that stay
  /// as they are go on; of the others, tells which of the old ones no longer hold.
  struct Replaced {
    std::vector<Rule> before;
    std::vector<Firing> firings;  ///< their indices are those of `before`
  };
  Replaced replace(std::vector<Rule> rules, const Moment& at);
  /// Ends those that hold: nothing comes any more.
  std::vector<Firing> end(const Moment& at);
  std::vector<bool> holding() const;  ///< for each rule

 private:
  struct Watch {
    std::optional<std::size_t> metric;
    bool holding = false;
    bool known = true;  // whether the frame before said anything
    // Since when it has held, or, of a stale rule, since when no frame has come. What nobody saw
    // moves it on, and begunMs as well.
    std::optional<std::int64_t> sinceMs;
    std::int64_t begunMs = 0;  // of a rule that holds

    void moveOn(std::int64_t byMs) {
      if (sinceMs) *sinceMs += byMs;
      begunMs += byMs;
    }
  };
  Watch watchOf(const Rule& rule) const;
  void follow(std::size_t i, bool holds, const Figures& figures, std::vector<Firing>& firings);
  void begin(std::size_t i, const Moment& at, double value, std::vector<Firing>& firings);
  void finish(std::size_t i, const Moment& at, double value, std::vector<Firing>& firings);
  void moveBack(std::int64_t byMs);

  std::vector<Rule> rules_;
  Metrics metrics_;
  std::optional<std::size_t> reconnects_;
  std::vector<Watch> watches_;
  bool missed_ = false;  // a frame came since the last update
  bool seen_ = false;    // whether there was a frame: `lastMs_` and `light_` are its
  std::int64_t lastMs_ = 0;
  UsualGap gaps_;
  LightState light_ = LightState::transition;
  std::optional<std::int64_t> lightChangedMs_;
};

/// A value with as few digits, four at least, as show on which side of `level` it lies.
std::string valueText(double value, double level);

/// Holds what a rule saw when it began or ended.
struct RuleSight {
  double value = 0;  ///< of its metric; NaN: not known
  LightState light = LightState::transition;
  std::int64_t heldMs = 0;    ///< began: how long it has held; ended: how long since it began
  std::int64_t silentMs = 0;  ///< of a stale rule
};

/// One sentence for people, with the value, what it is compared with, and for how long.
std::string beganText(const Rule& rule, const RuleSight& sight);
std::string endedText(const Rule& rule, const RuleSight& sight);
/// Says that one held to the end.
std::string unwatchedText(const Rule& rule, std::int64_t heldMs);

}  // namespace mpm::monitor
