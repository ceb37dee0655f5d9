// SPDX-License-Identifier: Apache-2.0
// Rules and zones of the living window: in force at once, kept in their file, and no record lost;
// files that cannot be read and rules that do not fit: what can be seen is seen, it is said, and no
// file is written over.
#include <gtest/gtest.h>

#include "gui/app/clips.h"
#include "gui/app/living_window.h"
#include "gui/app/rules_dialog.h"

namespace mpm::gui {
namespace {

monitor::Rule ruleOf(const char* name, const char* metric, double above) {
  monitor::Rule rule;
  rule.name = name;
  rule.metric = metric;
  rule.above = above;
  return rule;
}
monitor::RuleBook bookOf(const std::vector<monitor::Rule>& rules,
                         const std::vector<monitor::Zone>& zones = {}) {
  monitor::RuleBook book;
  book.rules = rules;
  book.zones = zones;
  return book;
}
const monitor::Zone kAll{"all", {{0, 0}, {1, 0}, {1, 1}, {0, 1}}},
    kLeft{"left", {{0, 0}, {0.5, 0}, {0.5, 1}, {0, 1}}}, kGate{"gate", {{0, 0}, {1, 0}, {1, 1}}};

class RulesOfTheWindow : public Window {
 protected:
  ~RulesOfTheWindow() override { QFile::remove(file()); }
  static QString file() { return rulesFileOf(kSmallStreet); }
};

TEST_F(RulesOfTheWindow, NewOnesActOnTheEngineThatRunsAndAreKeptAndWhatCannotBeIsNot) {
  ASSERT_TRUE(isLive());
  const auto before = engine();
  monitor::RuleBook book = bookOf({ruleOf("bright enough", "luma", 0.01)});
  book.rules[0].command = {"touch", folder_.filePath("ran").toStdString()};
  session().setBook(book);
  EXPECT_TRUE(happened("Rule 'bright enough' began"));
  EXPECT_EQ(engine(), before) << "nothing begins anew";
  EXPECT_TRUE(readBook(file()) == book);
  EXPECT_TRUE(waitFor([&] { return QFile::exists(folder_.filePath("ran")); }));
  session().setBook(bookOf({ruleOf("cows", "area.cow", 0.01)}));
  EXPECT_TRUE(said().contains("area.cow"));
  EXPECT_TRUE(readBook(file()) == book);
  session().openSource("scene:?seed=9&size=160x120");
  ASSERT_TRUE(
      waitFor([&] { return !live().isOpening() && live().options().source.contains("seed=9"); }));
  EXPECT_TRUE(live().book(0).rules.empty());
  session().openSource(kSmallStreet);
  EXPECT_TRUE(waitFor([&] { return session().book() == book; }));
}

TEST_F(RulesOfTheWindow, NewZonesAreMeasuredLitAndHeldByTheirRulesAndTheRecordGoesOn) {
  ASSERT_TRUE(isLive());
  const auto before = engine();
  monitor::RuleBook book = bookOf({ruleOf("road", "zone.left.area.road", 0.0001)}, {kLeft});
  session().setBook(book);
  ASSERT_TRUE(beginsAnew(before) && isLive());
  EXPECT_TRUE(engine()->metrics().find("zone.left.area.road"));
  EXPECT_EQ(live().recordFault(), QString());
  const auto isLit = [&] {
    const auto views = deck().findChildren<PictureView*>();
    return std::any_of(views.begin(), views.end(), [](const PictureView* view) {
      return view->accessibleDescription().contains("A rule holds in: left.");
    });
  };
  EXPECT_TRUE(waitFor(isLit));
  book.rules[0].above = 2;
  session().setBook(book);
  EXPECT_TRUE(waitFor([&] { return !isLit(); }));
  // A rule uses the zone, so zones without it are refused.
  press("Ctrl+D");
  FrameView* view = this->view();
  ASSERT_TRUE(waitFor([&] { return view->result() != nullptr; }));
  QTest::mouseClick(view, Qt::LeftButton, {}, view->rect().center() - QPoint(40, 0));
  hands::keys(view, "Del");
  EXPECT_TRUE(said().contains("road"));
  EXPECT_TRUE(readBook(file()) == book);
}

TEST_F(RulesOfTheWindow, AnEventHasAPictureAndAClickShowsItsMomentInThePlot) {
  ASSERT_TRUE(isLive());
  session().setBook(bookOf({ruleOf("bright", "luma", 0.01)}));
  const QString began = "Rule 'bright' began";
  ASSERT_TRUE(happened(began));
  EXPECT_TRUE(waitFor([&] { return !events().entry(rowOf(began)).picture.isNull(); }));
  choose("Events");
  ASSERT_TRUE(waitForExposed(&window()));
  const qint64 at = events().entry(rowOf(began)).utcMs;
  clickOnEvent(rowOf(began));
  EXPECT_TRUE(panel(window(), "DayNight")->isVisible());
  const TimeWindow& shown = window().findChild<TimePlot*>("Tokens")->timeWindow();
  EXPECT_FALSE(shown.live());
  EXPECT_TRUE(shown.from() < at && at < shown.to());
}

TEST_F(RulesOfTheWindow, AnAlertIsReportedWhereItsRuleSaysSoAndAClickShowsIt) {
  ASSERT_TRUE(isLive());
  QStringList told;
  auto* notifier = window().findChild<Notifier*>();
  ASSERT_NE(notifier, nullptr);
  notifier->setTelling([&](const Notifier::Message& message) { told << message.title; });
  monitor::RuleBook book = bookOf({ruleOf("quiet", "luma", 0.01), ruleOf("loud", "luma", 0.01)});
  book.rules[1].notify = book.rules[1].snapshot = true;
  session().setBook(book);
  ASSERT_TRUE(waitFor([&] { return !told.isEmpty(); }));
  EXPECT_TRUE(happened("Rule 'quiet' began"));
  EXPECT_EQ(told, QStringList("loud"));
  // Guards against Events opening over an exhibition.
  choose("Exhibition");
  ASSERT_TRUE(waitFor([&] { return window().exhibition()->isVisible(); }));
  notifier->open();
  EXPECT_TRUE(window().events()->view()->isVisible());
  EXPECT_EQ(window().face(), Face::study);
  EXPECT_FALSE(window().exhibition()->isVisible() || window().isFullScreen());
  const auto shown = [&] {
    return events().entry(window().events()->view()->currentIndex().row());
  };
  EXPECT_EQ(shown().name, "loud");
  ASSERT_TRUE(waitFor([&] { return !shown().kept.picture.isEmpty(); }));
  notifier->open();
  ASSERT_NE(window().events()->player(), nullptr);
  EXPECT_FALSE(window().events()->player()->picture().isNull());
}

TEST_F(RulesOfTheWindow, WhatHappenedBeforeTheStartIsListedFromTheRecord) {
  ASSERT_TRUE(isLive());
  monitor::RuleBook book = bookOf({ruleOf("bright", "luma", 0.01)});
  book.rules[0].snapshot = true;
  session().setBook(book);
  const Settings settings = session().settings();
  for (int start = 0; start < 2; ++start) {
    ASSERT_TRUE(happened("Rule 'bright' began"));
    EXPECT_TRUE(
        waitFor([&] { return !events().entry(rowOf("Rule 'bright' began")).picture.isNull(); }));
    if (start > 0) break;
    window_.reset();
    QFile::remove(file());
    open(settings);
  }
}

// A draft becomes a zone when drawing ends, also when the window closes.
TEST_F(RulesOfTheWindow, AZoneThatWasBegunIsKeptWhenTheWindowCloses) {
  ASSERT_TRUE(isLive());
  window().resize(900, 700);
  choose("Draw zones");
  drawCorners();
  window().close();
  EXPECT_EQ(readBook(file()).zones.size(), 1u);
}

class RuleFaults : public LivingWindow {
 protected:
  static constexpr const char* kSource = "scene:?clock=600x&hour=12&size=160x120&seed=51";
  static constexpr const char* kBeside = "scene:?clock=600x&hour=12&size=160x120&seed=52";
  static constexpr const char* kBroken = "[[zone]]\nname = \n";
  static constexpr const char* kUnfit =
      "[[rule]]\nname = \"cow\"\nmetric = \"area.cow\"\nabove = 0.5\n\n"
      "[[rule]]\nname = \"bright\"\nmetric = \"luma\"\nabove = 0.01\n";

  ~RuleFaults() override {
    window_.reset();
    for (const char* source : {kSource, kBeside}) QFile::remove(rulesFileOf(source));
  }
  static void keep(const QString& file, const QByteArray& toml) {
    writeBook(file, {});  // which makes its folder
    QFile written(file);
    ASSERT_TRUE(written.open(QIODevice::WriteOnly) && written.write(toml) == toml.size());
  }
  static QByteArray bytesOf(const QString& file) {
    QFile read(file);
    return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
  }
  bool begin(const QStringList& beside = {}, const Settings& remembered = {},
             const std::optional<QString>& rules = {}) {
    Settings settings = street(
        [&](AppOptions& options) {
          options.source = kSource;
          options.rules = rules;
        },
        remembered);
    settings.live.beside = beside;
    open(settings);
    return isLive(1 + static_cast<std::size_t>(beside.size()));
  }
  bool actsAlone(const char* rule) {
    return waitFor([&] {
      const auto rules = engine()->rules();
      return rules.size() == 1 && rules[0].first == rule;
    });
  }
};

// Guards against an error on a terminal that nobody sees, and no window.
TEST_F(RuleFaults, AFileThatCannotBeReadLeavesItsSourceToBeSeenAndStaysAsItIs) {
  const QString file = rulesFileOf(kSource);
  keep(file, kBroken);
  ASSERT_TRUE(begin() && says(file + ":2"));
  session().changeZones({kGate});
  EXPECT_TRUE(said().contains(file)) << qPrintable(said());
  emit session().said({}, false);
  choose("Rules and zones ...");
  EXPECT_TRUE(says(file));
  EXPECT_EQ(bytesOf(file), kBroken);
  keep(file, "# mended\n");
  session().openSource(kSource);
  ASSERT_TRUE(isOpened());
  session().changeZones({kGate});
  EXPECT_EQ(readBook(file).zones.size(), 1U);
}

// Guards against a dark first camera, and against a wall without its x.
TEST_F(RuleFaults, OneOfACameraBesideLeavesAllToBeSeen) {
  const QString file = rulesFileOf(kBeside);
  keep(file, kBroken);
  ASSERT_TRUE(begin({kBeside}) && says(file + ":2"));
  session().show(1);
  session().changeZones({kGate});
  EXPECT_EQ(bytesOf(file), kBroken);
  session().show(0);
  session().changeZones({kGate});
  EXPECT_EQ(readBook(rulesFileOf(kSource)).zones.size(), 1U);
}

TEST_F(RuleFaults, ARuleThatTheModelDoesNotFitIsLeftOutAndStaysInItsFile) {
  const QString file = rulesFileOf(kSource);
  keep(file, kUnfit);
  ASSERT_TRUE(begin() && says("area.cow"));
  EXPECT_TRUE(actsAlone("bright"));
  EXPECT_EQ(bytesOf(file), kUnfit);
  QString told;
  answer<RulesDialog>([&](RulesDialog& dialog) {
    told = dialog.told();
    dialog.reject();
  });
  press("Ctrl+Shift+D");
  EXPECT_TRUE(told.contains("cow")) << qPrintable(told);
  ASSERT_EQ(session().book().rules.size(), 2U);
  const auto before = engine();
  session().changeZones({kGate});
  ASSERT_TRUE(beginsAnew(before));
  EXPECT_EQ(readBook(file).rules.size(), 2U);
  monitor::RuleBook book = session().book();
  book.rules[1].name = "light";
  session().setBook(book);
  EXPECT_TRUE(actsAlone("light"));
  EXPECT_TRUE(readBook(file) == book);
  book.rules[0].metric = "area.sheep";
  session().setBook(book);
  EXPECT_TRUE(said().contains("area.sheep")) << "no new one";
}

// Guards against showing the street's classes silently, or with a word that the next error
// replaces.
TEST_F(RuleFaults, AModelThatIsGoneIsNamedBesideOtherFaults) {
  keep(rulesFileOf(kSource), kBroken);
  Settings remembered;
  remembered.live.model = folder_.filePath("gone.onnx");
  ASSERT_TRUE(begin({}, remembered) && says("gone.onnx"));
  EXPECT_TRUE(said().contains(rulesFileOf(kSource) + ":2")) << qPrintable(said());
}

// Guards against applying rules to the first camera only.
TEST_F(RuleFaults, OneFileThatIsNamedIsOfAllCameras) {
  const QString file = folder_.filePath("all.toml");
  monitor::RuleBook book = bookOf({}, {kGate});
  writeBook(file, book);
  ASSERT_TRUE(begin({kBeside}, {}, file));
  EXPECT_TRUE(live().book(0) == book && live().book(1) == book);
  session().show(1);
  const auto before = engine();
  book.zones.push_back({"yard", {{0, 0}, {1, 0}, {0, 1}}});
  session().changeZones(book.zones);
  EXPECT_TRUE(readBook(file) == book);
  EXPECT_FALSE(QFile::exists(rulesFileOf(kBeside)));
  ASSERT_TRUE(beginsAnew(before));
  EXPECT_TRUE(live().book(0) == book) << "as it is one file";
}

}  // namespace
}  // namespace mpm::gui
