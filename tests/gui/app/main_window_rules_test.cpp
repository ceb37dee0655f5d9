// SPDX-License-Identifier: Apache-2.0
// Rules and zones of the living window: in force at once, kept in their file, and no record lost.
#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <functional>
#include <optional>

#include "gui/app/main_window.h"
#include "gui/app/settings.h"

namespace mpm::gui {
namespace {

bool waitFor(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 120000); }

monitor::Rule ruleOf(const char* name, const char* metric, double above) {
  monitor::Rule rule;
  rule.name = name;
  rule.metric = metric;
  rule.above = above;
  return rule;
}

class RulesOfTheWindow : public testing::Test {
 protected:
  RulesOfTheWindow() {
    AppOptions options;
    options.record = folder_.filePath("record.sqlite");
    options.source = "scene:?clock=600x&hour=12&size=160x120";
    QFile::remove(rulesFileOf(*options.source));
    window_.emplace(withOptions({}, options));
    window_->show();
  }
  ~RulesOfTheWindow() override { QFile::remove(file()); }
  QString file() const { return rulesFileOf("scene:?clock=600x&hour=12&size=160x120"); }
  bool isLive() {
    return waitFor([&] {
      const auto engine = window_->live().engine();
      return engine && engine->latest(0);
    });
  }
  bool happened(const QString& words) {
    return waitFor([&] {
      EventList& events = *window_->events();
      for (int row = 0; row < events.rowCount(); ++row) {
        for (int column = 0; column < events.columnCount(); ++column) {
          if (events.index(row, column).data().toString().contains(words)) return true;
        }
      }
      return false;
    });
  }

  QTemporaryDir folder_;
  std::optional<MainWindow> window_;
};

TEST_F(RulesOfTheWindow, NewOnesActOnTheEngineThatRunsAndAreKept) {
  ASSERT_TRUE(isLive());
  const auto engine = window_->live().engine();
  monitor::RuleBook book;
  book.rules.push_back(ruleOf("bright enough", "luma", 0.01));
  book.rules.back().command = {"touch", folder_.filePath("ran").toStdString()};
  window_->watch().setBook(book);
  EXPECT_TRUE(happened("Rule 'bright enough' began"));
  EXPECT_EQ(window_->live().engine(), engine) << "nothing begins anew";
  EXPECT_TRUE(readBook(file()) == book);
  EXPECT_TRUE(waitFor([&] { return QFile::exists(folder_.filePath("ran")); }));
}

TEST_F(RulesOfTheWindow, WhatCannotBeLeavesTheRulesThatAct) {
  ASSERT_TRUE(isLive());
  monitor::RuleBook book;
  book.rules.push_back(ruleOf("fine", "luma", 0.01));
  window_->watch().setBook(book);
  ASSERT_TRUE(happened("Rule 'fine' began"));
  monitor::RuleBook wrong;
  wrong.rules.push_back(ruleOf("cows", "area.cow", 0.01));
  window_->watch().setBook(wrong);
  EXPECT_TRUE(window_->statusBar()->currentMessage().contains("area.cow"));
  EXPECT_TRUE(readBook(file()) == book);
}

TEST_F(RulesOfTheWindow, NewZonesAreMeasuredAndTheRecordGoesOn) {
  ASSERT_TRUE(isLive());
  QSignalSpy opened(&window_->live(), &Live::opened);
  monitor::RuleBook book;
  book.zones.push_back({"left", {{0, 0}, {0.5, 0}, {0.5, 1}, {0, 1}}});
  book.rules.push_back(ruleOf("road", "zone.left.area.road", 0.0001));
  window_->watch().setBook(book);
  ASSERT_TRUE(waitFor([&] { return opened.size() == 1; }));
  ASSERT_TRUE(isLive());
  EXPECT_TRUE(window_->live().engine()->metrics(0).find("zone.left.area.road"));
  EXPECT_EQ(window_->live().recordFault(), QString());
  // A rule holds the zone: drawn zones that would lack it are refused.
  emit window_->deck()->zonesChanged({});
  EXPECT_TRUE(window_->statusBar()->currentMessage().contains("road"));
  EXPECT_TRUE(readBook(file()) == book);
}

TEST_F(RulesOfTheWindow, ABookThatWasKeptIsThereWhenTheSourceIsOpenedAgain) {
  ASSERT_TRUE(isLive());
  monitor::RuleBook book;
  book.rules.push_back(ruleOf("kept", "luma", 0.01));
  window_->watch().setBook(book);
  window_->watch().openSource("scene:?seed=9&size=160x120");
  ASSERT_TRUE(waitFor([&] {
    return !window_->live().isOpening() && window_->live().options().source.contains("seed=9");
  }));
  EXPECT_TRUE(window_->live().options().book.rules.empty());
  window_->watch().openSource("scene:?clock=600x&hour=12&size=160x120");
  EXPECT_TRUE(waitFor([&] { return window_->live().options().book == book; }));
}

}  // namespace
}  // namespace mpm::gui
