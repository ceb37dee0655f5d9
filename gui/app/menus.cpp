// SPDX-License-Identifier: Apache-2.0
#include "gui/app/menus.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDateTime>
#include <QDockWidget>
#include <QFileDialog>
#include <QImageWriter>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMainWindow>
#include <QMenuBar>
#include <QMessageBox>
#include <QMetaObject>
#include <QSignalBlocker>
#include <QSlider>
#include <QStatusBar>
#include <QToolBar>
#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

#include "gui/app/open_dialogs.h"
#include "gui/app/options.h"
#include "gui/app/panel_area.h"
#include "gui/app/report.h"
#include "gui/app/rules_dialog.h"
#include "gui/app/view_deck.h"
#include "gui/app/wall.h"
#include "mpm/net.h"
#include "mpm/version.h"

namespace mpm::gui {
namespace {

QAction* inStudy(QAction* action) {
  Faces::setOnly(action, Face::study);
  return action;
}

// Focuses the first of a panel's widgets that takes the focus.
void focusIn(QWidget* panel) {
  QList<QWidget*> widgets = panel->findChildren<QWidget*>();
  widgets.prepend(panel);
  for (QWidget* widget : widgets) {
    if ((widget->focusPolicy() & Qt::TabFocus) == 0 || !widget->isEnabled()) continue;
    return widget->setFocus(Qt::ShortcutFocusReason);
  }
}

// Returns all of the face's actions with keys, also from submenus, as cells of a table.
QStringList keyCells(const QList<QAction*>& actions) {
  QStringList cells;
  for (const QAction* action : actions) {
    if (!action->isVisible()) continue;
    if (action->menu() != nullptr) cells += keyCells(action->menu()->actions());
    if (action->shortcut().isEmpty()) continue;
    cells << QStringLiteral(
                 "<td style='white-space:nowrap'><b>%1</b>&nbsp;&nbsp;</td>"
                 "<td style='white-space:nowrap'>%2&nbsp;&nbsp;&nbsp;</td>")
                 .arg(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped(),
                      QString(action->text()).remove('&').toHtmlEscaped());
  }
  return cells;
}

}  // namespace

Menus::Menus(Session& session, ViewDeck* deck, Wall* wall, QMainWindow* window)
    : QObject(window),
      session_(session),
      settings_(session.settings()),
      deck_(deck),
      wall_(wall),
      window_(window),
      faces_(new QActionGroup(this)),
      precisions_(new QActionGroup(this)),
      schedule_(new QLineEdit(window)),
      stage_(new QComboBox(window)) {
  addFileMenu();
  addViewMenu();
  addMergeMenu();
  addHelpMenu();
  for (const QAction* menu : window_->menuBar()->actions())
    window_->addActions(menu->menu()->actions());  // in full screen, too, where menus are gone
  addWatchBar();
  addMergingBar();
  deck_->setLayoutKind(settings_.layout);
  deck_->showKind(settings_.kind);
  deck_->setKinds(settings_.views);
  deck_->setOpacity(settings_.opacity);
  deck_->setOutlines(settings_.outlines);
  connect(&session_, &Session::scheduleSet, this, &Menus::showSchedule);
  connect(&session_, &Session::modelWanted, this, &Menus::chooseModel);
  connect(&session_, &Session::sourceWanted, this, &Menus::chooseSource);
  connect(&session_.live(), &Live::failed, this, &Menus::showPrecision);
  connect(&session_, &Session::began, this, &Menus::setCompare);
  connect(&session_, &Session::shownChanged, this, [this] {
    setCompare();
    showPrecision();
    const auto engine = session_.live().engine();
    memory_->setEnabled(engine->memoryFault().empty());
    memory_->setChecked(engine->remembers());
  });
}

QAction* Menus::add(QMenu* menu, const QString& text, const QKeySequence& key,
                    std::function<void()> act) {
  return menu->addAction(text, key, this, std::move(act));
}

QAction* Menus::addSwitch(QMenu* menu, const QString& text, const QKeySequence& key, bool on,
                          std::function<void(bool)> toggled) {
  QAction* action = menu->addAction(text);
  action->setShortcut(key);
  action->setCheckable(true);
  action->setChecked(on);
  connect(action, &QAction::toggled, this, std::move(toggled));
  return action;
}

QAction* Menus::addChoice(QMenu* menu, QActionGroup* group, const QString& text, bool chosen,
                          std::function<void()> act, const QKeySequence& key) {
  QAction* action = add(menu, text, key, std::move(act));
  action->setCheckable(true);
  action->setChecked(chosen);
  return group->addAction(action);
}

void Menus::addFileMenu() {
  QMenu* menu = window_->menuBar()->addMenu(tr("&File"));
  add(menu, tr("Open &source ..."), QKeySequence::Open, [this] { chooseSource(); });
  add(menu, tr("&Add a source ..."), QKeySequence("Ctrl+Shift+O"), [this] { chooseBeside(); });
  add(menu, tr("Open &model ..."), QKeySequence("Ctrl+M"), [this] { chooseModel(); });
  addRecent(menu);
  menu->addSeparator();
  add(menu, tr("&Teach ..."), QKeySequence("Ctrl+Shift+T"),
      [this] { emit session_.teachWanted(); });
  wrong_ = add(menu, tr("That's &wrong"), QKeySequence("Ctrl+Shift+W"),
               [this] { emit correctionWanted(); });
  Faces::setOnly(wrong_, Face::watch);
  wrong_->setToolTip(tr("Opens Teach on this frame, with the model's labels to correct"));
  menu->addSeparator();
  pause_ = addSwitch(menu, tr("&Pause"), QKeySequence("Ctrl+P"), false,
                     [this](bool on) { session_.setPaused(on); });
  inStudy(add(menu, tr("Next &frame"), QKeySequence("Ctrl+."), [this] { session_.step(); }));
  menu->addSeparator();
  add(menu, tr("S&napshot to the record"), QKeySequence("F12"), [this] { takeSnapshot(); });
  clip_ = add(menu, tr("Record a &clip"), QKeySequence("Ctrl+R"), [this] { recordClip(); });
  clip_->setCheckable(true);
  connect(&clips_, &ClipRecorder::ended, this, [this](const QString& sentence, bool bad) {
    clip_->setChecked(clips_.isRecording());
    say(sentence, bad);
  });
  inStudy(add(menu, tr("Export the &view as PNG ..."), QKeySequence("Ctrl+E"),
              [this] { exportView(); }));
  menu->addSeparator();
  add(menu, tr("&Quit"), QKeySequence::Quit, [this] { window_->close(); });
}

// Lists sources, then models, numbered so that each has a key. An ampersand in a path must not
// become one.
void Menus::addRecent(QMenu* menu) {
  QMenu* recent = menu->addMenu(tr("Open &recent"));
  connect(recent, &QMenu::aboutToShow, this, [this, recent] {
    recent->clear();
    const auto offer = [&](const QString& entry, QString shown, const auto& open) {
      const qsizetype number = recent->actions().size() + 1;
      shown.replace('&', QLatin1String("&&"));
      recent->addAction(QStringLiteral("&%1  %2").arg(number % 10).arg(shown), this,
                        [open, entry] { open(entry); });
    };
    for (const QString& source : settings_.recentSources)
      offer(source, session_.nameOf(source),
            [this](const QString& one) { session_.openSource(one, hasNamedTimes(one)); });
    for (const QString& model : settings_.recentModels)
      offer(model, model, [this](const QString& one) { session_.openModel(one); });
    if (recent->isEmpty()) recent->addAction(tr("Nothing has been opened yet"))->setEnabled(false);
  });
}

void Menus::addViewMenu() {
  QMenu* menu = window_->menuBar()->addMenu(tr("&View"));
  for (int i = 0; i < kFaces; ++i) {
    const auto face = static_cast<Face>(i);
    addChoice(
        menu, faces_, Faces::titleOf(face), face == session_.face(),
        [this, face] { emit faceWanted(face); }, QKeySequence(Qt::Key_F5 + i))
        ->setStatusTip(Faces::descriptionOf(face));
  }
  menu->addSeparator();
  addViews(menu);
  menu->addSeparator();
  panels_ = menu->addMenu(tr("&Panels"));
  inStudy(
      addSwitch(menu, tr("&Outlines"), QKeySequence("Ctrl+L"), settings_.outlines, [this](bool on) {
        settings_.outlines = on;
        deck_->setOutlines(on);
      }));
  zones_ = addSwitch(menu, tr("Draw &zones"), QKeySequence("Ctrl+D"), false,
                     [this](bool on) { drawZones(on); });
  connect(deck_, &ViewDeck::zoneEditingLeft, zones_, [this] { zones_->setChecked(false); });
  add(menu, tr("&Rules and zones ..."), QKeySequence("Ctrl+Shift+D"),
      [this] { editRules(session_, window_); });
  add(menu, tr("Da&ys of the record"), QKeySequence(Qt::Key_F3), [this] { emit daysWanted(); });
  inStudy(add(menu, tr("Fit the &picture"), QKeySequence("Ctrl+0"), [this] { deck_->fit(); }));
  full_ = addSwitch(menu, tr("F&ull screen"), QKeySequence("F11"), false,
                    [this](bool on) { fillScreen(on); });
  addLook(menu);
  addWall(menu);
}

void Menus::addViews(QMenu* menu) {
  auto* layouts = new QActionGroup(this);
  const QStringList names{tr("&Four views"), tr("&Side by side"), tr("&Split view")};
  for (int i = 0; i < kDeckLayouts; ++i) {
    const auto layout = static_cast<DeckLayout>(i);
    inStudy(addChoice(
        menu, layouts, names[i], layout == settings_.layout,
        [this, layout] { deck_->setLayoutKind(layout); },
        QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1))));
  }
  menu->addSeparator();
  auto* kinds = new QActionGroup(this);
  for (int i = 0; i < kViewKinds; ++i) {
    const auto kind = static_cast<ViewKind>(i);
    QAction* action = inStudy(addChoice(
        menu, kinds, titleOf(kind), kind == settings_.kind, [this, kind] { deck_->showKind(kind); },
        QKeySequence(QStringLiteral("Alt+%1").arg(i + 1))));
    connect(deck_, &ViewDeck::kindChanged, action, [action, kind](ViewKind shown) {
      if (shown == kind) action->setChecked(true);
    });
  }
}

// The wall replaces the views while there are several cameras. It does so at once if their number
// grows, and at the start unless the views are remembered.
void Menus::addWall(QMenu* menu) {
  onWall_ = addSwitch(menu, tr("&Wall of cameras"), QKeySequence("Ctrl+5"), false, [this](bool on) {
    if (on) zones_->setChecked(false);
    if (sources_ > 1) settings_.onWall = on;
    wall_->setVisible(on);
    deck_->setVisible(!on);
    if (!on) return deck_->takeFocus();
    // This runs after the code that fills the wall.
    QMetaObject::invokeMethod(wall_, &Wall::takeFocus, Qt::QueuedConnection);
  });
  wall_->hide();
  onWall_->setEnabled(false);
  connect(&session_, &Session::began, this, [this] {
    const std::size_t before = std::exchange(sources_, session_.live().sources());
    onWall_->setEnabled(sources_ > 1);
    if (before != sources_) onWall_->setChecked(sources_ > 1 && (before > 0 || settings_.onWall));
  });
}

// Offers theme and language; each language is named in itself.
void Menus::addLook(QMenu* menu) {
  QMenu* themes = menu->addMenu(tr("&Theme"));
  auto* theme = new QActionGroup(this);
  const QStringList names{tr("&Dark"), tr("&Light"), tr("Follow the &system")};
  for (int i = 0; i < kThemes; ++i) {
    const auto own = static_cast<Theme>(i);
    addChoice(themes, theme, names[i], own == settings_.theme, [this, own] {
      settings_.theme = own;
      applyTheme(own);
    });
  }
  QMenu* languages = menu->addMenu(tr("&Language"));
  auto* language = new QActionGroup(this);
  const auto offer = [&](const QString& title, const QString& code) {
    addChoice(languages, language, title, code == settings_.language, [this, code] {
      settings_.language = code;
      say(tr("The language changes at the next start."));
    });
  };
  offer(tr("Follow the &system"), {});
  languages->addSeparator();
  for (const QString& code : gui::languages()) offer(languageName(code), code);
}

void Menus::addMergeMenu() {
  QMenu* menu = window_->menuBar()->addMenu(tr("&Merging"));
  inStudy(menu->menuAction());
  compare_ = inStudy(addSwitch(menu, tr("&Compare with unmerged"), QKeySequence("Ctrl+T"),
                               settings_.compare, [this](bool on) {
                                 settings_.compare = on;
                                 setCompare();
                                 if (on) deck_->showKind(ViewKind::difference);
                               }));
  memory_ = inStudy(add(menu, tr("Scene &memory"), QKeySequence("Ctrl+Shift+M"),
                        [this] { session_.setMemory(memory_->isChecked()); }));
  memory_->setCheckable(true);
  memory_->setStatusTip(tr("Patches that do not change are remembered, not recomputed"));
  inStudy(menu->addMenu(precisionMenu()));
}

// Offers the processor's or GPU's precisions, or the fastest that keeps the labels. A change
// reloads the model.
QMenu* Menus::precisionMenu() {
  auto* menu = new QMenu(tr("&Precision"), window_);
  menu->setToolTipsVisible(true);
  for (const auto& [text, precision] :
       {std::pair(tr("&Automatic"), kAutoPrecision), std::pair(tr("float&32"), "fp32"),
        std::pair(tr("&TF32"), "tf32"), std::pair(tr("&bfloat16"), "bf16"),
        std::pair(tr("&float16"), "fp16"), std::pair(tr("&int8"), "int8")}) {
    const QString name = QString::fromLatin1(precision);
    addChoice(menu, precisions_, text, false, [this, name] {
      session_.setPrecision(name);
    })->setData(name);
  }
  menu->actions().front()->setToolTip(
      tr("The fastest that gives at least 99.5% of the pixels the label of float32"));
  return menu;
}

void Menus::addHelpMenu() {
  QMenu* menu = window_->menuBar()->addMenu(tr("&Help"));
  add(menu, tr("How merging &works"), QKeySequence(Qt::Key_F2), [this] {
    emit mergingWanted();
  })->setObjectName("Merging");
  menu->addSeparator();
  add(menu, tr("&Keys"), QKeySequence(Qt::Key_F1), [this] { showKeys(); });
  add(menu, tr("Copy &report"), {}, [this] {
    QApplication::clipboard()->setText(reportText(session_.live()));
    say(tr("The report is on the clipboard."));
  });
  add(menu, tr("&About"), {}, [this] { showAbout(); });
}

// The bar begins with the source and the model.
QToolBar* Menus::addBar(const QString& title, const QString& name) {
  QToolBar* bar = window_->addToolBar(title);
  bar->setObjectName(name);
  bar->setMovable(false);
  bar->addAction(tr("Source"), this, &Menus::chooseSource);
  bar->addAction(tr("Model"), this, &Menus::chooseModel);
  return bar;
}

void Menus::addWatchBar() {
  watchBar_ = addBar(tr("Watching"), "WatchBar");
  watchBar_->addAction(tr("Teach"), &session_, &Session::teachWanted)
      ->setToolTip(tr("Paint a few frames, and the model learns your classes"));
  watchBar_->addAction(wrong_);
  watchBar_->addSeparator();
  watchBar_->addAction(zones_);
  watchBar_->addAction(tr("Alerts"), this, [this] { editRules(session_, window_); })
      ->setToolTip(tr("What to report, and when"));
  watchBar_->addSeparator();
  watchBar_->addAction(pause_);
  watchBar_->addAction(full_);
}

// Holds a field for the schedule, the choice of a stage, and the opacity slider.
void Menus::addMergingBar() {
  mergingBar_ = addBar(tr("Merging"), "MergingBar");
  mergingBar_->addSeparator();
  auto* before = new QLabel(tr("Merge &before "));
  schedule_->setFixedWidth(90);
  schedule_->setAccessibleName(tr("Blocks to merge before"));
  schedule_->setToolTip(tr("Blocks, counted from 0, such as 2,5; none: unmerged"));
  before->setBuddy(schedule_);
  connect(schedule_, &QLineEdit::editingFinished, this, [this] {
    const auto engine = session_.live().engine();
    if (engine && blocksText(engine->schedule()) != schedule_->text())
      session_.setSchedule(schedule_->text());
  });
  stage_->setAccessibleName(tr("Stage"));
  stage_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  stage_->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
  connect(stage_, &QComboBox::currentIndexChanged, deck_, &ViewDeck::setStage);
  for (QWidget* widget : std::initializer_list<QWidget*>{before, schedule_, stage_})
    mergingBar_->addWidget(widget);
  mergingBar_->addSeparator();
  mergingBar_->addAction(compare_);
  mergingBar_->addAction(pause_);
  mergingBar_->addSeparator();
  auto* label = new QLabel(tr(" &Opacity "));
  auto* opacity = new QSlider(Qt::Horizontal);
  opacity->setRange(0, 100);
  opacity->setMinimumWidth(50);  // in a narrow window before words are cut
  opacity->setMaximumWidth(100);
  opacity->setValue(static_cast<int>(std::lround(settings_.opacity * 100)));
  opacity->setAccessibleName(tr("Opacity of the overlay"));
  label->setBuddy(opacity);
  connect(opacity, &QSlider::valueChanged, this, [this](int percent) {
    settings_.opacity = percent / 100.0;
    deck_->setOpacity(settings_.opacity);
  });
  mergingBar_->addWidget(label);
  mergingBar_->addWidget(opacity);
}

QDockWidget* Menus::addPanel(const QString& name, const QString& title, QWidget* content,
                             Qt::DockWidgetArea area, std::optional<Face> only) {
  auto* dock = new QDockWidget(title);
  dock->setObjectName(name);
  dock->setWidget(area == Qt::BottomDockWidgetArea ? new PanelArea(content) : content);
  window_->addDockWidget(area, dock);
  const QString key = QStringLiteral("Ctrl+Shift+%1").arg(panels_->actions().size() + 1);
  QAction* shows = add(panels_, title, QKeySequence(key), [dock, content] {
    const QWidget* focus = QApplication::focusWidget();
    const bool leaves = dock->isVisible() && (focus == content || content->isAncestorOf(focus));
    dock->setVisible(!leaves);
    if (leaves) return;
    dock->raise();
    focusIn(content);
  });
  for (QObject* of : only ? QObjectList{dock, shows} : QObjectList()) Faces::setOnly(of, *only);
  return dock;
}

void Menus::showFace(Face face) {
  faces_->actions()[static_cast<int>(face)]->setChecked(true);
  watchBar_->setVisible(face == Face::watch);
  mergingBar_->setVisible(face == Face::study);
}

void Menus::chooseSource() { askSource(session_.shownSource(), {}, &Session::openSource); }

void Menus::chooseBeside() { askSource({}, tr("Add a source"), &Session::openBeside); }

void Menus::chooseModel() {
  const QString camera = session_.shownSource();
  ModelDialog dialog(settings_.live.modelOf(camera), settings_.recentModels, window_);
  if (settings_.live.sources().size() > 1) dialog.offerAll(session_.nameOf(camera));
  connect(&shelf_, &Shelf::noted, &dialog, &ModelDialog::refresh);
  shelf_.note();
  if (dialog.exec() == QDialog::Accepted)
    session_.openModel(dialog.path(), dialog.isForAll() ? Session::For::all : Session::For::shown);
}

// `offered` is an address to begin with.
void Menus::askSource(const QString& offered, const QString& title,
                      void (Session::*open)(const QString& address, bool replay)) {
  SourceDialog dialog(offered, settings_.recentSources, settings_.sourceNames, window_);
  if (!title.isEmpty()) dialog.setWindowTitle(title);
  connect(&dialog, &SourceDialog::named, &session_, &Session::nameSource);
  const auto show = [this, &dialog] {  // each source of the engine as it is now
    const Live& live = session_.live();
    for (std::size_t i = 0; i < live.sources(); ++i) {
      const auto engine = live.engine(i);
      if (!engine) continue;
      const monitor::FrameResultPtr newest = engine->latest();
      dialog.setWatched(live.options().sources()[static_cast<qsizetype>(i)],
                        newest ? newest->frame.picture : cv::Mat(), engine->capture().fps);
    }
  };
  show();
  connect(&session_, &Session::came, &dialog, show);
  if (dialog.exec() == QDialog::Accepted && !dialog.address().isEmpty())
    (session_.*open)(dialog.address(), dialog.replays());
}

// Returns the path to write; empty: cancelled. A name without an ending gets this one.
QString Menus::askPath(const QString& title, QStandardPaths::StandardLocation folder,
                       const QString& beginning, const QString& ending, const QString& kinds) {
  QFileDialog dialog(window_, title, QStandardPaths::writableLocation(folder), kinds);
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setDefaultSuffix(ending);
  dialog.selectFile(beginning + QDateTime::currentDateTime().toString("-yyyyMMdd-HHmmss.") +
                    ending);
  return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

void Menus::takeSnapshot() {
  if (session_.live().snapshot("by hand"))
    return say(tr("Labels and overlay are saved with the record's snapshots."));
  say(tr("There is no record to write to, or no picture yet."), true);
}

void Menus::recordClip() {
  if (!clip_->isChecked()) return clips_.end();
  const QString path = askPath(tr("Record a clip"), QStandardPaths::MoviesLocation, "mpm", "avi",
                               tr("Videos (*.avi)"));
  if (path.isEmpty() || !session_.live().engine()) return clip_->setChecked(false);
  try {
    clips_.begin(path);
    say(tr("Recording to %1; the same key stops it.").arg(path));
  } catch (const std::exception& fault) {
    clip_->setChecked(false);
    say(QString::fromUtf8(fault.what()), true);
  }
}

void Menus::exportView() {
  const QImage image = deck_->exported();
  if (image.isNull()) return say(tr("There is no picture yet."), true);
  const QString path = askPath(tr("Export the view"), QStandardPaths::PicturesLocation, "mpm",
                               "png", tr("Pictures (*.png)"));
  if (path.isEmpty()) return;
  QImageWriter writer(path);
  if (writer.write(image)) return say(tr("Saved %1.").arg(path));
  say(tr("Cannot write %1: %2").arg(path, writer.errorString()), true);
}

void Menus::drawZones(bool on) {
  if (on) onWall_->setChecked(false);  // they are drawn on the views of the camera that is chosen
  say(on ? tr("A click adds a corner, Enter closes the zone, Delete removes it.") : QString());
  deck_->setZoneEditing(on);
}

// Hides menus, bars and panels, for a screen that hangs on a wall.
void Menus::fillScreen(bool on) {
  if (on) before_ = window_->saveState();
  window_->setWindowState(window_->windowState().setFlag(Qt::WindowFullScreen, on));
  window_->show();  // the one that was maximised is again afterwards
  window_->menuBar()->setVisible(!on);
  window_->statusBar()->setVisible(!on);
  wall_->setRemovable(!on);
  if (!on) return static_cast<void>(window_->restoreState(before_));
  for (QToolBar* bar : window_->findChildren<QToolBar*>()) bar->hide();
  for (QDockWidget* dock : window_->findChildren<QDockWidget*>()) dock->hide();
}

// The app compares now and then even when no view shows it, for its words on merging.
void Menus::setCompare() {
  const Live& live = session_.live();
  for (std::size_t i = 0; i < live.sources(); ++i) {
    const bool isAlways = compare_->isChecked() && i == live.shown();
    if (const auto engine = live.engine(i))
      engine->setCompare(isAlways ? monitor::Compare::always : monitor::Compare::sometimes);
  }
}

// The selected stage stays if the schedule still has it.
void Menus::showSchedule() {
  const auto engine = session_.live().engine();
  const Schedule schedule = engine->schedule();
  schedule_->setEnabled(engine->blocks() > 0);
  schedule_->setText(blocksText(schedule));
  const int before = std::max(0, stage_->currentIndex()),
            merges = static_cast<int>(schedule.size());
  const QSignalBlocker quiet(stage_);
  stage_->clear();
  stage_->addItem(merges > 0 ? tr("After all merges") : tr("Unmerged"));
  for (int merge = 1; merge <= merges; ++merge)
    stage_->addItem(tr("After merge %1").arg(QLocale().toString(merge)));
  stage_->setCurrentIndex(before <= merges ? before : 0);
  deck_->setStage(stage_->currentIndex());
}

void Menus::showPrecision() {
  const Computing& computing = session_.live().computing();
  const std::string device = computing.device.toStdString();
  const QString asked = session_.live().options().precision;
  const QString runs =
      asked == kAutoPrecision
          ? asked
          : QString::fromStdString(precisionName(computing.precision.toStdString()));
  for (QAction* choice : precisions_->actions()) {
    const QString precision = choice->data().toString();
    choice->setVisible(precision == kAutoPrecision ||
                       hasPrecision(precision.toStdString(), device.empty() ? "cpu" : device));
    choice->setChecked(precision == runs);
  }
}

// Two columns are used, as one is higher than a small screen.
void Menus::showKeys() {
  const QStringList cells = keyCells(window_->menuBar()->actions());
  const qsizetype half = (cells.size() + 1) / 2;
  QString rows;
  for (qsizetype i = 0; i < half; ++i)
    rows += QStringLiteral("<tr>%1%2</tr>").arg(cells[i], cells.value(half + i));
  QMessageBox box(window_);
  box.setWindowTitle(tr("Keys"));
  box.setTextFormat(Qt::RichText);
  box.setText(
      QStringLiteral("<table>%1</table><p>%2</p>")
          .arg(rows, tr("In a view: + and - zoom, arrows move, Shift and arrows go from token to "
                        "token, Space pins one. In the time plot: + and - zoom, arrows move, End "
                        "returns to live. In every plot: T shows it as a table.")));
  box.exec();
}

void Menus::showAbout() {
  QMessageBox::about(window_, tr("About MPM Monitor"),
                     tr("<b>MPM Monitor %1</b><p>Live segmentation of a fixed scene with merged "
                        "tokens: Mutual Pair Merging for OpenCV DNN.</p><p>Apache License 2.0</p>")
                         .arg(mpm::version()));
}

}  // namespace mpm::gui
