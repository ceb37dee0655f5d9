// SPDX-License-Identifier: Apache-2.0
#include "gui/app/notifier.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QSystemTrayIcon>
#include <QWidget>
#include <vector>

#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

EventList::Entry alertOf(const QString& rule, double value = 0.31) {
  monitor::Rule of;
  of.name = rule.toStdString();
  of.metric = "area.car";
  of.above = 0.25;
  monitor::RuleSight sight;
  sight.value = value;
  return {"rule", rule, QString::fromStdString(monitor::beganText(of, sight)), 1000, {}, "gate"};
}

monitor::Rule ruleNamed(const std::string& name, bool notify) {
  monitor::Rule rule;
  rule.name = name;
  rule.notify = notify;
  return rule;
}

class NotifierTest : public ::testing::Test {
 protected:
  void begin(int restMs) {
    notifier_ = new Notifier(&window_, restMs);
    notifier_->setTelling([this](const Notifier::Message& message) { told_.push_back(message); });
  }
  QWidget window_;
  Notifier* notifier_ = nullptr;
  std::vector<Notifier::Message> told_;
};

TEST(NotifierWants, TheBeginningOfARuleThatAsksForIt) {
  const std::vector<monitor::Rule> rules{ruleNamed("loud", true), ruleNamed("quiet", false)};
  EXPECT_TRUE(Notifier::wants(alertOf("loud"), rules));
  EXPECT_FALSE(Notifier::wants(alertOf("quiet"), rules));
  EXPECT_FALSE(Notifier::wants(alertOf("gone"), rules));
  EventList::Entry ended = alertOf("loud");
  ended.text = QString::fromStdString(monitor::unwatchedText(rules[0], 1000));
  EXPECT_FALSE(Notifier::wants(ended, rules));
  EventList::Entry failed = alertOf("loud");
  failed.kind = "command";
  EXPECT_FALSE(Notifier::wants(failed, rules));
}

TEST_F(NotifierTest, TellsTheRuleTheCameraAndWhatHappened) {
  begin(Notifier::kRestMs);
  QImage picture(8, 6, QImage::Format_RGB32);
  picture.fill(Qt::gray);
  notifier_->notify(alertOf("cars"), "The gate", picture);
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].title, "cars");
  EXPECT_EQ(told_[0].text.toStdString(), "The gate: the share of car is 31%, above 25%.");
  EXPECT_EQ(told_[0].picture, picture);
}

TEST_F(NotifierTest, ABurstIsOneMessageAndThenTheNewest) {
  begin(200);
  for (const char* rule : {"first", "second", "third"}) notifier_->notify(alertOf(rule), {}, {});
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].title, "first");
  ASSERT_TRUE(waitFor([&] { return told_.size() == 2; }));
  EXPECT_EQ(told_[1].title, "third");
}

TEST_F(NotifierTest, AClickBringsTheWindowAndTheEventThatWasTold) {
  begin(Notifier::kRestMs);
  QSignalSpy clicked(notifier_, &Notifier::clicked);
  notifier_->open();
  EXPECT_EQ(clicked.size(), 0) << "nothing was told yet";
  window_.hide();
  notifier_->notify(alertOf("cars"), {}, {});
  notifier_->notify(alertOf("later"), {}, {});
  notifier_->open();
  EXPECT_TRUE(window_.isVisible());
  ASSERT_EQ(clicked.size(), 1);
  EXPECT_EQ(clicked[0][0].value<EventList::Entry>().name, "cars");
}

TEST(NotifierOnTheDesktop, WithoutATrayThereIsNoMessage) {
  if (QSystemTrayIcon::isSystemTrayAvailable()) GTEST_SKIP() << "there is a tray";
  QWidget window;
  Notifier notifier(&window);
  QSignalSpy clicked(&notifier, &Notifier::clicked);
  notifier.notify(alertOf("cars"), "The gate", {});
  EXPECT_EQ(notifier.findChild<QSystemTrayIcon*>(), nullptr);
  notifier.open();
  EXPECT_EQ(clicked.size(), 1) << "it counts as told: the task bar called for attention";
}

}  // namespace
}  // namespace mpm::gui
