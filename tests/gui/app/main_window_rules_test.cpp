// SPDX-License-Identifier: Apache-2.0
// Rules and zones of the living window: in force at once, kept in their file, and no record lost.
#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>
#include <QTableView>
#include <algorithm>

#include "gui/app/clips.h"
#include "gui/app/living_window.h"

namespace mpm::gui {
namespace {

monitor::Rule ruleOf(const char* name, const char* metric, double above) {
  monitor::Rule rule;
  rule.name = name;
  rule.metric = metric;
  rule.above = above;
  return rule;
}

class RulesOfTheWindow : public Window {
 protected:
  ~RulesOfTheWindow() override { QFile::remove(file()); }
  static QString file() { return rulesFileOf(kSmallStreet); }
  bool happened(const QString& words) {
    return waitFor([&] {
      const EventList& events = window_.events()->list();
      for (int row = 0; row < events.rowCount(); ++row)
        if (events.words(row).contains(words)) return true;
      return false;
    });
  }
};

TEST_F(RulesOfTheWindow, NewOnesActOnTheEngineThatRunsAndAreKept) {
  ASSERT_TRUE(isLive());
  const auto engine = window_.live().engine();
  monitor::RuleBook book;
  book.rules.push_back(ruleOf("bright enough", "luma", 0.01));
  book.rules.back().command = {"touch", folder_.filePath("ran").toStdString()};
  window_.session().setBook(book);
  EXPECT_TRUE(happened("Rule 'bright enough' began"));
  EXPECT_EQ(window_.live().engine(), engine) << "nothing begins anew";
  EXPECT_TRUE(readBook(file()) == book);
  EXPECT_TRUE(waitFor([&] { return QFile::exists(folder_.filePath("ran")); }));
}

TEST_F(RulesOfTheWindow, WhatCannotBeLeavesTheRulesThatAct) {
  ASSERT_TRUE(isLive());
  monitor::RuleBook book;
  book.rules.push_back(ruleOf("fine", "luma", 0.01));
  window_.session().setBook(book);
  ASSERT_TRUE(happened("Rule 'fine' began"));
  monitor::RuleBook wrong;
  wrong.rules.push_back(ruleOf("cows", "area.cow", 0.01));
  window_.session().setBook(wrong);
  EXPECT_TRUE(said().contains("area.cow"));
  EXPECT_TRUE(readBook(file()) == book);
}

TEST_F(RulesOfTheWindow, NewZonesAreMeasuredAndTheRecordGoesOn) {
  ASSERT_TRUE(isLive());
  QSignalSpy opened(&window_.live(), &Live::opened);
  monitor::RuleBook book;
  book.zones.push_back({"left", {{0, 0}, {0.5, 0}, {0.5, 1}, {0, 1}}});
  book.rules.push_back(ruleOf("road", "zone.left.area.road", 0.0001));
  window_.session().setBook(book);
  ASSERT_TRUE(waitFor([&] { return opened.size() == 1; }));
  ASSERT_TRUE(isLive());
  EXPECT_TRUE(window_.live().engine()->metrics(0).find("zone.left.area.road"));
  EXPECT_EQ(window_.live().recordFault(), QString());
  // A rule holds the zone: drawn zones that would lack it are refused.
  press("Ctrl+D");
  FrameView* view = this->view();
  ASSERT_TRUE(waitFor([&] { return view->result() != nullptr; }));
  QTest::mouseClick(view, Qt::LeftButton, {}, view->rect().center() - QPoint(40, 0));
  QTest::keyClick(view, Qt::Key_Delete);
  EXPECT_TRUE(said().contains("road"));
  EXPECT_TRUE(readBook(file()) == book);
}

TEST_F(RulesOfTheWindow, ABookThatWasKeptIsThereWhenTheSourceIsOpenedAgain) {
  ASSERT_TRUE(isLive());
  monitor::RuleBook book;
  book.rules.push_back(ruleOf("kept", "luma", 0.01));
  window_.session().setBook(book);
  window_.session().openSource("scene:?seed=9&size=160x120");
  ASSERT_TRUE(waitFor([&] {
    return !window_.live().isOpening() && window_.live().options().source.contains("seed=9");
  }));
  EXPECT_TRUE(window_.live().books()[0].rules.empty());
  window_.session().openSource(kSmallStreet);
  EXPECT_TRUE(waitFor([&] { return window_.session().book() == book; }));
}

TEST_F(RulesOfTheWindow, AZoneIsLitWhileItsRuleHolds) {
  ASSERT_TRUE(isLive());
  monitor::RuleBook book;
  book.zones.push_back({"all", {{0, 0}, {1, 0}, {1, 1}, {0, 1}}});
  book.rules.push_back(ruleOf("road", "zone.all.area.road", 0.0001));
  window_.session().setBook(book);
  const auto isLit = [&] {
    const auto views = window_.deck()->findChildren<PictureView*>();
    return std::any_of(views.begin(), views.end(), [](const PictureView* view) {
      return view->accessibleDescription().contains("A rule holds in: all.");
    });
  };
  EXPECT_TRUE(waitFor(isLit));
  book.rules[0].above = 2;
  window_.session().setBook(book);
  EXPECT_TRUE(waitFor([&] { return !isLit(); }));
}

TEST_F(RulesOfTheWindow, AnEventHasAPictureAndAClickShowsItsMomentInThePlot) {
  ASSERT_TRUE(isLive());
  monitor::RuleBook book;
  book.rules.push_back(ruleOf("bright", "luma", 0.01));
  window_.session().setBook(book);
  ASSERT_TRUE(happened("Rule 'bright' began"));
  EventList& list = window_.events()->list();
  const auto rowOfIt = [&] {  // another one whenever something happens
    int row = 0;
    while (list.entry(row).name != "bright") ++row;
    return row;
  };
  EXPECT_TRUE(waitFor([&] { return !list.entry(rowOfIt()).picture.isNull(); }));
  choose("Events");
  QTableView* view = window_.events()->view();
  ASSERT_TRUE(waitForExposed(&window_));
  const int row = rowOfIt();
  view->scrollTo(list.index(row, 2));
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                    view->visualRect(list.index(row, 2)).center());
  EXPECT_TRUE(panel(window_, "DayNight")->isVisible());
  const TimeWindow& shown = window_.findChild<TimePlot*>("Tokens")->timeWindow();
  EXPECT_FALSE(shown.live());
  const qint64 at = list.entry(row).utcMs;
  EXPECT_LT(shown.from(), at);
  EXPECT_GT(shown.to(), at);
}

TEST_F(RulesOfTheWindow, AnAlertIsReportedWhereItsRuleSaysSoAndAClickShowsIt) {
  ASSERT_TRUE(isLive());
  QStringList told;
  auto* notifier = window_.findChild<Notifier*>();
  ASSERT_NE(notifier, nullptr);
  notifier->setTelling([&](const Notifier::Message& message) { told << message.title; });
  monitor::RuleBook book;
  book.rules.push_back(ruleOf("quiet", "luma", 0.01));
  book.rules.push_back(ruleOf("loud", "luma", 0.01));
  book.rules.back().notify = book.rules.back().snapshot = true;
  window_.session().setBook(book);
  ASSERT_TRUE(waitFor([&] { return !told.isEmpty(); }));
  EXPECT_TRUE(happened("Rule 'quiet' began"));
  EXPECT_EQ(told, QStringList("loud"));
  // Seen: during an exhibition Events opened over it.
  choose("Exhibition");
  ASSERT_TRUE(waitFor([&] { return window_.exhibition()->isVisible(); }));
  notifier->open();
  EXPECT_TRUE(window_.events()->view()->isVisible());
  EXPECT_EQ(window_.face(), Face::study);
  EXPECT_FALSE(window_.exhibition()->isVisible() || window_.isFullScreen());
  EventList& list = window_.events()->list();
  EXPECT_EQ(list.entry(window_.events()->view()->currentIndex().row()).name, "loud");
  const auto kept = [&] {
    return list.entry(window_.events()->view()->currentIndex().row()).kept.picture;
  };
  ASSERT_TRUE(waitFor([&] { return !kept().isEmpty(); }));
  notifier->open();
  ASSERT_NE(window_.events()->player(), nullptr);
  EXPECT_FALSE(window_.events()->player()->picture().isNull());
}

TEST_F(RulesOfTheWindow, WhatHappenedBeforeTheStartIsListedFromTheRecord) {
  AppOptions options = smallStreet();
  options.record = folder_.filePath("before.sqlite");
  const Settings settings = withOptions({}, options);
  const auto isListed = [](MainWindow& window) {
    return waitFor([&] {
      EventList& list = window.events()->list();
      for (int row = 0; row < list.rowCount(); ++row)
        if (list.entry(row).name == "bright") return !list.entry(row).picture.isNull();
      return false;
    });
  };
  {
    MainWindow before(settings);
    ASSERT_TRUE(waitFor([&] { return before.live().newest() != nullptr; }));
    monitor::RuleBook book;
    book.rules.push_back(ruleOf("bright", "luma", 0.01));
    book.rules.back().snapshot = true;
    before.session().setBook(book);
    ASSERT_TRUE(isListed(before));
  }
  QFile::remove(file());
  MainWindow next(settings);
  EXPECT_TRUE(isListed(next));
}

// A polygon that was begun is a zone when drawing ends, also with the window.
TEST_F(RulesOfTheWindow, AZoneThatWasBegunIsKeptWhenTheWindowCloses) {
  ASSERT_TRUE(isLive());
  window_.resize(900, 700);
  choose("Tabs");
  choose("Draw zones");
  drawCorners();
  window_.close();
  EXPECT_EQ(readBook(file()).zones.size(), 1u);
}

}  // namespace
}  // namespace mpm::gui
