// SPDX-License-Identifier: Apache-2.0
#include "gui/app/rules_dialog.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLayout>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/wait_for.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"
#include "monitor/record/sample_record.h"

namespace mpm::gui {
namespace {

monitor::RuleBook smallBook() {
  return monitor::parseRules(R"(
[[zone]]
name = "gate"
corners = [[0, 0], [0.5, 0], [0.5, 1]]
[[rule]]
name = "blocked"
metric = "zone.gate.area.car"
above = 0.25
hysteresis = 0.1
dwell_s = 30.5
during = ["day", "dusk"]
quiet_after_light_s = 20
snapshot = true
clip = true
command = ["logger", "two\nlines"]
[[rule]]
name = "dark"
light = ["night", "infrared"]
[[rule]]
name = "lost"
stale = true
dwell_s = 60
publish = false
)",
                             "book");
}

const std::vector<std::string> kMetrics{
    "confidence", "luma", "area.car", "area.person", "zone.gate.area.car", "zone.gate.area.person"};

class RulesDialogTest : public ::testing::Test {
 protected:
  RulesDialogTest() : dialog_(smallBook(), kMetrics) {
    dialog_.setAsking([this](const QString& question) {
      asked_ << question;
      return answer_;
    });
  }
  template <class Widget>
  Widget* field(const QString& name) {
    for (Widget* widget : dialog_.form()->findChildren<Widget*>()) {
      if (widget->accessibleName() == name) return widget;
    }
    return nullptr;
  }
  void type(const QString& name, const QString& text) {
    auto* box = field<QDoubleSpinBox>(name);
    ASSERT_TRUE(box) << qPrintable(name);
    box->selectAll();
    QTest::keyClicks(box, text);
  }
  void choose(const QString& name, const QString& entry) {
    auto* box = field<QComboBox>(name);
    ASSERT_TRUE(box && box->findText(entry) >= 0) << qPrintable(name + ": " + entry);
    box->setCurrentIndex(box->findText(entry));
  }
  void rename(int row, const QString& name) { dialog_.ruleList()->item(row)->setText(name); }
  // What is read of the sentence, with what its fields show.
  QString sentence() {
    QWidget* whole = field<QComboBox>("What it looks at")->parentWidget();
    QStringList words;
    for (int i = 0; i < whole->layout()->count(); ++i) {
      QWidget* word = whole->layout()->itemAt(i)->widget();
      if (auto* label = qobject_cast<QLabel*>(word)) words << label->text();
      if (auto* menu = qobject_cast<QComboBox*>(word)) words << '[' + menu->currentText() + ']';
      if (auto* number = qobject_cast<QDoubleSpinBox*>(word)) words << '[' + number->text() + ']';
      if (auto* button = qobject_cast<QAbstractButton*>(word)) words << '[' + button->text() + ']';
    }
    return words.join(' ');
  }
  const monitor::Rule& rule(std::size_t index) const { return dialog_.book().rules[index]; }

  RulesDialog dialog_;
  QStringList asked_;
  bool answer_ = true;
};

// Seen: nothing could be saved beside a rule on a zone's greenness, which the engine measures.
TEST(RulesOfZones, MayLookAtEverythingThatIsMeasuredOfTheirZone) {
  monitor::RuleBook book = smallBook();
  book.greenness = true;
  const std::vector<std::string> metrics{"area.car", "zone.gate.area.car", "gcc", "zone.gate.gcc",
                                         "m2.car",   "zone.gate.m2.car"};
  for (const bool isOnGround : {true, false}) {
    book.zones[0].onGround = isOnGround;
    for (const char* metric : {"zone.gate.gcc", "zone.gate.m2.car"}) {
      book.rules[0].metric = metric;
      const RulesDialog dialog(book, metrics);
      const bool isMeasured = isOnGround || book.rules[0].metric == metrics[3];
      EXPECT_EQ(dialog.saveButton()->isEnabled(), isMeasured)
          << metric << ' ' << isOnGround << ' ' << qPrintable(dialog.told());
    }
  }
}

TEST_F(RulesDialogTest, ShowingEveryRuleChangesNone) {
  for (int row = 0; row < dialog_.ruleList()->count(); ++row) {
    dialog_.ruleList()->setCurrentRow(row);
    EXPECT_EQ(dialog_.form()->shownFault(), QString());
    EXPECT_TRUE(dialog_.form()->rule() == rule(static_cast<std::size_t>(row))) << row;
  }
  EXPECT_TRUE(dialog_.book() == smallBook());
  EXPECT_TRUE(dialog_.saveButton()->isEnabled());
}

TEST_F(RulesDialogTest, ARuleIsASentenceWithFields) {
  EXPECT_EQ(
      sentence().toStdString(),
      "When [car] covers [more than] [25%] of [gate] for [30.5 s] then [notify] [keep a clip]");
  dialog_.ruleList()->setCurrentRow(1);
  EXPECT_EQ(sentence().toStdString(),
            "When [the light] is [night or infrared] for [0 s] then [notify] [keep a clip]");
  dialog_.ruleList()->setCurrentRow(2);
  EXPECT_EQ(sentence().toStdString(),
            "When [no picture] comes for [60 s] then [notify] [keep a clip]");
  monitor::Rule slow;
  slow.name = "slow";
  slow.metric = "ms.network";
  slow.above = 500;
  slow.below = 1;
  dialog_.form()->setRule(slow);
  EXPECT_EQ(sentence().toStdString(),
            "When [Other:] [ms.network] is [outside of] [1] to [500] for [0 s] then [notify] "
            "[keep a clip]");
}

TEST_F(RulesDialogTest, TabGoesThroughTheSentenceAsItIsRead) {
  dialog_.show();
  ASSERT_TRUE(waitForActive(&dialog_));
  QWidget* subject = field<QComboBox>("What it looks at");
  const QLayout* whole = subject->parentWidget()->layout();
  subject->setFocus();
  int fields = 0;
  for (int i = 0; i < whole->count(); ++i) {
    QWidget* word = whole->itemAt(i)->widget();
    if (qobject_cast<QLabel*>(word) != nullptr) continue;
    EXPECT_EQ(QApplication::focusWidget(), word) << i;
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    ++fields;
  }
  EXPECT_EQ(fields, 7);
  auto* more = qobject_cast<QPushButton*>(QApplication::focusWidget());
  EXPECT_TRUE(more != nullptr && more->isCheckable());
}

TEST_F(RulesDialogTest, WhatFewNeedIsBehindMoreAndIsNamedWhileItIsClosed) {
  dialog_.show();
  const auto isSaid = [&](const QString& words) {
    const auto labels = dialog_.form()->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
      return label->isVisible() && label->text().contains(words);
    });
  };
  EXPECT_TRUE(isSaid("Only while the light is day or dusk."));
  EXPECT_FALSE(field<QPlainTextEdit>("A program to run")->isVisible());
  int fields = 0;
  for (const QWidget* widget : dialog_.form()->findChildren<QWidget*>())
    if (widget->isVisible() && !widget->accessibleName().isEmpty()) ++fields;
  for (const QCheckBox* box : dialog_.form()->findChildren<QCheckBox*>())
    if (box->isVisible()) ++fields;
  EXPECT_LE(fields, 7);
  for (QPushButton* button : dialog_.form()->findChildren<QPushButton*>())
    if (button->isCheckable()) button->click();
  EXPECT_TRUE(field<QPlainTextEdit>("A program to run")->isVisible());
  EXPECT_TRUE(field<QDoubleSpinBox>("Back by how much")->isVisible());
  EXPECT_FALSE(isSaid("Only while the light is day or dusk."));
}

TEST_F(RulesDialogTest, WhatIsTypedIsInTheBookAndTheRestStays) {
  monitor::Rule wanted = rule(0);
  type("How much", "7");
  type("For how long", "12");
  type("Back by how much", "1.5");
  field<QPlainTextEdit>("A program to run")->setPlainText("logger\n{rule} {state}\n");
  for (QCheckBox* box : dialog_.form()->findChildren<QCheckBox*>())
    if (box->text() == "notify") box->click();
  wanted.above = 0.07;
  wanted.dwellMs = 12000;
  wanted.hysteresis = 0.015;
  wanted.command = {"logger", "{rule} {state}"};
  wanted.notify = true;
  EXPECT_TRUE(rule(0) == wanted) << monitor::rulesToml(dialog_.book());
  choose("More or less", "outside of");
  EXPECT_EQ(rule(0).below, 0.07);
  type("Up to how much", "50");
  EXPECT_EQ(rule(0).above, 0.5);
  EXPECT_TRUE(dialog_.saveButton()->isEnabled()) << qPrintable(dialog_.told());
  choose("More or less", "less than");
  EXPECT_EQ(rule(0).below, 0.07);
  EXPECT_FALSE(rule(0).above);
  EXPECT_EQ(rule(0).during, wanted.during);
}

TEST_F(RulesDialogTest, AFaultStandsBelowTheSentenceAndNothingIsSaved) {
  type("Back by how much", "30");
  choose("More or less", "outside of");
  EXPECT_TRUE(dialog_.form()->shownFault().contains("could never end"))
      << qPrintable(dialog_.form()->shownFault());
  EXPECT_FALSE(dialog_.saveButton()->isEnabled());
  EXPECT_TRUE(dialog_.told().contains("It cannot be saved yet"));
  type("Back by how much", "1");
  EXPECT_EQ(dialog_.form()->shownFault(), QString());
  EXPECT_TRUE(dialog_.saveButton()->isEnabled()) << qPrintable(dialog_.told());
}

TEST_F(RulesDialogTest, ANameIsGivenInTheListAndBelongsToOneRule) {
  rename(1, "blocked");
  EXPECT_FALSE(dialog_.saveButton()->isEnabled());
  rename(1, "");
  EXPECT_EQ(dialog_.ruleList()->item(1)->text(), "blocked") << "a name is needed";
  rename(1, " dark again ");
  EXPECT_EQ(rule(1).name, "dark again");
  EXPECT_TRUE(dialog_.saveButton()->isEnabled()) << qPrintable(dialog_.told());
}

TEST(RulesOfOtherModels, AClassAZoneAndAMetricThatAreNotThereAreShownAndNamed) {
  monitor::RuleBook book = smallBook();
  for (const char* metric : {"area.carr", "zone.gone.area.car", "ms.netwrk"}) {
    book.rules[0].metric = metric;
    const RulesDialog dialog(book, kMetrics);
    EXPECT_FALSE(dialog.saveButton()->isEnabled()) << metric;
    EXPECT_NE(dialog.form()->shownFault(), QString()) << metric;
    EXPECT_EQ(dialog.form()->rule().metric, metric);
  }
}

TEST_F(RulesDialogTest, TheFirstMenuChangesTheSentenceAndLeavesNothingOfTheOtherBehind) {
  choose("What it looks at", "person");
  EXPECT_EQ(rule(0).metric, "zone.gate.area.person");
  EXPECT_EQ(rule(0).above, 0.25);
  choose("Where", "the picture");
  EXPECT_EQ(rule(0).metric, "area.person");
  const std::vector<std::pair<const char*, const char*>> kOthers{
      {"no picture", "[no picture] comes"},
      {"the light", "[the light] is [night]"},
      {"Other:", "[the mean confidence] is [more than] [50%]"},
      {"car", "[car] covers [more than]"}};
  for (const auto& [entry, words] : kOthers) {
    choose("What it looks at", entry);
    EXPECT_TRUE(sentence().contains(words)) << qPrintable(sentence());
    EXPECT_TRUE(dialog_.saveButton()->isEnabled()) << entry << qPrintable(dialog_.told());
  }
  EXPECT_EQ(rule(0).above, 0.02);
  EXPECT_EQ(rule(0).hysteresis, 0);
}

TEST_F(RulesDialogTest, SeveralStatesOfTheLightAreChosenFromAMenuThatStaysOpen) {
  dialog_.ruleList()->setCurrentRow(1);
  dialog_.show();
  auto* light = field<QPushButton>("Which light");
  QMenu* menu = light->menu();
  QTimer::singleShot(0, menu, [&] {
    for (const int place : {0, 2, 3}) {
      menu->setActiveAction(menu->actions()[place]);
      QTest::keyClick(menu, Qt::Key_Space);
    }
    EXPECT_TRUE(menu->isVisible());
    menu->setActiveAction(menu->actions()[0]);
    QTest::keyClick(menu, Qt::Key_Space);
    menu->close();
  });
  light->click();
  EXPECT_EQ(rule(1).light, std::vector{monitor::LightState::day}) << "one is needed";
  EXPECT_EQ(light->text(), "day");
}

TEST(RuleTemplates, AreRightAtOnceAndHaveNamesOfTheirOwn) {
  std::vector<std::string> metrics = kMetrics;
  metrics.emplace_back("camera_faults");
  RulesDialog dialog(smallBook(), metrics);
  for (const RuleTemplate which :
       {RuleTemplate::appears, RuleTemplate::gone, RuleTemplate::fails, RuleTemplate::appears})
    dialog.addRule(which);
  const auto& rules = dialog.book().rules;
  ASSERT_EQ(rules.size(), 8U);
  EXPECT_TRUE(dialog.saveButton()->isEnabled()) << qPrintable(dialog.told());
  EXPECT_EQ(rules[3].metric, "zone.gate.area.person");
  EXPECT_TRUE(rules[3].above && !rules[3].below && rules[4].below && !rules[4].above);
  EXPECT_TRUE(rules[5].stale && rules[6].metric == "camera_faults");
  EXPECT_EQ(rules[7].name, rules[3].name + " 2");
  for (std::size_t i = 3; i < rules.size(); ++i) EXPECT_TRUE(rules[i].notify && rules[i].clip) << i;
  dialog.ruleList()->setCurrentRow(6);
  EXPECT_EQ(dialog.form()->findChild<QComboBox*>()->currentText(), "the camera");
}

TEST_F(RulesDialogTest, WithoutARecordNoClipIsOffered) {
  const auto boxes = [&](bool enabled) {
    int count = 0;
    for (const QCheckBox* box : dialog_.form()->findChildren<QCheckBox*>())
      count += box->isEnabled() == enabled && box->text().startsWith("keep");
    return count;
  };
  EXPECT_EQ(boxes(true), 2);
  dialog_.setRecorded(false);
  EXPECT_EQ(boxes(false), 2);
  EXPECT_TRUE(rule(0).clip) << "what a rule wants stays";
}

// It grew beyond the screen with a rule's name.
TEST_F(RulesDialogTest, ALongNameMakesItNoWider) {
  const int before = dialog_.minimumSizeHint().width();
  rename(0, QString("n").repeated(200));
  rename(1, QString("n").repeated(200));
  dialog_.zoneList()->item(0)->setText(QString("z").repeated(200));
  EXPECT_TRUE(dialog_.told().contains("cannot be saved"));
  EXPECT_LE(dialog_.minimumSizeHint().width(), std::max(before, 860));
}

TEST_F(RulesDialogTest, RemovingAsksFirst) {
  answer_ = false;
  dialog_.removeRule();
  EXPECT_EQ(dialog_.book().rules.size(), 3u);
  answer_ = true;
  dialog_.removeRule();
  ASSERT_EQ(asked_.size(), 2);
  EXPECT_TRUE(asked_[1].contains("blocked"));
  ASSERT_EQ(dialog_.book().rules.size(), 2u);
  EXPECT_EQ(rule(0).name, "dark");
  EXPECT_TRUE(dialog_.form()->rule() == rule(0)) << "the next one is shown";
  dialog_.removeRule();
  dialog_.removeRule();
  EXPECT_TRUE(dialog_.book().rules.empty());
  EXPECT_TRUE(dialog_.form()->isHidden());
  EXPECT_TRUE(dialog_.saveButton()->isEnabled());
}

TEST_F(RulesDialogTest, ARenamedZoneKeepsTheRulesThatLookAtIt) {
  dialog_.zoneList()->item(0)->setText("front gate");
  EXPECT_EQ(dialog_.book().zones[0].name, "front gate");
  EXPECT_EQ(rule(0).metric, "zone.front_gate.area.car");
  EXPECT_TRUE(dialog_.saveButton()->isEnabled()) << qPrintable(dialog_.told());
  dialog_.zoneList()->item(0)->setText("");
  EXPECT_EQ(dialog_.zoneList()->item(0)->text(), "front gate") << "a name is needed";
  EXPECT_FALSE(dialog_.told().isEmpty());
}

TEST_F(RulesDialogTest, RemovingAZoneNamesTheRulesThatLookAtItAndTheyAreNotRightThen) {
  dialog_.removeZone();
  ASSERT_EQ(asked_.size(), 1);
  EXPECT_TRUE(asked_[0].contains("gate") && asked_[0].contains("blocked")) << qPrintable(asked_[0]);
  EXPECT_TRUE(dialog_.book().zones.empty());
  EXPECT_FALSE(dialog_.saveButton()->isEnabled());
  EXPECT_TRUE(dialog_.form()->shownFault().contains("gate"));
  choose("Where", "the picture");
  EXPECT_TRUE(dialog_.saveButton()->isEnabled());
}

TEST_F(RulesDialogTest, ARuleIsReadWithWhatItIsNowAndWouldHaveDone) {
  dialog_.setValues([](const std::string& metric) {
    return metric == "zone.gate.area.car" ? std::optional(0.125) : std::nullopt;
  });
  EXPECT_TRUE(dialog_.read().contains("Now it is 12.5%.")) << qPrintable(dialog_.read());
  RulePast past{monitor::Metrics(kMetrics), {{}}};
  for (int i = 0; i < 100; ++i) {
    monitor::Bucket& second = past.runs[0].emplace_back(monitor::Bucket{i * 1000, 0, {1}, {}});
    second.tallies.resize(kMetrics.size());
    second.tallies[4].add(i < 50 ? 0.1 : 0.4);
  }
  dialog_.setPast(past);
  EXPECT_TRUE(dialog_.read().contains("would have begun once")) << qPrintable(dialog_.read());
  type("How much", "50");
  EXPECT_TRUE(dialog_.read().contains("would not have begun")) << qPrintable(dialog_.read());
  rename(1, "blocked");
  rename(0, "dark");
  dialog_.ruleList()->setCurrentRow(1);
  type("For how long", "1");
  rename(1, "dark");
  EXPECT_FALSE(dialog_.read().contains("would")) << "nothing is said of what is not right";
}

TEST_F(RulesDialogTest, ACameraThatIsStillGoneWouldHaveBegunARule) {
  RulePast past{monitor::Metrics(kMetrics), {{}}};
  for (int i = 0; i < 60; ++i) {
    past.runs[0].push_back({i * 1000, 0, {1}, {}});
    past.runs[0].back().tallies.resize(kMetrics.size());
  }
  dialog_.ruleList()->setCurrentRow(2);
  dialog_.setPast(past);
  EXPECT_TRUE(dialog_.read().contains("would not have begun")) << qPrintable(dialog_.read());
  dialog_.setPast(past, 600'000);
  EXPECT_TRUE(dialog_.read().contains("would have begun once")) << qPrintable(dialog_.read());
}

// What the box that asks is answered with; whether it came at all.
bool closesWith(RulesDialog& dialog, QMessageBox::StandardButton answer) {
  bool asked = false;
  QTimer::singleShot(0, &dialog, [&] {
    auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    if (box == nullptr) return;
    asked = true;
    QTest::mouseClick(box->button(answer), Qt::LeftButton);
  });
  QTest::keyClick(&dialog, Qt::Key_Escape);
  QApplication::processEvents();
  return asked;
}

TEST_F(RulesDialogTest, ChangesAreNotThrownAwayUnasked) {
  dialog_.show();
  type("How much", "50");
  EXPECT_TRUE(closesWith(dialog_, QMessageBox::Cancel));
  EXPECT_TRUE(dialog_.isVisible());
  EXPECT_TRUE(closesWith(dialog_, QMessageBox::Save));
  EXPECT_FALSE(dialog_.isVisible());
  EXPECT_EQ(dialog_.result(), QDialog::Accepted);
  dialog_.show();
  EXPECT_TRUE(closesWith(dialog_, QMessageBox::Discard));
  EXPECT_EQ(dialog_.result(), QDialog::Rejected);
  type("How much", "25");
  dialog_.show();
  EXPECT_FALSE(closesWith(dialog_, QMessageBox::Cancel)) << "as it was";
  EXPECT_FALSE(dialog_.isVisible());
}

TEST(RulesDialog, WithoutRulesItSaysHowToBegin) {
  RulesDialog dialog({}, kMetrics);
  dialog.setValues({});
  EXPECT_EQ(dialog.read(), "There is no rule yet; Add creates one.");
  dialog.addRule();
  EXPECT_NE(dialog.read(), "There is no rule yet; Add creates one.");
}

TEST(RulePast, OfARecordHasNoFramesOfSimulatedNights) {
  const QTemporaryDir folder;
  const std::string path = folder.filePath("a.sqlite").toStdString();
  {
    monitor::Record record(path);
    const std::int64_t run = record.beginRun(monitor::sampleRun());
    std::vector<monitor::Series::Changed> seconds;
    for (int i = 0; i < 10; ++i)
      seconds.push_back(monitor::sampleBucket(monitor::kNoon + i * 1000, 0.5));
    record.write(run, std::move(seconds));
    const auto tell = [&](std::int64_t afterMs, const char* kind, const char* name) {
      record.write(run, {{1000 + afterMs, monitor::kNoon + afterMs, 0, true}, kind, name, "", {}});
    };
    tell(3500, monitor::kFilterEvent, monitor::kOn);
    tell(4000, monitor::kScheduleEvent, "none");
    tell(6000, monitor::kFilterEvent, "off");
  }
  const RulePast past = pastOf(monitor::RecordReader(path), "gate",
                               monitor::Metrics({"luma", "live_rows"}), monitor::kNoon + 10'000);
  ASSERT_EQ(past.runs.size(), 1u);
  std::string seen;
  for (const monitor::Bucket& second : past.runs[0])
    seen += second.frames == decltype(second.frames){} ? '-' : 'x';
  EXPECT_EQ(seen, "xxx---xxxx");
}

// Seen: a rule on a zone was judged by what the zone of that name had seen where it was before.
TEST(RulePast, OfARecordHasNoValuesOfAZoneThatWasDrawnAnewSince) {
  const QTemporaryDir folder;
  const std::string path = folder.filePath("a.sqlite").toStdString();
  const std::vector<std::string> names{"luma", "zone.gate.area.car"};
  {
    monitor::Record record(path);
    std::int64_t begun = monitor::kNoon;
    for (const char* corners : {"[[0,0],[1,0],[1,0.1]]", "[[0,0.9],[1,0.9],[1,1]]"}) {
      monitor::RunFacts facts = monitor::sampleRun("gate", names);
      facts.settings = std::string(R"({"zones":[{"name":"gate","corners":)") + corners + "}]}";
      facts.begun.utcMs = begun;
      record.write(record.beginRun(facts), {monitor::sampleBucket(begun, 0.5)});
      begun += 10'000;
    }
  }
  const RulePast past =
      pastOf(monitor::RecordReader(path), "gate", monitor::Metrics(names), monitor::kNoon + 20'000);
  ASSERT_EQ(past.runs.size(), 2u);
  EXPECT_GT(past.runs[0][0].tallies[0].count, 0u);
  EXPECT_EQ(past.runs[0][0].tallies[1].count, 0u);
  EXPECT_GT(past.runs[1][0].tallies[1].count, 0u);
}

// "In the last hour, 115 min of it recorded".
TEST(RulePast, IsNoMoreThanAnHourWhereTheClockWasSetBack) {
  constexpr std::int64_t kMinuteMs = 60'000, kHourMs = 60 * kMinuteMs;
  const QTemporaryDir folder;
  const std::string path = folder.filePath("a.sqlite").toStdString();
  {
    monitor::Record record(path);
    const std::int64_t run = record.beginRun(monitor::sampleRun());
    std::vector<monitor::Series::Changed> seconds;
    const auto see = [&](std::int64_t beginUtcMs, std::int64_t ms, std::int32_t era) {
      for (std::int64_t at = 0; at < ms; at += kMinuteMs / 2)
        seconds.push_back(
            monitor::sampleBucket(beginUtcMs + at, 0.5, monitor::Resolution::second, era));
    };
    see(monitor::kNoon, 2 * kHourMs, 0);
    see(monitor::kNoon + kHourMs, 5 * kMinuteMs, 1);
    record.write(run, std::move(seconds));
  }
  const RulePast past =
      pastOf(monitor::RecordReader(path), "gate", monitor::Metrics({"luma", "live_rows"}),
             monitor::kNoon + kHourMs + 5 * kMinuteMs);
  ASSERT_EQ(past.runs.size(), 1u);
  EXPECT_EQ(past.runs[0].front().era, 0);
  EXPECT_EQ(past.runs[0].front().startUtcMs, monitor::kNoon + kHourMs + 5 * kMinuteMs);
  EXPECT_EQ(past.runs[0].size(), 120u);
  EXPECT_EQ(past.runs[0].back().era, 1);
}

TEST(RulePast, OfAnEngineIsWhatCameBehindASimulatedNight) {
  monitor::EngineOptions options;
  options.sources = {{"street", monitor::parseSourceAddress("scene:?size=64x64"), {}}};
  monitor::Engine engine(std::move(options), std::make_unique<test::StubNetwork>(), {});
  ASSERT_TRUE(waitFor([&] { return !pastOf(engine, 0).runs[0].empty(); }));
  engine.setFilter([](const cv::Mat& picture) { return picture; });
  ASSERT_TRUE(waitFor([&] { return pastOf(engine, 0).runs[0].empty(); }));
  engine.setFilter({});
  EXPECT_TRUE(waitFor([&] { return !pastOf(engine, 0).runs[0].empty(); }));
}

monitor::EngineOptions streetOptions() {
  monitor::EngineOptions options;
  options.sources = {{"street", monitor::parseSourceAddress("scene:?size=64x64"), {}}};
  return options;
}

TEST(SilenceNow, IsOfTheRunThatGoesOnAlone) {
  monitor::Engine engine(streetOptions(), std::make_unique<test::StubNetwork>(), {});
  ASSERT_TRUE(waitFor([&] { return !pastOf(engine, 0).runs[0].empty(); }));
  RulePast past = pastOf(engine, 0);
  EXPECT_TRUE(silenceNow(past, engine, 0));
  past.runs[0].back().startUtcMs -= 3'600'000;
  EXPECT_FALSE(silenceNow(past, engine, 0)) << "of a run before";
  past.runs[0].clear();
  EXPECT_FALSE(silenceNow(past, engine, 0));
  past.runs.clear();
  EXPECT_FALSE(silenceNow(past, engine, 0));
}

TEST(SilenceNow, AFileAtItsEndIsNotSilent) {
  monitor::EngineOptions options = streetOptions();
  options.makeReader = [](const monitor::NamedSource&) {
    return std::make_unique<test::StubReader>(test::StubReaderPlan{});
  };
  monitor::Engine engine(std::move(options), std::make_unique<test::StubNetwork>(), {});
  ASSERT_TRUE(waitFor([&] { return engine.done(); }));
  const RulePast past = pastOf(engine, 0);
  ASSERT_FALSE(past.runs[0].empty());
  EXPECT_FALSE(silenceNow(past, engine, 0));
}

}  // namespace
}  // namespace mpm::gui
