// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_window.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QStatusBar>
#include <QUrl>
#include <exception>
#include <utility>

#include "monitor/service/clip_writer.h"

namespace mpm::gui {
namespace {

constexpr int kAroundMs = 250;

}  // namespace

MainWindow::MainWindow(const Settings& settings)
    : settings_(settings),
      deck_(new ViewDeck(&classes_)),
      legend_(new ClassLegend(&classes_)),
      dayNight_(new DayNightPanel),
      performance_(new PerformancePanel),
      tune_(new TunePanel) {
  setObjectName("MainWindow");
  setWindowTitle(tr("MPM Monitor"));
  setAcceptDrops(true);
  setCentralWidget(deck_);
  setDockOptions(AnimatedDocks | AllowTabbedDocks | AllowNestedDocks);
  makeMenus();
  makeToolBar();
  makeDocks();
  connectLive();
  deck_->setEmptyText(tr("Opening the source ..."));
  deck_->setLayoutKind(settings_.layout);
  deck_->showKind(settings_.kind);
  deck_->setOpacity(settings_.opacity);
  deck_->setOutlines(settings_.outlines);
  resize(1280, 800);
  if (!settings_.geometry.isEmpty()) restoreGeometry(settings_.geometry);
  if (!settings_.state.isEmpty()) restoreState(settings_.state);
  around_.setInterval(kAroundMs);
  connect(&around_, &QTimer::timeout, this, &MainWindow::lookAround);
  around_.start();
  live_.open(settings_.live);
}

MainWindow::~MainWindow() {
  tune_->cancel();  // the engine could not end before
  delete clipWriter_;
}

void MainWindow::connectLive() {
  connect(&live_, &Live::opened, this, &MainWindow::opened);
  connect(&live_, &Live::closing, this, [this] { dayNight_->setEngine(nullptr, {}, {}); });
  connect(&live_, &Live::failed, this, &MainWindow::failed);
  connect(&live_, &Live::resultReady, this, &MainWindow::showNewest, Qt::QueuedConnection);
  connect(&live_, &Live::happened, this,
          [this](const QString& kind, const QString& /*name*/, const QString& text, qint64 utcMs) {
            events_.add(kind, text, utcMs);
          });
  connect(dayNight_, &DayNightPanel::nightChanged, this, [this](const NightSettings& night) {
    if (const auto engine = live_.engine()) engine->setFilter(nightFilter(night));
  });
  connect(tune_, &TunePanel::wanted, this, &MainWindow::beginTuning);
  connect(tune_, &TunePanel::scheduleChosen, this, &MainWindow::setSchedule);
  connect(deck_, &ViewDeck::inspected, this,
          [this](const Inspection& inspection) { underCursor_->setText(describe(inspection)); });
  connect(deck_, &ViewDeck::inspectionEnded, underCursor_, &QLabel::clear);
  connect(deck_, &ViewDeck::zonesChanged, this, &MainWindow::changeZones);
}

void MainWindow::reopen() {
  tune_->cancel();  // it holds the engine that is to end
  live_.open(settings_.live);
}

void MainWindow::openSource(const QString& address) {
  settings_.live.source = address;
  bringBook();
  reopen();
}

void MainWindow::openModel(const QString& path) {
  settings_.live.model = path;
  settings_.live.schedule.reset();
  reopen();
}

void MainWindow::setSchedule(const QString& blocks) {
  const auto engine = live_.engine();
  if (!engine) return;
  const auto parsed = parseBlocks(blocks);
  try {
    if (!parsed)
      throw std::invalid_argument(
          tr("%1 is no list of blocks; 2, 5 is, and none").arg(blocks).toStdString());
    engine->setSchedule(*parsed);
    settings_.live.schedule = *parsed;
    say({});
  } catch (const std::exception& fault) {
    say(QString::fromUtf8(fault.what()), true);
  }
  schedule_->setText(blocksText(engine->schedule()));
  dayNight_->setEngine(engine, settings_.live.record, sourceName(settings_.live.source));
}

void MainWindow::beginTuning() {
  Tuner::Task task;
  task.engine = live_.engine();
  if (!task.engine) return;
  task.model = settings_.live.model;
  task.precision = live_.computing().precision;
  task.device = live_.computing().device;
  task.frames.assign(lastPictures_.begin(), lastPictures_.end());
  tune_->begin(std::move(task));
}

void MainWindow::say(const QString& sentence, bool bad) {
  if (sentence.isEmpty()) {
    statusBar()->clearMessage();
    return;
  }
  statusBar()->showMessage(sentence, bad ? 0 : 15000);
  if (bad) events_.add(tr("app"), sentence, monitor::systemClock().now().utcMs);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  saveSettings();
  QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.isEmpty()) return;
  const QString path =
      urls.front().isLocalFile() ? urls.front().toLocalFile() : urls.front().toString();
  if (path.endsWith(".onnx", Qt::CaseInsensitive)) {
    openModel(path);
  } else {
    openSource(path);
  }
  event->acceptProposedAction();
}

void MainWindow::saveSettings() {
  settings_.geometry = saveGeometry();
  settings_.state = saveState();
  settings_.layout = deck_->layoutKind();
  settings_.kind = deck_->kind();
  writeSettings(settings_);
}

}  // namespace mpm::gui
