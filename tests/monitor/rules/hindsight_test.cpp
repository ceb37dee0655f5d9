// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/hindsight.h"

#include "monitor/rules/made_rules.h"
#include "monitor/says.h"

namespace mpm::test {
namespace {

using namespace monitor;

const Metrics kMetrics({"area.car", "live_rows", "reconnects"});
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kStart = 1'700'000'000'000;

Bucket second(std::int64_t number, std::initializer_list<double> cars, double rows = kUnknown,
              LightState light = LightState::day) {
  Bucket bucket{kStart + number * 1000, 0, {}, std::vector<Tally>(3)};
  bucket.frames[static_cast<std::size_t>(light)] = 1;
  for (const double value : cars) bucket.tallies[0].add(value);
  bucket.tallies[1].add(rows);
  bucket.tallies[2].add(0);
  return bucket;
}

std::vector<Bucket> seconds(int count, const std::function<Bucket(int)>& make, int every = 1) {
  std::vector<Bucket> run;
  for (int i = 0; i < count; i += every) run.push_back(make(i));
  return run;
}

Rule ruleAbove(double above, std::int64_t dwellMs = 0) {
  return metricRule("cars", "area.car", above, dwellMs);
}

struct Told {
  const char* what;
  Rule rule;
  std::vector<std::vector<Bucket>> runs;
  int began;
  std::int64_t heldMs = -1, seenMs = -1, lastMs = -1;  // below 0: not asked
  std::int64_t silentMs = 0;
};

TEST(Hindsight, SaysWhatARuleWouldHaveDone) {
  using Runs = std::vector<std::vector<Bucket>>;
  const auto always = [](int i) { return second(i, {0.5}); };
  const Runs twice{seconds(60, [](int i) {
    return second(i, {(i >= 10 && i < 20) || (i >= 40 && i < 45) ? 0.5 : 0.1});
  })};
  const Runs spike{{second(0, {0.1}), second(1, {0.1, 0.9, 0.1}), second(2, {0.1})}};
  const Runs gaps{{second(0, {0.1}), second(3, {0.1}), second(20, {0.1}), second(21, {0.1})}};
  const Runs tenMinutes{seconds(600, always)};
  const Runs unknown{seconds(60, [](int i) {
    return i < 20 || i >= 40 ? second(i, {i < 50 ? 0.5 : 0.1}) : second(i, {});
  })};
  // As in a simulated night: what held before holds on, and the time between does not count.
  const Runs waiting{seconds(60, [](int i) {
    Bucket bucket = second(i, {0.5});
    if (i >= 20 && i < 40) bucket.frames = {};
    return bucket;
  })};
  Runs away = tenMinutes, lost = tenMinutes;
  away[0].push_back(second(3599, {0.5}));
  lost[0].push_back(second(3599, {0.5}));
  lost[0].back().tallies[2].add(1);
  const Rule rows = metricRule("cars", "live_rows", 600, 3000),
             dark = lightRule({LightState::night});
  Rule below = ruleAbove(0), byNight = ruleAbove(0.05);
  below.above.reset();
  below.below = 0.05;
  byNight.during = {LightState::night};
  const Runs night{{second(0, {0.1}), second(1, {0.1}, 1, LightState::night), second(2, {0.1})}};
  Runs later = tenMinutes, nothingLater = tenMinutes;
  later.push_back({second(900, {0.5})});
  nothingLater.push_back({});
  const Runs held{{second(0, {0.1}), second(1, {0.9}), second(2, {0.9})}},
      least{{second(0, {0.1, 0.01}), second(1, {0.1})}},
      counted{seconds(10, [](int i) { return second(i, {0.1}, i == 2 ? 700 : kUnknown); })},
      apart{{second(0, {0.9})}, {second(100, {0.9})}},
      two{{second(0, {0.1})}, {second(500, {0.1})}};
  const Runs slow{seconds(3600, always, 2)}, slower{seconds(3600, always, 10)};
  const Rule minute = staleRule(60'000), five = staleRule(5000), car = ruleAbove(0.3);
  const Told cases[] = {
      {"twice", car, twice, 2, 15'000, 60'000, 40'000},
      {"the second one held for five seconds", ruleAbove(0.3, 6000), twice, 1, 4000},
      {"never", ruleAbove(0.6), twice, 0},
      {"what holds at the end has held until then", car, held, 1, 2000},
      {"one frame is enough where nothing has to hold", ruleAbove(0.5), spike, 1},
      {"else a second counts as a whole", ruleAbove(0.5, 1000), spike, 0},
      {"the least of a second", below, least, 1},
      {"counts of tokens stay until the next", rows, counted, 1, -1, 8000},
      {"a run begins with a rule that does not hold", ruleAbove(0.5), apart, 2},
      {"missing seconds are what a silent source is", five, gaps, 1, 11'000, -1, 9000},
      {"nothing ran between two runs", five, two, 0},
      {"still gone", minute, tenMinutes, 1, 2'940'000, 3'600'000, 660'000, 3'000'000},
      {"but not for long enough", minute, tenMinutes, 0, -1, -1, -1, 59'999},
      {"of the run before nothing is known", minute, later, 0, -1, -1, -1, 59'999},
      {"nor where the last has nothing", minute, nothingLater, 0, -1, -1, -1, 3'000'000},
      {"nobody saw what was then", car, tenMinutes, 1, 600'000, 600'000, -1, 3'000'000},
      {"time between frames that are usually two seconds apart", car, slow, 1, 3'599'000,
       3'599'000},
      {"and ten", car, slower, 1, 3'591'000, 3'591'000},
      {"time away counts neither as seen nor as held", car, away, 1, 601'000, 601'000},
      {"nor where it was lost", car, lost, 1, 601'000, 601'000},
      {"nor seconds that tell nothing", car, unknown, 1, 30'000, 40'000},
      {"nor those without frames", car, waiting, 1, 40'000, 40'000},
      {"dwell goes on behind them", ruleAbove(0.3, 30'000), waiting, 1},
      {"and no further", ruleAbove(0.3, 45'000), waiting, 0},
      {"frames came", five, waiting, 0},
      {"light", dark, night, 1},
      {"and during it", byNight, night, 1, 1000},
      {"nothing", ruleAbove(0.5), {}, 0, 0, 0}};
  for (const Told& one : cases) {
    SCOPED_TRACE(one.what);
    const Hindsight told = hindsightOf(one.rule, kMetrics, one.runs, one.silentMs);
    EXPECT_EQ(told.began, one.began);
    EXPECT_EQ(told.lastUtcMs.has_value(), one.began > 0);
    EXPECT_EQ(one.heldMs < 0 ? -1 : told.heldMs, one.heldMs);
    EXPECT_EQ(one.seenMs < 0 ? -1 : told.seenMs, one.seenMs);
    EXPECT_EQ(one.lastMs < 0 ? -1 : told.lastUtcMs.value_or(0) - kStart, one.lastMs);
  }
  EXPECT_THROW(hindsightOf(metricRule("", "area.cow", 0.5), kMetrics, {{second(0, {0.1})}}),
               std::runtime_error);
}

}  // namespace
}  // namespace mpm::test
