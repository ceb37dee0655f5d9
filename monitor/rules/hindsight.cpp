// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/hindsight.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "monitor/rules/rules.h"

namespace mpm::monitor {
namespace {

constexpr std::int64_t kSecondMs = 1000;

bool isCounted(MetricKind kind) {
  return kind == MetricKind::liveRows || kind == MetricKind::mergedShare ||
         kind == MetricKind::rows || kind == MetricKind::similarity;
}

// Returns a second's value as the rule judges it; NaN if unknown.
double valueOf(const Rule& rule, const Tally& tally) {
  if (tally.count == 0) return std::numeric_limits<double>::quiet_NaN();
  if (rule.dwellMs >= kSecondMs) return tally.mean();
  const bool isAbove = rule.above && tally.largest > *rule.above;
  return isAbove || !rule.below ? tally.largest : tally.smallest;
}

// Replays one run, second by second. A second of another era follows the previous one, whatever its
// clock said.
class Replay {
 public:
  Replay(const Rule& rule, const Metrics& metrics, Hindsight& hindsight)
      : rule_(rule),
        rules_({rule}, metrics),
        place_(metrics.find(rule.metric)),
        reconnects_(metrics.find("reconnects")),
        metrics_(metrics.size()),
        hindsight_(hindsight) {
    if (place_) isCounted_ = isCounted(metrics.parsed()[*place_].kind);
  }

  void see(const Bucket& second) {
    if (!seen_) {
      now_ = {0, second.startUtcMs, second.era, true};
    } else {
      const std::int64_t gapMs = second.era == now_.era
                                     ? std::max<std::int64_t>(second.startUtcMs - now_.utcMs, 0)
                                     : kSecondMs;
      if (gapMs > kSecondMs) beSilent(gapMs);
      now_ = {now_.steadyMs + gapMs, second.startUtcMs, second.era, true};
    }
    seen_ = true;
    if (second.frames == decltype(second.frames){}) return wait();
    if (!rule_.stale) countSince(second);
    Figures figures{now_, second.light(),
                    std::vector<double>(metrics_, std::numeric_limits<double>::quiet_NaN())};
    if (place_) {
      double value = valueOf(rule_, second.tallies[*place_]);
      if (isCounted_ && std::isnan(value)) value = counted_;
      counted_ = value;
      figures.values[*place_] = value;
      known_ = !std::isnan(value);
    }
    if (known_) hindsight_.seenMs += kSecondMs;
    if (reconnects_) figures.values[*reconnects_] = second.tallies[*reconnects_].sum;
    take(rules_.update(figures));
  }

  void end(std::int64_t silentMs) {
    if (seen_) beSilent(kSecondMs + silentMs);
    const std::int64_t untilMs = now_.steadyMs + kSecondMs + (rule_.stale ? silentMs : 0);
    if (begunMs_) hindsight_.heldMs += untilMs - *begunMs_;
  }

 private:
  // Counts the time since the previous values, as Rules does.
  void countSince(const Bucket& second) {
    const std::int64_t gapMs = figuresMs_ ? now_.steadyMs - *figuresMs_ : 0;
    const bool reconnected = reconnects_ && second.tallies[*reconnects_].sum > 0;
    const bool lost = std::exchange(waited_, false) || reconnected || gaps_.isHole(gapMs);
    figuresMs_ = now_.steadyMs;
    const std::int64_t betweenMs = std::max<std::int64_t>(gapMs - kSecondMs, 0);
    if (known_ && !lost) {
      hindsight_.seenMs += betweenMs;
    } else if (begunMs_) {
      *begunMs_ += known_ ? betweenMs : gapMs;
    }
  }

  void wait() {
    waited_ = true;
    rules_.miss();
    counted_ = std::numeric_limits<double>::quiet_NaN();
  }

  // Assumes that the last second with frames had them until its end.
  void beSilent(std::int64_t gapMs) {
    if (!rule_.stale) return;
    hindsight_.seenMs += gapMs - kSecondMs;
    if (gapMs - kSecondMs < rule_.dwellMs) return;
    Moment when = now_;
    when.steadyMs += kSecondMs + rule_.dwellMs;
    when.utcMs += kSecondMs + rule_.dwellMs;
    take(rules_.silence(when, rule_.dwellMs));
  }

  void take(const std::vector<Firing>& firings) {
    for (const Firing& firing : firings) {
      if (firing.began) {
        ++hindsight_.began;
        hindsight_.lastUtcMs = firing.at.utcMs;
        begunMs_ = firing.at.steadyMs;
      } else {
        hindsight_.heldMs += firing.at.steadyMs - begunMs_.value_or(firing.at.steadyMs);
        begunMs_.reset();
      }
    }
  }

  const Rule& rule_;
  Rules rules_;
  std::optional<std::size_t> place_, reconnects_;
  std::size_t metrics_;
  Hindsight& hindsight_;
  UsualGap gaps_;
  bool isCounted_ = false, seen_ = false;
  bool waited_ = false;                    // since the figures before
  bool known_ = true;                      // whether these told the rule anything
  std::optional<std::int64_t> figuresMs_;  // their time, steady
  Moment now_;
  double counted_ = std::numeric_limits<double>::quiet_NaN();
  std::optional<std::int64_t> begunMs_;  // steady; moved on by what nobody saw
};

}  // namespace

Hindsight hindsightOf(const Rule& rule, const Metrics& metrics,
                      const std::vector<std::vector<Bucket>>& runs, std::int64_t silentMs) {
  Hindsight hindsight;
  for (const std::vector<Bucket>& run : runs) {
    Replay replay(rule, metrics, hindsight);
    for (const Bucket& second : run) replay.see(second);
    replay.end(&run == &runs.back() ? silentMs : 0);
  }
  return hindsight;
}

}  // namespace mpm::monitor
