// SPDX-License-Identifier: Apache-2.0
#include "gui/app/wording.h"

#include <gtest/gtest.h>

#include <QLocale>

namespace mpm::gui {
namespace {

monitor::RuleBook book(const std::string& rules) {
  return monitor::parseRules("[[zone]]\nname = \"gate\"\ncorners = [[0,0],[1,0],[1,1]]\n" + rules,
                             "book");
}

std::string sentenceOf(const std::string& rule) {
  QLocale::setDefault(QLocale::c());
  return ruleSentence(book("[[rule]]\nname = \"r\"\n" + rule).rules[0]).toStdString();
}

TEST(RuleSentence, SaysWhatARuleLooksAtAndDoes) {
  EXPECT_EQ(
      sentenceOf("metric = \"zone.gate.area.car\"\nabove = 0.25\ndwell_s = 30\n"
                 "during = [\"day\", \"dusk\", \"night\"]\nsnapshot = true\nclip = true\n"
                 "command = [\"logger\", \"x\"]\n"),
      "Begins when the share of car in gate has been above 0.25 for 30 s. Only while the light "
      "is day, dusk or night. Keeps a snapshot and a clip. Runs logger.");
  EXPECT_EQ(sentenceOf("metric = \"luma\"\nabove = 0.96\nbelow = 0.04\n"),
            "Begins as soon as the brightness is outside of 0.04 to 0.96.");
  EXPECT_EQ(sentenceOf("metric = \"confidence\"\nbelow = 0.6\ndwell_s = 600\nsnapshot = true\n"),
            "Begins when the mean confidence has been below 0.6 for 10 min. Keeps a snapshot.");
  EXPECT_EQ(sentenceOf("light = [\"night\", \"infrared\"]\ndwell_s = 120\n"),
            "Begins when the light has been night or infrared for 2 min.");
  EXPECT_EQ(sentenceOf("stale = true\ndwell_s = 60\nclip = true\n"),
            "Begins when no frame has come for 1 min. Keeps a clip.");
  EXPECT_EQ(ruleSentence({}), QString()) << "it looks at nothing yet";
}

TEST(RuleSentence, SaysWhatItWouldHaveDone) {
  QLocale::setDefault(QLocale::c());
  EXPECT_EQ(hindsightSentence({0, 0, {}, 840'000}),
            "In the last hour, 14 min of it recorded, it would not have begun.");
  const QDateTime at(QDate(2026, 11, 23), QTime(13, 4, 59));
  EXPECT_EQ(hindsightSentence({3, 65'000, at.toMSecsSinceEpoch(), 3'599'000}),
            "In the last hour, 60 min of it recorded, it would have begun 3 times, the last time "
            "at 13:04:59, and held for 1 min 5 s in all.");
  EXPECT_EQ(hindsightSentence({}), "Nothing that it looks at has been recorded yet.");
  monitor::Rule rule;
  rule.metric = "luma";
  EXPECT_EQ(valueSentence(rule, 0.5), "Now it is 0.5.");
  EXPECT_EQ(valueSentence(rule, std::nullopt), "What it is now is not known yet.");
}

}  // namespace
}  // namespace mpm::gui
