// SPDX-License-Identifier: Apache-2.0
#include "gui/app/rules_dialog.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <optional>

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
    auto* edit = field<QLineEdit>(name);
    ASSERT_TRUE(edit) << qPrintable(name);
    edit->selectAll();
    if (text.isEmpty()) {
      QTest::keyClick(edit, Qt::Key_Delete);
    } else {
      QTest::keyClicks(edit, text);
    }
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

TEST_F(RulesDialogTest, WhatIsTypedIsInTheBook) {
  type("Above", "0.5");
  type("Below", "0.1");
  field<QDoubleSpinBox>("Dwell")->setValue(12);
  field<QPlainTextEdit>("Run a program")->setPlainText("logger\n{rule} {state}\n");
  EXPECT_EQ(rule(0).above, 0.5);
  EXPECT_EQ(rule(0).below, 0.1);
  EXPECT_EQ(rule(0).dwellMs, 12000);
  EXPECT_EQ(rule(0).command, (std::vector<std::string>{"logger", "{rule} {state}"}));
  EXPECT_EQ(rule(0).hysteresis, 0.1);
  EXPECT_TRUE(dialog_.saveButton()->isEnabled()) << qPrintable(dialog_.told());
}

TEST_F(RulesDialogTest, AFaultStandsAtItsFieldAndNothingIsSaved) {
  struct Case {
    const char *field, *text, *says;
  };
  for (const Case& wrong : {Case{"Above", "much", "much"}, Case{"Below", "0.9", "less than above"},
                            Case{"Hysteresis", "-1", "negative"}, Case{"Name", "dark", "dark"}}) {
    RulesDialog fresh(smallBook(), kMetrics);
    SCOPED_TRACE(wrong.field);
    type(wrong.field, wrong.text);
    EXPECT_FALSE(dialog_.saveButton()->isEnabled());
    if (qstrcmp(wrong.field, "Name") != 0) {
      EXPECT_TRUE(dialog_.form()->shownFault().contains(wrong.says))
          << qPrintable(dialog_.form()->shownFault());
    }
    EXPECT_TRUE(dialog_.told().contains("It cannot be saved yet"));
    type("Above", "0.25");
    type("Below", "");
    type("Hysteresis", "0.1");
    type("Name", "blocked");
    EXPECT_TRUE(dialog_.saveButton()->isEnabled()) << qPrintable(dialog_.told());
  }
}

TEST_F(RulesDialogTest, AMetricThatThereIsNotIsAnsweredWithThoseLikeIt) {
  field<QComboBox>("Metric")->setEditText("area.carr");
  EXPECT_TRUE(dialog_.form()->shownFault().contains("area.car"))
      << qPrintable(dialog_.form()->shownFault());
  EXPECT_FALSE(dialog_.saveButton()->isEnabled());
  field<QComboBox>("Metric")->setEditText("confidence");
  EXPECT_TRUE(dialog_.saveButton()->isEnabled());
}

TEST_F(RulesDialogTest, WhatAFieldDoesNotUnderstandIsMendedFirst) {
  type("Above", "much");
  dialog_.ruleList()->setCurrentRow(1);
  EXPECT_EQ(dialog_.ruleList()->currentRow(), 0);
  type("Above", "1");
  dialog_.ruleList()->setCurrentRow(1);
  EXPECT_EQ(dialog_.ruleList()->currentRow(), 1);
}

TEST_F(RulesDialogTest, ANewRuleHasANameOfItsOwnAndIsNotRightUntilItLooksAtSomething) {
  dialog_.addRule();
  ASSERT_EQ(dialog_.book().rules.size(), 4u);
  EXPECT_FALSE(dialog_.saveButton()->isEnabled());
  const auto labels = dialog_.findChildren<QLabel*>();
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
    return label->text().contains("stands here as a sentence");
  }));
  field<QComboBox>("Metric")->setEditText("luma");
  EXPECT_FALSE(dialog_.saveButton()->isEnabled()) << "neither above nor below";
  type("Above", "0.5");
  EXPECT_TRUE(dialog_.saveButton()->isEnabled()) << qPrintable(dialog_.told());
  field<QComboBox>("Looks at")->setCurrentIndex(1);
  EXPECT_FALSE(dialog_.saveButton()->isEnabled());
  for (QCheckBox* box : dialog_.form()->findChildren<QCheckBox*>()) {
    if (box->text() == "Night") box->setChecked(true);
  }
  EXPECT_TRUE(dialog_.saveButton()->isEnabled()) << qPrintable(dialog_.told());
  EXPECT_EQ(rule(3).light, std::vector{monitor::LightState::night});
  EXPECT_TRUE(rule(3).metric.empty());
}

// It grew beyond the screen with a rule's name.
TEST_F(RulesDialogTest, ALongNameMakesItNoWider) {
  const int before = dialog_.minimumSizeHint().width();
  type("Name", QString("n").repeated(200));
  type("Above", QString("0").repeated(200) + "x");
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
  EXPECT_FALSE(dialog_.form()->isEnabled());
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

// A limit that was half typed was gone without a word, and could be saved so beside the other one.
TEST_F(RulesDialogTest, ARenamedZoneLeavesWhatIsBeingTypedAlone) {
  type("Below", "0.01");
  type("Above", "0.2x");
  EXPECT_FALSE(dialog_.saveButton()->isEnabled());
  dialog_.zoneList()->item(0)->setText("front gate");
  EXPECT_EQ(rule(0).metric, "zone.front_gate.area.car");
  EXPECT_EQ(field<QLineEdit>("Above")->text(), "0.2x");
  EXPECT_FALSE(dialog_.saveButton()->isEnabled());
  type("Above", "0.25");
  EXPECT_TRUE(dialog_.saveButton()->isEnabled()) << qPrintable(dialog_.told());
  EXPECT_EQ(rule(0).above, 0.25);
  EXPECT_EQ(rule(0).metric, "zone.front_gate.area.car");
}

TEST_F(RulesDialogTest, RemovingAZoneNamesTheRulesThatLookAtItAndTheyAreNotRightThen) {
  dialog_.removeZone();
  ASSERT_EQ(asked_.size(), 1);
  EXPECT_TRUE(asked_[0].contains("gate") && asked_[0].contains("blocked")) << qPrintable(asked_[0]);
  EXPECT_TRUE(dialog_.book().zones.empty());
  EXPECT_FALSE(dialog_.saveButton()->isEnabled());
  EXPECT_TRUE(dialog_.form()->shownFault().contains("gate"));
  field<QComboBox>("Metric")->setEditText("area.car");
  EXPECT_TRUE(dialog_.saveButton()->isEnabled());
}

TEST_F(RulesDialogTest, ARuleIsReadWithWhatItIsNowAndWouldHaveDone) {
  dialog_.setValues([](const std::string& metric) {
    return metric == "zone.gate.area.car" ? std::optional(0.125) : std::nullopt;
  });
  EXPECT_TRUE(dialog_.read().contains("the share of car in gate has been above 0.25 for"));
  EXPECT_TRUE(dialog_.read().contains("Now it is 0.125.")) << qPrintable(dialog_.read());
  RulePast past{monitor::Metrics(kMetrics), {{}}};
  for (int i = 0; i < 100; ++i) {
    monitor::Bucket& second = past.runs[0].emplace_back(monitor::Bucket{i * 1000, 0, {1}, {}});
    second.tallies.resize(kMetrics.size());
    second.tallies[4].add(i < 50 ? 0.1 : 0.4);
  }
  dialog_.setPast(past);
  EXPECT_TRUE(dialog_.read().contains("would have begun once")) << qPrintable(dialog_.read());
  type("Above", "0.5");
  EXPECT_TRUE(dialog_.read().contains("would not have begun")) << qPrintable(dialog_.read());
  type("Above", "much");
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
  type("Above", "0.5");
  EXPECT_TRUE(closesWith(dialog_, QMessageBox::Cancel));
  EXPECT_TRUE(dialog_.isVisible());
  EXPECT_TRUE(closesWith(dialog_, QMessageBox::Save));
  EXPECT_FALSE(dialog_.isVisible());
  EXPECT_EQ(dialog_.result(), QDialog::Accepted);
  dialog_.show();
  EXPECT_TRUE(closesWith(dialog_, QMessageBox::Discard));
  EXPECT_EQ(dialog_.result(), QDialog::Rejected);
  type("Above", "0.25");
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

}  // namespace
}  // namespace mpm::gui
