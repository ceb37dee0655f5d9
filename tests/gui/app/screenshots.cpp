// SPDX-License-Identifier: Apache-2.0
// Photographs the app: every view, panel and dialog, and what goes wrong. scripts/screenshots runs
// this.
//
// usage: mpm_screenshots DIR [WIDTHxHEIGHT] [dark] [jpg] [language=CODE] [only=NAME,NAME,...]
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QMenuBar>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTimer>
#include <chrono>
#include <cstdio>
#include <functional>
#include <opencv2/core/utils/logger.hpp>
#include <thread>

#include "gui/app/language.h"
#include "gui/app/main_window.h"
#include "gui/app/rules_dialog.h"
#include "gui/app/source_dialog.h"
#include "gui/explain/merge_window.h"
#include "gui/explain/tour.h"

namespace {

using mpm::gui::DeckLayout;
using mpm::gui::ViewKind;
using mpm::monitor::LightState;

constexpr int kQuality = 85;         // of JPEG
constexpr int kPatienceMs = 120000;  // on a machine that does other work
constexpr const char* kStreet = "scene:?clock=1800x&hour=6";

void wait(int ms) {
  QElapsedTimer timer;
  timer.start();
  while (timer.elapsed() < ms) QApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
}

bool waitUntil(const std::function<bool()>& condition, int ms) {
  QElapsedTimer timer;
  timer.start();
  while (!condition() && timer.elapsed() < ms) {
    QApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
  }
  return condition();
}

class Photographer {
 public:
  Photographer(mpm::gui::MainWindow& window, const QString& folder, const QString& ending,
               const QStringList& only)
      : window_(window), folder_(folder), ending_(ending), only_(only) {}

  bool wants(const QString& name) const { return only_.isEmpty() || only_.contains(name); }

  // One whose name begins so.
  bool wantsSome(const QString& beginning) const {
    return only_.isEmpty() || !only_.filter(QRegularExpression('^' + beginning)).isEmpty();
  }

  void take(const QString& name, QWidget* of = nullptr) {
    if (!wants(name)) return;
    wait(600);
    QWidget* widget = of != nullptr ? of : &window_;
    const QString path = folder_.filePath(name + ending_);
    if (!widget->grab().save(path, nullptr, kQuality)) std::fprintf(stderr, "not written: ");
    std::printf("%s\n", qPrintable(path));
    std::fflush(stdout);
  }
  void takeDialog(const QString& name, QDialog& dialog) {
    if (!wants(name)) return;
    dialog.show();
    take(name, &dialog);
    dialog.hide();  // closed, it may ask
  }
  // What an action opens and waits for.
  void takeModal(const QString& name, const QKeySequence& key) {
    if (!wants(name)) return;
    QTimer::singleShot(500, &window_, [this, name] {
      QWidget* box = QApplication::activeModalWidget();
      if (box == nullptr) return;
      take(name, box);
      box->close();
    });
    act(key);
  }
  void raise(const QString& name) {
    auto* dock = window_.findChild<QDockWidget*>(name);
    dock->show();
    dock->raise();
  }
  void act(const QKeySequence& key) {
    for (const QAction* menu : window_.menuBar()->actions()) {
      for (QAction* action : menu->menu()->actions()) {
        if (action->shortcut() == key) action->trigger();
      }
    }
  }
  bool live() {
    return waitUntil(
        [this] {
          const auto engine = window_.live().engine();
          return engine && !window_.live().isOpening() && engine->latest(0);
        },
        kPatienceMs);
  }
  // Until the light meter says so.
  bool inLight(mpm::monitor::LightState state) {
    return waitUntil(
        [&] {
          const auto engine = window_.live().engine();
          const auto newest = engine ? engine->latest(0) : nullptr;
          return newest && newest->light.state == state;
        },
        kPatienceMs);
  }

 private:
  mpm::gui::MainWindow& window_;
  QDir folder_;
  QString ending_;
  QStringList only_;
};

void takeViews(mpm::gui::MainWindow& window, Photographer& photographer) {
  window.deck()->setLayoutKind(DeckLayout::grid);
  photographer.take("grid");
  window.deck()->setLayoutKind(DeckLayout::split);
  photographer.take("split");
  photographer.act(QKeySequence("Ctrl+T"));  // the difference needs both
  window.deck()->setLayoutKind(DeckLayout::tabs);
  wait(1500);
  for (int kind = 0; kind < mpm::gui::kViewKinds; ++kind) {
    window.deck()->showKind(static_cast<ViewKind>(kind));
    photographer.take("view-" + QString::number(kind));
  }
  photographer.act(QKeySequence("Ctrl+T"));
  photographer.act(QKeySequence("Ctrl+D"));
  photographer.take("zones");
  photographer.act(QKeySequence("Ctrl+D"));
  window.deck()->setLayoutKind(DeckLayout::pair);
  window.deck()->showKind(ViewKind::mergeMap);
}

bool takeNight(mpm::gui::MainWindow& window, Photographer& photographer) {
  if (!photographer.wants("night") && !photographer.wants("night-figures")) return true;
  const auto counted = [&] { return window.glance()->night()->figure() != "–"; };
  if (!photographer.inLight(LightState::night) || !waitUntil(counted, kPatienceMs)) return false;
  wait(2000);
  photographer.take("night");
  photographer.raise("DayNight");
  photographer.take("night-figures");
  window.findChild<QDockWidget*>("DayNight")->hide();
  return true;
}

void takePanels(mpm::gui::MainWindow& window, Photographer& photographer) {
  photographer.raise("Performance");
  photographer.take("performance");
  photographer.raise("Events");
  photographer.take("events");
  photographer.raise("Tune");
  photographer.take("tune-before");
  if (photographer.wants("tune")) {
    emit window.tune()->wanted();
    wait(3000);
    photographer.take("tune-running");
    waitUntil([&] { return !window.tune()->isRunning(); }, 300000);
    photographer.take("tune");
  }
  photographer.raise("DayNight");
}

void takeDialogs(mpm::gui::MainWindow& window, Photographer& photographer) {
  mpm::gui::SourceDialog source(kStreet, {kStreet, "/videos/gate.mp4", "rtsp://camera/stream"},
                                &window);
  photographer.takeDialog("source", source);
  const auto engine = window.live().engine();
  mpm::gui::RulesDialog rules(mpm::monitor::readRules(MPM_EXAMPLE_RULES),
                              engine->metrics(0).names(), &window);
  photographer.takeDialog("rules", rules);
  rules.addRule();
  photographer.takeDialog("rules-new", rules);
  photographer.takeModal("keys", QKeySequence(Qt::Key_F1));
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
  merging->close();
}

void takeTour(mpm::gui::MainWindow& window, Photographer& photographer) {
  if (!photographer.wantsSome("tour")) return;
  window.beginTour();
  const QPointer<mpm::gui::Tour> tour = window.findChild<mpm::gui::Tour*>();
  for (int stop = 0; tour && tour->stop() == stop; ++stop) {
    photographer.take("tour-" + QString::number(stop));
    tour->findChildren<QPushButton*>().last()->click();
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
    window.watch().openSource("/nowhere/video.mp4");
    waitUntil(
        [&] {
          const auto engine = window.live().engine();
          return engine && engine->capture(0).state == mpm::monitor::CaptureState::waiting;
        },
        kPatienceMs);
    photographer.take("reconnecting");
    window.watch().openSource(kStreet);
    photographer.live();
  }
  if (photographer.wants("cannot-merge")) {
    window.watch().openModel(MPM_MODELS "/refused_cnn.onnx");
    wait(1000);
    photographer.live();
    wait(3000);
    photographer.take("cannot-merge");
    photographer.raise("Performance");
    photographer.take("cannot-merge-performance");
  }
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
  mpm::gui::MainWindow window(mpm::gui::withOptions({}, options));
  window.resize(size.value(0).toInt(), size.value(1).toInt());
  window.show();
  Photographer photographer(window, words[1], words.contains("jpg") ? ".jpg" : ".png", only);
  photographer.take("opening");
  if (!photographer.live()) return 1;
  if (!photographer.inLight(LightState::day)) return 1;
  wait(1000);
  photographer.take("day");
  takeViews(window, photographer);
  if (!takeNight(window, photographer)) return 1;
  takeDialogs(window, photographer);
  takeMerging(window, photographer);
  takeTour(window, photographer);
  takePanels(window, photographer);
  takeTroubles(window, photographer);
  return 0;
}
