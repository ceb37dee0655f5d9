// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_window.h"

#include <QtWidgets>
#include <utility>

#include "gui/app/begun_zone.h"
#include "gui/app/help_menu.h"
#include "models/street/street_model.h"

namespace mpm::gui {
namespace {

constexpr int kAroundMs = 250, kKeepEvery = 4, kSortEvery = 20, kClassesWidth = 195,
              kWatchClassesWidth = 230, kPanelsHeight = 250, kSharesHeight = 165, kFrameHeight = 30;

// Silent but with QT_LOGGING_RULES="mpm.start.info=true": whoever measures the start reads it.
Q_LOGGING_CATEGORY(startLog, "mpm.start", QtWarningMsg)

// Areas of classes as the metrics have them.
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

QEvent::Type paintedEvent() {
  static const auto type = static_cast<QEvent::Type>(QEvent::registerEventType());
  return type;
}

}  // namespace

MainWindow::MainWindow(const Settings& settings)
    : settings_(settings),
      deck_(new ViewDeck(&classes_)),
      wall_(new Wall(&classes_)),
      glance_(new GlanceStrip),
      headline_(new Headline),
      banner_(new PlaceBanner),
      shares_(new SharesPanel(&classes_)),
      exhibition_(new ExhibitionView(&classes_)),
      legend_(new ClassLegend(&classes_)),
      dayNight_(new DayNightPanel),
      performance_(new PerformancePanel),
      tune_(new TunePanel),
      events_(new EventsPanel),
      status_(new StatusLine(deck_)),
      face_(settings.face.value_or(Face::watch)) {
  setObjectName("MainWindow");
  classes_.setHidden(settings_.hiddenClasses, settings_.soloClass);
  dayNight_->tokens()->setSpan(settings_.plotSpanMs);
  setWindowTitle(tr("MPM Monitor"));
  setAcceptDrops(true);
  auto* centre = new QWidget;
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(glance_);
  column->addWidget(headline_);
  column->addWidget(banner_);
  column->addWidget(deck_, 1);
  column->addWidget(wall_, 1);
  column->addWidget(exhibition_, 1);
  setCentralWidget(centre);
  setStatusBar(status_);
  setDockOptions(AnimatedDocks | AllowTabbedDocks | AllowNestedDocks);
  makeMenus();
  viewMenu_->addWall(wall_);
  connect(viewMenu_->wall(), &QAction::toggled, this, &MainWindow::showCentre);
  makeToolBars();
  makePanels();
  moments_ = new Moments(session_, events_, dayNight_, shares_, viewMenu_, this);
  connectSession();
  new BegunZone(session_, deck_, this);
  deck_->setEmptyText(tr("Opening the source ..."));
  resize(QSize(1280, 800).expandedTo(screen()->availableSize() * 4 / 5));
  deck_->takeFocus();
  if (!settings_.geometry.isEmpty()) restoreGeometry(settings_.geometry);
  // No larger than the screen, which may have been another one then; its frame is some pixels more.
  const QSize most = screen()->availableSize() - QSize(0, kFrameHeight);
  if (!isMaximized() && size().boundedTo(most) != size()) resize(size().boundedTo(most));
  arrange();
  around_.setInterval(kAroundMs);
  connect(&around_, &QTimer::timeout, this, &MainWindow::lookAround);
  around_.start();
  session_.open();
}

MainWindow::~MainWindow() {
  tune_->cancel();  // the engine could not end before
}

void MainWindow::makeMenus() {
  fileMenu_ = new FileMenu(session_, deck_, dayNight_->tokens(), this);
  viewMenu_ = new ViewMenu(settings_, session_, deck_, this);
  mergeMenu_ = new MergeMenu(session_, deck_, this);
  auto* helpMenu = new HelpMenu(session_, heat_, classes_, menuBar(), this);
  for (QMenu* menu : {static_cast<QMenu*>(fileMenu_), static_cast<QMenu*>(viewMenu_),
                      static_cast<QMenu*>(mergeMenu_), static_cast<QMenu*>(helpMenu)}) {
    menuBar()->addMenu(menu);
    addActions(menu->actions());  // their keys act in full screen, too, where menus are gone
  }
  connect(mergeMenu_->compare(), &QAction::toggled, status_, &StatusLine::setComparing);
  status_->setComparing(mergeMenu_->compare()->isChecked());
  connect(fileMenu_->pause(), &QAction::toggled, deck_, &ViewDeck::setPaused);
  connect(fileMenu_->pause(), &QAction::toggled, wall_, &Wall::setPaused);
  connect(fileMenu_, &FileMenu::teachWanted, &teaching_, &Teaching::open);
  connect(viewMenu_, &ViewMenu::daysWanted, &days_, &Days::open);
  connect(viewMenu_, &ViewMenu::faceWanted, this, &MainWindow::setFace);
  connect(viewMenu_->fullScreen(), &QAction::toggled, this, [this](bool on) {
    if (!on && face_ == Face::exhibition) setFace(before_);
  });
}

void MainWindow::makeToolBars() {
  watchBar_ = addToolBar(tr("Watching"));
  watchBar_->setObjectName("WatchBar");
  watchBar_->setMovable(false);
  watchBar_->addAction(tr("Source"), fileMenu_, &FileMenu::chooseSource);
  watchBar_->addAction(tr("Model"), fileMenu_, &FileMenu::chooseModel);
  watchBar_->addAction(tr("Teach"), &teaching_, &Teaching::open)
      ->setToolTip(tr("Paint a few frames, and the model learns your classes"));
  watchBar_->addSeparator();
  watchBar_->addAction(viewMenu_->zones());
  watchBar_->addAction(tr("Alerts"), viewMenu_, &ViewMenu::editRules)
      ->setToolTip(tr("What is to be told, and when"));
  watchBar_->addSeparator();
  watchBar_->addAction(fileMenu_->pause());
  watchBar_->addAction(viewMenu_->fullScreen());
  mergingBar_ = addToolBar(tr("Merging"));
  QToolBar* bar = mergingBar_;
  bar->setObjectName("MergingBar");
  bar->setMovable(false);
  bar->addAction(tr("Source"), fileMenu_, &FileMenu::chooseSource);
  bar->addAction(tr("Model"), fileMenu_, &FileMenu::chooseModel);
  bar->addSeparator();
  mergeMenu_->addTo(bar);
  bar->addSeparator();
  bar->addAction(mergeMenu_->compare());
  bar->addAction(fileMenu_->pause());
  bar->addSeparator();
  viewMenu_->addTo(bar);
}

void MainWindow::makePanels() {
  const auto below = Qt::BottomDockWidgetArea;
  QDockWidget* classes =
      viewMenu_->addPanel("Classes", tr("Classes"), legend_, Qt::RightDockWidgetArea);
  viewMenu_->addPanel("Events", tr("Events"), events_, below);
  viewMenu_->addPanel("Shares", tr("Shares"), shares_, below, Face::watch);
  const auto inStudy = [&](const char* name, const QString& title, QWidget* content) {
    return viewMenu_->addPanel(name, title, content, below, Face::study);
  };
  QDockWidget* dayNight = inStudy("DayNight", tr("Day and night"), dayNight_);
  QDockWidget* performance = inStudy("Performance", tr("Performance"), performance_);
  QDockWidget* tune = inStudy("Tune", tr("Tune"), tune_);
  for (QDockWidget* dock : {performance, tune}) tabifyDockWidget(dayNight, dock);
  setTabPosition(below, QTabWidget::North);
  resizeDocks({classes}, {kClassesWidth}, Qt::Horizontal);
}

void MainWindow::showCentre() {
  const bool isExhibition = face_ == Face::exhibition, isWall = viewMenu_->wall()->isChecked();
  glance_->setVisible(face_ == Face::study);
  headline_->setVisible(face_ == Face::watch);
  deck_->setVisible(!isExhibition && !isWall);
  wall_->setVisible(!isExhibition && isWall);
  exhibition_->setVisible(isExhibition);
}

// In Study pictures have the window until a panel is asked for: beside one, two of 4:3 would have
// less than half of it.
void MainWindow::arrange() {
  const bool watches = face_ == Face::watch;
  for (QAction* action : findChildren<QAction*>()) {
    if (!Faces::has(Face::study, action) || !Faces::has(Face::watch, action))
      action->setVisible(Faces::has(face_, action));
  }
  viewMenu_->showFace(face_);
  showCentre();
  banner_->offer(false, {});
  status_->setBrief(watches);
  deck_->setLayoutKind(watches ? DeckLayout::named : settings_.layout);
  for (QDockWidget* dock : findChildren<QDockWidget*>()) dock->hide();
  const auto panel = [this](const char* name) { return findChild<QDockWidget*>(name); };
  QDockWidget *events = panel("Events"), *shares = panel("Shares"), *classes = panel("Classes");
  if (face_ == Face::exhibition) {
    viewMenu_->fullScreen()->setChecked(true);
    return exhibition_->setResult(live().isOpening() ? nullptr : live().newest());
  }
  if (watches) {
    splitDockWidget(shares, events, Qt::Horizontal);
    for (QDockWidget* dock : {classes, shares, events}) dock->show();
    resizeDocks({shares, events}, {3, 2}, Qt::Horizontal);
    resizeDocks({shares, events}, {kSharesHeight, kSharesHeight}, Qt::Vertical);
    resizeDocks({classes}, {kWatchClassesWidth}, Qt::Horizontal);
  } else {
    tabifyDockWidget(panel("DayNight"), events);
    panel("DayNight")->raise();
    resizeDocks({classes}, {kClassesWidth}, Qt::Horizontal);
    resizeDocks({panel("DayNight")}, {kPanelsHeight}, Qt::Vertical);
  }
  const QByteArray& kept = watches ? settings_.watchState : settings_.state;
  if (!kept.isEmpty()) restoreState(kept);
  for (QDockWidget* dock : findChildren<QDockWidget*>())
    if (!Faces::has(face_, dock)) dock->hide();
  watchBar_->setVisible(watches);
  mergingBar_->setVisible(!watches);
}

void MainWindow::keepArrangement() {
  if (isFullScreen() || face_ == Face::exhibition) return;  // where bars and panels are gone
  settings_.geometry = saveGeometry();
  (face_ == Face::watch ? settings_.watchState : settings_.state) = saveState();
  if (face_ == Face::study) settings_.layout = deck_->layoutKind();
}

void MainWindow::setFace(Face face) {
  settings_.face = face;
  if (face == face_) return viewMenu_->showFace(face);
  keepArrangement();
  const Face left = std::exchange(face_, face);
  if (face == Face::exhibition) before_ = left;
  if (left == Face::exhibition) exhibition_->setResult(nullptr);
  viewMenu_->fullScreen()->setChecked(false);
  arrange();
}

void MainWindow::askForFace() {
  std::vector<QWidget*> views;
  for (const ViewKind kind : {ViewKind::segmentation, ViewKind::mergeMap}) {
    auto* view = new FrameView(kind);
    view->setClasses(&classes_);
    view->setTitled(false);
    view->setNamed(kind == ViewKind::segmentation);
    view->setEmptyText(tr("Opening the source ..."));
    views.push_back(view);
    pageFeeds_.push_back([view](const auto& result) { view->setResult(result); });
  }
  auto* loop = new ExhibitionView(&classes_);
  views.push_back(loop);
  pageFeeds_.push_back([loop](const auto& result) { loop->setResult(result); });
  page_ = new FacePage(views, this);
  for (QWidget* child : findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
    child->setEnabled(child == page_);
  page_->show();
  page_->setFocus();
  connect(page_, &FacePage::chosen, this, [this](Face face) {
    page_->deleteLater();
    page_->hide();
    pageFeeds_.clear();
    for (QWidget* child : findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
      child->setEnabled(true);
    setFace(face);
    deck_->takeFocus();
  });
}

void MainWindow::connectSession() {
  connect(glance_, &GlanceStrip::followed, viewMenu_, &ViewMenu::showPanel);
  connect(dayNight_, &DayNightPanel::knows, glance_, &GlanceStrip::showNights);
  connect(&session_, &Session::opening, tune_, &TunePanel::cancel);
  connect(&session_, &Session::said, this, &MainWindow::say);
  connect(&session_, &Session::zonesSet, deck_, &ViewDeck::setZones);
  connect(&session_, &Session::zonesSet, this, [this] { wall_->setBooks(live().books()); });
  connect(&session_, &Session::scheduleSet, this,
          [this] { tune_->setRunning(live().engine()->schedule()); });
  connect(deck_, &ViewDeck::zonesChanged, &session_, &Session::changeZones);
  connect(&live(), &Live::opened, this, &MainWindow::opened);
  connect(&live(), &Live::closing, this, [this] {
    dayNight_->setEngine(nullptr, {}, {}, {});
    shares_->setEngine(nullptr, {}, {}, {});
    wall_->letGo();
  });
  connect(&live(), &Live::failed, this, [this](const QString& sentence) {
    if (live().engine() || live().isOpening()) return;
    forget();
    newest_.clear();
    glance_->end();
    headline_->showNothing(tr("nothing is watched"));
    tune_->setEnabled(false);
    wall_->setEngine(nullptr, {}, {});
    setWindowTitle(tr("MPM Monitor"));
    deck_->setEmptyText(sentence);
    status_->showNothing();
  });
  connect(&live(), &Live::resultReady, this, &MainWindow::showNewest, Qt::QueuedConnection);
  connect(&session_, &Session::shownChanged, this, &MainWindow::showSource);
  connect(&session_, &Session::named, this, [this] {
    wall_->setNames(session_.names());
    showTitle();
  });
  connect(wall_, &Wall::chosen, &session_, &Session::show);
  connect(wall_, &Wall::removeWanted, &session_, &Session::closeSource);
  connect(banner_, &PlaceBanner::teachWanted, &teaching_, &Teaching::open);
  connect(banner_, &PlaceBanner::modelWanted, fileMenu_, &FileMenu::chooseModel);
  connect(dayNight_, &DayNightPanel::nightChanged, this, [this](const NightSettings& night) {
    if (const auto engine = live().engine()) engine->setFilter(nightFilter(night));
  });
  connect(tune_, &TunePanel::wanted, this, [this] { tune_->begin(live()); });
  connect(tune_, &TunePanel::scheduleChosen, &session_, &Session::setSchedule);
}

void MainWindow::opened() {
  const auto engine = live().engine();
  classes_.setClasses(engine->classes(), engine->palette());
  wall_->setEngine(engine, live().books(), session_.names());
  moments_->begin();
  newest_.assign(engine->sources(), nullptr);
  tune_->setRunning(engine->schedule());
  tune_->setEnabled(engine->blocks() > 0);
  glance_->begin(*engine);
  showSource();
  engine->setFilter(nightFilter(dayNight_->night()));
  tellOpened();
}

// What was seen and measured of a source.
void MainWindow::forget() {
  legend_->classModel()->clearAreas();
  heat_.clear();
  deck_->setResult(nullptr);
  status_->showAgreement(nullptr);
  tune_->clear();
  performance_->begin();
}

void MainWindow::showSource() {
  const auto engine = live().engine();
  const std::size_t source = live().shown();
  forget();
  wall_->setChosen(source);
  glance_->setSource(source);
  dayNight_->setEngine(engine, settings_.live.record, session_.recordedAs(), moments_->run(source),
                       source);
  shares_->setEngine(engine, settings_.live.record, session_.recordedAs(), moments_->run(source),
                     source);
  showTitle();
  if (newest_[source]) showFrame(newest_[source]);
}

void MainWindow::showTitle() {
  setWindowTitle(tr("%1 - MPM Monitor").arg(session_.nameOf(live().shownAddress())));
}

void MainWindow::showNewest() {
  showing_.start();
  if (!live().engine()) return;
  for (std::size_t i = 0; i < newest_.size(); ++i) {
    const monitor::FrameResultPtr newest = live().newest(i);
    if (!newest || newest == newest_[i]) continue;
    newest_[i] = newest;
    glance_->showFrame(*newest, live().compared(i), i, tune_->isRunning());
    moments_->see(*newest, i);
    if (i == live().shown()) showFrame(newest);
  }
  fileMenu_->clips().look();
}

void MainWindow::showFrame(const monitor::FrameResultPtr& result) {
  const auto engine = live().engine();
  deck_->setLive();
  deck_->setResult(result);
  for (const auto& feed : pageFeeds_) feed(result);
  if (face_ == Face::exhibition) exhibition_->setResult(result);
  session_.showZonesOf(*result);
  heat_.add(*result);
  legend_->classModel()->addAreas(areasOf(engine->metrics(live().shown()), *result),
                                  result->readyMs);
  if (mergeMenu_->compare()->isChecked()) status_->showAgreement(result.get());
  tune_->keep(*result);
  // Nearly all of it is painting, which Qt does at this priority, in turn: this comes behind it.
  QCoreApplication::postEvent(this, new QEvent(paintedEvent()), Qt::LowEventPriority);
}

bool MainWindow::event(QEvent* event) {
  if (event->type() == QEvent::Paint && !std::exchange(windowShown_, true)) {
    qCInfo(startLog, "window shown");
  }
  if (event->type() != paintedEvent()) return QMainWindow::event(event);
  if (!std::exchange(frameShown_, true)) qCInfo(startLog, "first frame shown");
  const std::size_t shown = live().shown();
  if (shown < newest_.size() && newest_[shown]) {
    performance_->addFrame(*newest_[shown], static_cast<double>(showing_.nsecsElapsed()) / 1e6);
  }
  return true;
}

void MainWindow::lookAround() {
  if (++looks_ % kKeepEvery == 0) keepSettings();
  if (isFullScreen()) status_->setVisible(status_->isWrong());
  const auto engine = live().engine();
  const std::size_t shown = live().shown();
  const bool paused = fileMenu_->pause()->isChecked();
  if (!engine && !live().isOpening()) return;
  const Liveness stands =
      engine ? status_->showState(live(), paused, tune_->isRunning(), wall_->isVisible())
             : status_->showOpening(shown < newest_.size() ? newest_[shown] : nullptr, paused);
  glance_->setOld(stands.oldMs.has_value());
  performance_->setOld(stands.oldMs.has_value());
  if (face_ == Face::exhibition && (!engine || stands.oldMs)) exhibition_->setResult(nullptr);
  if (!engine) return;
  session_.tellRefusedSchedule();
  if (face_ == Face::watch) lookAtPlace(*engine, stands);
  shares_->setComing(stands.isLive);
  dayNight_->tokens()->setComing(stands.isLive);
  performance_->showFigures(*engine, engine->latest(shown), shown);
}

// What Watch says of it.
void MainWindow::lookAtPlace(const monitor::Engine& engine, const Liveness& stands) {
  const LiveOptions& options = live().options();
  const QString address = live().shownAddress();
  const bool isStreetElsewhere = options.model == QString::fromStdString(streetModel()) &&
                                 !address.startsWith(QLatin1String("scene:"));
  knows_.words(engine, live().usualConfidence(), live().shown(), isStreetElsewhere);
  headline_->show(engine, live().shown(), classes_, stands, knows_);
  banner_->offer(knows_.place() == SceneWatch::Place::strange && !isFullScreen(),
                 options.model + QLatin1Char('\n') + address);
  status_->showSaving(glance_->saving());
  if (looks_ % kSortEvery == 0) legend_->sortAgain();
}

// What nobody else wants. In full screen Escape leaves that, but first what lies in it.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape || !isFullScreen()) return QMainWindow::keyPressEvent(event);
  if (wall_->isVisible() && wall_->large() >= 0) return wall_->enlarge(-1);
  if (deck_->isVisible() && deck_->letGo()) return;
  viewMenu_->fullScreen()->setChecked(false);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  glance_->suit(height());
  headline_->suit(height());
  if (page_) page_->cover();
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
    session_.openSource(path);
  }
  event->acceptProposedAction();
}

// As they change, not at a tidy end that may never come.
void MainWindow::keepSettings() {
  keepArrangement();
  settings_.kind = deck_->kind();
  settings_.views = deck_->kinds();
  if (const auto engine = live().engine(); engine && engine->sources() > 1)
    settings_.shownSource = sourceName(live().shownAddress());
  settings_.compare = mergeMenu_->compare()->isChecked();
  settings_.hiddenClasses = classes_.hidden();
  settings_.soloClass = classes_.soloName();
  settings_.plotSpanMs = dayNight_->tokens()->timeWindow().span();
  if (!settings_.isKept) return;
  Settings kept = settings_;
  // Until the next is there what ran is kept: a model that the app dies of would end each start.
  if (live().isOpening() && !live().options().model.isEmpty()) kept.live = live().options();
  if (const auto written = writeSettings(kept, kept_)) {
    kept_ = *written;
  } else if (!std::exchange(saidUnkept_, true)) {  // and tries again
    say(tr("Settings cannot be saved to %1, so the next start will not know them.")
            .arg(QSettings().fileName()),
        false);
  }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (auto* teach = teaching_.window(); teach != nullptr && !teach->mayLeave())
    return event->ignore();
  deck_->setZoneEditing(false);  // what was begun is kept
  keepSettings();
  QMainWindow::closeEvent(event);
}

}  // namespace mpm::gui
