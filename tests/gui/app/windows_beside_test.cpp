// SPDX-License-Identifier: Apache-2.0
// Windows beside the main one: to teach in, the days of the record, and how merging works.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSlider>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <vector>

#include "gui/app/settings.h"
#include "gui/app/small_street.h"
#include "gui/app/window_parts.h"
#include "gui/explain/merge_window.h"
#include "gui/hands.h"
#include "gui/wait_for.h"
#include "monitor/record/record.h"
#include "monitor/record/sample_record.h"

namespace mpm::gui {
namespace {

Settings settings(const QString& folder) {
  Settings settings = withOptions({}, smallStreet());
  settings.teachFolder = folder;
  return settings;
}

void chooseFolder(QObject& context, const QString& folder) {
  auto* timer = new QTimer(&context);
  QObject::connect(timer, &QTimer::timeout, &context, [timer, folder] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    if (dialog == nullptr) return;
    timer->deleteLater();
    dialog->findChild<QLineEdit*>("fileNameEdit")->setText(folder);
    QMetaObject::invokeMethod(dialog, "accept");
  });
  timer->start(20);
}

// Seen: what was painted last on a full disk was gone with the app.
TEST(Teaching, TheAppAsksBeforeItEndsWithoutWhatCannotBeWritten) {
  const QTemporaryDir folder;
  MainWindow window(settings(folder.path()));
  window.show();
  ASSERT_TRUE(waitFor([&] { return window.live().newest() != nullptr; }));
  ASSERT_TRUE(hands::choose(window, "Teach ..."));
  TeachWindow* teach = window.beside().teach();
  ASSERT_TRUE(teach != nullptr && teach->project() != nullptr);
  const QString labels = QDir(folder.path()).filePath("labels");
  ASSERT_TRUE(QDir(labels).removeRecursively());
  teach->canvas()->edit([](cv::Mat& painted) { painted.setTo(0); });
  QTimer::singleShot(0, &window, [] {
    auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    ASSERT_TRUE(box != nullptr);
    box->button(QMessageBox::Cancel)->click();
  });
  EXPECT_FALSE(window.close());
  EXPECT_TRUE(window.isVisible());
  ASSERT_TRUE(QDir().mkpath(labels));
  EXPECT_TRUE(window.close());
  EXPECT_TRUE(teach->project()->isPainted(teach->frameShown()));
}

// The folder that a camera has among the app's data.
QDir ownFolder(const QString& camera) {
  return {QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + "/teach/" +
          fileNameOf(sourceName(camera))};
}

TEST(Teaching, OpensOnTheLiveFrameInTheCamerasOwnFolderAndRunsWhatWasTaught) {
  ownFolder(kSmallStreet).removeRecursively();
  MainWindow window(settings({}));
  window.show();
  ASSERT_TRUE(waitFor([&] { return window.live().newest() != nullptr; }));
  ASSERT_TRUE(hands::choose(window, "Teach ..."));
  TeachWindow* teach = window.beside().teach();
  ASSERT_TRUE(teach != nullptr && teach->project() != nullptr);
  ASSERT_EQ(teach->project()->frames().size(), 1);
  EXPECT_EQ(teach->project()->folder(), ownFolder(kSmallStreet).absolutePath());
  teach->classes()->addClass(Qt::red);
  teach->classes()->addClass(Qt::green);
  ASSERT_TRUE(waitFor([&] { return teach->canvas()->areas() > 0; }));
  const QPoint middle = teach->canvas()->rect().center();
  QTest::mouseClick(teach->canvas(), Qt::LeftButton, {}, middle);
  EXPECT_TRUE(waitFor([&] { return teach->project()->isPainted(teach->frameShown()); }))
      << qPrintable(teach->said());
  teach->canvas()->edit([](cv::Mat& labels) {
    labels.rowRange(0, 40).setTo(0);
    labels.rowRange(80, 120).setTo(1);
  });
  teach->teach();
  ASSERT_TRUE(waitFor([&] { return !teach->worker().isTeaching(); }));
  ASSERT_TRUE(teach->worker().hasTaught()) << qPrintable(teach->lesson()->told());
  teach->useModel();
  const std::vector<std::string> classes = {"Class 1", "Class 2"};
  EXPECT_TRUE(waitFor([&] {
    const auto engine = window.live().engine();
    return engine && engine->classes() == classes;
  }));
}

class Correcting : public ::testing::Test {
 protected:
  Correcting() : window_(watching()) {
    ownFolder(kSmallStreet).removeRecursively();
    window_.show();
  }
  static Settings watching() {
    AppOptions options = smallStreet();
    options.face = Face::watch;
    return withOptions({}, options);
  }
  TeachWindow& teach() { return *window_.beside().teach(); }
  bool isLive() {
    return waitFor([&] { return window_.session().frame() != nullptr; });
  }
  void teachHalves() {
    if (teach().project()->classes().empty())
      for (const char* name : {"upper", "lower"}) teach().classes()->addClass(Qt::red, name);
    teach().canvas()->edit([](cv::Mat& labels) {
      labels.rowRange(0, 40).setTo(0);
      labels.rowRange(80, 120).setTo(1);
    });
    teach().teach();
    ASSERT_TRUE(waitFor([&] { return !teach().worker().isTeaching(); }));
    ASSERT_TRUE(teach().worker().hasTaught()) << qPrintable(teach().lesson()->told());
  }
  // The picture, whatever is on it, is seen all the time until the model that was taught runs.
  void use() {
    const QString before = window_.live().options().model;
    teach().useModel();
    EXPECT_TRUE(waitFor([&] {
      EXPECT_FALSE(window_.deck()->exported().isNull());
      return window_.live().options().model != before && window_.session().frame();
    }));
    EXPECT_FALSE(teach().isVisible());
  }
  cv::Mat painting() {
    teach().saveAll();
    return teach().project()->labels(teach().frameShown(), {160, 120});
  }

  MainWindow window_;
};

TEST_F(Correcting, OfAModelThatWasTaughtHereBeginsWithItsLabels) {
  ASSERT_TRUE(isLive());
  window_.beside().openTeach();
  teachHalves();
  use();
  ASSERT_TRUE(hands::choose(window_, "Pause"));
  ASSERT_TRUE(isLive());
  const monitor::FrameResultPtr wrong = window_.session().frame();
  ASSERT_TRUE(hands::choose(window_, "That's wrong"));
  ASSERT_EQ(teach().project()->frames().size(), 2);
  EXPECT_EQ(cv::norm(teach().project()->frame(teach().frameShown()), wrong->frame.picture), 0);
  EXPECT_EQ(cv::norm(painting(), wrong->segmentation.labels, cv::NORM_INF), 0)
      << qPrintable(teach().said());
  EXPECT_TRUE(teach().said().contains("what is wrong"));
  teach().canvas()->undo();
  EXPECT_EQ(paintedShare(painting()), 0);
  ASSERT_TRUE(hands::choose(window_, "Pause"));
  teachHalves();
  use();
}

TEST_F(Correcting, OfAnotherModelOpensTeachAndSaysWhyItsLabelsAreNotThere) {
  ASSERT_TRUE(isLive());
  ASSERT_TRUE(hands::choose(window_, "That's wrong"));
  ASSERT_EQ(teach().project()->frames().size(), 1);
  EXPECT_EQ(paintedShare(painting()), 0);
  EXPECT_TRUE(teach().said().contains("was not taught here")) << qPrintable(teach().said());
}

TEST(Teaching, OpensTheCamerasOwnFolderWhereTheChosenOneCannotBe) {
  const QTemporaryDir folder;
  QFile file(folder.filePath("file"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  MainWindow window(settings(folder.filePath("file/inside")));
  ASSERT_TRUE(waitFor([&] { return window.live().newest() != nullptr; }));
  window.beside().openTeach();
  const TeachWindow* teach = window.beside().teach();
  ASSERT_TRUE(teach->project() != nullptr);
  EXPECT_TRUE(teach->isVisible());
  EXPECT_EQ(teach->project()->folder(), ownFolder(kSmallStreet).absolutePath());
}

TEST(Teaching, AChosenFolderCountsUntilAnotherCameraIsShown) {
  const QTemporaryDir folder;
  MainWindow window(settings({}));
  window.show();
  ASSERT_TRUE(waitFor([&] { return window.live().newest() != nullptr; }));
  window.beside().openTeach();
  TeachWindow* teach = window.beside().teach();
  chooseFolder(window, folder.path());
  ASSERT_TRUE(hands::choose(*teach, "Another folder ..."));
  ASSERT_TRUE(waitFor([&] { return teach->project()->folder() == folder.path(); }));
  EXPECT_EQ(window.session().settings().teachFolder, folder.path());
  teach->close();
  window.beside().openTeach();
  EXPECT_EQ(teach->project()->folder(), folder.path());
  const QString other = QString(kSmallStreet) + "&seed=5";
  ownFolder(other).removeRecursively();
  window.session().openSource(other);
  ASSERT_TRUE(waitFor([&] {
    return window.live().options().source == other && window.live().newest() != nullptr;
  }));
  EXPECT_EQ(window.session().settings().teachFolder, QString());
  window.beside().openTeach();  // also where it stands there, on the camera before
  EXPECT_EQ(teach->project()->folder(), ownFolder(other).absolutePath());
  EXPECT_EQ(teach->project()->frames().size(), 1);
}

// Seen: the days were of the first metric and a week again after every start.
TEST(DaysOfTheWindow, MetricAndSpanAreFoundAgain) {
  const QTemporaryDir folder;
  AppOptions options = smallStreet();
  options.record = folder.filePath("record.sqlite");
  Settings settings = withOptions({}, options);
  MainWindow window(settings);
  window.show();
  ASSERT_TRUE(waitFor([&] { return window.live().newest() != nullptr; }));
  ASSERT_TRUE(hands::press(window, QKeySequence(Qt::Key_F3)));
  DaysWindow* days = window.beside().days();
  ASSERT_NE(days, nullptr);
  const auto boxes = days->findChildren<QComboBox*>();
  QComboBox* metric = boxes[0]->accessibleName() == "Metric of the days" ? boxes[0] : boxes[1];
  QComboBox* span = metric == boxes[0] ? boxes[1] : boxes[0];
  ASSERT_TRUE(waitFor([&] {
    days->refresh();
    QTest::qWait(200);
    return metric->count() > 2;
  }));
  for (QComboBox* box : {metric, span}) {
    box->setFocus();
    QTest::keyClick(box, Qt::Key_Down);
    QTest::keyClick(box, Qt::Key_Down);
  }
  const QString chosen = metric->currentData().toString();
  EXPECT_NE(chosen, metric->itemData(0).toString());
  EXPECT_EQ(span->currentIndex(), 2);
  ASSERT_TRUE(
      waitFor([&] { return readSettings().daysMetric == chosen && readSettings().daysSpan == 2; }));
  DaysWindow next;
  next.choose(readSettings().daysMetric, readSettings().daysSpan);
  next.setRecord(folder.filePath("record.sqlite"), sourceName(*options.source), 4);
  next.show();
  QComboBox* found = nullptr;
  for (QComboBox* box : next.findChildren<QComboBox*>())
    if (box->accessibleName() == "Metric of the days") found = box;
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(waitFor([&] { return found->currentData().toString() == chosen; }));
}

class Explain : public ::testing::Test {
 protected:
  Explain() : window_(street()) {
    window_.resize(1000, 700);
    window_.show();
    window_.activateWindow();  // without a window manager nothing else does
  }
  static Settings street() { return withOptions({}, smallStreet()); }
  void choose(const QString& text) {
    EXPECT_TRUE(hands::choose(window_, text)) << qPrintable(text);
  }
  MergeWindow* merging() {
    choose("How merging works");
    auto* merging = window_.findChild<MergeWindow*>();
    EXPECT_TRUE(waitFor([&] { return merging->story() != nullptr; }));
    EXPECT_TRUE(waitForActive(merging));
    return merging;
  }
  static QStringList wordsOf(const QWidget& widget) {
    QStringList words;
    for (const QLabel* label : widget.findChildren<QLabel*>()) words << label->text();
    return words;
  }

  MainWindow window_;
};

TEST_F(Explain, MergingIsExplainedOnTheFrameOfThisMoment) {
  MergeWindow* shown = merging();
  const MergeStory& story = *shown->story();
  ASSERT_EQ(story.merges.size(), 2u);
  ASSERT_EQ(shown->steps(), 5);
  const auto rows = story.frame->segmentation.rows;
  EXPECT_EQ(story.merges[0].before - story.merges[0].behind, rows[0] - rows[1]);
  EXPECT_EQ(story.merges[1].before - story.merges[1].behind, rows[1] - rows[2]);
  EXPECT_GE(story.merges[0].mostAlike->similarity, story.merges[0].leastAlike->similarity);
  EXPECT_EQ(story.frame->schedule, (Schedule{2, 5}));

  QTest::keyClick(shown, Qt::Key_Right);
  EXPECT_EQ(shown->step(), 1);
  auto* movement = shown->findChild<QSlider*>();
  EXPECT_TRUE(movement->isVisible());
  EXPECT_TRUE(waitFor([&] { return movement->value() == movement->maximum(); })) << "it plays";
  movement->setFocus();
  QTest::keyClick(movement, Qt::Key_Right);
  EXPECT_EQ(shown->step(), 2) << "arrows step wherever the focus is";
  QTest::keyClick(shown, Qt::Key_Left);
  EXPECT_EQ(shown->step(), 1);
  QTest::keyClick(shown, Qt::Key_End);
  EXPECT_EQ(shown->step(), 4);
  EXPECT_FALSE(movement->isVisible());
  EXPECT_TRUE(waitFor([&] { return wordsOf(*shown).filter(" frames since ").size() == 1; }))
      << "the heat is counted while it runs";
  auto* light = shown->findChild<QComboBox*>();
  QSlider* hour = nullptr;
  for (QSlider* slider : shown->findChildren<QSlider*>())
    if (slider->accessibleName() == "Hour of the day") hour = slider;
  ASSERT_TRUE(light != nullptr && hour != nullptr);
  EXPECT_FALSE(hour->isVisible());
  light->setFocus();
  for (int i = 0; i < 3; ++i) QTest::keyClick(light, Qt::Key_Down);
  ASSERT_TRUE(hour->isVisible());
  EXPECT_TRUE(waitFor([&] { return wordsOf(*shown).filter(" frames since ").size() == 1; }));
  hour->setFocus();
  const Qt::Key away = hour->value() > 12 ? Qt::Key_PageDown : Qt::Key_PageUp;
  for (int i = 0; i < 2; ++i) QTest::keyClick(hour, away);
  EXPECT_TRUE(waitFor([&] { return wordsOf(*shown).filter("No such frame").size() == 1; }))
      << "nothing was seen two hours from now";
  QTest::keyClick(shown, Qt::Key_Right);
  EXPECT_EQ(shown->step(), 4) << "the last";
  QPointer<MergeWindow> gone = shown;
  QTest::keyClick(shown, Qt::Key_Escape);
  EXPECT_TRUE(waitFor([&] { return gone.isNull(); }));
}

// Seen: "in 812,345 frames since 14:05" of a window that had run for three days.
TEST_F(Explain, TellsTheDaySinceWhenFramesAreCounted) {
  const MergeStory& story = *merging()->story();
  const QDateTime since = QDateTime::currentDateTime().addDays(-2);
  MergeHeat heat;
  heat.add(story.frame->segmentation.mergeMap, story.frame->schedule, monitor::LightState::day,
           since.toMSecsSinceEpoch());
  const ClassSettings classes;
  MergeWindow window(heat, classes, nullptr);
  window.begin(window_.live().engine(), 0);
  window.show();
  ASSERT_TRUE(waitFor([&] { return window.story() != nullptr; }));
  window.goTo(window.steps() - 1);
  const QString day = QLocale().toString(since.date(), QLocale::ShortFormat);
  EXPECT_EQ(wordsOf(window).filter(" frames since " + day).size(), 1)
      << qPrintable(wordsOf(window).join('|'));
}

TEST_F(Explain, TheFrameStandsStillUntilAnotherIsAskedFor) {
  MergeWindow* shown = merging();
  const auto engine = window_.live().engine();
  const std::uint64_t number = shown->story()->frame->frame.number, frames = engine->frames(0);
  ASSERT_TRUE(waitFor([&] { return engine->frames(0) > frames + 2; }));
  EXPECT_EQ(shown->story()->frame->frame.number, number);
  for (QPushButton* button : shown->findChildren<QPushButton*>())
    if (button->text() == "Newest &frame") QTest::mouseClick(button, Qt::LeftButton);
  EXPECT_TRUE(waitFor([&] { return shown->story()->frame->frame.number > number; }));
}

TEST_F(Explain, WithoutMergesThereIsOneStepThatSaysSo) {
  ASSERT_TRUE(waitFor([&] { return window_.live().engine() != nullptr; }));
  window_.session().setSchedule("none");
  MergeWindow* shown = merging();
  EXPECT_EQ(shown->steps(), 1);
  EXPECT_EQ(wordsOf(*shown).filter("Merging is off").size(), 1);
}

TEST_F(Explain, AnotherSourceBeginsAnew) {
  MergeWindow* shown = merging();
  window_.session().openSource("scene:?clock=600x&hour=0&size=160x120&seed=7");
  EXPECT_TRUE(waitFor([&] { return shown->story() == nullptr; }));
  EXPECT_TRUE(waitFor([&] { return shown->story() != nullptr; }));
}

constexpr std::int64_t kHourMs = 3'600'000;

// A picture of four places, the first two of which share a token.
monitor::Snapshot picture(std::int64_t utcMs, const std::string& facts) {
  monitor::Snapshot snapshot;
  snapshot.taken = {1, utcMs, 0, true};
  snapshot.reason = monitor::kDayPicture;
  snapshot.picture = cv::Mat(40, 80, CV_8UC3, cv::Scalar::all(200));
  snapshot.labels = cv::Mat(40, 80, CV_8U, cv::Scalar(1));
  snapshot.mergeMap = (cv::Mat_<std::uint16_t>(1, 4) << 0, 0, 1, 2);
  snapshot.facts = facts;
  return snapshot;
}

TEST(RecordHeat, IsOfThisModelByScheduleAndLight) {
  const monitor::Folder folder;
  const std::string file = folder / "record.sqlite";
  {
    monitor::Record record(file);
    const std::int64_t run = record.beginRun(monitor::sampleRun());
    monitor::RunFacts taught = monitor::sampleRun();
    taught.modelHash = "0ther";
    const std::int64_t other = record.beginRun(taught);
    record.write(run, picture(monitor::kNoon, R"({"light":"day","schedule":[2,5]})"));
    record.write(run,
                 picture(monitor::kNoon + 12 * kHourMs, R"({"light":"night","schedule":[2,5]})"));
    record.write(run, picture(monitor::kNoon + kHourMs, R"({"light":"day","schedule":[3]})"));
    record.write(run, picture(monitor::kNoon + 2 * kHourMs,
                              R"({"light":"day","schedule":[2,5],"filtered":true})"));
    record.write(run, picture(monitor::kNoon + 3 * kHourMs, R"({"light":"day"})"));
    record.write(run, picture(monitor::kNoon + 4 * kHourMs, R"({"light":"day","schedule":"x"})"));
    record.write(other, picture(monitor::kNoon, R"({"light":"day","schedule":[2,5]})"));
    ASSERT_TRUE(record.flush(monitor::kDiskMs));
  }
  const monitor::RecordReader reader(file);
  const std::int64_t now = monitor::kNoon + 24 * kHourMs;
  const std::vector<MergeHeat> heats = heatOf(reader, "gate", "5ca1ab1e", now);
  ASSERT_EQ(heats.size(), 2U);
  const MergeHeat& both = heats[0].schedule() == Schedule{2, 5} ? heats[0] : heats[1];
  ASSERT_EQ(both.schedule(), (Schedule{2, 5}));
  EXPECT_EQ(both.frames(MergeHeat::kAll), 2U);
  EXPECT_EQ(both.frames(MergeHeat::kDay), 1U);
  EXPECT_EQ(both.frames(MergeHeat::kNight), 1U);
  EXPECT_EQ(both.share(MergeHeat::kAll, 0), 1);
  EXPECT_EQ(both.share(MergeHeat::kAll, 3), 0);
  EXPECT_EQ(both.sinceUtcMs(), monitor::kNoon);
  EXPECT_TRUE(heatOf(reader, "gate", "5ca1ab1e", now + 60 * 24 * kHourMs).empty()) << "long ago";
  EXPECT_TRUE(heatOf(reader, "yard", "5ca1ab1e", now).empty());
}

}  // namespace
}  // namespace mpm::gui
