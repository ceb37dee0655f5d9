// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/day_night_sentence.h"

#include <gtest/gtest.h>

#include <QtWidgets>

namespace mpm::gui {
namespace {

using monitor::DayNight;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

monitor::Running of(std::initializer_list<double> values) {
  monitor::Running running;
  for (const double value : values) running.add(value);
  return running;
}

using Values = std::initializer_list<double>;

DayNight figures(Values days, Values nights, Values dayFrames = {}, Values nightFrames = {},
                 Values betweenFrames = {}) {
  DayNight made;
  made.days = of(days);
  made.nights = of(nights);
  made.dayFrames = of(dayFrames);
  made.nightFrames = of(nightFrames);
  made.betweenFrames = of(betweenFrames);
  return made;
}

std::string say(const DayNight& made, double tokensBefore = kUnknown,
                const QLocale& locale = {QLocale::English, QLocale::UnitedKingdom}) {
  return dayNightSentence(made, tokensBefore, locale).toStdString();
}

TEST(DayNightSentence, SaysTheDifferenceOrWhatIsMissing) {
  const struct {
    DayNight figures;
    double tokensBefore;
    const char* sentence;
  } cases[] = {
      {figures({403, 412, 421}, {426, 437, 448}), 845,
       "At night 5.8% fewer tokens merge than by day: 437 ± 11 against 412 ± 9 tokens, 3 nights, 3 "
       "days."},
      {figures({426, 437, 448}, {403, 412, 421}), 1025,
       "At night 4.3% more tokens merge than by day: 412 ± 9 against 437 ± 11 tokens, 3 nights, 3 "
       "days."},
      // Without the tokens before, the percentage is of those that are left.
      {figures({426, 437, 448}, {403, 412, 421}), kUnknown,
       "At night more tokens merge than by day, leaving 5.7% fewer: 412 ± 9 against 437 ± 11 "
       "tokens, 3 nights, 3 days."},
      {figures({403, 412, 421}, {426, 437, 448}), kUnknown,
       "At night fewer tokens merge than by day, leaving 6.1% more: 437 ± 11 against 412 ± 9 "
       "tokens, 3 nights, 3 days."},
      {figures({400, 437, 474}, {390, 430, 470}), kUnknown,
       "At night more tokens merge than by day, leaving 1.6% fewer: 430 ± 40 against 437 ± 37 "
       "tokens, 3 nights, 3 days; they still vary too much to rule out chance, so more nights and "
       "days are needed."},
      {figures({437, 437}, {437, 437}), kUnknown,
       "At night as many tokens merge as by day, to within 0.0%: 437 ± 0 against 437 ± 0 tokens, 2 "
       "nights, 2 days."},
      {figures({437}, {412}), kUnknown,
       "At night more tokens merge than by day, leaving 5.7% fewer: 412 against 437 tokens, 1 "
       "night, 1 day; at least two nights and two days, each seen from its start, are needed to "
       "rule out chance."},
      {{},
       kUnknown,
       "No tokens have been counted with this schedule yet, neither by day nor at night."},
      {figures({427, 437, 447}, {}), kUnknown,
       "No tokens have been counted at night with this schedule yet: by day 437 ± 10 tokens, 3 "
       "days."},
      // Days may have occurred, but with a memory few frames count.
      {figures({}, {412}), kUnknown,
       "No tokens have been counted by day with this schedule yet: at night 412 tokens, 1 night."},
      // Guards against "neither by day nor at night" below figures that come from dusk.
      {figures({}, {}, {}, {}, {650}), kUnknown,
       "So far, tokens have been counted with this schedule only at dusk or while the light was "
       "changing, which is neither day nor night."},
      {figures({}, {}, {427, 437, 447}, {}, {650}), kUnknown,
       "No tokens have been counted at night with this schedule yet: by day 437 ± 10 tokens, no "
       "whole day yet."},
      {figures({}, {}, {427, 437, 447}, {402, 412, 422}), kUnknown,
       "At night more tokens merge than by day, leaving 5.7% fewer: 412 ± 10 against 437 ± 10 "
       "tokens, no whole night yet, no whole day yet; at least two nights and two days, each seen "
       "from its start, are needed to rule out chance."},
      {figures({0, 0}, {4, 4}), kUnknown,
       "At night fewer tokens merge than by day: 4.00 ± 0.00 against 0 ± 0 tokens, 2 nights, 2 "
       "days."}};
  for (const auto& one : cases) EXPECT_EQ(say(one.figures, one.tokensBefore), one.sentence);
  const std::string alike = say(figures({1000, 1001, 1002, 1001}, {1001, 1002, 1001, 1002}));
  EXPECT_NE(alike.find("to within 0.2%"), std::string::npos) << alike;
}

// Guards against "1 night, 1 day" next to means over frames that include the next night and day,
// while the strip differs.
TEST(DayNightSentence, FiguresAreOfTheNightsAndDaysThatItNames) {
  DayNight made = figures({437}, {412}, {427, 437, 447, 600}, {402, 412, 422, 300});
  EXPECT_EQ(shownDay(made).mean(), 437);
  EXPECT_EQ(shownNight(made).mean(), 412);
  EXPECT_NE(say(made).find("412 against 437 tokens, 1 night, 1 day;"), std::string::npos)
      << say(made);
  made.nights = {};
  EXPECT_NE(say(made).find("384 ± 57 against 437 tokens, no whole night yet, 1 day;"),
            std::string::npos)
      << say(made);
}

TEST(DayNightSentence, FollowsTheLocale) {
  const std::string german = say(figures({1426, 1437, 1448}, {1203, 1212, 1221}), 2025,
                                 QLocale(QLocale::German, QLocale::Germany));
  EXPECT_NE(german.find("38,3%"), std::string::npos) << german;
  EXPECT_NE(german.find("1.212 ± 9"), std::string::npos) << german;
}

}  // namespace
}  // namespace mpm::gui
