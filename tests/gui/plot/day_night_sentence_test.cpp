// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/day_night_sentence.h"

#include <gtest/gtest.h>

#include <QLocale>
#include <limits>

namespace mpm::gui {
namespace {

using monitor::DayNight;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
const QLocale kBritish(QLocale::English, QLocale::UnitedKingdom);

monitor::Running of(std::initializer_list<double> values) {
  monitor::Running running;
  for (const double value : values) running.add(value);
  return running;
}

DayNight figures(std::initializer_list<double> days, std::initializer_list<double> nights) {
  DayNight made;
  made.days = of(days);
  made.nights = of(nights);
  return made;
}

std::string say(const DayNight& made, double tokensBefore = kUnknown,
                const QLocale& locale = kBritish) {
  return dayNightSentence(made, tokensBefore, locale).toStdString();
}

TEST(DayNightSentence, FewerTokensMergeAtNight) {
  EXPECT_EQ(say(figures({403, 412, 421}, {426, 437, 448}), 845),
            "At night 5.8% fewer tokens merge than by day: 437 ± 11 against 412 ± 9 live tokens, 3 "
            "nights, 3 days.");
}

TEST(DayNightSentence, MoreTokensMergeAtNight) {
  EXPECT_EQ(say(figures({426, 437, 448}, {403, 412, 421}), 1025),
            "At night 4.3% more tokens merge than by day: 412 ± 9 against 437 ± 11 live tokens, 3 "
            "nights, 3 days.");
}

TEST(DayNightSentence, WithoutTheTokensBeforeThePercentageIsOfLiveTokens) {
  EXPECT_EQ(
      say(figures({426, 437, 448}, {403, 412, 421})),
      "At night more tokens merge than by day, 5.7% fewer tokens live: 412 ± 9 against 437 ± 11 "
      "live tokens, 3 nights, 3 days.");
  EXPECT_EQ(
      say(figures({403, 412, 421}, {426, 437, 448})),
      "At night fewer tokens merge than by day, 6.1% more tokens live: 437 ± 11 against 412 ± 9 "
      "live tokens, 3 nights, 3 days.");
}

TEST(DayNightSentence, WhatIsNotCertainYetIsSaidWithWhatIsMissing) {
  EXPECT_EQ(
      say(figures({400, 437, 474}, {390, 430, 470})),
      "At night more tokens merge than by day, 1.6% fewer tokens live: 430 ± 40 against 437 ± "
      "37 live tokens, 3 nights, 3 days; they still differ too much among themselves to tell "
      "this from chance, so more nights and days are needed.");
}

TEST(DayNightSentence, AlikeIsSaidWhereItIsCertain) {
  EXPECT_EQ(
      say(figures({437, 437}, {437, 437})),
      "At night as many tokens merge as by day, to within 0.0% of live tokens: 437 ± 0 against "
      "437 ± 0 live tokens, 2 nights, 2 days.");
  EXPECT_NE(say(figures({1000, 1001, 1002, 1001}, {1001, 1002, 1001, 1002})).find("to within 0.2%"),
            std::string::npos);
}

TEST(DayNightSentence, OneNightIsTooEarly) {
  DayNight made = figures({437}, {412});
  EXPECT_EQ(
      say(made),
      "At night more tokens merge than by day, 5.7% fewer tokens live: 412 against 437 live "
      "tokens, "
      "1 night, 1 day; at least two nights and two days, each seen from its beginning, are needed "
      "to tell this from chance.");
  EXPECT_EQ(shownDay(made).mean(), 437);
  EXPECT_EQ(shownNight(made).mean(), 412);
}

// Seen: "1 night, 1 day" beside means of frames, those of the next night and day among them, while
// the strip said other ones.
TEST(DayNightSentence, FiguresAreOfTheNightsAndDaysThatItNames) {
  DayNight made = figures({437}, {412});
  made.dayFrames = of({427, 437, 447, 600});
  made.nightFrames = of({402, 412, 422, 300});
  EXPECT_NE(say(made).find("412 against 437 live tokens, 1 night, 1 day;"), std::string::npos)
      << say(made);
  made.nights = {};
  EXPECT_NE(say(made).find("384 ± 57 against 437 live tokens, no whole night yet, 1 day;"),
            std::string::npos)
      << say(made);
}

TEST(DayNightSentence, SaysWhatIsMissing) {
  EXPECT_EQ(say({}),
            "No tokens have been counted with this schedule yet, neither by day nor at night.");
  EXPECT_EQ(say(figures({427, 437, 447}, {})),
            "No tokens have been counted at night with this schedule yet: by day 437 ± 10 live "
            "tokens, 3 days.");
  EXPECT_EQ(say(figures({}, {412})),
            "No tokens have been counted by day with this schedule yet: at night 412 live tokens, "
            "1 night.")
      << "though days may have been seen: with a memory few frames count";
}

// Seen: "neither by day nor at night" below a strip with figures, of frames at dusk.
TEST(DayNightSentence, SaysThatWhatWasCountedIsNeitherDayNorNight) {
  DayNight made;
  made.betweenFrames = of({650});
  EXPECT_EQ(say(made),
            "So far, tokens have been counted with this schedule only at dusk or while the light "
            "changed, which counts neither as day nor as night.");
  made.dayFrames = of({427, 437, 447});
  EXPECT_NE(say(made).find("by day 437 ± 10 live tokens"), std::string::npos) << say(made);
}

TEST(DayNightSentence, OfFramesAlone) {
  DayNight made;
  made.dayFrames = of({427, 437, 447});
  EXPECT_EQ(
      say(made),
      "No tokens have been counted at night with this schedule yet: by day 437 ± 10 live tokens, "
      "no whole day yet.");
  made.nightFrames = of({402, 412, 422});
  EXPECT_EQ(
      say(made),
      "At night more tokens merge than by day, 5.7% fewer tokens live: 412 ± 10 against 437 ± "
      "10 live tokens, no whole night yet, no whole day yet; at least two nights and two days, "
      "each seen from its beginning, are needed to tell this from chance.");
}

TEST(DayNightSentence, FollowsTheLocale) {
  const std::string german = say(figures({1426, 1437, 1448}, {1203, 1212, 1221}), 2025,
                                 QLocale(QLocale::German, QLocale::Germany));
  EXPECT_NE(german.find("38,3%"), std::string::npos) << german;
  EXPECT_NE(german.find("1.212 ± 9"), std::string::npos) << german;
}

TEST(DayNightSentence, NoTokensAtAll) {
  const std::string sentence = say(figures({0, 0}, {4, 4}));
  EXPECT_EQ(sentence.find("inf"), std::string::npos) << sentence;
  EXPECT_EQ(sentence.find("nan"), std::string::npos) << sentence;
  EXPECT_EQ(sentence.find("At night fewer tokens merge than by day: "), 0U) << sentence;
}

}  // namespace
}  // namespace mpm::gui
