// SPDX-License-Identifier: Apache-2.0
// Windows beside the main one: to teach in, the days of the record, and how merging works.
#include <gtest/gtest.h>

#include <tuple>

#include "gui/app/living_window.h"
#include "gui/explain/merge_window.h"
#include "monitor/record/record.h"
#include "monitor/record/sample_record.h"

namespace mpm::gui {
namespace {

class Teaching : public LivingWindow {
 protected:
  /// Watches with that folder for Teach; empty: the camera's own.
  bool watches(const QString& folder) {
    Settings settings = street();
    settings.teachFolder = folder;
    open(settings);
    return waitFor([&] { return live().newest() != nullptr; });
  }
  TeachWindow* teach() { return window().beside().teach(); }
  // Returns a camera's folder in the app's data.
  static QDir ownFolder(const QString& camera) {
    return {QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + "/teach/" +
            fileNameOf(sourceName(camera))};
  }
};

// Guards against losing the last strokes when the app closes on a full disk.
TEST_F(Teaching, TheAppAsksBeforeItEndsWithoutWhatCannotBeWritten) {
  ASSERT_TRUE(watches(folder_.path()));
  choose("Teach ...");
  ASSERT_TRUE(teach() != nullptr && teach()->project() != nullptr);
  const QString labels = folder_.filePath("labels");
  ASSERT_TRUE(QDir(labels).removeRecursively());
  teach()->canvas()->edit([](cv::Mat& painted) { painted.setTo(0); });
  answer<QMessageBox>([](QMessageBox& box) { box.button(QMessageBox::Cancel)->click(); });
  EXPECT_FALSE(window().close());
  EXPECT_EQ(answered_, 1);
  EXPECT_TRUE(window().isVisible());
  ASSERT_TRUE(QDir().mkpath(labels));
  EXPECT_TRUE(window().close());
  EXPECT_TRUE(teach()->project()->isPainted(teach()->frameShown()));
}

TEST_F(Teaching, OpensOnTheLiveFrameInTheCamerasOwnFolderAndRunsWhatWasTaught) {
  ownFolder(kSmallStreet).removeRecursively();
  ASSERT_TRUE(watches({}));
  choose("Teach ...");
  TeachWindow* teach = this->teach();
  ASSERT_TRUE(teach != nullptr && teach->project() != nullptr);
  ASSERT_EQ(teach->project()->frames().size(), 1);
  EXPECT_EQ(teach->project()->folder(), ownFolder(kSmallStreet).absolutePath());
  teach->classes()->addClass(Qt::red);
  teach->classes()->addClass(Qt::green);
  ASSERT_TRUE(waitFor([&] { return teach->canvas()->areas() > 0; }));
  ASSERT_TRUE(hands::click(teach->canvas()));
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
  EXPECT_TRUE(waitFor([&] { return engine() && engine()->classes() == classes; }));
}

class Correcting : public Teaching {
 protected:
  bool watches() {
    ownFolder(kSmallStreet).removeRecursively();
    open(street([](AppOptions& options) { options.face = Face::watch; }));
    return hasFrame();
  }
  bool hasFrame() {
    return waitFor([&] { return session().frame() != nullptr; });
  }
  void teachHalves() {
    if (teach()->project()->classes().empty())
      for (const char* name : {"upper", "lower"}) teach()->classes()->addClass(Qt::red, name);
    teach()->canvas()->edit([](cv::Mat& labels) {
      labels.rowRange(0, 40).setTo(0);
      labels.rowRange(80, 120).setTo(1);
    });
    teach()->teach();
    ASSERT_TRUE(waitFor([&] { return !teach()->worker().isTeaching(); }));
    ASSERT_TRUE(teach()->worker().hasTaught()) << qPrintable(teach()->lesson()->told());
  }
  // The picture, whatever it shows, stays visible until the trained model runs.
  void use() {
    const QString before = live().model();
    teach()->useModel();
    EXPECT_TRUE(waitFor([&] {
      EXPECT_FALSE(deck().exported().isNull());
      return live().model() != before && session().frame();
    }));
    EXPECT_FALSE(teach()->isVisible());
  }
  cv::Mat painting() {
    teach()->saveAll();
    return teach()->project()->labels(teach()->frameShown(), {160, 120});
  }
};

TEST_F(Correcting, OfAModelThatWasTaughtHereBeginsWithItsLabels) {
  ASSERT_TRUE(watches());
  window().beside().openTeach();
  teachHalves();
  use();
  choose("Pause");
  ASSERT_TRUE(hasFrame());
  const monitor::FrameResultPtr wrong = session().frame();
  choose("That's wrong");
  ASSERT_EQ(teach()->project()->frames().size(), 2);
  EXPECT_EQ(cv::norm(teach()->project()->frame(teach()->frameShown()), wrong->frame.picture), 0);
  EXPECT_EQ(cv::norm(painting(), wrong->segmentation.labels, cv::NORM_INF), 0)
      << qPrintable(teach()->said());
  EXPECT_TRUE(teach()->said().contains("what is wrong"));
  teach()->canvas()->undo();
  EXPECT_EQ(paintedShare(painting()), 0);
  choose("Pause");
  teachHalves();
  use();
}

TEST_F(Correcting, OfAnotherModelOpensTeachAndSaysWhyItsLabelsAreNotThere) {
  ASSERT_TRUE(watches());
  choose("That's wrong");
  ASSERT_EQ(teach()->project()->frames().size(), 1);
  EXPECT_EQ(paintedShare(painting()), 0);
  EXPECT_TRUE(teach()->said().contains("was not taught here")) << qPrintable(teach()->said());
}

TEST_F(Teaching, OpensTheCamerasOwnFolderWhereTheChosenOneCannotBe) {
  ASSERT_TRUE(watches(fileOf("file", "") + "/inside"));
  window().beside().openTeach();
  ASSERT_TRUE(teach()->project() != nullptr);
  EXPECT_TRUE(teach()->isVisible());
  EXPECT_EQ(teach()->project()->folder(), ownFolder(kSmallStreet).absolutePath());
}

TEST_F(Teaching, AChosenFolderCountsUntilAnotherCameraIsShown) {
  ASSERT_TRUE(watches({}));
  window().beside().openTeach();
  answerFile(folder_.path());
  ASSERT_TRUE(hands::choose(*teach(), "Another folder ..."));
  ASSERT_TRUE(waitFor([&] { return teach()->project()->folder() == folder_.path(); }));
  EXPECT_EQ(session().settings().teachFolder, folder_.path());
  teach()->close();
  window().beside().openTeach();
  EXPECT_EQ(teach()->project()->folder(), folder_.path());
  const QString other = QString(kSmallStreet) + "&seed=5";
  ownFolder(other).removeRecursively();
  ASSERT_TRUE(opens(other));
  EXPECT_EQ(session().settings().teachFolder, QString());
  window().beside().openTeach();  // also where it stands there, on the camera before
  EXPECT_EQ(teach()->project()->folder(), ownFolder(other).absolutePath());
  EXPECT_EQ(teach()->project()->frames().size(), 1);
}

class DaysOfTheWindow : public Window {};

// Guards against returning to the first metric and a week after every start.
TEST_F(DaysOfTheWindow, MetricAndSpanAreFoundAgain) {
  ASSERT_TRUE(isLive());
  press("F3");
  DaysWindow* days = window().beside().days();
  ASSERT_NE(days, nullptr);
  auto* metric = named<QComboBox>(*days, "Metric to show");
  QComboBox* span = days->findChildren<QComboBox*>()[0];
  if (span == metric) span = days->findChildren<QComboBox*>()[1];
  ASSERT_TRUE(waitFor([&] {
    days->refresh();
    QTest::qWait(200);
    return metric->count() > 2;
  }));
  for (QComboBox* box : {metric, span}) {
    box->setFocus();
    hands::keys(box, "Down*2");
  }
  const QString chosen = metric->currentData().toString();
  EXPECT_NE(chosen, metric->itemData(0).toString());
  EXPECT_EQ(span->currentIndex(), 2);
  ASSERT_TRUE(
      waitFor([&] { return readSettings().daysMetric == chosen && readSettings().daysSpan == 2; }));
  DaysWindow next;
  next.choose(readSettings().daysMetric, readSettings().daysSpan);
  next.setRecord(folder_.filePath("record.sqlite"), sourceName(kSmallStreet), 4);
  next.show();
  const auto* found = named<QComboBox>(next, "Metric to show");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(waitFor([&] { return found->currentData().toString() == chosen; }));
}

class Explain : public LivingWindow {
 protected:
  Explain() {
    open(street());
    window().activateWindow();  // without a window manager nothing else does
  }
  MergeWindow* merging() {
    choose("How merging works");
    auto* merging = window().findChild<MergeWindow*>();
    EXPECT_TRUE(waitFor([&] { return merging->story() != nullptr; }));
    EXPECT_TRUE(waitForActive(merging));
    return merging;
  }
  static bool saysOnce(const QWidget& in, const QString& words) {
    QStringList all;
    for (const QLabel* label : in.findChildren<QLabel*>()) all << label->text();
    return all.filter(words).size() == 1;
  }
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

  hands::keys(shown, "Right");
  EXPECT_EQ(shown->step(), 1);
  auto* movement = shown->findChild<QSlider*>();
  EXPECT_TRUE(movement->isVisible());
  EXPECT_TRUE(waitFor([&] { return movement->value() == movement->maximum(); })) << "it plays";
  movement->setFocus();
  hands::keys(movement, "Right");
  EXPECT_EQ(shown->step(), 2) << "arrows step wherever the focus is";
  hands::keys(shown, "Left");
  EXPECT_EQ(shown->step(), 1);
  hands::keys(shown, "End");
  EXPECT_EQ(shown->step(), 4);
  EXPECT_FALSE(movement->isVisible());
  EXPECT_TRUE(waitFor([&] { return saysOnce(*shown, " frames since "); }))
      << "the heat is counted while it runs";
  auto* light = shown->findChild<QComboBox*>();
  auto* hour = named<QSlider>(*shown, "Hour of the day");
  ASSERT_TRUE(light != nullptr && hour != nullptr);
  EXPECT_FALSE(hour->isVisible());
  light->setFocus();
  hands::keys(light, "Down*3");
  ASSERT_TRUE(hour->isVisible());
  EXPECT_TRUE(waitFor([&] { return saysOnce(*shown, " frames since "); }));
  hour->setFocus();
  hands::keys(hour, hour->value() > 12 ? "PgDown*2" : "PgUp*2");
  EXPECT_TRUE(waitFor([&] { return saysOnce(*shown, "No such frame"); }))
      << "nothing was seen two hours from now";
  hands::keys(shown, "Right");
  EXPECT_EQ(shown->step(), 4) << "the last";
  QPointer<MergeWindow> gone = shown;
  hands::keys(shown, "Esc");
  EXPECT_TRUE(waitFor([&] { return gone.isNull(); }));
}

// Guards against "in 812,345 frames since 14:05" after three days.
TEST_F(Explain, TellsTheDaySinceWhenFramesAreCounted) {
  const MergeStory& story = *merging()->story();
  const QDateTime since = QDateTime::currentDateTime().addDays(-2);
  MergeHeat heat;
  heat.add(story.frame->segmentation.mergeMap, story.frame->schedule, monitor::LightState::day,
           since.toMSecsSinceEpoch());
  const ClassSettings classes;
  MergeWindow other(heat, classes, nullptr);
  other.begin(engine());
  other.show();
  ASSERT_TRUE(waitFor([&] { return other.story() != nullptr; }));
  other.goTo(other.steps() - 1);
  EXPECT_TRUE(
      saysOnce(other, " frames since " + QLocale().toString(since.date(), QLocale::ShortFormat)));
}

TEST_F(Explain, TheFrameStandsStillUntilAnotherIsAskedForAndAnotherSourceBeginsAnew) {
  MergeWindow* shown = merging();
  const auto number = [&] { return shown->story()->frame->frame.number; };
  const std::uint64_t before = number(), frames = engine()->frames();
  ASSERT_TRUE(waitFor([&] { return engine()->frames() > frames + 2; }));
  EXPECT_EQ(number(), before);
  for (QPushButton* button : shown->findChildren<QPushButton*>())
    if (button->text() == "Newest &frame") QTest::mouseClick(button, Qt::LeftButton);
  EXPECT_TRUE(waitFor([&] { return number() > before; }));
  session().openSource("scene:?clock=600x&hour=0&size=160x120&seed=7");
  EXPECT_TRUE(waitFor([&] { return shown->story() == nullptr; }));
  EXPECT_TRUE(waitFor([&] { return shown->story() != nullptr; }));
}

TEST_F(Explain, WithoutMergesThereIsOneStepThatSaysSo) {
  ASSERT_TRUE(waitFor([&] { return engine() != nullptr; }));
  session().setSchedule("none");
  MergeWindow* shown = merging();
  EXPECT_EQ(shown->steps(), 1);
  EXPECT_TRUE(saysOnce(*shown, "Merging is off"));
}

TEST(RecordHeat, IsOfThisModelByScheduleAndLight) {
  constexpr std::int64_t kHourMs = 3'600'000;
  const monitor::Folder folder;
  const std::string file = folder / "record.sqlite";
  {
    monitor::Record record(file);
    monitor::RunFacts taught = monitor::sampleRun();
    const std::int64_t run = record.beginRun(taught);
    taught.modelHash = "0ther";
    const std::int64_t other = record.beginRun(taught);
    const std::tuple<std::int64_t, int, const char*> pictures[]{
        {run, 0, R"({"light":"day","schedule":[2,5]})"},
        {run, 12, R"({"light":"night","schedule":[2,5]})"},
        {run, 1, R"({"light":"day","schedule":[3]})"},
        {run, 2, R"({"light":"day","schedule":[2,5],"filtered":true})"},
        {run, 3, R"({"light":"day"})"},
        {run, 4, R"({"light":"day","schedule":"x"})"},
        {other, 0, R"({"light":"day","schedule":[2,5]})"}};
    // The map has four patches, the first two of which share a token.
    for (const auto& [of, hour, facts] : pictures) {
      monitor::Snapshot snapshot;
      snapshot.taken = {1, monitor::kNoon + hour * kHourMs, 0, true};
      snapshot.reason = monitor::kDayPicture;
      snapshot.picture = cv::Mat(40, 80, CV_8UC3, cv::Scalar::all(200));
      snapshot.labels = cv::Mat(40, 80, CV_8U, cv::Scalar(1));
      snapshot.mergeMap = (cv::Mat_<std::uint16_t>(1, 4) << 0, 0, 1, 2);
      snapshot.facts = facts;
      record.write(of, snapshot);
    }
    ASSERT_TRUE(record.flush(monitor::kDiskMs));
  }
  const monitor::RecordReader reader(file);
  const std::int64_t now = monitor::kNoon + 24 * kHourMs;
  const std::vector<MergeHeat> heats = heatOf(reader, "gate", "5ca1ab1e", now);
  ASSERT_EQ(heats.size(), 2U);
  const MergeHeat& both = heats[heats[0].schedule() == Schedule{2, 5} ? 0 : 1];
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
