// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/paint_project.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QStringList>
#include <QTemporaryDir>
#include <algorithm>
#include <future>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "evaluate/pairs.h"
#include "evaluate/truth.h"
#include "teach/painted_frames.h"

namespace mpm::gui {
namespace {

using mpm::test::paintedScene;

const QDateTime kNoon(QDate(2026, 11, 22), QTime(12, 0));
const std::vector<PaintClass> kThree = {
    {"sky", QColor(0, 0, 255)}, {"wet ground", QColor(0, 255, 0)}, {"box", QColor(255, 0, 0)}};

class PaintProjectTest : public testing::Test {
 protected:
  QString file(const QString& name) const { return folder_.filePath("yard/" + name); }
  void put(const QString& name, const QByteArray& bytes) const {
    QFile out(file(name));
    ASSERT_TRUE(out.open(QIODevice::WriteOnly));
    out.write(bytes);
  }
  template <typename Act>
  std::string refusalOf(const Act& act) const {
    try {
      act();
    } catch (const std::runtime_error& fault) {
      return fault.what();
    }
    return "nothing was refused";
  }
  QTemporaryDir folder_;
  PaintProject project_{folder_.filePath("yard")};
};

TEST_F(PaintProjectTest, FramesOfOneMinuteReadApart) {
  const QString first = project_.take(paintedScene(1).frame, kNoon);
  const QString second = project_.take(paintedScene(2).frame, kNoon.addSecs(7));
  EXPECT_TRUE(PaintProject::spoken(first).endsWith(" 12:00:00")) << first.toStdString();
  EXPECT_TRUE(PaintProject::spoken(second).endsWith(" 12:00:07")) << second.toStdString();
  EXPECT_EQ(PaintProject::spoken("gate"), QString("gate"));
}

// mpm eval and mpm teach read exactly what was painted.
TEST_F(PaintProjectTest, IsADataSet) {
  project_.setClasses(kThree);
  const auto scene = paintedScene(1);
  const QString first = project_.take(scene.frame, kNoon);
  const QString second = project_.take(paintedScene(2).frame, kNoon);  // at the same time
  EXPECT_NE(first, second);
  cv::Mat labels = scene.labels.clone();
  labels.row(0).setTo(255);
  project_.keep(first, labels);
  const auto listing = evaluate::listPairs(evaluate::Format::folder, file("").toStdString(), "");
  ASSERT_EQ(listing.pairs.size(), 2U);
  EXPECT_EQ(listing.pairs[0].name, first.toStdString());
  EXPECT_EQ(cv::norm(evaluate::readPhotoFile(listing.pairs[0].photo), scene.frame, cv::NORM_INF),
            0);
  cv::Mat numbers = evaluate::readLabelNumbers(listing.pairs[0].label), bytes;
  numbers.convertTo(bytes, CV_8U);
  EXPECT_EQ(cv::norm(bytes, labels, cv::NORM_INF), 0);
  EXPECT_FALSE(project_.isPainted(second));
  const PaintProject again(file(""));
  EXPECT_EQ(again.classes(), kThree);
  EXPECT_EQ(again.frames(), project_.frames());
  EXPECT_EQ(cv::norm(again.labels(first, labels.size()), labels, cv::NORM_INF), 0);
  EXPECT_EQ(paintedShare(again.labels(second, labels.size())), 0);
}

TEST_F(PaintProjectTest, RefusesClassesThatCannotBe) {
  project_.setClasses(kThree);
  std::vector<PaintClass> classes = kThree;
  classes.push_back({" sky ", Qt::red});
  EXPECT_NE(refusalOf([&] { project_.setClasses(classes); }).find("already a class sky"),
            std::string::npos);
  classes.back().name = " \t";
  EXPECT_NE(refusalOf([&] { project_.setClasses(classes); }).find("needs a name"),
            std::string::npos);
  classes.clear();
  for (int k = 0; k < 256; ++k) classes.push_back({QString::number(k), Qt::red});
  EXPECT_NE(refusalOf([&] { project_.setClasses(classes); }).find("255 classes"),
            std::string::npos);
  EXPECT_EQ(PaintProject(file("")).classes(), kThree);
  classes.pop_back();
  project_.setClasses(classes);
  classes[0].name = "a\tname\nof lines";  // which the file could not hold
  project_.setClasses(classes);
  EXPECT_EQ(PaintProject(file("")).classes()[0].name, "a name of lines");
}

TEST_F(PaintProjectTest, GivesEachNewClassAColourOfItsOwn) {
  std::vector<PaintClass> classes;
  for (int k = 0; k < 20; ++k) {
    const QColor fresh = project_.freshColour();
    for (const PaintClass& each : classes) EXPECT_NE(each.colour, fresh);
    classes.push_back({QString::number(k), fresh});
    project_.setClasses(classes);
  }
}

cv::Vec3f labOf(const QColor& colour) {
  cv::Mat_<cv::Vec3f> lab(1, 1, cv::Vec3f(colour.blueF(), colour.greenF(), colour.redF()));
  cv::cvtColor(lab, lab, cv::COLOR_BGR2Lab);
  return lab(0);
}

TEST_F(PaintProjectTest, TheColoursOfTheFirstClassesStandOutFromEachOther) {
  std::vector<PaintClass> classes;
  for (int k = 0; k < 8; ++k) {
    const QColor fresh = project_.freshColour();
    for (const PaintClass& each : classes)
      EXPECT_GT(cv::norm(labOf(each.colour), labOf(fresh)), 40) << k;
    classes.push_back({QString::number(k), fresh});
    project_.setClasses(classes);
  }
}

TEST_F(PaintProjectTest, AColourFitsWhatIsPaintedWhereItIsOneAndUnlikeOthers) {
  project_.setClasses({{"lawn", QColor(230, 36, 36)}, {"path", QColor(36, 36, 230)}});
  const QColor lawn = project_.fittingColour(0, {60, 110, 80});
  EXPECT_NEAR(lawn.hsvHue(), QColor(80, 110, 60).hsvHue(), 3);
  EXPECT_GT(lawn.hsvSaturation(), 180);
  EXPECT_EQ(project_.fittingColour(1, {120, 118, 121}), QColor(36, 36, 230)) << "grey is none";
  EXPECT_EQ(project_.fittingColour(1, {40, 30, 52}), QColor(36, 36, 230)) << "nor is what is dark";
  project_.setClasses({{"lawn", lawn}, {"path", QColor(36, 36, 230)}});
  EXPECT_EQ(project_.fittingColour(1, {60, 112, 80}), QColor(36, 36, 230)) << "the lawn has it";
}

TEST_F(PaintProjectTest, RefusesFramesThatDoNotFit) {
  EXPECT_NE(refusalOf([&] { project_.take({}, kNoon); }).find("no picture"), std::string::npos);
  project_.take(paintedScene(0).frame, kNoon);
  const std::string refusal =
      refusalOf([&] { project_.take(cv::Mat(10, 20, CV_8UC3, cv::Scalar::all(3)), kNoon); });
  EXPECT_NE(refusal.find("20 x 10"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("64 x 48"), std::string::npos) << refusal;
  EXPECT_EQ(project_.frames().size(), 1);
}

TEST_F(PaintProjectTest, RefusesPaintingsThatDoNotFit) {
  project_.setClasses(kThree);
  const QString name = project_.take(paintedScene(0).frame, kNoon);
  project_.keep(name, cv::Mat(10, 20, CV_8U, cv::Scalar(1)));
  EXPECT_NE(refusalOf([&] {
              project_.labels(name, {64, 48});
            }).find("from its frame"),
            std::string::npos);
  project_.keep(name, cv::Mat(48, 64, CV_8U, cv::Scalar(3)));
  EXPECT_NE(refusalOf([&] {
              project_.labels(name, {64, 48});
            }).find("not classes"),
            std::string::npos);
  put("labels/" + name + ".png", "no picture");
  EXPECT_NE(refusalOf([&] {
              project_.labels(name, {64, 48});
            }).find(name.toStdString()),
            std::string::npos);
  put("images/" + name + ".png", "no picture");
  EXPECT_NE(refusalOf([&] { project_.frame(name); }).find("cannot be read as a picture"),
            std::string::npos);
  put("classes.txt", "sky\tblueish\n");
  EXPECT_NE(refusalOf([&] { PaintProject{file("")}; }).find("is not a colour"), std::string::npos);
}

TEST_F(PaintProjectTest, NeverNamesAModelThatIsThere) {
  const QString first = project_.freshModel(kNoon);
  put(QDir(file("")).relativeFilePath(first), "a model");
  const QString second = project_.freshModel(kNoon);
  EXPECT_NE(first, second);
  EXPECT_TRUE(second.endsWith(".onnx"));
}

class RemovedClass : public PaintProjectTest {
 protected:
  RemovedClass() {
    project_.setClasses(kThree);
    for (int i = 0; i < 2; ++i) {
      names_ << project_.take(paintedScene(i).frame, kNoon.addSecs(i));
      cv::Mat labels(paintedScene(i).frame.size(), CV_8U, cv::Scalar(255));
      labels.row(1).setTo(0);
      labels.row(3).setTo(2);
      if (i == 0) labels.row(2).setTo(1);
      project_.keep(names_[i], labels);
    }
  }
  void expectRemoved(const PaintProject& project) const {
    ASSERT_EQ(project.classes(), (std::vector<PaintClass>{kThree[0], kThree[2]}));
    for (const QString& name : names_) {
      const cv::Mat labels = project.labels(name, paintedScene(0).frame.size());
      EXPECT_EQ(labels.at<uchar>(0, 0), 255);
      EXPECT_EQ(labels.at<uchar>(1, 0), 0);
      EXPECT_EQ(labels.at<uchar>(2, 0), 255);
      EXPECT_EQ(labels.at<uchar>(3, 0), 1);
    }
    EXPECT_FALSE(QFile::exists(file("classes-next.txt")));
    EXPECT_FALSE(QFile::exists(file("labels-next")));
  }
  QStringList names_;
};

TEST_F(RemovedClass, GoesFromEveryPaintingAndTheOthersStay) {
  EXPECT_EQ(project_.framesWith(1), 1);
  EXPECT_EQ(project_.framesWith(2), 2);
  project_.removeClass(1);
  expectRemoved(project_);
  expectRemoved(PaintProject(file("")));
}

// The program may be killed in the middle of it.
TEST_F(RemovedClass, WhatACrashLeftIsFinishedOrNeverBegan) {
  const QDir yard(file(""));
  ASSERT_TRUE(yard.mkdir("labels-next"));
  ASSERT_TRUE(
      QFile::copy(file("labels/" + names_[0] + ".png"), file("labels-next/" + names_[1] + ".png")));
  PaintProject before(file(""));  // the list of classes was not there yet
  EXPECT_EQ(before.classes(), kThree);
  EXPECT_EQ(before.framesWith(1), 1);
  EXPECT_FALSE(yard.exists("labels-next"));

  PaintProject whole(file(""));
  whole.removeClass(1);
  // Restores the state in which one annotation was moved, but not the other and the list.
  ASSERT_TRUE(yard.mkdir("labels-next"));
  const QString second = "/" + names_[1] + ".png";
  ASSERT_TRUE(QFile::copy(file("labels") + second, file("labels-next") + second));
  ASSERT_TRUE(QFile::copy(file("classes.txt"), file("classes-next.txt")));
  cv::Mat old(paintedScene(0).frame.size(), CV_8U, cv::Scalar(255));
  old.row(1).setTo(0);
  old.row(3).setTo(2);
  before.keep(names_[1], old);
  before.setClasses(kThree);
  expectRemoved(PaintProject(file("")));
}

TEST_F(RemovedClass, StaysWhereItCannotBeWritten) {
  put("labels-next", "in its way");
  EXPECT_NE(refusalOf([&] { project_.removeClass(1); }).find("The class was kept"),
            std::string::npos);
  EXPECT_EQ(project_.classes(), kThree);
  EXPECT_EQ(project_.framesWith(1), 1);
}

// A busy disk does not block painting, and only the newest annotation is written then.
TEST(PaintWriter, KeepsNobodyWaitingAndWritesTheNewestOfEachFrame) {
  QStringList written, told;
  std::promise<void> diskIsFree, isBegun;
  PaintWriter writer;
  QObject::connect(&writer, &PaintWriter::written,
                   [&](const QString& name, const QString& fault) { told << name + ":" + fault; });
  writer.put("a", [&] {
    isBegun.set_value();
    diskIsFree.get_future().wait();
    written << "a1";
  });
  isBegun.get_future().wait();
  writer.put("a", [&] { written << "a2"; });
  writer.put("b", [&] { throw std::runtime_error("the disk is full"); });
  writer.put("a", [&] { written << "a3"; });
  EXPECT_EQ(written, QStringList());
  diskIsFree.set_value();
  writer.finish();
  EXPECT_EQ(written, (QStringList{"a1", "a3"}));
  EXPECT_EQ(told, (QStringList{"a:", "a:", "b:the disk is full"}));
  writer.finish();
  EXPECT_EQ(told.size(), 3) << "each is told once";
}

}  // namespace
}  // namespace mpm::gui
