// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/comparison.h"

#include <deque>

#include "monitor/says.h"

namespace mpm::monitor {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;

Event at(std::int64_t utcMs, const char* kind, const char* name, std::int32_t era = 0) {
  return {{utcMs, utcMs, era, true}, kind, name, "", {}};
}

// Minutes 0 to 9 of an era.
std::deque<Bucket> tenMinutes(std::int32_t era = 0) {
  std::deque<Bucket> buckets;
  for (int minute = 0; minute < 10; ++minute) {
    Bucket bucket;
    bucket.startUtcMs = minute * kMinuteMs;
    bucket.era = era;
    buckets.push_back(bucket);
  }
  return buckets;
}

std::vector<int> minutesOf(const std::deque<Bucket>& buckets) {
  std::vector<int> minutes;
  for (const Bucket& bucket : buckets)
    minutes.push_back(static_cast<int>(bucket.startUtcMs / kMinuteMs));
  return minutes;
}

std::vector<int> minutesOf(const Way& wanted, const Way& first, const std::vector<Event>& events,
                           bool memoryMatters = true,
                           const std::deque<Bucket>& buckets = tenMinutes()) {
  return minutesOf(bucketsWithin(stretchesOf(wanted, first, events, memoryMatters), buckets,
                                 Resolution::minute));
}

struct Stretches {
  const char* what;
  Way wanted;
  std::vector<Event> events;
  std::vector<int> minutes;  // that count
  bool memoryMatters = true;
  Way first{"2,5", false, false, {}};
};

TEST(Comparison, MinutesCountWhoseFramesAreAllOfTheWayThatIsAskedFor) {
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, none;
  const Way home{"2,5"}, other{"1,3"}, with{"2,5", false, true};
  const std::string away = "0.0100,0.0000,0.00";
  const std::vector<Event> views{at(3 * kMinuteMs, kViewEvent, away.c_str()),
                                 at(6 * kMinuteMs, kViewEvent, kHomeView)};
  const std::vector<Event> memories{at(3 * kMinuteMs, "memory", "off"),
                                    at(8 * kMinuteMs, "memory", "on")};
  const std::vector<Event> filters{at(2 * kMinuteMs, "filter", "on"),
                                   at(4 * kMinuteMs, "schedule", "1,3"),
                                   at(6 * kMinuteMs, "filter", "off")};
  const std::vector<Event> within{at(3 * kMinuteMs + 1, "schedule", "1,3")};
  const Stretches cases[] = {
      {"nothing changed", home, {}, all},
      {"another schedule", other, {}, none},
      {"a filter", {"2,5", true}, {}, none},
      {"a minute with frames of both schedules is of neither", home, within, {0, 1, 2}},
      {"from the next minute on", other, within, {4, 5, 6, 7, 8, 9}},
      {"what comes back counts again",
       home,
       {at(2 * kMinuteMs, "schedule", "1,3"), at(5 * kMinuteMs, "rule", "a car"),
        at(7 * kMinuteMs, "schedule", "2,5")},
       {0, 1, 7, 8, 9}},
      {"the first view", home, views, {0, 1, 2, 6, 7, 8, 9}},
      {"another view", {"2,5", false, false, away}, views, {3, 4, 5}},
      {"with a memory", with, memories, {0, 1, 2, 8, 9}, true, with},
      {"without one", home, memories, {3, 4, 5, 6, 7}, true, with},
      {"a memory does not matter", home, memories, all, false, with},
      {"but the schedule does", {"1,3", false, true}, memories, none, false, with},
      {"a simulated night is left out", home, filters, {0, 1}},
      {"until it ends", other, filters, {6, 7, 8, 9}}};
  for (const Stretches& one : cases)
    EXPECT_EQ(minutesOf(one.wanted, one.first, one.events, one.memoryMatters), one.minutes)
        << one.what;
}

TEST(Comparison, AClockThatWasSetBackDoesNotBringBackWhatChanged) {
  const std::vector<Event> events{at(2 * kMinuteMs, "schedule", "1,3", 1)};
  std::deque<Bucket> buckets = tenMinutes(0);
  for (const Bucket& bucket : tenMinutes(1)) buckets.push_back(bucket);
  EXPECT_EQ(minutesOf({"2,5"}, {"2,5"}, events, true, buckets).size(), 12U);  // ten, and two
  EXPECT_EQ(minutesOf({"1,3"}, {"2,5"}, events, true, buckets),
            (std::vector{2, 3, 4, 5, 6, 7, 8, 9}));
}

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kMonday = 1'740'960'000'000;  // 2025-03-03T00:00Z

// Hours, each of one light, from words such as "d10=440": d day, n night, i infrared, u dusk,
// t transition, x no signal; how many; and the figure of each of their 100 frames. "=440*36000" is
// of so many frames, "=440*6400/100" of so many of which 100 know it. "+5" leaves out five hours,
// "e-960" sets the clock by as many, and "r" begins another run, of which "r+480" is later.
struct Hours {
  explicit Hours(const std::string& text) {
    std::istringstream words(text);
    std::int64_t next = kMonday + 7 * kHourMs;
    std::int32_t era = 0;
    for (std::string word; words >> word;) {
      const char what = word[0];
      const auto numberAfter = [&](char sign, int usual) {
        const std::size_t place = word.find(sign);
        return place == std::string::npos ? usual : std::stoi(word.substr(place + 1));
      };
      if (what == '+' || what == 'e' || what == 'r') {
        if (what == 'e') ++era;
        if (what == 'r') era = 0, runs.insert({0, buckets.size()});
        next += (word.find('-') == std::string::npos ? numberAfter('+', 0) : -numberAfter('-', 0)) *
                kHourMs;
        continue;
      }
      for (int hour = std::stoi(word.substr(1)); hour > 0; --hour, next += kHourMs) {
        Bucket bucket;
        bucket.startUtcMs = next;
        bucket.era = era;
        const int frames = numberAfter('*', 100), counted = numberAfter('/', frames);
        bucket.frames[std::string("dunixt").find(what)] = static_cast<std::uint32_t>(frames);
        bucket.tallies.resize(1);
        for (int i = 0; i < counted; ++i) bucket.tallies[0].add(numberAfter('=', 999));
        buckets.push_back(bucket);
      }
    }
  }
  DayNight figures(std::size_t metric = 0) const { return dayNightOf(buckets, metric, runs); }

  std::deque<Bucket> buckets;
  std::set<std::size_t> runs;
};

struct Nights {
  const char *what, *hours;
  int days, nights;                   // below 0: not asked
  double dayMean = 0, nightMean = 0;  // 0: not asked
};

TEST(DayNight, EachWholeDayAndNightCountsOnce) {
  const Nights cases[] = {
      {"dusk, transition and no signal are neither",
       "u1 d10=430 u1 n5=400 t1 i6=400 x1 d10=440 u1 n5=410 t1 i6=410 x1 d10=450 u1 n5=420 t1 "
       "i6=420 x1",
       3, 3, 440, 410},
      {"somebody in front of the camera is no night, headlights no day",
       "u1 d11=440 n1=100 d11=440 n12=410 d1=100 n2=410", 1, 1, 440, 410},
      // Seen: after four days at ten frames a second none of thirty at one in two seconds counted.
      {"a slower frame rate, and a day that is no half yet",
       "u1 d12=440*36000 n8=410*36000 d12=440*36000 n8=410*36000 d12=440*1800 n8=380*1800 "
       "d12=440*1800 n8=380*1800 d12=440*1800 n8=380*1800 d5=440*1800",
       5, 5, 440, 392},
      {"and one that is",
       "u1 d12=440*36000 n8=410*36000 d12=440*36000 n8=410*36000 d12=440*1800 n8=380*1800 "
       "d12=440*1800 n8=380*1800 d12=440*1800 n8=380*1800 d6=440*1800",
       6, 5},
      {"a long break begins another night, a short one does not",
       "u1 d8=440 n8=410 +2 n2=410 +14 u1 n8=400", -1, 2},
      {"a set clock parts no night", "d4=440 n4=410 e-960 n4=410 d4=440", -1, 1},
      // Eras begin anew with each run, so they do not tell one run's night from the other's.
      {"nights of two runs that are weeks apart are two",
       "e u1 d10=440 n8=400 r+480 n8=999 d10=440 n8=420 d10=440", -1, 2, 0, 410},
      {"also where a clock stood still until it was set",
       "u1 d10=440 n8=400 r u1=999 n1=420*5 e+480 n8=999 d10=440 n8=420 d10=440", -1, 2, 0,
       410.0621118012422},
      {"a restart at night parts none", "e d10=440 n4=410 r n4=410 d10=440", -1, 1},
      {"a short day joins no nights that are apart", "u1 d12=440 n8=410 +120 d1=440 n8=420", -1, 2},
      // Said of a fresh record an hour into its first night: 6.4% more tokens merge.
      {"a night that has just begun", "u1 d10=440 n2=400", 1, 0},
      {"a night that is long enough", "u1 d10=440 n8=400", 1, 1},
      {"the next one has just begun", "u1 d10=440 n8=400 d10=440 n1=400", 2, 1},
      // A record that began at three in the afternoon had a first day of three hours.
      {"the record began by day", "x1=1 t1=1 d5=400 u1 i9=440", 0, 0},
      {"the night after it", "x1=1 t1=1 d5=400 u1 i9=440 d1=500", 0, 1},
      {"and the next day", "x1=1 t1=1 d5=400 u1 i9=440 d10=500", 1, 1, 500},
      {"the record began at night", "x1=1 t1=1 i5=400 u1 d9=440", 0, 0},
      {"the day after it", "x1=1 t1=1 i5=400 u1 d9=440 i1=500", 1, 0},
      {"and the next night", "x1=1 t1=1 i5=400 u1 d9=440 i10=500", 1, 1, 440, 500},
      // A schedule that was tried in the evening, a computer that is off for most of the night.
      {"an hour is missing before a night", "u1 d12=440 +1 n10=410 d12=440", -1, 1},
      {"or after it", "u1 d12=440 n10=410 +1 d12=440", -1, 1},
      {"most of a night is missing", "u1 d12=440 +7 n4=410 d12=440", -1, 0},
      {"the end of it", "u1 d12=440 n3=410 +8 d12=440", -1, 0},
      // With a memory one frame in 64 counts, without one each: neither is a short night.
      {"a night of which few frames count",
       "u1 d10=440*6400 n10=410*6400 d10=440*6400 n10=410*6400 d10=430*6400/100 n10=380*6400/100",
       3, 3, 0, 400},
      // Seen, after ten seconds: "1 night". With a memory none of the day's frames had counted.
      {"a night beside a longer day that nobody counted", "u1=9/0 d10=440/0 n1=410", 0, 0},
      {"until it is as long", "u1=9/0 d10=440/0 n6=410", 0, 1},
      {"hours of a night weigh as many frames as they have", "d4=440 n1=400 n3=500*100/1 d4=440",
       -1, 1, 0, 475},
      {"nothing", "", 0, 0}};
  for (const Nights& one : cases) {
    SCOPED_TRACE(one.what);
    const DayNight figures = Hours(one.hours).figures();
    const auto days = static_cast<int>(figures.days.count());
    EXPECT_EQ(one.days < 0 ? -1 : days, one.days);
    EXPECT_EQ(figures.nights.count(), static_cast<std::uint64_t>(one.nights));
    EXPECT_DOUBLE_EQ(one.dayMean > 0 ? figures.days.mean() : 0, one.dayMean);
    EXPECT_NEAR(one.nightMean > 0 ? figures.nights.mean() : 0, one.nightMean, 1e-9);
  }
}

TEST(DayNight, FramesAreSummedUp) {
  const DayNight figures = Hours("d5=430 u1 i2=410 d5=450 x1=1 t1=700 u1=600").figures();
  EXPECT_EQ(figures.dayFrames.count(), 1000U);
  EXPECT_DOUBLE_EQ(figures.dayFrames.mean(), 440);
  EXPECT_NEAR(figures.dayFrames.deviation(), 10, 0.01);
  EXPECT_EQ(figures.nightFrames.count(), 200U);
  EXPECT_DOUBLE_EQ(figures.nightFrames.mean(), 410);
  EXPECT_EQ(figures.betweenFrames.count(), 300U);
  EXPECT_DOUBLE_EQ(figures.betweenFrames.mean(), (999 + 700 + 600) / 3.0);
  EXPECT_NEAR(Hours("d10=430 n5=400 d10=440 n5=400 d10=450 n5=400").figures().days.deviation(),
              7.07, 0.01)
      << "of 440 and 450: nobody knows when the first began";
  const DayNight other = Hours("d3=440 u1").figures(5);
  EXPECT_EQ(other.days.count() + other.dayFrames.count() + other.betweenFrames.count(), 0U)
      << "no such metric";
}

TEST(DayNight, HoursTellDaysAndNightsWhereTheyAreEnoughAndOfOneLight) {
  EXPECT_FALSE(tellsDayNight(Hours("d12").buckets, Resolution::hour));
  Hours day("d12 n12");
  EXPECT_TRUE(tellsDayNight(day.buckets, Resolution::hour));
  EXPECT_FALSE(tellsDayNight(day.buckets, Resolution::minute));
  EXPECT_TRUE(tellsDayNight({}, Resolution::second));
  // A scene whose day takes two minutes: each hour is as much night as day.
  for (Bucket& bucket : day.buckets)
    bucket.frames[static_cast<std::size_t>(LightState::infrared)] = 80;
  EXPECT_FALSE(tellsDayNight(day.buckets, Resolution::hour));
}

Running of(std::initializer_list<double> values) {
  Running running;
  for (const double value : values) running.add(value);
  return running;
}

DayNight figures(std::initializer_list<double> days, std::initializer_list<double> nights) {
  return {of(days), of(nights), {}, {}, {}};
}

TEST(NightsAgainstDays, AreWelchsTest) {
  const auto found = nightsAgainstDays(figures({403, 412, 421}, {426, 437, 448}));
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->difference, 25);
  // t of 3.85 degrees of freedom exceeds 2.8199 once in 20; the limits' straight lines, 2.8373.
  EXPECT_GE(found->interval, 23.139);
  EXPECT_LT(found->interval, 23.30);
  EXPECT_TRUE(found->differ());
  EXPECT_FALSE(nightsAgainstDays(figures({400, 437, 474}, {390, 430, 470}))->differ());
}

TEST(NightsAgainstDays, SayNothingOfOneNightAndOfFewThatDifferLittle) {
  EXPECT_FALSE(nightsAgainstDays(figures({437, 438, 439}, {412})));
  EXPECT_FALSE(nightsAgainstDays(figures({437}, {412, 413})));
  EXPECT_FALSE(nightsAgainstDays({}));
  // 3 standard errors apart say nothing yet: t with two degrees of freedom is 4.3.
  EXPECT_FALSE(nightsAgainstDays(figures({430, 440}, {410, 420}))->differ());
  EXPECT_TRUE(nightsAgainstDays(figures({434, 436}, {412, 414}))->differ());
  // Without deviation every difference counts.
  EXPECT_TRUE(nightsAgainstDays(figures({437, 437}, {436, 436}))->differ());
  EXPECT_FALSE(nightsAgainstDays(figures({437, 437}, {437, 437}))->differ());
}

// Sums round by how many frames they have: that is no difference.
TEST(NightsAgainstDays, OfAFigureThatNeverChangesDoNotDiffer) {
  Hours hours("d12*3600 n12*3500 d12*3600 n12*3501 d12*3600 n12*3502 d12*3600 n12*3500 d12*3600");
  for (Bucket& bucket : hours.buckets) {
    const std::uint32_t frames = bucket.tallies[0].count;
    bucket.tallies[0] = {};
    for (std::uint32_t i = 0; i < frames; ++i) bucket.tallies[0].add(0.1);
  }
  const auto found = nightsAgainstDays(hours.figures());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->difference, 0);
  EXPECT_FALSE(found->differ());
}

}  // namespace
}  // namespace mpm::monitor
