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

/// Condition for a report, and its form. It watches one of `metric`, `light` and `stale`.
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

/// Content of a rules file: [[rule]] and [[zone]] tables, [ground], and two single keys
/// (docs/rules.md, monitor/rules/example.toml).
struct RuleBook {
  std::vector<Rule> rules{};
  std::vector<Zone> zones{};
  std::optional<Ground> ground{};
  bool greenness = false;     ///< measured of the picture and of each zone
  bool followCamera = false;  ///< zones and ground go where a camera that was moved has them
  bool operator==(const RuleBook&) const = default;
};

/// Tells whether both measure the same: their rules may differ.
bool measuresAlike(const RuleBook& a, const RuleBook& b);

/// Throws std::runtime_error "FILE:LINE: sentence" for anything unknown, missing or impossible.
RuleBook readRules(const std::string& path);
RuleBook parseRules(const std::string& toml, const std::string& name);

/// Returns a rules file that parseRules turns into the same book. It omits defaults.
std::string rulesToml(const RuleBook& book);

struct RuleFault {
  std::string key;  ///< of a rules file: where it was said, or would be
  std::string sentence;
};

/// Finds what is impossible in a rule with any metrics.
std::optional<RuleFault> faultOf(const Rule& rule);

/// Finds a rule for a zone that is not one of these.
std::optional<RuleFault> zoneFaultOf(const Rule& rule, const std::vector<Zone>& zones);

/// Finds a rule for a metric that does not exist.
std::optional<RuleFault> metricFaultOf(const Rule& rule, const Metrics& metrics);

/// Throws std::runtime_error, in one sentence that names the rule, for each of these but the
/// second.
void checkRules(const RuleBook& book, const Metrics& metrics);

/// A rule that began or ceased to hold.
struct Firing {
  std::size_t rule = 0;  ///< its index in the book
  bool began = true;
  Moment at;
  std::optional<double> value;
  std::string text;  ///< one sentence for people
};

/// Learns the usual gap between frames. The newest gaps count most; a longer gap becomes usual
/// after some eight frames.
class UsualGap {
 public:
  /// Learns a gap and returns whether it is far longer than usual: the machine slept, or the
  /// program was stopped. Gaps up to 3 s never are; the first gap is the usual one.
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

/// Rules of one source. Results depend only on the arguments, never on a clock. Not for two threads
/// at once.
class Rules {
 public:
  Rules(std::vector<Rule> rules, const Metrics& metrics);  ///< throws as checkRules does

  /// Unseen time does not count as held: while the source was away or a metric unknown, before a
  /// frame after a missed one, or after a gap far longer than usual.
  std::vector<Firing> update(const Figures& figures);
  void miss() { missed_ = true; }  ///< a frame came, and could not be measured
  /// Call this from time to time while no frame arrives; `silentMs` counts from the last one or
  /// from the beginning.
  std::vector<Firing> silence(const Moment& now, std::int64_t silentMs);
  const std::vector<Rule>& rules() const { return rules_; }
  /// Replaces the rules, or throws as checkRules does and changes nothing. Unchanged rules
  /// continue. Of the others, it reports which old ones cease to hold.
  struct Replaced {
    std::vector<Rule> before;
    std::vector<Firing> firings;  ///< their indices are those of `before`
  };
  Replaced replace(std::vector<Rule> rules, const Moment& at);
  /// Ends the rules that hold: nothing more will arrive.
  std::vector<Firing> end(const Moment& at);
  std::vector<bool> holding() const;  ///< for each rule

 private:
  struct Watch {
    std::optional<std::size_t> metric;
    bool holding = false;
    bool known = true;  // whether the frame before said anything
    // Time since which it has held or, for a stale rule, since which no frame arrived. Unseen time
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

/// Formats a value with as few digits, at least four, as show its side of `level`.
std::string valueText(double value, double level);

/// State of a rule when it began or ended.
struct RuleSight {
  double value = 0;  ///< of its metric; NaN: not known
  LightState light = LightState::transition;
  std::int64_t heldMs = 0;    ///< began: how long it has held; ended: how long since it began
  std::int64_t silentMs = 0;  ///< of a stale rule
};

/// Return one sentence for people, with the value, what it is compared with, and for how long.
std::string beganText(const Rule& rule, const RuleSight& sight);
std::string endedText(const Rule& rule, const RuleSight& sight);
/// Says that a rule held to the end.
std::string unwatchedText(const Rule& rule, std::int64_t heldMs);

}  // namespace mpm::monitor
