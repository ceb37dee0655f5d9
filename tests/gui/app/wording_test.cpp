// SPDX-License-Identifier: Apache-2.0
#include "gui/app/wording.h"

#include <gtest/gtest.h>

#include <QtWidgets>

#include "monitor/camera/camera_fault.h"
#include "monitor/rules/rules.h"
#include "monitor/rules/words.h"

namespace mpm::gui {
namespace {

// A test language that puts all known text in brackets.
class Bracketed : public QTranslator {
 public:
  QString translate(const char* context, const char* source, const char*, int) const override {
    if (QByteArray(context) != "mpm::gui::EventWords") return {};
    return '<' + QString(source) + '>';
  }
  bool isEmpty() const override { return false; }
};

class EventWords : public ::testing::Test {
 protected:
  EventWords() { QCoreApplication::installTranslator(&language_); }
  ~EventWords() override { QCoreApplication::removeTranslator(&language_); }

  static std::string said(const std::string& text) {
    return eventSentence(QString::fromStdString(text)).toStdString();
  }
  static void expectKnown(const std::string& text) {
    const std::string words = said(text);
    EXPECT_TRUE(words.front() == '<' && words.back() == '>') << text << " -> " << words;
  }

  Bracketed language_;
};

monitor::Rule ruleOf(const std::string& metric, std::optional<double> above,
                     std::optional<double> below, std::int64_t dwellMs) {
  monitor::Rule rule;
  rule.name = "gate 'day'";
  rule.metric = metric;
  rule.above = above;
  rule.below = below;
  rule.dwellMs = dwellMs;
  return rule;
}

TEST_F(EventWords, ARulesSentenceIsSaidPartByPartAndItsNameStays) {
  monitor::Rule rule = ruleOf("area.car", 0.25, std::nullopt, 10'000);
  monitor::RuleSight sight;
  sight.value = 0.31;
  sight.heldMs = 10'000;
  EXPECT_EQ(said(monitor::beganText(rule, sight)),
            "<Rule 'gate 'day'' began: <the share of car has been <above 25%> for <10 s>, and is "
            "31% now.>>");
  sight.value = 0.2;
  sight.heldMs = 100'000;
  EXPECT_EQ(said(monitor::endedText(rule, sight)),
            "<Rule 'gate 'day'' ended after <1 min 40 s>: <the share of car is 20%, back to 25% or "
            "less.>>");
  rule = ruleOf("ms.network", 500, std::nullopt, 0);
  sight.value = 612.5;
  EXPECT_EQ(said(monitor::beganText(rule, sight)),
            "<Rule 'gate 'day'' began: <ms.network is 612.5, <above 500>.>>")
      << "no share";
}

TEST_F(EventWords, WhateverARuleSaysIsKnown) {
  using monitor::LightState;
  monitor::RuleSight sight;
  sight.value = 0.31;
  sight.heldMs = 90'061'000;
  sight.silentMs = 4'200;
  sight.light = LightState::night;
  std::vector<monitor::Rule> rules{
      ruleOf("luma", 0.2, std::nullopt, 0), ruleOf("luma", std::nullopt, 0.5, 0),
      ruleOf("luma", 0.3, 0.1, 0),          ruleOf("luma", 0.3, 0.1, 3'600'000),
      ruleOf("luma", 0.2, std::nullopt, 0), ruleOf("", {}, {}, 60'000)};
  rules[4].during = {LightState::day, LightState::dusk};
  rules[5].stale = true;
  using Lights = std::vector<LightState>;
  for (const auto& [lights, dwellMs] :
       {std::pair(Lights{LightState::night, LightState::infrared}, 0),
        {Lights{LightState::night, LightState::infrared}, 5'000},
        {Lights{LightState::noSignal}, 5'000}}) {
    rules.push_back(ruleOf("", {}, {}, dwellMs));
    rules.back().light = lights;
  }
  for (const monitor::Rule& rule : rules)
    for (const std::string& text :
         {monitor::beganText(rule, sight), monitor::endedText(rule, sight),
          monitor::unwatchedText(rule, sight.heldMs)}) {
      expectKnown(text);
      EXPECT_NE(said(text).find(">>"), std::string::npos) << said(text) << ": and its reason";
    }
}

TEST_F(EventWords, WhateverBefallsACameraIsKnown) {
  monitor::Sighting sighting;
  sighting.value = 0.42;
  for (const monitor::CameraFault fault : monitor::kAllCameraFaults) {
    expectKnown(monitor::beganText(fault, sighting));
    expectKnown(monitor::endedText(fault, 65'000));
  }
  monitor::Placement placement;
  expectKnown(monitor::movedAgainText(placement));
  placement.shift = {0.123, -0.02};
  placement.degrees = -1;
  sighting.placement = placement;
  EXPECT_EQ(said(monitor::beganText(monitor::CameraFault::moved, sighting)),
            "<the camera was moved: what it shows is now <<12.3% further right>, <2% further up>, "
            "<1 degree counterclockwise> (of the picture's width)>>");
}

TEST_F(EventWords, WhatTheMonitorSaysIsSaidInTheLanguageAndAnErrorStaysAsItIs) {
  for (const auto& [text, words] : std::initializer_list<std::pair<const char*, const char*>>{
           {"the light is no_signal now, it was day",
            "<the light is <without signal> now, it was <day>>"},
           {"merging before 2,5 from now on, unmerged until now",
            "<<merging before 2,5> from now on, <unmerged> until now>"},
           {"it is at its end", "<it is at its end>"},
           {"it is at its end: 1 of the 3 pictures in x cannot be read",
            "<it is at its end: 1 of the 3 pictures in x cannot be read>"},
           {"it ended early: its reader was killed", "<it ended early: its reader was killed>"},
           {"the model fails on its frames: it is %1 and the light is day",
            "<the model fails on its frames: it is %1 and the light is day>"},
           {"the exposure is wrong: 42 % of the picture are white or black",  // as once
            "<the exposure is wrong: 42% of the picture are white or black>"}})
    EXPECT_EQ(said(text), words);
  for (const char* error :
       {"The command 'logger' was not started: too many run or wait already (4).",
        "rtsp://gate cannot be opened, 401 or worse", "the light is purple", "a is b, above c."})
    EXPECT_EQ(said(error), error);
  EXPECT_EQ(kindWord("rule"), "<rule>");
  EXPECT_EQ(kindWord("app"), "<app>");
  EXPECT_EQ(kindWord("something new"), "something new");
  EXPECT_EQ(durationWords(monitor::durationText(9'300'000)), "<2 h 35 min>");
}

class RuleSentence : public ::testing::Test {
 protected:
  RuleSentence() { QLocale::setDefault(QLocale::c()); }
  ~RuleSentence() override { QLocale::setDefault(before_); }
  static std::string extrasOf(const std::string& rule) {
    const monitor::RuleBook book = monitor::parseRules(
        "[[zone]]\nname = \"gate\"\ncorners = [[0,0],[1,0],[1,1]]\n[[rule]]\nname = \"r\"\n" + rule,
        "book");
    return ruleExtras(book.rules[0]).toStdString();
  }

 private:
  const QLocale before_;
};

TEST_F(RuleSentence, SaysWhatFewRulesHave) {
  EXPECT_EQ(
      extrasOf("metric = \"zone.gate.area.car\"\nabove = 0.25\nhysteresis = 0.015\n"
               "dwell_s = 30\nduring = [\"day\", \"dusk\", \"night\"]\n"
               "quiet_after_light_s = 90\nsnapshot = true\nclip = true\n"
               "publish = false\ncommand = [\"logger\", \"x\"]\n"),
      "Keeps a snapshot. Is not published. Ends once the value is back by 1.5%. Only while the "
      "light is day, dusk or night. Waits for 1 min 30 s after the light has changed. Runs "
      "logger.");
  EXPECT_EQ(extrasOf("metric = \"ms.network\"\nabove = 5\nhysteresis = 2\n"),
            "Ends once the value is back by 2.");
  EXPECT_EQ(extrasOf("stale = true\ndwell_s = 60\nclip = true\nnotify = true\n"), "");
}

TEST_F(RuleSentence, SaysWhatItIsNow) {
  monitor::Rule rule;
  rule.metric = "luma";
  EXPECT_EQ(valueSentence(rule, 0.5), "Now it is 50%.");
  EXPECT_EQ(valueSentence(rule, std::nullopt), "Its current value is not known yet.");
}

}  // namespace
}  // namespace mpm::gui
