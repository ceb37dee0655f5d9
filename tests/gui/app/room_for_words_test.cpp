// SPDX-License-Identifier: Apache-2.0
// In every language, in the smallest window and on a small screen: nothing is left in English,
// nothing cut off, and no letter there twice.
#include <gtest/gtest.h>

#include "gui/app/open_dialogs.h"
#include "gui/app/rules_dialog.h"
#include "gui/app/small_street.h"
#include "gui/app/window_parts.h"
#include "gui/explain/merge_window.h"
#include "gui/plot/day_night_sentence.h"
#include "gui/plot/text_recorder.h"
#include "gui/room_on_screen.h"
#include "gui/teach/record_frames.h"
#include "gui/unbroken.h"
#include "gui/wait_for.h"
#include "in_project.h"
#include "monitor/statistics/comparison.h"

namespace mpm::gui {
namespace {

const QSize kSmallest(900, 600);
// A screen of 1920 x 1080 at 200 % has 960 x 540, less a window's frame.
const QSize kSmallScreen(940, 490);
constexpr const char* kPanels[]{"DayNight", "Performance", "Tune", "Events", "Classes"};

// Returns the letter of a text that Alt reaches; empty if none.
QString letterOf(const QString& text) { return QKeySequence::mnemonic(text).toString(); }

// Returns two of `texts` with the same letter; empty if none.
QString clash(const QStringList& texts) {
  QMap<QString, QString> known;
  for (const QString& text : texts) {
    const QString letter = letterOf(text);
    if (letter.isEmpty()) continue;
    if (known.contains(letter) && known[letter] != text) return known[letter] + " and " + text;
    known[letter] = text;
  }
  return {};
}

// Returns what Alt reaches wherever in a window the focus is.
QStringList lettersOfWindow(const QWidget& window) {
  QStringList texts;
  for (const auto* button : window.findChildren<QAbstractButton*>()) {
    if (button->inherits("QPushButton") || button->inherits("QCheckBox")) texts << button->text();
  }
  for (const auto* label : window.findChildren<QLabel*>())
    if (label->buddy() != nullptr) texts << label->text();
  return texts;
}

// Tells whether nothing covers its middle. A dock in a hidden tab is "visible" as well.
bool isSeen(const QWidget& widget) {
  const QWidget* window = widget.window();
  const QWidget* there = window->childAt(widget.mapTo(window, widget.rect().center()));
  return widget.isVisible() && (there == &widget || widget.isAncestorOf(there));
}

// Returns visible buttons, labels and tabs whose text does not fit. A pending layout is applied
// first, as texts change with every frame.
QStringList cut(const QWidget& window) {
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  QStringList list;
  const auto note = [&list](const QWidget* widget, const QString& text) {
    const QSize wanted = widget->sizeHint();
    if (isSeen(*widget) && !text.isEmpty() && widget->width() < wanted.width())
      list << QString("%1: %2 of %3").arg(text).arg(widget->width()).arg(wanted.width());
  };
  for (const auto* button : window.findChildren<QAbstractButton*>()) note(button, button->text());
  for (const auto* box : window.findChildren<QComboBox*>()) note(box, box->currentText());
  for (const auto* label : window.findChildren<QLabel*>())
    if (!label->wordWrap() && !label->text().isEmpty()) note(label, label->text());
  for (const auto* bar : window.findChildren<QTabBar*>()) {
    for (int i = 0; isSeen(*bar) && i < bar->count(); ++i) {
      const int wanted = bar->fontMetrics().horizontalAdvance(QString(bar->tabText(i)).remove('&'));
      if (bar->tabRect(i).width() < wanted || bar->tabRect(i).right() > bar->width())
        list << "tab " + bar->tabText(i);
    }
  }
  for (const auto* header : window.findChildren<QHeaderView*>()) {
    for (int i = 0; isSeen(*header) && i < header->count(); ++i) {
      if (header->sectionSize(i) < header->sectionSizeHint(i))
        list << "column " + header->model()->headerData(i, header->orientation()).toString();
    }
  }
  for (const auto* area : window.findChildren<QScrollArea*>()) {
    if (isSeen(*area) && area->horizontalScrollBar()->maximum() > 0) list << "a form is too wide";
  }
  for (const auto* bar : window.findChildren<QToolBar*>()) {
    if (!isSeen(*bar)) continue;
    for (QAction* action : bar->actions()) {
      const QWidget* widget = bar->widgetForAction(action);
      if (action->isVisible() && widget != nullptr && !widget->isVisible())
        list << "not in the tool bar: " + action->text();
    }
  }
  return list;
}

// Returns plots and tiles that reach out of a scroll area, and sentences whose last lines do not
// fit.
QStringList hidden(const QWidget& window) {
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  QStringList list;
  for (const auto* widget : window.findChildren<QWidget*>()) {
    const bool isWhole =
        widget->inherits("mpm::gui::Plot") || widget->inherits("mpm::gui::FigureTile");
    if (isWhole && isSeen(*widget) && widget->visibleRegion().boundingRect() != widget->rect())
      list << widget->accessibleName();
  }
  for (const auto* label : window.findChildren<QLabel*>())
    if (label->wordWrap() && isSeen(*label) &&
        (label->heightForWidth(label->width()) > label->height() ||
         label->visibleRegion().boundingRect() != label->rect()))
      list << label->text();
  return list;
}

// Returns words that tiles draw, or labels show, with an ellipsis for lack of room.
QStringList elided(const QWidget& window) {
  QStringList list;
  for (auto* tile : window.findChildren<FigureTile*>()) {
    if (!isSeen(*tile)) continue;
    testing::TextRecorder recorder(tile->size());
    tile->render(&recorder, {}, {}, {});
    for (const QString& word : recorder.drawn.words())
      if (word.contains(QChar(0x2026))) list << word;
  }
  for (const auto* label : window.findChildren<QLabel*>())  // the hint has all of it
    if (isSeen(*label) && !label->toolTip().isEmpty() && label->toolTip() != label->text() &&
        label->text().endsWith(QChar(0x2026)))
      list << label->toolTip();
  return list;
}

// Returns the strip of Study (with tiles) or of Watch; their names are in the language.
QWidget* stripOf(const QWidget& window, bool ofStudy) {
  for (QWidget* widget : window.findChildren<QWidget*>())
    if (dynamic_cast<Strip*>(widget) && ofStudy != widget->findChildren<FigureTile*>().isEmpty())
      return widget;
  return nullptr;
}
enum { kLabels = 3, kNight = 4 };  // of its tiles
FigureTile* stripTile(const QWidget& window, int place) {
  return stripOf(window, true)->findChildren<FigureTile*>()[place];
}

std::string lines(const QStringList& list) { return list.join('\n').toStdString(); }

// Checks a menu and all below it.
void expectNoClash(const QMenu& menu) {
  QStringList texts;
  for (const QAction* action : menu.actions()) {
    texts << action->text();
    if (action->menu() != nullptr) expectNoClash(*action->menu());
  }
  EXPECT_EQ(clash(texts).toStdString(), "") << qPrintable(menu.title());
}

// Checks a window and its menus. English has some letters twice, between which Alt alternates.
void expectEachLetterOnce(const QWidget& window, const QMenuBar* bar = nullptr) {
  if (QLocale().language() == QLocale::English) return;
  QStringList texts = lettersOfWindow(window);
  for (const QAction* action : bar != nullptr ? bar->actions() : QList<QAction*>()) {
    EXPECT_FALSE(letterOf(action->text()).isEmpty()) << qPrintable(action->text());
    texts << action->text();
    expectNoClash(*action->menu());
  }
  EXPECT_EQ(clash(texts).toStdString(), "");
}

// It is asked only if no other translator has an answer.
class Unanswered : public QTranslator {
 public:
  QString translate(const char* context, const char* source, const char*, int) const override {
    if (QByteArray(context).startsWith("mpm::gui")) list.insert(QString(context) + ": " + source);
    return {};
  }
  bool isEmpty() const override { return false; }
  mutable QSet<QString> list;
};

class RoomForWords : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!languages().contains(GetParam()))
      GTEST_SKIP() << "built without qt6-tools-dev: English alone";
    QCoreApplication::installTranslator(&unanswered_);
    speak(GetParam());
  }
  void TearDown() override {
    window_.reset();
    speak("en");
    QCoreApplication::removeTranslator(&unanswered_);
    if (isEnglish()) return;
    EXPECT_EQ(lines(unanswered_.list.values()), "");
  }
  static bool isEnglish() { return std::string(GetParam()) == "en"; }
  static Settings street() { return withOptions({}, smallStreet()); }
  MainWindow& open(const QSize& size, const Settings& settings = street()) {
    window_.emplace(settings);
    window_->resize(size);
    window_->show();
    return *window_;
  }
  bool isLive() {
    return waitFor([&] {
      const auto engine = window_->live().engine();
      return engine && engine->latest() && !window_->deck()->exported().isNull();
    });
  }
  void raise(const char* name) {
    auto* dock = window_->findChild<QDockWidget*>(name);
    dock->show();
    dock->raise();
  }
  // Checks once the layout has come to rest.
  static void expectNothing(const std::string& what, const std::function<QStringList()>& found) {
    EXPECT_TRUE(waitFor([&] { return found().isEmpty(); })) << what << '\n' << lines(found());
  }
  static void expectWhole(const QWidget& widget, const std::string& what) {
    expectNothing(what, [&] { return cut(widget) + elided(widget); });
  }

  Unanswered unanswered_;
  std::optional<MainWindow> window_;
};

// Guards against cut plots in a window that was shrunk to 900 x 600.
TEST_P(RoomForWords, TheSmallestWindowHasItForEachPanel) {
  MainWindow& window = open({1280, 800});
  ASSERT_TRUE(isLive());
  for (const char* name : kPanels) {
    raise(name);
    for (const QSize size : {QSize(1280, 800), kSmallest}) {
      window.resize(size);
      expectNothing(name + std::to_string(size.width()), [&] { return hidden(window); });
      if (size != kSmallest) expectWhole(window, name);
      EXPECT_EQ(window.size(), size) << name;
    }
  }
  expectEachLetterOnce(window, window.menuBar());
}

TEST_P(RoomForWords, ASmallScreenHasItForEachPanel) {
  MainWindow& window = open(kSmallScreen);
  for (const char* name : kPanels) {
    raise(name);
    expectNothing(name, [&] { return cut(window); });
    EXPECT_EQ(window.size(), kSmallScreen) << name;
  }
}

// Guards against "Live tokens at ni..." next to the classes, and "none counted at nig..." once some
// were counted by day.
TEST_P(RoomForWords, TheSmallestWindowHasItForAllThatTheStripTells) {
  MainWindow& window = open(kSmallest);
  raise("Classes");
  ASSERT_TRUE(waitFor([&] { return stripTile(window, kLabels)->figure() != "–"; }));
  // A night of the street's clock passes in one to two minutes.
  ASSERT_TRUE(
      waitFor([&] { return stripTile(window, kNight)->note().contains(QRegularExpression("\\d")); },
              5 * kWaitMs));
  expectWhole(window, "the strip");
  EXPECT_EQ(window.size(), kSmallest);
}

TEST_P(RoomForWords, EachLayoutHasItBesideWhatComparingTells) {
  MainWindow& window = open({1280, 800});
  for (QAction* action : window.findChildren<QAction*>())
    if (action->shortcut() == QKeySequence("Ctrl+T")) action->setChecked(true);
  ASSERT_TRUE(waitFor([&] {
    for (const auto* label : window.statusBar()->findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains('%')) return true;
    return false;
  }));
  for (int layout = 0; layout < kDeckLayouts; ++layout) {
    window.deck()->setLayoutKind(static_cast<DeckLayout>(layout));
    expectNothing(std::to_string(layout), [&] { return cut(window); });
  }
}

TEST_P(RoomForWords, WatchAndTheFirstPageHaveIt) {
  Settings settings = street();
  settings.face = Face::watch;
  MainWindow& window = open(kSmallest, settings);
  ASSERT_TRUE(waitFor([&] {
    const auto labels = stripOf(window, false)->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [](const QLabel* label) { return label->text().contains('%'); });
  }));
  expectWhole(window, "Watch");
  window.askForFace();
  expectWhole(window, "the first page");
  EXPECT_EQ(window.size(), kSmallest);
}

// Guards against "geraten: Das Modell kennt diese..." below a class.
TEST_P(RoomForWords, WatchHasItAtAPlaceThatTheModelDoesNotKnow) {
  const QTemporaryDir folder;
  QImage grey(64, 48, QImage::Format_RGB32);
  grey.fill(Qt::gray);
  for (const char* name : {"1.png", "2.png"}) ASSERT_TRUE(grey.save(folder.filePath(name)));
  Settings settings = street();
  settings.face = Face::watch;
  settings.live.source = folder.path();
  MainWindow& window = open(kSmallest, settings);
  const QString guess =
      QCoreApplication::translate("mpm::gui::Headline", "a guess: an unknown place");
  ASSERT_TRUE(waitFor([&] {
    const auto labels = stripOf(window, false)->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel* label) { return label->toolTip() == guess; });
  }));
  expectWhole(window, "Watch");
}

// Guards against "dieses Modell ka...", and a German sentence that ends in English.
TEST_P(RoomForWords, AModelThatCannotMergeSaysSoInWholeWords) {
  Settings settings = street();
  settings.live.model = QString::fromStdString(test::inProject("tests/models/refused_cnn.onnx"));
  MainWindow& window = open(kSmallest, settings);
  raise("Classes");
  raise("DayNight");
  ASSERT_TRUE(isLive());
  const auto* sentence = panel(window, "DayNight")->findChild<QLabel*>();
  EXPECT_TRUE(waitFor([&] { return sentence->text().contains(':'); }));
  EXPECT_EQ(sentence->text().contains("it has no transformer block"), isEnglish());
  expectNothing("tiles", [&] { return elided(window); });
  window.findChild<QDockWidget*>("DayNight")->hide();
  expectWhole(window, "a model that cannot merge");
  EXPECT_EQ(window.size(), kSmallest);
}

// Guards against 953 x 703 in German, and 900 x 646 with ten cameras.
TEST_P(RoomForWords, TheSmallestWindowKeepsItsSizeWithAPanelBesideAWall) {
  Settings settings = street();
  for (int seed = 2; seed <= 10; ++seed)
    settings.live.beside << settings.live.source + "&seed=" + QString::number(seed);
  MainWindow& window = open(kSmallest, settings);
  ASSERT_TRUE(waitFor([&] { return window.wall()->isVisible(); }));
  for (const char* name : kPanels) {
    raise(name);
    cut(window);  // lays it out
    EXPECT_EQ(window.size(), kSmallest) << name;
  }
}

// Returns what the panel cuts below its longest sentence, three lines in German. The sentence is
// set each time, as the panel itself updates it every two seconds.
QStringList cutBelowTheLongest(const MainWindow& window) {
  monitor::DayNight figures;
  for (const double tokens : {402.2, 437.4, 474.1}) figures.days.add(tokens);
  for (const double tokens : {391.3, 430.6, 470.2}) figures.nights.add(tokens);
  const QWidget& dayNight = *panel(window, "DayNight");
  for (auto* label : dayNight.findChildren<QLabel*>())
    if (label->wordWrap()) label->setText(unbroken(dayNightSentence(figures, 845, QLocale())));
  QStringList list = hidden(window);
  for (const auto* button : dayNight.findChildren<QAbstractButton*>())
    if (button->isVisible() && button->visibleRegion().boundingRect() != button->rect())
      list << button->text();
  return list;
}

// Guards against buttons cut in half below Day and night's plots, among tabs of other panels.
TEST_P(RoomForWords, ButtonsAreWholeBelowTheLongestSentence) {
  MainWindow& window = open(kSmallest);
  for (const char* name : {"DayNight", "Performance", "Tune", "Events"}) {
    raise(name);
    raise("DayNight");
    expectNothing(name, [&] { return cutBelowTheLongest(window); });
    EXPECT_EQ(window.size(), kSmallest) << name;
  }
  window.deck()->setLayoutKind(DeckLayout::grid);  // whose pictures need more
  cutBelowTheLongest(window);                      // lays it out
  EXPECT_EQ(window.size(), kSmallest);
  window.deck()->setLayoutKind(DeckLayout::pair);
  for (int height = kSmallest.height(); height >= kSmallScreen.height(); height -= 10) {  // by hand
    window.resize(kSmallScreen.width(), height);
    cutBelowTheLongest(window);
  }
  EXPECT_EQ(window.size(), kSmallScreen);
}

// Guards against Save and Cancel below the edge of the screen.
TEST_P(RoomForWords, DialogsHaveItOnASmallScreen) {
  RulesDialog rules({}, {"live_rows", "area.road"});
  rules.addRule();
  ModelDialog models(street().live.model, {});
  SourceDialog sources("scene:", {"/dev/video0"});
  RecordFrames frames({}, {}, {}, {}, nullptr);
  for (Dialog* dialog : std::initializer_list<Dialog*>{&rules, &models, &sources, &frames}) {
    const auto title = dialog->windowTitle().toStdString();
    EXPECT_EQ(dialog->size().boundedTo(roomOnScreen(*dialog)), dialog->size()) << title;
    dialog->show();
    dialog->resize(kSmallScreen);
    EXPECT_EQ(dialog->size(), kSmallScreen) << title;
    expectWhole(*dialog, title);
    expectEachLetterOnce(*dialog);
  }
}

TEST_P(RoomForWords, TeachingHasIt) {
  const QTemporaryDir folder;
  TeachHost host;
  host.newest = [] {
    auto result = std::make_shared<monitor::FrameResult>();
    result->frame.picture = cv::Mat(48, 64, CV_8UC3, cv::Scalar::all(90));
    return result;
  };
  host.engine = [] { return std::shared_ptr<monitor::Engine>(); };
  host.backbone = [] { return Backbone{"/models/street.onnx", {}, {}}; };
  host.builtIn = "/models/street.onnx";
  host.isStrange = [] { return true; };
  TeachWindow window(host);
  ASSERT_TRUE(window.openProject(folder.path()));
  window.resize(kSmallest);
  window.show();
  window.takeFrame();
  window.backbone()->showSize({{224, 224}, 256, true, false});
  expectWhole(window, "Teach before anything is taught");
  TeachWorker::Taught taught;
  taught.lesson.classes = {{"snow on the ground", 12, 0.5, 0.912}, {"street", 1, 0.5, NAN}};
  for (const Advice::Kind kind :
       {Advice::Kind::oneFrame, Advice::Kind::unpainted, Advice::Kind::once,
        Advice::Kind::tooSeldom, Advice::Kind::weak, Advice::Kind::mixed})
    taught.lesson.advice.push_back({kind, "street", "snow", 0.31});
  taught.doubts = {{"a", 0.2}, {"b", 0.1}};
  window.lesson()->end(std::make_shared<const TeachWorker::Taught>(taught), {});
  expectWhole(window, "Teach");
  expectEachLetterOnce(window, window.menuBar());
}

TEST_P(RoomForWords, HowMergingWorksHasIt) {
  MainWindow& window = open(kSmallest);
  window.findChild<QAction*>("Merging")->trigger();
  auto* merging = window.findChild<MergeWindow*>();
  ASSERT_TRUE(waitFor([&] { return merging->story() != nullptr; }));
  for (int step = 0; step < merging->steps(); ++step) {
    merging->goTo(step);
    expectWhole(*merging, std::to_string(step));
  }
  expectEachLetterOnce(*merging);
  merging->close();
}

// Events are in the app's language, except for errors.
TEST_P(RoomForWords, WhatHappensIsToldInTheLanguage) {
  if (isEnglish()) GTEST_SKIP() << "as the monitor says it";
  MainWindow& window = open(kSmallest);
  const std::pair<const char*, std::function<void()>> events[]{
      {"source", [] {}},
      {"light", [] {}},
      {"schedule", [&] { window.session().setSchedule("3"); }},
      {"memory", [&] { window.session().setMemory(false); }},
      {"filter", [&] {
         window.live().engine()->setFilter([](const cv::Mat& picture) { return picture.clone(); });
       }}};
  for (const auto& [kind, happens] : events) {
    happens();
    EXPECT_TRUE(waitFor([&, wanted = QString(kind)] {
      const EventList& list = window.events()->list();
      for (int row = 0; row < list.rowCount(); ++row) {
        if (list.entry(row).kind != wanted) continue;
        EXPECT_NE(list.words(row), list.entry(row).text);
        return true;
      }
      return false;
    })) << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Languages, RoomForWords, ::testing::Values("en", "de", "fr"));

}  // namespace
}  // namespace mpm::gui
