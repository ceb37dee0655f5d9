// SPDX-License-Identifier: Apache-2.0
// Photographs the app: every view, panel and dialog, and what goes wrong. scripts/screenshots runs
// this.
//
// usage: mpm_screenshots DIR [WIDTHxHEIGHT] [dark] [jpg] [language=CODE] [only=NAME,NAME,...]
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QImage>
#include <QPushButton>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <opencv2/core/utils/logger.hpp>
#include <stdexcept>
#include <thread>

#include "gui/app/open_dialogs.h"
#include "gui/app/photographed_windows.h"
#include "gui/app/photographer.h"
#include "gui/app/rules_dialog.h"
#include "gui/app/window_parts.h"
#include "gui/explain/merge_window.h"
#include "gui/plot/colours.h"
#include "gui/plot/histogram_plot.h"
#include "in_project.h"

namespace {

using mpm::gui::DeckLayout;
using mpm::gui::kPatienceMs;
using mpm::gui::Photographer;
using mpm::gui::ViewKind;
using mpm::gui::wait;
using mpm::gui::waitUntil;
using mpm::monitor::LightState;

constexpr int kNightsMs = 600000;  // until nights can be told from days; one takes 24 s
constexpr std::int64_t kNightsShownMs = 180000;
constexpr const char* kStreet = "scene:?clock=1800x&hour=6";

// Tells whether a tile of the strip has a figure, by its name in English.
bool hasFigure(const mpm::gui::MainWindow& window, const char* name) {
  const QString title = QApplication::translate("mpm::gui::GlanceStrip", name);
  return mpm::gui::tile(window, title)->figure() != "–";
}

// Waits for all that the strip says at once.
void takeFirstStart(mpm::gui::MainWindow& window, Photographer& photographer) {
  if (!photographer.wants("first-start")) return;
  waitUntil([&] { return hasFigure(window, "Label agreement"); }, kPatienceMs);
  photographer.take("first-start");
}

// Shows the first page and the window of someone who watches a place; Study follows.
void takeFaces(mpm::gui::MainWindow& window, Photographer& photographer) {
  constexpr int kUntilPainted = 3000, kUntilThereIsAPast = 30000, kUntilTokensMove = 17000;
  if (photographer.wants("first-page")) {
    window.askForFace();
    wait(kUntilPainted);
    photographer.take("first-page");
    const QString page =
        QApplication::translate("mpm::gui::FacePage", "What would you like to see?");
    mpm::gui::named(window, page)->findChildren<QPushButton*>()[1]->click();
  }
  if (photographer.wants("watch")) {
    window.setFace(mpm::gui::Face::watch);
    wait(kUntilThereIsAPast);
    photographer.take("watch");
  }
  if (photographer.wants("exhibition")) {
    window.setFace(mpm::gui::Face::exhibition);
    wait(kUntilTokensMove);
    photographer.take("exhibition", window.exhibition());
  }
  window.setFace(mpm::gui::Face::study);
}

void takeViews(mpm::gui::MainWindow& window, Photographer& photographer) {
  window.deck()->setLayoutKind(DeckLayout::grid);
  photographer.take("grid");
  window.deck()->setLayoutKind(DeckLayout::split);
  photographer.take("split");
  photographer.act(QKeySequence("Ctrl+T"));  // the difference needs both
  window.deck()->setLayoutKind(DeckLayout::pair);
  wait(1500);
  for (int kind = 0; kind < mpm::gui::kViewKinds; ++kind) {
    window.deck()->showKind(static_cast<ViewKind>(kind));
    photographer.take("view-" + QString::number(kind));
  }
  photographer.act(QKeySequence("Ctrl+T"));
  photographer.act(QKeySequence("Ctrl+D"));
  photographer.take("zones");
  photographer.act(QKeySequence("Ctrl+D"));
  window.deck()->showKind(ViewKind::mergeMap);
}

// Waits for the longest sentence: a first night in progress, and an incomplete day before it.
void takeFirstNight(mpm::gui::MainWindow& window, Photographer& photographer) {
  if (!photographer.wants("first-night")) return;
  photographer.raise("DayNight");
  const auto counted = [&] {
    return photographer.isIn(LightState::night) && hasFigure(window, "Tokens at night");
  };
  waitUntil(counted, kPatienceMs);
  photographer.take("first-night");
  window.findChild<QDockWidget*>("DayNight")->hide();
}

// Waits for a night in progress, once nights and days before it can be distinguished.
bool takeNight(mpm::gui::MainWindow& window, Photographer& photographer) {
  if (!photographer.wants("night") && !photographer.wants("night-figures")) return true;
  mpm::monitor::DayNight tokens;
  const auto listening =
      QObject::connect(&window.session(), &mpm::gui::Session::nightsKnown,
                       [&](const mpm::gui::KnownNights& known) { tokens = known.tokens; });
  const bool seen =
      waitUntil([&] { return mpm::monitor::nightsAgainstDays(tokens).has_value(); }, kNightsMs);
  QObject::disconnect(listening);
  const auto compares = [&] { return hasFigure(window, "Label agreement"); };
  if (!seen || !photographer.inLight(LightState::night) || !waitUntil(compares, kPatienceMs))
    return false;
  // Changing light changes every patch, so the memory saves only while it is constant.
  const auto remembers = [&] {
    const auto newest = window.live().newest();
    return photographer.isIn(LightState::night) && newest && newest->remembers &&
           2 * newest->segmentation.memory.fresh < newest->segmentation.memory.rows;
  };
  waitUntil(remembers, kPatienceMs);
  photographer.take("night");
  photographer.raise("DayNight");
  window.findChild<mpm::gui::TimePlot*>("Tokens")->setSpan(kNightsShownMs);
  const auto showsNight = [&] {
    const QString night = mpm::gui::lightTitle(LightState::night);
    return mpm::gui::panel(window, "DayNight")
               ->findChild<mpm::gui::HistogramPlot*>()
               ->summary()
               .count(night) >= 2;  // tokens and times
  };
  if (!waitUntil(showsNight, kPatienceMs)) return false;
  photographer.take("night-figures");
  window.findChild<QDockWidget*>("DayNight")->hide();
  return true;
}

void takePanels(mpm::gui::MainWindow& window, Photographer& photographer) {
  photographer.raise("Classes");
  photographer.take("classes");
  window.findChild<QDockWidget*>("Classes")->hide();
  photographer.raise("Performance");
  photographer.take("performance");
  photographer.raise("Events");
  photographer.take("events");
  photographer.raise("Tune");
  photographer.take("tune-before");
  if (photographer.wants("tune")) {
    mpm::gui::panel(window, "Tune")->findChild<QPushButton*>()->click();
    wait(3000);
    photographer.take("tune-running");
    waitUntil([&] { return !window.session().isMeasuring(); }, 300000);
    photographer.take("tune");
  }
  photographer.raise("DayNight");
}

void takeDialogs(mpm::gui::MainWindow& window, Photographer& photographer) {
  const QString gate = "rtsp://camera/stream";
  mpm::gui::SourceDialog source(kStreet, {kStreet, "/videos/gate.mp4", gate},
                                {{mpm::gui::sourceName(gate), "The gate"}}, &window);
  photographer.takeDialog("source", source);
  const auto engine = window.live().engine();
  mpm::gui::RulesDialog rules(
      mpm::monitor::readRules(mpm::test::inProject("monitor/rules/example.toml")),
      engine->metrics().names(), &window);
  photographer.takeDialog("rules", rules);
  rules.addRule();
  photographer.takeDialog("rules-new", rules);
  photographer.takeMenus("menu-");
  photographer.takeModal("keys", QKeySequence(Qt::Key_F1));
  photographer.takeModal("models", QKeySequence("Ctrl+M"));
}

void takeMerging(mpm::gui::MainWindow& window, Photographer& photographer) {
  if (!photographer.wantsSome("merging")) return;
  photographer.act(QKeySequence(Qt::Key_F2));
  auto* merging = window.findChild<mpm::gui::MergeWindow*>();
  waitUntil([&] { return merging->story() != nullptr; }, kPatienceMs);
  for (int step = 0; step < merging->steps(); ++step) {
    merging->goTo(step);
    wait(step == 1 ? 700 : 3000);  // one of the merges is taken while its pairs move
    photographer.take("merging-" + QString::number(step), merging);
  }
  merging->findChild<QComboBox*>()->setCurrentIndex(3);  // of the last step
  photographer.take("merging-hours", merging);
  merging->close();
}

// Shows pictures that are no longer live: the model fails, or the source is gone.
void takeOld(mpm::gui::MainWindow& window, Photographer& photographer) {
  if (photographer.wants("failing")) {
    window.live().engine()->setFilter([](const cv::Mat&) -> cv::Mat {
      throw std::runtime_error("mpm.TransformerBlock /blocks.7: 3 tokens are not finite");
    });
    wait(5000);
    photographer.take("failing");
    window.live().engine()->setFilter({});
    wait(2000);
  }
  if (photographer.wants("lost")) {
    QTemporaryDir folder;
    const cv::Mat picture = window.live().engine()->latest()->frame.picture;
    const QImage shown(picture.data, picture.cols, picture.rows,
                       static_cast<qsizetype>(picture.step[0]), QImage::Format_BGR888);
    for (const char* name : {"1.png", "2.png"}) shown.save(folder.filePath(name));
    window.session().openSource(folder.path());
    photographer.live();
    wait(8000);
    folder.remove();
    wait(6000);
    photographer.take("lost");
    window.session().openSource(kStreet);
    photographer.live();
  }
}

void takeTroubles(mpm::gui::MainWindow& window, Photographer& photographer) {
  if (photographer.wants("stale")) {
    window.live().engine()->withNetwork(
        [](mpm::monitor::Network&) { std::this_thread::sleep_for(std::chrono::seconds(7)); });
    wait(5500);
    photographer.take("stale");
    wait(2000);
  }
  if (photographer.wants("reconnecting")) {
    window.session().openSource("/nowhere/video.mp4");
    waitUntil(
        [&] {
          const auto engine = window.live().engine();
          return engine && engine->capture().state == mpm::monitor::CaptureState::waiting;
        },
        kPatienceMs);
    photographer.take("reconnecting");
    window.session().openSource(kStreet);
    photographer.live();
  }
  if (photographer.wants("cannot-merge")) {
    window.session().openModel(
        QString::fromStdString(mpm::test::inProject("tests/models/refused_cnn.onnx")));
    wait(1000);
    photographer.live();
    wait(3000);
    photographer.take("cannot-merge");
    photographer.raise("Performance");
    photographer.take("cannot-merge-performance");
  }
}

// A busy machine is too slow for what the photographs wait for.
int giveUp(const char* missing) {
  std::fprintf(stderr, "mpm_screenshots: %s in time; please try again on a machine that is free\n",
               missing);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: mpm_screenshots DIR [WIDTHxHEIGHT] [dark] [jpg] [language=CODE] "
                 "[only=NAME,...]\n");
    return 2;
  }
  QStandardPaths::setTestModeEnabled(true);  // nobody's own zones and records
  QApplication::setApplicationName("mpm-screenshots");
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });
  const QStringList words = QApplication::arguments();
  mpm::gui::applyTheme(words.contains("dark") ? mpm::gui::Theme::dark : mpm::gui::Theme::light);
  mpm::gui::speak(words.filter("language=").value(0, "language=en").mid(9));
  const QStringList size = words.value(2, "1280x800").split('x');
  const QStringList only = words.filter("only=").value(0).mid(5).split(',', Qt::SkipEmptyParts);
  QDir().mkpath(words[1]);

  mpm::gui::AppOptions options;
  options.record = "none";
  options.source = kStreet;
  options.fresh = true;
  options.face = mpm::gui::Face::study;
  const QTemporaryDir teachFolder;
  mpm::gui::Settings settings = mpm::gui::withOptions({}, options);
  settings.teachFolder = teachFolder.path();
  mpm::gui::MainWindow window(settings);
  window.resize(size.value(0).toInt(), size.value(1).toInt());
  window.show();
  Photographer photographer(window, words[1], words.contains("jpg") ? ".jpg" : ".png", only);
  photographer.take("opening");
  if (!photographer.live()) return giveUp("the source was not opened");
  takeFirstStart(window, photographer);
  if (!photographer.inLight(LightState::day)) return giveUp("there was no day");
  wait(1000);
  photographer.take("day");
  takeViews(window, photographer);
  takeFaces(window, photographer);
  takeFirstNight(window, photographer);
  if (!takeNight(window, photographer))
    return giveUp("there were no nights that can be told from days");
  takeDialogs(window, photographer);
  takeMerging(window, photographer);
  takeDays(window, photographer);
  takeTeach(window, photographer, teachFolder.path());
  takePanels(window, photographer);
  takeOld(window, photographer);
  takeTroubles(window, photographer);
  takeWall(window, photographer, kStreet);
  return 0;
}
