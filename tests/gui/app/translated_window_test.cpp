// SPDX-License-Identifier: Apache-2.0
// The window in every language: nothing left in English, nothing cut off, no letter twice.
#include <gtest/gtest.h>

#include <QDir>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QSet>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTranslator>
#include <cmath>
#include <memory>
#include <string>

#include "gui/app/language.h"
#include "gui/app/main_window.h"
#include "gui/app/model_dialog.h"
#include "gui/app/rules_dialog.h"
#include "gui/app/source_dialog.h"
#include "gui/explain/merge_window.h"
#include "gui/explain/tour.h"
#include "gui/plot/figure_tile.h"
#include "gui/room_on_screen.h"
#include "gui/teach/record_frames.h"
#include "gui/teach/teach_window.h"
#include "room_for_words.h"

namespace mpm::gui {
namespace {

using testing::clash;
using testing::cut;
using testing::elided;
using testing::hidden;
using testing::letterOf;
using testing::lettersOfWindow;

// Asked where no other translator knew an answer.
class Unanswered : public QTranslator {
 public:
  QString translate(const char* context, const char* source, const char*, int) const override {
    if (QByteArray(context).startsWith("mpm::gui")) list.insert(QString(context) + ": " + source);
    return {};
  }
  bool isEmpty() const override { return false; }
  mutable QSet<QString> list;
};

std::string lines(const QStringList& list) { return list.join('\n').toStdString(); }

void expectNoClash(const QMenu& menu) {
  QStringList texts;
  for (const QAction* action : menu.actions()) {
    texts << action->text();
    if (action->menu() != nullptr) expectNoClash(*action->menu());
  }
  EXPECT_EQ(clash(texts).toStdString(), "") << qPrintable(menu.title());
}

Settings street() {
  AppOptions options;
  options.record = "none";
  options.source = "scene:?clock=600x&hour=12&size=160x120";
  return withOptions({}, options);
}

/// What is cut off once the layout has come to rest.
template <typename Widget>
QStringList stillCut(Widget& widget) {
  const bool whole = QTest::qWaitFor([&] { return cut(widget).isEmpty(); });
  return whole ? QStringList() : cut(widget);
}

class TranslatedWindow : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!languages().contains(GetParam()))
      GTEST_SKIP() << "built without qt6-tools-dev: English alone";
    QCoreApplication::installTranslator(&unanswered_);
    speak(GetParam());
  }
  void TearDown() override {
    speak("en");
    QCoreApplication::removeTranslator(&unanswered_);
  }

  // For whoever wants to look: into the folder MPM_PICTURES.
  static void keep(QWidget& widget, const char* name) {
    const QString folder = qEnvironmentVariable("MPM_PICTURES");
    if (folder.isEmpty()) return;
    widget.grab().save(QDir(folder).filePath(QString("%1-%2.png").arg(GetParam(), name)));
  }

  Unanswered unanswered_;
};

TEST_P(TranslatedWindow, HasAllItsPartsAndCutsNone) {
  MainWindow window(street());
  window.resize(1280, 800);
  window.show();
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        const auto engine = window.live().engine();
        return engine && engine->latest(0) && !window.deck()->exported().isNull();
      },
      60000));
  ASSERT_EQ(window.size(), QSize(1280, 800));
  for (const char* name : {"DayNight", "Performance", "Tune", "Events", "Classes"}) {
    auto* dock = window.findChild<QDockWidget*>(name);
    ASSERT_NE(dock, nullptr) << name;
    dock->show();
    dock->raise();
    window.performance()->showFigures(*window.live().engine(), window.live().newest());
    EXPECT_EQ(lines(stillCut(window)), "") << name;
    EXPECT_EQ(lines(elided(window)), "") << name;
    keep(window, name);
  }
  for (int layout = 0; layout < kDeckLayouts; ++layout) {
    window.deck()->setLayoutKind(static_cast<DeckLayout>(layout));
    EXPECT_EQ(lines(stillCut(window)), "") << layout;
  }
  EXPECT_EQ(lines(unanswered_.list.values()), "");
}

TEST_P(TranslatedWindow, HasRoomForWhatComparingTells) {
  MainWindow window(street());
  window.resize(1280, 800);
  window.show();
  for (QAction* menu : window.menuBar()->actions()) {
    for (QAction* action : menu->menu()->actions()) {
      if (action->shortcut() == QKeySequence("Ctrl+T")) action->setChecked(true);
    }
  }
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        for (const auto* label : window.statusBar()->findChildren<QLabel*>())
          if (label->isVisible() && label->text().contains('%')) return true;
        return false;
      },
      60000));
  EXPECT_EQ(lines(stillCut(window)), "");
  keep(window, "Comparing");
}

TEST_P(TranslatedWindow, HasNoLetterTwiceInAMenu) {
  const MainWindow window(street());
  QStringList texts = lettersOfWindow(window);
  int letters = 0;
  for (const QAction* action : window.menuBar()->actions()) {
    texts << action->text();
    letters += letterOf(action->text()).isEmpty() ? 0 : 1;
    expectNoClash(*action->menu());
  }
  EXPECT_EQ(clash(texts).toStdString(), "");
  EXPECT_EQ(letters, window.menuBar()->actions().size());
}

TEST_P(TranslatedWindow, TheSourceDialogFits) {
  SourceDialog dialog("scene:", {"/dev/video0"});
  dialog.show();
  EXPECT_EQ(lines(cut(dialog)), "");
  keep(dialog, "Source");
  EXPECT_EQ(clash(lettersOfWindow(dialog)).toStdString(), "");
  EXPECT_EQ(lines(unanswered_.list.values()), "");
}

TEST_P(TranslatedWindow, TheRulesDialogFits) {
  monitor::RuleBook book;
  RulesDialog dialog(book, {"live_rows", "area.road"});
  dialog.addRule();
  dialog.show();
  EXPECT_EQ(lines(stillCut(dialog)), "");
  EXPECT_EQ(clash(lettersOfWindow(dialog)).toStdString(), "");
  EXPECT_EQ(lines(unanswered_.list.values()), "");
  keep(dialog, "Rules");
}

TEST_P(TranslatedWindow, TheTeachWindowFits) {
  const QTemporaryDir folder;
  TeachHost host;
  host.newest = [] {
    auto result = std::make_shared<monitor::FrameResult>();
    result->frame.picture = cv::Mat(48, 64, CV_8UC3, cv::Scalar::all(90));
    return result;
  };
  host.engine = [] { return std::shared_ptr<monitor::Engine>(); };
  host.backbone = [] { return Backbone{"/models/street.onnx", {}, {}}; };
  TeachWindow window(host);
  ASSERT_TRUE(window.openProject(folder.path()));
  window.resize(900, 600);
  window.show();
  window.takeFrame();
  TeachWorker::Taught taught;
  taught.lesson.classes = {{"snow on the ground", 12, 0.5, 0.912}, {"street", 1, 0.5, NAN}};
  for (const Advice::Kind kind :
       {Advice::Kind::oneFrame, Advice::Kind::unpainted, Advice::Kind::once,
        Advice::Kind::tooSeldom, Advice::Kind::weak, Advice::Kind::mixed})
    taught.lesson.advice.push_back({kind, "street", "snow", 0.31});
  taught.doubts = {{"a", 0.2}, {"b", 0.1}};
  window.lesson()->end(std::make_shared<const TeachWorker::Taught>(taught), {});
  EXPECT_EQ(lines(stillCut(window)), "");
  QStringList texts = lettersOfWindow(window);
  for (const QAction* action : window.menuBar()->actions()) {
    texts << action->text();
    expectNoClash(*action->menu());
  }
  EXPECT_EQ(clash(texts).toStdString(), "");
  EXPECT_EQ(lines(unanswered_.list.values()), "");
  keep(window, "Teach");
}

TEST_P(TranslatedWindow, ExplainsItselfAndCutsNothing) {
  MainWindow window(street());
  window.resize(900, 600);
  window.show();
  window.findChild<QAction*>("Merging")->trigger();
  auto* merging = window.findChild<MergeWindow*>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return merging->story() != nullptr; }, 60000));
  for (int step = 0; step < merging->steps(); ++step) {
    merging->goTo(step);
    EXPECT_EQ(lines(stillCut(*merging)), "") << step;
    keep(*merging, ("Merging-" + std::to_string(step)).c_str());
  }
  EXPECT_EQ(clash(lettersOfWindow(*merging)).toStdString(), "");
  merging->close();
  window.beginTour();
  QPointer<Tour> tour = window.findChild<Tour*>();
  for (int stop = 0; tour && tour->stop() == stop; ++stop) {
    EXPECT_EQ(lines(stillCut(*tour)), "") << stop;
    keep(window, ("Tour-" + std::to_string(stop)).c_str());
    QTest::mouseClick(tour->findChildren<QPushButton*>().last(), Qt::LeftButton);
  }
  EXPECT_EQ(lines(unanswered_.list.values()), "");
}

// What happens is told in the language of the app, as far as it is no error.
TEST_P(TranslatedWindow, TellsWhatHappensInItsLanguage) {
  MainWindow window(street());
  window.show();
  const auto told = [&](const char* kind) {
    return QTest::qWaitFor(
        [&] {
          const EventList& list = window.events()->list();
          for (int row = 0; row < list.rowCount(); ++row) {
            const EventList::Entry entry = list.entry(row);
            if (entry.kind != kind) continue;
            EXPECT_NE(list.item(row, 2)->text(), entry.text);
            return true;
          }
          return false;
        },
        60000);
  };
  EXPECT_TRUE(told("source"));
  EXPECT_TRUE(told("light"));
  window.watch().setSchedule("3");
  EXPECT_TRUE(told("schedule"));
  window.watch().setMemory(false);
  EXPECT_TRUE(told("memory"));
  window.live().engine()->setFilter([](const cv::Mat& picture) { return picture.clone(); });
  EXPECT_TRUE(told("filter"));
  EXPECT_EQ(lines(unanswered_.list.values()), "");
}

INSTANTIATE_TEST_SUITE_P(Languages, TranslatedWindow, ::testing::Values("de", "fr"));

class AnyLanguage : public TranslatedWindow {};

// Seen: "Live tokens at ni..." beside the classes.
TEST_P(AnyLanguage, TheSmallestWindowHasRoomForTheStripBesideTheClasses) {
  MainWindow window(street());
  window.resize(900, 600);
  window.show();
  auto* classes = window.findChild<QDockWidget*>("Classes");
  classes->show();
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.glance()->labels()->figure() != "–"; }, 60000));
  ASSERT_EQ(window.size(), QSize(900, 600));
  // Seen: "none counted at nig...", as soon as some were by day.
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        window.dayNight()->refresh();
        return window.glance()->night()->note().contains(QRegularExpression("\\d"));
      },
      60000));
  EXPECT_EQ(lines(elided(window)), "");
  EXPECT_EQ(lines(stillCut(window)), "");
  keep(window, "Smallest");
}

// Seen: 953 x 703 in German, and 900 x 646 with ten cameras.
TEST_P(AnyLanguage, TheSmallestWindowKeepsItsSizeWithAPanelBesideAWall) {
  Settings settings = street();
  for (int seed = 2; seed <= 10; ++seed)
    settings.live.beside << settings.live.source + "&seed=" + QString::number(seed);
  MainWindow window(settings);
  window.resize(900, 600);
  window.show();
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.wall()->isVisible(); }, 60000));
  for (const char* name : {"DayNight", "Performance", "Tune", "Events", "Classes"}) {
    auto* dock = window.findChild<QDockWidget*>(name);
    dock->show();
    dock->raise();
    cut(window);  // lays it out
    EXPECT_EQ(window.size(), QSize(900, 600)) << name;
    keep(window, (std::string("Wall-") + name).c_str());
  }
}

// Seen: plots of Day and night and of Tune were cut in a window of 900 x 600 that had been larger.
TEST_P(AnyLanguage, PanelsAreWholeInTheSmallestWindow) {
  MainWindow window(street());
  window.resize(1280, 800);
  window.show();
  for (const char* name : {"DayNight", "Performance", "Tune", "Events", "Classes"}) {
    auto* dock = window.findChild<QDockWidget*>(name);
    dock->show();
    dock->raise();
    for (const QSize size : {QSize(900, 600), QSize(1280, 800), QSize(900, 600)}) {
      window.resize(size);
      EXPECT_TRUE(QTest::qWaitFor([&] { return hidden(window).isEmpty(); }))
          << name << size.width() << '\n'
          << lines(hidden(window));
      EXPECT_EQ(window.size(), size) << name;
      keep(window, ("Whole-" + std::to_string(size.width()) + name).c_str());
    }
  }
}

// What a screen of 1920 x 1080 at 200 % leaves of its 960 x 540 beside a window's frame.
const QSize kSmallScreen(940, 490);

// Seen: Save and Cancel below the edge of the screen.
TEST_P(AnyLanguage, DialogsFitASmallScreen) {
  monitor::RuleBook book;
  RulesDialog rules(book, {"live_rows", "area.road"});
  rules.addRule();
  ModelDialog models(street().live.model, {});
  SourceDialog sources("scene:", {"/dev/video0"});
  RecordFrames frames({}, {}, {}, {}, nullptr);
  for (QDialog* dialog : {static_cast<QDialog*>(&rules), static_cast<QDialog*>(&models),
                          static_cast<QDialog*>(&sources), static_cast<QDialog*>(&frames)}) {
    const auto title = dialog->windowTitle().toStdString();
    EXPECT_EQ(dialog->size().boundedTo(roomOnScreen(*dialog)), dialog->size()) << title;
    dialog->show();
    dialog->resize(kSmallScreen);
    EXPECT_EQ(dialog->size(), kSmallScreen) << title;
    EXPECT_EQ(lines(stillCut(*dialog)), "") << title;
    keep(*dialog, (title + "-small").c_str());
  }
}

TEST_P(AnyLanguage, TheWindowFitsASmallScreenWithAPanel) {
  MainWindow window(street());
  window.resize(kSmallScreen);
  window.show();
  for (const char* name : {"DayNight", "Performance", "Tune", "Events", "Classes"}) {
    auto* dock = window.findChild<QDockWidget*>(name);
    dock->show();
    dock->raise();
    cut(window);  // lays it out
    EXPECT_EQ(window.size(), kSmallScreen) << name;
    EXPECT_EQ(lines(stillCut(window)), "") << name;
    keep(window, (std::string("Small-") + name).c_str());
  }
}

INSTANTIATE_TEST_SUITE_P(Languages, AnyLanguage, ::testing::Values("en", "de", "fr"));

TEST(TranslatedWindowChecks, WaitForTheLayout) {
  QStatusBar bar;
  auto* label = new QLabel("a", &bar);
  bar.addPermanentWidget(label);
  bar.resize(400, 30);
  bar.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&bar));
  label->setText("Words that came with this frame");
  EXPECT_EQ(lines(cut(bar)), "");
}

TEST(TranslatedWindowChecks, SeeWhatIsWrong) {
  EXPECT_EQ(clash({"&Open", "&Other"}), "&Open and &Other");
  EXPECT_EQ(clash({"&Open", "O&ther", "Neither"}), QString());
  QWidget window;
  window.resize(300, 200);
  QPushButton button("A long word", &window);
  button.setFixedWidth(10);
  window.show();
  EXPECT_EQ(cut(window).size(), 1);
  FigureTile tile("A title that is longer than any tile of this size", &window);
  tile.resize(90, 90);
  tile.show();
  EXPECT_EQ(elided(window).size(), 1);
  Unanswered unanswered;
  QCoreApplication::installTranslator(&unanswered);
  QCoreApplication::translate("mpm::gui::Somewhere", "Words that nobody translated");
  QCoreApplication::removeTranslator(&unanswered);
  EXPECT_EQ(unanswered.list.size(), 1);
}

}  // namespace
}  // namespace mpm::gui
