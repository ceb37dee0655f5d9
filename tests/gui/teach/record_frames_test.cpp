// SPDX-License-Identifier: Apache-2.0
// Frames of the record as somebody takes them to paint on.
#include "gui/teach/record_frames.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <set>
#include <string>
#include <vector>

#include "gui/wait_for.h"
#include "monitor/record/record.h"
#include "monitor/record/sample_record.h"

namespace mpm::gui {
namespace {

class RecordFramesTest : public testing::Test {
 protected:
  // Writes four frames an hour of one day: grey from hour to hour, and dark at night.
  void write() {
    monitor::Record record(path());
    const std::int64_t run = record.beginRun(monitor::sampleRun());
    for (int quarter = 0; quarter < 96; ++quarter) {
      const int hour = quarter / 4;
      const bool day = hour >= 6 && hour < 18;
      monitor::Snapshot snapshot;
      snapshot.taken = {1, QDateTime(kDay, QTime(hour, quarter % 4 * 15)).toMSecsSinceEpoch(), 0,
                        true};
      snapshot.reason = monitor::kDayPicture;
      snapshot.picture = cv::Mat(24, 32, CV_8UC3, cv::Scalar::all(day ? 100 + 8 * hour : hour));
      snapshot.facts = day ? R"({"light":"day"})" : R"({"light":"night"})";
      record.write(run, snapshot);
    }
    ASSERT_TRUE(record.flush(monitor::kDiskMs));
  }
  std::unique_ptr<RecordFrames> open(std::vector<cv::Mat> known = {},
                                     RecordFrames::Doubt doubt = {}) {
    auto dialog = std::make_unique<RecordFrames>(QString::fromStdString(path()), "gate",
                                                 std::move(known), std::move(doubt), nullptr);
    QSignalSpy read(dialog.get(), &RecordFrames::read);
    dialog->show();
    EXPECT_TRUE(waitFor([&] { return read.count() > 0; }));
    return dialog;
  }
  static QPushButton* buttonOf(const RecordFrames& dialog, const QString& part) {
    for (QPushButton* each : dialog.findChildren<QPushButton*>())
      if (each->text().remove('&').contains(part)) return each;
    return nullptr;
  }
  std::string path() const { return folder_ / "a.sqlite"; }
  static int shownIn(const RecordFrames& dialog) {
    int shown = 0;
    for (int row = 0; row < dialog.list()->count(); ++row)
      shown += dialog.list()->item(row)->isHidden() ? 0 : 1;
    return shown;
  }

  const QDate kDay{2026, 11, 3};
  const monitor::Folder folder_;
};

TEST_F(RecordFramesTest, SomeThatDifferAreProposedAtOnce) {
  write();
  const auto dialog = open();
  EXPECT_EQ(dialog->list()->count(), 96);
  const auto chosen = dialog->chosen();
  ASSERT_EQ(chosen.size(), static_cast<std::size_t>(RecordFrames::kProposed));
  int day = 0;
  for (const auto& each : chosen) day += each.light == monitor::LightState::day ? 1 : 0;
  EXPECT_GT(day, 0);
  EXPECT_LT(day, RecordFrames::kProposed);
  EXPECT_TRUE(dialog->told().startsWith("6 frames are suggested")) << qPrintable(dialog->told());
}

TEST_F(RecordFramesTest, HoursAndLightLeaveFewer) {
  write();
  const auto dialog = open();
  auto* light = dialog->findChild<QComboBox*>();
  light->setFocus();
  QTest::keyClick(light, Qt::Key_Down);  // day
  EXPECT_EQ(shownIn(*dialog), 48);
  const QList<QSpinBox*> hours = dialog->findChildren<QSpinBox*>();
  hours.at(0)->setValue(17);
  EXPECT_EQ(shownIn(*dialog), 4);
  light->setCurrentIndex(0);
  hours.at(0)->setValue(22);
  hours.at(1)->setValue(2);
  EXPECT_EQ(shownIn(*dialog), 16) << "over midnight";
  hours.at(1)->setValue(22);
  EXPECT_EQ(shownIn(*dialog), 0);
  EXPECT_TRUE(dialog->told().contains("No picture")) << qPrintable(dialog->told());
}

TEST_F(RecordFramesTest, WhatIsHiddenIsNotChosen) {
  write();
  const auto dialog = open();
  const std::size_t proposed = dialog->chosen().size();
  const QList<QSpinBox*> hours = dialog->findChildren<QSpinBox*>();
  hours.at(0)->setValue(22);
  hours.at(1)->setValue(2);
  const auto chosen = dialog->chosen();
  ASSERT_FALSE(chosen.empty());
  EXPECT_LT(chosen.size(), proposed);
  for (const auto& each : chosen) EXPECT_EQ(each.light, monitor::LightState::night);
}

TEST_F(RecordFramesTest, WhatLooksLikeFramesThatAreThereIsNotProposed) {
  write();
  std::vector<cv::Mat> known;
  for (int grey = 0; grey < 256; ++grey)
    known.push_back(cv::Mat(24, 32, CV_8UC3, cv::Scalar::all(grey)));
  const auto dialog = open(std::move(known));
  EXPECT_TRUE(dialog->chosen().empty());
  EXPECT_TRUE(dialog->told().contains("look like frames")) << qPrintable(dialog->told());
}

TEST_F(RecordFramesTest, ThoseThatWhatWasTaughtIsLeastSureOfAreProposed) {
  write();
  std::vector<std::string> asked;
  const auto dialog = open({}, [&](std::vector<std::string> paths, auto, const auto& next) {
    asked = paths;
    std::vector<double> doubts(paths.size(), 0.1);
    doubts[5] = 0.5;
    doubts[9] = std::nan("");  // its file is gone
    doubts[11] = 0.4;
    doubts[20] = 0.6;
    next(doubts, {});
  });
  auto* button = buttonOf(*dialog, "uncertain");
  ASSERT_TRUE(button != nullptr && button->isEnabled());
  button->click();
  ASSERT_EQ(asked.size(), static_cast<std::size_t>(RecordFrames::kAsked));
  const auto chosen = dialog->chosen();
  ASSERT_EQ(chosen.size(), 3u);
  EXPECT_EQ(chosen[0].frame, asked[5]);
  EXPECT_EQ(chosen[1].frame, asked[11]);
  EXPECT_EQ(chosen[2].frame, asked[20]);
  EXPECT_TRUE(dialog->told().startsWith("It is least sure of these (doubt 60.0%, 50.0%, 40.0%)"))
      << qPrintable(dialog->told());
}

TEST_F(RecordFramesTest, BeforeAnythingWasTaughtNothingIsUnsure) {
  write();
  EXPECT_FALSE(buttonOf(*open(), "uncertain")->isEnabled());
}

TEST_F(RecordFramesTest, ARecordWithoutPicturesSaysHowTheyCome) {
  { monitor::Record(path()).beginRun(monitor::sampleRun()); }
  const auto dialog = open();
  EXPECT_EQ(dialog->list()->count(), 0);
  EXPECT_TRUE(dialog->told().contains("no frames of this source yet"));
}

enum Kind { kNoon, kDusk, kNight, kRain, kSnow, kKinds };

// Draws a house in one of five kinds of weather and light; `seed` moves clouds and drops.
cv::Mat scene(Kind kind, std::uint64_t seed) {
  cv::Mat picture(180, 320, CV_8UC3, cv::Scalar(230, 180, 120));
  cv::rectangle(picture, {0, 100, 320, 80}, cv::Scalar(60, 140, 70), cv::FILLED);
  cv::rectangle(picture, {120, 60, 80, 70}, cv::Scalar(60, 70, 170), cv::FILLED);
  cv::RNG random(seed);
  cv::circle(picture, {random.uniform(0, 320), 25}, 15, cv::Scalar::all(240), cv::FILLED);
  if (kind == kSnow) cv::rectangle(picture, {0, 100, 320, 80}, cv::Scalar::all(235), cv::FILLED);
  if (kind == kDusk) picture = picture * 0.5 + cv::Scalar(0, 20, 60);
  if (kind == kNight) picture *= 0.12;
  if (kind == kRain) {
    picture = picture * 0.7 + cv::Scalar(50, 50, 50);
    for (int drop = 0; drop < 900; ++drop) {
      const cv::Point at(random.uniform(0, 320), random.uniform(0, 180));
      cv::line(picture, at, at + cv::Point(1, 6), cv::Scalar::all(200));
    }
  }
  return picture;
}

TEST(FrameProposal, OneOfEachKindOfWeatherAndLightIsAmongAsMany) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<std::vector<float>> looks;
    std::vector<Kind> kinds;
    for (int i = 0; i < 60; ++i) {  // noon by far the most
      const Kind kind = i % 6 == 5 ? static_cast<Kind>(1 + i / 6 % 4) : kNoon;
      kinds.push_back(kind);
      looks.push_back(lookOf(scene(kind, seed * 1000 + static_cast<std::uint64_t>(i))));
    }
    const std::vector<int> chosen = proposeFrames(looks, kKinds);
    std::set<Kind> found;
    for (const int place : chosen) found.insert(kinds[static_cast<std::size_t>(place)]);
    EXPECT_EQ(found.size(), static_cast<std::size_t>(kKinds));
    EXPECT_EQ(kinds[static_cast<std::size_t>(chosen.front())], kNoon) << "the most ordinary first";
  }
}

TEST(FrameProposal, WhatIsThereAlreadyIsNotProposedAgain) {
  std::vector<std::vector<float>> looks, known;
  for (const Kind kind : {kNoon, kDusk, kNight}) looks.push_back(lookOf(scene(kind, 3)));
  known = {looks[0], looks[2]};
  EXPECT_EQ(proposeFrames(looks, 6, known), std::vector<int>{1});
  known.push_back(looks[1]);
  EXPECT_TRUE(proposeFrames(looks, 6, known).empty());
}

TEST(FrameProposal, OfNothingAndOfEqualsThereIsLittleToPropose) {
  EXPECT_TRUE(proposeFrames({}, 3).empty());
  const std::vector<float> look = lookOf(scene(kNoon, 1));
  EXPECT_EQ(proposeFrames({look, look, look}, 3), std::vector<int>{0});
  EXPECT_TRUE(proposeFrames({look}, 0).empty());
  EXPECT_EQ(lookOf(cv::Mat(1, 1, CV_8UC3, cv::Scalar::all(7))).size(), look.size());
}

}  // namespace
}  // namespace mpm::gui
