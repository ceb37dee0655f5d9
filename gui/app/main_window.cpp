// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_window.h"

#include <QAction>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QKeyEvent>
#include <QLoggingCategory>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QUrl>
#include <QVBoxLayout>
#include <utility>
#include <vector>

#include "gui/app/events_panel.h"
#include "gui/app/menus.h"
#include "gui/app/panels.h"
#include "gui/app/status_line.h"
#include "gui/app/view_deck.h"
#include "gui/app/wall.h"
#include "gui/app/windows_beside.h"
#include "gui/canvas/class_legend.h"
#include "gui/exhibition/exhibition_view.h"
#include "gui/teach/teach_window.h"

namespace mpm::gui {
namespace {

constexpr int kKeepMs = 1000, kSortMs = 5000, kClassesWidth = 195, kWatchClassesWidth = 230,
              kPanelsHeight = 250, kSharesHeight = 165, kFrameHeight = 30;

// Silent without QT_LOGGING_RULES="mpm.start.info=true", which measurements of the start set.
Q_LOGGING_CATEGORY(startLog, "mpm.start", QtWarningMsg)

// Returns the areas of classes from the metrics.
std::vector<double> areasOf(const monitor::Metrics& metrics, const monitor::FrameResult& result) {
  std::vector<double> areas;
  const auto& names = metrics.parsed();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].kind == monitor::MetricKind::area && names[i].zone.empty()) {
      areas.push_back(result.figures.values[i]);
    }
  }
  return areas;
}

}  // namespace

MainWindow::MainWindow(const Settings& settings)
    : settings_(settings),
      deck_(new ViewDeck(session_)),
      wall_(new Wall(session_)),
      glance_(newGlanceStrip(session_)),
      headline_(newHeadline(session_)),
      banner_(newBanner(session_)),
      exhibition_(new ExhibitionView(&session_.classes())),
      legend_(new ClassLegend(&session_.classes())),
      events_(new EventsPanel(session_)),
      status_(new StatusLine(session_)) {
  setObjectName("MainWindow");
  setWindowTitle(tr("MPM Monitor"));
  setAcceptDrops(true);
  auto* centre = new QWidget;
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  for (QWidget* strip : {static_cast<QWidget*>(glance_), static_cast<QWidget*>(headline_), banner_})
    column->addWidget(strip);
  for (QWidget* view : {static_cast<QWidget*>(deck_), static_cast<QWidget*>(wall_),
                        static_cast<QWidget*>(exhibition_)})
    column->addWidget(view, 1);
  setCentralWidget(centre);
  setStatusBar(status_);
  setDockOptions(AnimatedDocks | AllowTabbedDocks | AllowNestedDocks);
  menus_ = new Menus(session_, deck_, wall_, this);
  beside_ = new WindowsBeside(session_, this);
  makePanels();
  connectSession();
  deck_->setEmptyText(tr("Opening the source ..."));
  resize(QSize(1280, 800).expandedTo(screen()->availableSize() * 4 / 5));
  deck_->takeFocus();
  if (!settings_.geometry.isEmpty()) restoreGeometry(settings_.geometry);
  // The window fits the screen, which may have changed; its frame needs some more pixels.
  const QSize most = screen()->availableSize() - QSize(0, kFrameHeight);
  if (!isMaximized() && size().boundedTo(most) != size()) resize(size().boundedTo(most));
  arrange();
  keeping_.start(kKeepMs);
  session_.open();
}

MainWindow::~MainWindow() {
  emit session_.opening();  // whoever keeps the engine busy stops: it could not end before
}

void MainWindow::makePanels() {
  const auto below = Qt::BottomDockWidgetArea;
  const auto add = [&](const char* name, const QString& title, QWidget* content,
                       std::optional<Face> only, Qt::DockWidgetArea area) {
    return menus_->addPanel(name, title, content, area, only);
  };
  QDockWidget* classes = add("Classes", tr("Classes"), legend_, {}, Qt::RightDockWidgetArea);
  add("Events", tr("Events"), events_, {}, below);
  add("Shares", tr("Shares"), newSharesPanel(session_), Face::watch, below);
  QDockWidget* dayNight =
      add("DayNight", tr("Day and night"), newDayNightPanel(session_), Face::study, below);
  tabifyDockWidget(dayNight, add("Performance", tr("Performance"), newPerformancePanel(session_),
                                 Face::study, below));
  tabifyDockWidget(dayNight, add("Tune", tr("Tune"), newTunePanel(session_), Face::study, below));
  setTabPosition(below, QTabWidget::North);
  resizeDocks({classes}, {kClassesWidth}, Qt::Horizontal);
}

void MainWindow::connectSession() {
  connect(menus_, &Menus::faceWanted, this, &MainWindow::setFace);
  connect(menus_, &Menus::daysWanted, beside_, &WindowsBeside::openDays);
  connect(menus_, &Menus::mergingWanted, beside_, &WindowsBeside::openMerging);
  connect(menus_, &Menus::correctionWanted, beside_, &WindowsBeside::correct);
  connect(menus_->wall(), &QAction::toggled, this, &MainWindow::showCentre);
  connect(menus_->compare(), &QAction::toggled, status_, &StatusLine::setComparing);
  status_->setComparing(menus_->compare()->isChecked());
  connect(menus_->fullScreen(), &QAction::toggled, this, [this](bool on) {
    if (!on && face() == Face::exhibition) setFace(before_);
  });
  connect(deck_, &ViewDeck::inspected, status_, &StatusLine::inspect);
  connect(deck_, &ViewDeck::inspectionEnded, status_, &StatusLine::endInspection);
  connect(&session_, &Session::panelWanted, this, &MainWindow::showPanel);
  connect(&session_, &Session::momentWanted, this, &MainWindow::showMoment);
  connect(&session_, &Session::named, this, &MainWindow::showTitle);
  connect(&session_, &Session::shownChanged, this, &MainWindow::showTitle);
  connect(&session_, &Session::shownChanged, legend_->classModel(), &ClassLegendModel::clearAreas);
  connect(&session_, &Session::ended, this, [this](const QString& why) {
    legend_->classModel()->clearAreas();
    setWindowTitle(tr("MPM Monitor"));
    deck_->setEmptyText(why);
  });
  connect(&session_, &Session::frameShown, this, [this](const monitor::FrameResultPtr& newest) {
    if (face() == Face::exhibition) exhibition_->setResult(newest);
  });
  connect(&session_, &Session::frameTold, this, [this](const monitor::FrameResultPtr& told) {
    const auto& metrics = live().engine()->metrics();
    legend_->classModel()->setAreas(areasOf(metrics, *told));
  });
  connect(&session_, &Session::painted, this, [this] {
    if (!std::exchange(frameShown_, true)) qCInfo(startLog, "first frame shown");
  });
  connect(&session_, &Session::looked, this, &MainWindow::lookAround);
  connect(&keeping_, &QTimer::timeout, this, &MainWindow::keepSettings);
  auto* sorting = new QTimer(this);
  connect(sorting, &QTimer::timeout, this, [this] {
    if (face() == Face::watch) legend_->sortAgain();
  });
  sorting->start(kSortMs);
}

void MainWindow::showCentre() {
  const bool isExhibition = face() == Face::exhibition, isWall = menus_->wall()->isChecked();
  glance_->setVisible(face() == Face::study);
  headline_->setVisible(face() == Face::watch);
  deck_->setVisible(!isExhibition && !isWall);
  wall_->setVisible(!isExhibition && isWall);
  exhibition_->setVisible(isExhibition);
  status_->setOnWall(!isExhibition && isWall);
}

void MainWindow::arrange() {
  for (QAction* action : findChildren<QAction*>()) {
    if (!Faces::has(Face::study, action) || !Faces::has(Face::watch, action))
      action->setVisible(Faces::has(face(), action));
  }
  menus_->showFace(face());
  showCentre();
  if (live().engine()) banner_->hide();  // until it is known how the place is
  deck_->setLayoutKind(face() == Face::watch ? DeckLayout::named : settings_.layout);
  for (QDockWidget* dock : findChildren<QDockWidget*>()) dock->hide();
  if (face() == Face::exhibition) {
    menus_->fullScreen()->setChecked(true);
    return exhibition_->setResult(live().isOpening() ? nullptr : live().newest());
  }
  face() == Face::watch ? arrangeWatch() : arrangeStudy();
  for (QDockWidget* dock : findChildren<QDockWidget*>())
    if (!Faces::has(face(), dock)) dock->hide();
  menus_->showFace(face());  // what is kept may have another bar
}

void MainWindow::arrangeWatch() {
  const auto panel = [this](const char* name) { return findChild<QDockWidget*>(name); };
  QDockWidget *events = panel("Events"), *shares = panel("Shares"), *classes = panel("Classes");
  splitDockWidget(shares, events, Qt::Horizontal);
  for (QDockWidget* dock : {classes, shares, events}) dock->show();
  resizeDocks({shares, events}, {3, 2}, Qt::Horizontal);
  resizeDocks({shares, events}, {kSharesHeight, kSharesHeight}, Qt::Vertical);
  resizeDocks({classes}, {kWatchClassesWidth}, Qt::Horizontal);
  if (!settings_.watchState.isEmpty()) restoreState(settings_.watchState);
}

// Views fill the window until a panel is asked for: next to one, two of 4:3 would get less than
// half of it.
void MainWindow::arrangeStudy() {
  auto* dayNight = findChild<QDockWidget*>("DayNight");
  tabifyDockWidget(dayNight, findChild<QDockWidget*>("Events"));
  dayNight->raise();
  resizeDocks({findChild<QDockWidget*>("Classes")}, {kClassesWidth}, Qt::Horizontal);
  resizeDocks({dayNight}, {kPanelsHeight}, Qt::Vertical);
  if (!settings_.state.isEmpty()) restoreState(settings_.state);
}

void MainWindow::keepArrangement() {
  if (isFullScreen() || face() == Face::exhibition) return;  // where bars and panels are gone
  settings_.geometry = saveGeometry();
  (face() == Face::watch ? settings_.watchState : settings_.state) = saveState();
  if (face() == Face::study) settings_.layout = deck_->layoutKind();
}

void MainWindow::setFace(Face face) {
  const Face left = this->face();
  if (face != left) keepArrangement();
  settings_.face = face;
  if (face == left) return menus_->showFace(face);
  if (face == Face::exhibition) before_ = left;
  if (left == Face::exhibition) exhibition_->setResult(nullptr);
  menus_->fullScreen()->setChecked(false);
  arrange();
}

void MainWindow::askForFace() {
  page_ = newFirstPage(session_, this, [this](Face face) {
    page_->deleteLater();
    page_->hide();
    for (QWidget* child : findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
      child->setEnabled(true);
    setFace(face);
    deck_->takeFocus();
  });
  for (QWidget* child : findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
    child->setEnabled(child == page_);
  page_->show();
  page_->setFocus();
}

void MainWindow::goFullScreen() { menus_->fullScreen()->setChecked(true); }

// Exhibition has no panels.
void MainWindow::showPanel(const QString& name) {
  if (face() == Face::exhibition) setFace(before_);
  auto* dock = findChild<QDockWidget*>(name);
  dock->show();
  dock->raise();
}

// Shows the moment in its plot; in Study events stay visible if there is room.
void MainWindow::showMoment() {
  constexpr int kRoomForBoth = 1200;
  if (face() == Face::exhibition) setFace(before_);
  if (face() != Face::study) return showPanel("Shares");
  auto *events = findChild<QDockWidget*>("Events"), *plot = findChild<QDockWidget*>("DayNight");
  if (width() >= kRoomForBoth && tabifiedDockWidgets(plot).contains(events)) {
    addDockWidget(Qt::BottomDockWidgetArea, events, Qt::Horizontal);
    events->show();
    plot->show();
    resizeDocks({plot, events}, {2 * width() / 3, width() / 3}, Qt::Horizontal);
  }
  showPanel("DayNight");
}

void MainWindow::showTitle() {
  setWindowTitle(tr("%1 - MPM Monitor").arg(session_.nameOf(live().shownAddress())));
}

void MainWindow::lookAround(const Liveness& stands) {
  if (isFullScreen()) status_->setVisible(status_->isWrong());
  exhibition_->setGuessing(session_.sceneWatch().place() == SceneWatch::Place::strange);
  if (face() == Face::exhibition && (!live().engine() || stands.oldMs))
    exhibition_->setResult(nullptr);
}

bool MainWindow::event(QEvent* event) {
  if (event->type() == QEvent::Paint && !std::exchange(windowShown_, true))
    qCInfo(startLog, "window shown");
  return QMainWindow::event(event);
}

// Handles keys that no child takes. Escape first closes what lies in full screen, then leaves it.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape || !isFullScreen()) return QMainWindow::keyPressEvent(event);
  if (wall_->isVisible() && wall_->large() >= 0) return wall_->enlarge(-1);
  if (deck_->isVisible() && deck_->letGo()) return;
  menus_->fullScreen()->setChecked(false);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  glance_->suit(height());
  headline_->suit(height());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (urls.isEmpty()) return;
  const QString path = urls.front().isLocalFile() ? urls.front().toLocalFile()
                                                  : urls.front().toString(QUrl::FullyEncoded);
  if (path.endsWith(".onnx", Qt::CaseInsensitive)) {
    session_.openModel(path);
  } else {
    session_.openSource(path, hasNamedTimes(path));
  }
  event->acceptProposedAction();
}

// Settings are kept as they change, since a tidy end may never come.
void MainWindow::keepSettings() {
  keepArrangement();
  settings_.kind = deck_->kind();
  settings_.views = deck_->kinds();
  if (live().sources() > 1) settings_.shownSource = sourceName(live().shownAddress());
  settings_.hiddenClasses = session_.classes().hidden();
  settings_.soloClass = session_.classes().soloName();
  if (!settings_.isKept) return;
  Settings kept = settings_;
  // Until the next is open the running one is kept: a crashing model would end each start.
  if (live().isOpening() && live().sources() > 0) kept.live = live().options();
  if (const auto written = writeSettings(kept, kept_)) {
    kept_ = *written;
  } else if (!std::exchange(saidUnkept_, true)) {  // and tries again
    emit session_.said(
        tr("Settings cannot be saved to %1, so they will be lost.").arg(QSettings().fileName()),
        false);
  }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (beside_->teach() != nullptr && !beside_->teach()->mayLeave()) return event->ignore();
  deck_->setZoneEditing(false);  // what was begun is kept
  keepSettings();
  QMainWindow::closeEvent(event);
}

}  // namespace mpm::gui
