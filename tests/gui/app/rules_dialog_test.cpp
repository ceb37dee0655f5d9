// SPDX-License-Identifier: Apache-2.0
#include "gui/app/rules_dialog.h"

#include <gtest/gtest.h>

#include <tuple>

#include "gui/hands.h"

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
    for (Widget* widget : dialog_.form()->findChildren<Widget*>())
      if (widget->accessibleName() == name) return widget;
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
  void show(int row) { dialog_.ruleList()->setCurrentRow(row); }
  void rename(int row, const QString& name) { dialog_.ruleList()->item(row)->setText(name); }
  // Returns the sentence as read, with the contents of its fields.
  std::string sentence() {
    QWidget* whole = field<QComboBox>("What it looks at")->parentWidget();
    QStringList words;
    for (int i = 0; i < whole->layout()->count(); ++i) {
      QWidget* word = whole->layout()->itemAt(i)->widget();
      if (auto* label = qobject_cast<QLabel*>(word)) words << label->text();
      if (auto* menu = qobject_cast<QComboBox*>(word)) words << '[' + menu->currentText() + ']';
      if (auto* number = qobject_cast<QDoubleSpinBox*>(word)) words << '[' + number->text() + ']';
      if (auto* button = qobject_cast<QAbstractButton*>(word)) words << '[' + button->text() + ']';
    }
    return words.join(' ').toStdString();
  }
  const monitor::Rule& rule(std::size_t index) const { return dialog_.book().rules[index]; }
  // Checks whether it can be saved; the trace shows the dialog's words otherwise.
  void expectSaved(bool can = true) {
    EXPECT_EQ(dialog_.saveButton()->isEnabled(), can) << qPrintable(dialog_.told());
  }

  RulesDialog dialog_;
  QStringList asked_;
  bool answer_ = true;
};

// Guards against refusing a rule on a zone's greenness, which the engine measures.
TEST(RulesOfZones, MayLookAtEverythingThatIsMeasuredOfTheirZone) {
  monitor::RuleBook book = smallBook();
  book.greenness = true;
  const std::vector<std::string> metrics{"area.car", "zone.gate.area.car", "gcc", "zone.gate.gcc",
                                         "m2.car",   "zone.gate.m2.car"};
  for (const auto& [metric, onGround, isMeasured] : {std::tuple("zone.gate.gcc", true, true),
                                                     {"zone.gate.m2.car", true, true},
                                                     {"zone.gate.gcc", false, true},
                                                     {"zone.gate.m2.car", false, false}}) {
    book.zones[0].onGround = onGround;
    book.rules[0].metric = metric;
    const RulesDialog dialog(book, metrics);
    EXPECT_EQ(dialog.saveButton()->isEnabled(), isMeasured)
        << metric << ' ' << onGround << ' ' << qPrintable(dialog.told());
  }
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

TEST_F(RulesDialogTest, ARuleIsASentenceWithFieldsAndShowingItChangesNone) {
  const char* const sentences[]{
      "When [car] covers [more than] [25%] of [gate] for [30.5 s] then [notify] [keep a clip]",
      "When [the light] is [night or infrared] for [0 s] then [notify] [keep a clip]",
      "When [no picture] comes for [60 s] then [notify] [keep a clip]"};
  for (int row = 0; row < 3; ++row) {
    show(row);
    EXPECT_EQ(sentence(), sentences[row]);
    EXPECT_EQ(dialog_.form()->shownFault(), QString());
    EXPECT_TRUE(dialog_.form()->rule() == rule(static_cast<std::size_t>(row))) << row;
  }
  EXPECT_TRUE(dialog_.book() == smallBook());
  expectSaved();
  monitor::Rule slow;
  slow.name = "slow";
  slow.metric = "ms.network";
  slow.above = 500;
  slow.below = 1;
  dialog_.form()->setRule(slow);
  EXPECT_EQ(sentence(),
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
    hands::keys(QApplication::focusWidget(), "Tab");
    ++fields;
  }
  EXPECT_EQ(fields, 7);
  auto* more = qobject_cast<QPushButton*>(QApplication::focusWidget());
  EXPECT_TRUE(more != nullptr && more->isCheckable());
}

TEST_F(RulesDialogTest, WhatFewNeedIsBehindMoreAndIsNamedWhileItIsClosed) {
  dialog_.show();
  const auto seen = [&](const auto& is) {
    const auto widgets = dialog_.form()->findChildren<QWidget*>();
    return std::count_if(widgets.begin(), widgets.end(),
                         [&](const QWidget* one) { return one->isVisible() && is(one); });
  };
  const auto isSaid = [](const QWidget* one) {
    const auto* label = qobject_cast<const QLabel*>(one);
    return label && label->text().contains("Only while the light is day or dusk.");
  };
  EXPECT_EQ(seen(isSaid), 1);
  EXPECT_FALSE(field<QPlainTextEdit>("A program to run")->isVisible());
  EXPECT_LE(seen([](const QWidget* one) {
              return !one->accessibleName().isEmpty() || qobject_cast<const QCheckBox*>(one);
            }),
            7);
  for (QPushButton* button : dialog_.form()->findChildren<QPushButton*>())
    if (button->isCheckable()) button->click();
  EXPECT_TRUE(field<QPlainTextEdit>("A program to run")->isVisible());
  EXPECT_TRUE(field<QDoubleSpinBox>("Back by how much")->isVisible());
  EXPECT_EQ(seen(isSaid), 0);
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
  type("Up to how much", "50");
  EXPECT_EQ(std::pair(rule(0).below, rule(0).above),
            std::pair(std::optional(0.07), std::optional(0.5)));
  expectSaved();
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
  expectSaved(false);
  EXPECT_TRUE(dialog_.told().contains("It cannot be saved yet"));
  type("Back by how much", "1");
  EXPECT_EQ(dialog_.form()->shownFault(), QString());
  expectSaved();
}

// A rule's name must not widen it beyond the screen.
TEST_F(RulesDialogTest, ANameIsGivenInTheListBelongsToOneRuleAndMakesItNoWider) {
  rename(1, "blocked");
  expectSaved(false);
  rename(1, "");
  EXPECT_EQ(dialog_.ruleList()->item(1)->text(), "blocked") << "a name is needed";
  rename(1, " dark again ");
  EXPECT_EQ(rule(1).name, "dark again");
  expectSaved();
  const int before = dialog_.minimumSizeHint().width();
  for (const int row : {0, 1}) rename(row, QString("n").repeated(200));
  dialog_.zoneList()->item(0)->setText(QString("z").repeated(200));
  EXPECT_TRUE(dialog_.told().contains("cannot be saved"));
  EXPECT_LE(dialog_.minimumSizeHint().width(), std::max(before, 860));
}

TEST_F(RulesDialogTest, TheFirstMenuChangesTheSentenceAndLeavesNothingOfTheOtherBehind) {
  choose("What it looks at", "person");
  EXPECT_EQ(rule(0).metric, "zone.gate.area.person");
  EXPECT_EQ(rule(0).above, 0.25);
  choose("Where", "the picture");
  EXPECT_EQ(rule(0).metric, "area.person");
  const std::pair<const char*, const char*> others[]{
      {"no picture", "[no picture] comes"},
      {"the light", "[the light] is [night]"},
      {"Other:", "[the mean confidence] is [more than] [50%]"},
      {"car", "[car] covers [more than]"}};
  for (const auto& [entry, words] : others) {
    choose("What it looks at", entry);
    EXPECT_NE(sentence().find(words), std::string::npos) << sentence();
    expectSaved();
  }
  EXPECT_EQ(rule(0).above, 0.02);
  EXPECT_EQ(rule(0).hysteresis, 0);
}

TEST_F(RulesDialogTest, SeveralStatesOfTheLightAreChosenFromAMenuThatStaysOpen) {
  show(1);
  dialog_.show();
  auto* light = field<QPushButton>("Which light");
  QMenu* menu = light->menu();
  QTimer::singleShot(0, menu, [&] {
    for (const int place : {0, 2, 3, 0}) {
      EXPECT_TRUE(menu->isVisible());
      menu->setActiveAction(menu->actions()[place]);
      hands::keys(menu, "Space");
    }
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
  for (const bool recorded : {true, false}) {
    dialog_.setRecorded(recorded);
    int boxes = 0;
    for (const QCheckBox* box : dialog_.form()->findChildren<QCheckBox*>())
      boxes += box->isEnabled() == recorded && box->text().startsWith("keep");
    EXPECT_EQ(boxes, 2);
  }
  EXPECT_TRUE(rule(0).clip) << "what a rule wants stays";
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
  expectSaved();
}

TEST_F(RulesDialogTest, ARenamedZoneKeepsTheRulesThatLookAtItAndARemovedOneNamesThem) {
  dialog_.zoneList()->item(0)->setText("front gate");
  EXPECT_EQ(dialog_.book().zones[0].name, "front gate");
  EXPECT_EQ(rule(0).metric, "zone.front_gate.area.car");
  expectSaved();
  dialog_.zoneList()->item(0)->setText("");
  EXPECT_EQ(dialog_.zoneList()->item(0)->text(), "front gate") << "a name is needed";
  EXPECT_FALSE(dialog_.told().isEmpty());
  dialog_.removeZone();
  ASSERT_EQ(asked_.size(), 1);
  EXPECT_TRUE(asked_[0].contains("gate") && asked_[0].contains("blocked")) << qPrintable(asked_[0]);
  EXPECT_TRUE(dialog_.book().zones.empty());
  expectSaved(false);
  EXPECT_TRUE(dialog_.form()->shownFault().contains("gate"));
  choose("Where", "the picture");
  expectSaved();
}

TEST_F(RulesDialogTest, ARuleIsReadWithWhatItIsNow) {
  dialog_.setValues([](const std::string& metric) {
    return metric == "zone.gate.area.car" ? std::optional(0.125) : std::nullopt;
  });
  EXPECT_EQ(dialog_.read(), "Now it is 12.5%.");
}

TEST_F(RulesDialogTest, ChangesAreNotThrownAwayUnasked) {
  // Closes with this answer to the question, and returns whether it was asked.
  const auto closesWith = [&](QMessageBox::StandardButton answer) {
    bool asked = false;
    QTimer::singleShot(0, &dialog_, [&] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (box == nullptr) return;
      asked = true;
      QTest::mouseClick(box->button(answer), Qt::LeftButton);
    });
    dialog_.show();
    hands::keys(&dialog_, "Esc");
    QApplication::processEvents();
    return asked;
  };
  dialog_.show();
  type("How much", "50");
  EXPECT_TRUE(closesWith(QMessageBox::Cancel) && dialog_.isVisible());
  EXPECT_TRUE(closesWith(QMessageBox::Save) && !dialog_.isVisible());
  EXPECT_EQ(dialog_.result(), QDialog::Accepted);
  EXPECT_TRUE(closesWith(QMessageBox::Discard));
  EXPECT_EQ(dialog_.result(), QDialog::Rejected);
  type("How much", "25");
  EXPECT_FALSE(closesWith(QMessageBox::Cancel)) << "as it was";
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
