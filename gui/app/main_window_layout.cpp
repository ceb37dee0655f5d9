// SPDX-License-Identifier: Apache-2.0
// The window's menus, tool bar and docks.
#include <QActionGroup>
#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenuBar>
#include <QSlider>
#include <QStatusBar>
#include <QTableView>
#include <QToolBar>
#include <cmath>

#include "gui/app/language_menu.h"
#include "gui/app/main_window.h"

namespace mpm::gui {
namespace {

// To the first of a panel's widgets that takes the focus.
void focusIn(QWidget* panel) {
  QList<QWidget*> widgets = panel->findChildren<QWidget*>();
  widgets.prepend(panel);
  for (QWidget* widget : widgets) {
    if ((widget->focusPolicy() & Qt::TabFocus) == 0 || !widget->isEnabled()) continue;
    return widget->setFocus(Qt::ShortcutFocusReason);
  }
}

}  // namespace

void MainWindow::makeMenus() {
  makeFileMenu();
  makeViewMenu();
  makeMergeMenu();
  makeHelpMenu();
}

void MainWindow::makeFileMenu() {
  fileMenu_ = menuBar()->addMenu(tr("&File"));
  fileMenu_->addAction(tr("Open &source ..."), QKeySequence::Open, this, &MainWindow::chooseSource);
  fileMenu_->addAction(tr("Open &model ..."), QKeySequence("Ctrl+M"), this,
                       &MainWindow::chooseModel);
  QMenu* sources = fileMenu_->addMenu(tr("Open &recent source"));
  connect(sources, &QMenu::aboutToShow, this, [this, sources] {
    addRecent(sources, settings_.recentSources, [this](const QString& text) { openSource(text); });
  });
  QMenu* models = fileMenu_->addMenu(tr("Open recent mo&del"));
  connect(models, &QMenu::aboutToShow, this, [this, models] {
    addRecent(models, settings_.recentModels, [this](const QString& text) { openModel(text); });
  });
  fileMenu_->addSeparator();
  pause_ = fileMenu_->addAction(tr("&Pause"));
  pause_->setCheckable(true);
  pause_->setShortcut(QKeySequence("Ctrl+P"));
  connect(pause_, &QAction::toggled, this, [this](bool on) {
    if (const auto engine = live_.engine()) engine->pause(on);
  });
  fileMenu_->addAction(tr("Next &frame"), QKeySequence("Ctrl+."), this, [this] {
    if (const auto engine = live_.engine(); engine && pause_->isChecked()) engine->step(0);
  });
  fileMenu_->addSeparator();
  fileMenu_->addAction(tr("S&napshot to the record"), QKeySequence("F12"), this,
                       &MainWindow::takeSnapshot);
  clip_ = fileMenu_->addAction(tr("Record a &clip"));
  clip_->setCheckable(true);
  clip_->setShortcut(QKeySequence("Ctrl+R"));
  connect(clip_, &QAction::triggered, this, &MainWindow::recordClip);
  fileMenu_->addAction(tr("Export the &view as PNG ..."), QKeySequence("Ctrl+E"), this,
                       &MainWindow::exportView);
  fileMenu_->addAction(tr("Export the t&okens as CSV ..."), QKeySequence("Ctrl+Shift+E"), this,
                       &MainWindow::exportSeries);
  fileMenu_->addSeparator();
  fileMenu_->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
}

// Numbered, so that each has a key; an ampersand in a path is none of its own.
void MainWindow::addRecent(QMenu* menu, const QStringList& entries,
                           const std::function<void(const QString&)>& open) {
  menu->clear();
  for (int i = 0; i < entries.size(); ++i) {
    const QString entry = entries[i], shown = QString(entry).replace('&', QLatin1String("&&"));
    menu->addAction(QStringLiteral("&%1  %2").arg((i + 1) % 10).arg(shown), this,
                    [open, entry] { open(entry); });
  }
  if (entries.isEmpty()) menu->addAction(tr("Nothing was opened yet"))->setEnabled(false);
}

void MainWindow::makeViewMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&View"));
  auto* layouts = new QActionGroup(this);
  const QStringList layoutNames{tr("&Four views"), tr("&Side by side"), tr("&Tabs"),
                                tr("&Split line")};
  for (int i = 0; i < kDeckLayouts; ++i) {
    QAction* action = menu->addAction(layoutNames[i]);
    action->setCheckable(true);
    action->setChecked(i == static_cast<int>(settings_.layout));
    action->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1)));
    layouts->addAction(action);
    connect(action, &QAction::triggered, this,
            [this, i] { deck_->setLayoutKind(static_cast<DeckLayout>(i)); });
  }
  menu->addSeparator();
  auto* kinds = new QActionGroup(this);
  for (int i = 0; i < kViewKinds; ++i) {
    QAction* action = menu->addAction(titleOf(static_cast<ViewKind>(i)));
    action->setCheckable(true);
    action->setChecked(i == static_cast<int>(settings_.kind));
    action->setShortcut(QKeySequence(QStringLiteral("Alt+%1").arg(i + 1)));
    kinds->addAction(action);
    connect(action, &QAction::triggered, this,
            [this, i] { deck_->showKind(static_cast<ViewKind>(i)); });
    connect(deck_, &ViewDeck::kindChanged, action, [action, i](ViewKind kind) {
      if (static_cast<int>(kind) == i) action->setChecked(true);
    });
  }
  menu->addSeparator();
  panelMenu_ = menu->addMenu(tr("&Panels"));
  QAction* outlines = menu->addAction(tr("&Outlines"));
  outlines->setCheckable(true);
  outlines->setChecked(settings_.outlines);
  outlines->setShortcut(QKeySequence("Ctrl+L"));
  connect(outlines, &QAction::toggled, this, [this](bool on) {
    settings_.outlines = on;
    deck_->setOutlines(on);
  });
  QAction* zones = menu->addAction(tr("Draw &zones"));
  zones->setCheckable(true);
  zones->setShortcut(QKeySequence("Ctrl+D"));
  connect(zones, &QAction::toggled, this, [this](bool on) {
    deck_->setZoneEditing(on);
    say(on ? tr("A click adds a corner, Enter closes the zone, Delete removes it.") : QString());
  });
  menu->addAction(tr("&Rules and zones ..."), QKeySequence("Ctrl+Shift+D"), this,
                  &MainWindow::editRules);
  menu->addAction(tr("Fit the &picture"), QKeySequence("Ctrl+0"), this, [this] { deck_->fit(); });
  QAction* full = menu->addAction(tr("F&ull screen"));
  full->setCheckable(true);
  full->setShortcut(QKeySequence("F11"));
  connect(full, &QAction::toggled, this, [this](bool on) { on ? showFullScreen() : showNormal(); });
  auto* language = new LanguageMenu(settings_.language, menu);
  menu->addMenu(language);
  connect(language, &LanguageMenu::languageChosen, this, [this](const QString& code) {
    settings_.language = code;
    say(tr("The language is another one from the next start on."));
  });
}

void MainWindow::makeMergeMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Merging"));
  compare_ = menu->addAction(tr("&Compare with full tokens"));
  compare_->setCheckable(true);
  compare_->setShortcut(QKeySequence("Ctrl+T"));
  connect(compare_, &QAction::toggled, this, [this](bool on) {
    if (const auto engine = live_.engine()) engine->setCompare(on);
    agreement_->clear();
    agreement_->setVisible(on);
    if (on) deck_->showKind(ViewKind::difference);
  });
  menu->addAction(tr("Merge before &2 and 5"), this, [this] { setSchedule("2,5"); });
  menu->addAction(tr("&Full tokens"), this, [this] { setSchedule("none"); });
}

void MainWindow::makeHelpMenu() {
  QMenu* menu = menuBar()->addMenu(tr("&Help"));
  menu->addAction(tr("&Keys"), QKeySequence(Qt::Key_F1), this, &MainWindow::showKeys);
  menu->addAction(tr("Copy &report"), this, &MainWindow::copyReport);
  menu->addAction(tr("&About"), this, &MainWindow::showAbout);
}

void MainWindow::makeToolBar() {
  QToolBar* bar = addToolBar(tr("Merging"));
  bar->setObjectName("MergingBar");
  bar->setMovable(false);
  bar->addAction(tr("Source ..."), this, &MainWindow::chooseSource);
  bar->addAction(tr("Model ..."), this, &MainWindow::chooseModel);
  bar->addSeparator();
  auto* label = new QLabel(tr("Merge &before "));
  schedule_ = new QLineEdit;
  schedule_->setFixedWidth(90);
  schedule_->setAccessibleName(tr("Blocks to merge before"));
  schedule_->setToolTip(tr("Blocks, counted from 0, as 2, 5; none for full tokens"));
  label->setBuddy(schedule_);
  connect(schedule_, &QLineEdit::editingFinished, this, [this] {
    const auto engine = live_.engine();
    if (engine && blocksText(engine->schedule()) != schedule_->text()) {
      setSchedule(schedule_->text());
    }
  });
  bar->addWidget(label);
  bar->addWidget(schedule_);
  stage_ = new QComboBox;
  stage_->setAccessibleName(tr("Stage"));
  stage_->addItems(
      {tr("Behind all merges"), tr("Behind merge 1"), tr("Behind merge 2"), tr("Behind merge 3")});
  connect(stage_, &QComboBox::currentIndexChanged, deck_, &ViewDeck::setStage);
  bar->addWidget(stage_);
  bar->addSeparator();
  bar->addAction(compare_);
  bar->addAction(pause_);
  bar->addSeparator();
  auto* opacityLabel = new QLabel(tr(" &Opacity "));
  auto* opacity = new QSlider(Qt::Horizontal);
  opacity->setRange(0, 100);
  opacity->setFixedWidth(100);
  opacity->setValue(static_cast<int>(std::lround(settings_.opacity * 100)));
  opacity->setAccessibleName(tr("Opacity of what lies over the picture"));
  opacityLabel->setBuddy(opacity);
  connect(opacity, &QSlider::valueChanged, this, [this](int percent) {
    settings_.opacity = percent / 100.0;
    deck_->setOpacity(settings_.opacity);
  });
  bar->addWidget(opacityLabel);
  bar->addWidget(opacity);
}

QDockWidget* MainWindow::addDock(const QString& name, const QString& title, QWidget* content,
                                 Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title);
  dock->setObjectName(name);
  dock->setWidget(content);
  addDockWidget(area, dock);
  QAction* show = panelMenu_->addAction(title);
  show->setShortcut(
      QKeySequence(QStringLiteral("Ctrl+Shift+%1").arg(panelMenu_->actions().size())));
  connect(show, &QAction::triggered, dock, [dock, content] {
    // Where it is seen and has the focus, the key closes it.
    const QWidget* focus = QApplication::focusWidget();
    const bool leaves = dock->isVisible() && (focus == content || content->isAncestorOf(focus));
    dock->setVisible(!leaves);
    if (leaves) return;
    dock->raise();
    focusIn(content);
  });
  return dock;
}

void MainWindow::makeDocks() {
  auto* events = new QTableView;
  events->setModel(&events_);
  events->setAccessibleName(tr("What happened"));
  events->verticalHeader()->hide();
  events->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  events->horizontalHeader()->setStretchLastSection(true);
  events->setTabKeyNavigation(false);  // Tab leads out of it
  events->setSelectionBehavior(QAbstractItemView::SelectRows);

  QDockWidget* classes = addDock("Classes", tr("Classes"), legend_, Qt::RightDockWidgetArea);
  QDockWidget* dayNight =
      addDock("DayNight", tr("Day and night"), dayNight_, Qt::BottomDockWidgetArea);
  QDockWidget* performance =
      addDock("Performance", tr("Performance"), performance_, Qt::BottomDockWidgetArea);
  QDockWidget* tune = addDock("Tune", tr("Tune"), tune_, Qt::BottomDockWidgetArea);
  QDockWidget* happened = addDock("Events", tr("Events"), events, Qt::BottomDockWidgetArea);
  for (QDockWidget* dock : {performance, tune, happened}) tabifyDockWidget(dayNight, dock);
  dayNight->raise();
  setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
  resizeDocks({dayNight}, {250}, Qt::Vertical);
  resizeDocks({classes}, {300}, Qt::Horizontal);

  stateText_ = new QLabel;
  underCursor_ = new QLabel;
  agreement_ = new QLabel;
  agreement_->setVisible(false);
  fault_ = new QLabel;
  fault_->setVisible(false);
  fault_->setTextFormat(Qt::PlainText);
  statusBar()->addPermanentWidget(underCursor_);
  statusBar()->addPermanentWidget(agreement_);
  statusBar()->addPermanentWidget(fault_);
  statusBar()->addPermanentWidget(stateText_);
}

}  // namespace mpm::gui
