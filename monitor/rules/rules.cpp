// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "monitor/clock/usual_gap.h"
#include "monitor/rules/firing_text.h"

namespace mpm::monitor {
namespace {

enum class Verdict { holds, holdsNot, unknown };

bool isOneOf(const std::vector<LightState>& states, LightState state) {
  return std::find(states.begin(), states.end(), state) != states.end();
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct Watch {
  std::optional<std::size_t> metric;
  bool holding = false;
  bool known = true;  // whether the frame before said anything
  // Since when it has held, or, of a stale rule, since when no frame has come. What nobody saw
  // moves it on, and begunMs as well.
  std::optional<std::int64_t> sinceMs;
  std::int64_t begunMs = 0;  // of a rule that holds
};

// A rule that holds goes on until the value has come back by the hysteresis.
Verdict judge(const Rule& rule, const Watch& watch, const Figures& figures) {
  if (!rule.light.empty()) {
    return isOneOf(rule.light, figures.light) ? Verdict::holds : Verdict::holdsNot;
  }
  if (!rule.during.empty() && !isOneOf(rule.during, figures.light)) return Verdict::holdsNot;
  const double value = figures.values[*watch.metric];
  if (std::isnan(value)) return Verdict::unknown;
  const double back = watch.holding ? rule.hysteresis : 0;
  const bool outside =
      (rule.above && value > *rule.above - back) || (rule.below && value < *rule.below + back);
  return outside ? Verdict::holds : Verdict::holdsNot;
}

}  // namespace

class Rules::Impl {
 public:
  Impl(std::vector<Rule> rules, const Metrics& metrics)
      : rules_(std::move(rules)), metrics_(metrics), reconnects_(metrics.find("reconnects")) {
    checkRules({rules_, {}}, metrics);
    for (const Rule& rule : rules_) watches_.push_back(watchOf(rule));
  }

  Replaced replace(std::vector<Rule> rules, const Moment& at) {
    checkRules({rules, {}}, metrics_);
    Replaced replaced;
    std::vector<Watch> watches;
    for (const Rule& rule : rules) {
      const auto same = std::find(rules_.begin(), rules_.end(), rule);
      watches.push_back(same == rules_.end()
                            ? watchOf(rule)
                            : watches_[static_cast<std::size_t>(same - rules_.begin())]);
    }
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const bool stays = std::find(rules.begin(), rules.end(), rules_[i]) != rules.end();
      if (watches_[i].holding && !stays) {
        replaced.firings.push_back(
            {i, false, at, std::nullopt,
             "Rule '" + rules_[i].name + "' ended: it was changed or removed."});
      }
    }
    watches_ = std::move(watches);
    replaced.before = std::exchange(rules_, std::move(rules));
    return replaced;
  }

  std::vector<Firing> update(const Figures& figures) {
    const std::int64_t nowMs = figures.taken.steadyMs;
    if (figures.values.size() != metrics_.size()) {
      throw std::invalid_argument("there are " + std::to_string(metrics_.size()) +
                                  " metrics, but figures hold " +
                                  std::to_string(figures.values.size()) + " values");
    }
    if (seen_ && nowMs < lastMs_) moveBack(nowMs - lastMs_);
    if (seen_ && figures.light != light_) lightChangedMs_ = nowMs;
    // What nobody saw does not count as held.
    const std::int64_t gapMs = seen_ ? nowMs - lastMs_ : 0;
    const bool lost = (reconnects_ && figures.values[*reconnects_] > 0) ||
                      std::exchange(missed_, false) || gaps_.isHole(gapMs);
    seen_ = true;
    lastMs_ = nowMs;
    light_ = figures.light;

    std::vector<Firing> firings;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      Watch& watch = watches_[i];
      if (rules_[i].stale) {
        // The frame that was there when the silence began may come late: it ends nothing.
        if (watch.holding && nowMs > *watch.sinceMs) end(i, figures.taken, kUnknown, firings);
        continue;
      }
      if (lost || !watch.known) leaveOut(gapMs, watch);
      const Verdict verdict = judge(rules_[i], watch, figures);
      watch.known = verdict != Verdict::unknown;
      if (watch.known) follow(i, verdict == Verdict::holds, figures, firings);
    }
    return firings;
  }

  std::vector<Firing> silence(const Moment& now, std::int64_t silentMs) {
    std::vector<Firing> firings;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (!rules_[i].stale) continue;
      Watch& watch = watches_[i];
      const bool holds = silentMs >= rules_[i].dwellMs;
      if (holds && !watch.holding) {
        watch.sinceMs = now.steadyMs - silentMs;
        begin(i, now, kUnknown, firings);
      } else if (!holds && watch.holding) {
        end(i, now, kUnknown, firings);
      }
    }
    return firings;
  }

  std::vector<Firing> end(const Moment& at) {
    const std::int64_t gapMs = seen_ ? at.steadyMs - lastMs_ : 0;
    const bool lost = std::exchange(missed_, false) || gaps_.isHole(gapMs);
    std::vector<Firing> firings;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      Watch& watch = watches_[i];
      if (!rules_[i].stale && (lost || !watch.known)) leaveOut(gapMs, watch);
      watch.sinceMs.reset();
      if (!std::exchange(watch.holding, false)) continue;
      firings.push_back(
          {i, false, at, std::nullopt, unwatchedText(rules_[i], at.steadyMs - watch.begunMs)});
    }
    return firings;
  }

  void miss() { missed_ = true; }

  const std::vector<Rule>& rules() const { return rules_; }

  std::vector<bool> holding() const {
    std::vector<bool> held;
    for (const Watch& watch : watches_) held.push_back(watch.holding);
    return held;
  }

 private:
  Watch watchOf(const Rule& rule) const {
    Watch watch;
    if (!rule.metric.empty()) watch.metric = metrics_.find(rule.metric);
    return watch;
  }

  // Of what counts as held.
  static void leaveOut(std::int64_t gapMs, Watch& watch) {
    if (watch.sinceMs) *watch.sinceMs += gapMs;
    watch.begunMs += gapMs;
  }

  void follow(std::size_t i, bool holds, const Figures& figures, std::vector<Firing>& firings) {
    const Rule& rule = rules_[i];
    Watch& watch = watches_[i];
    const std::int64_t nowMs = figures.taken.steadyMs;
    const bool quiet = lightChangedMs_ && nowMs - *lightChangedMs_ < rule.quietAfterLightMs;
    const double value = watch.metric ? figures.values[*watch.metric] : kUnknown;
    if (!holds) {
      watch.sinceMs.reset();
      if (watch.holding && !quiet) end(i, figures.taken, value, firings);
      return;
    }
    if (!watch.sinceMs) watch.sinceMs = nowMs;
    const bool dwelt = nowMs - *watch.sinceMs >= rule.dwellMs;
    if (!watch.holding && dwelt && !quiet) begin(i, figures.taken, value, firings);
  }

  void begin(std::size_t i, const Moment& at, double value, std::vector<Firing>& firings) {
    Watch& watch = watches_[i];
    watch.holding = true;
    watch.begunMs = at.steadyMs;
    const std::int64_t heldMs = at.steadyMs - *watch.sinceMs;
    const Sight sight{value, light_, heldMs, heldMs};
    firings.push_back({i, true, at, known(value), beganText(rules_[i], sight)});
  }

  void end(std::size_t i, const Moment& at, double value, std::vector<Firing>& firings) {
    Watch& watch = watches_[i];
    const std::int64_t silentMs = at.steadyMs - watch.sinceMs.value_or(at.steadyMs);
    const Sight sight{value, light_, at.steadyMs - watch.begunMs, silentMs};
    watch.holding = false;
    watch.sinceMs.reset();
    firings.push_back({i, false, at, known(value), endedText(rules_[i], sight)});
  }

  static std::optional<double> known(double value) {
    return std::isnan(value) ? std::nullopt : std::optional(value);
  }

  // A file that begins again, or was wound back: what has held goes on from there.
  void moveBack(std::int64_t byMs) {
    lastMs_ += byMs;
    if (lightChangedMs_) *lightChangedMs_ += byMs;
    for (Watch& watch : watches_) {
      if (watch.sinceMs) *watch.sinceMs += byMs;
      watch.begunMs += byMs;
    }
  }

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

Rules::Rules(std::vector<Rule> rules, const Metrics& metrics)
    : impl_(std::make_unique<Impl>(std::move(rules), metrics)) {}
Rules::~Rules() = default;
std::vector<Firing> Rules::update(const Figures& figures) { return impl_->update(figures); }
std::vector<Firing> Rules::silence(const Moment& now, std::int64_t silentMs) {
  return impl_->silence(now, silentMs);
}
Rules::Replaced Rules::replace(std::vector<Rule> rules, const Moment& at) {
  return impl_->replace(std::move(rules), at);
}
std::vector<Firing> Rules::end(const Moment& at) { return impl_->end(at); }
void Rules::miss() { impl_->miss(); }
const std::vector<Rule>& Rules::rules() const { return impl_->rules(); }
std::vector<bool> Rules::holding() const { return impl_->holding(); }

}  // namespace mpm::monitor
