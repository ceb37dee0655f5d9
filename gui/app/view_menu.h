// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gui/app/face.h"
#include "gui/app/language.h"
#include "gui/app/panel_area.h"
#include "gui/app/rule_past.h"
#include "gui/app/rules_dialog.h"
#include "gui/app/session.h"
#include "gui/app/wall.h"

namespace mpm::gui {

/// What is shown and how: layouts and kinds of views, panels, outlines, opacity, zones and rules,
/// the language. Begins with what the settings remember, and keeps them up to date.
class ViewMenu : public QMenu {
  Q_OBJECT

 public:
  ViewMenu(Settings& settings, Session& session, ViewDeck* deck, QMainWindow* window)
      : QMenu(tr("&View"), window),
        settings_(settings),
        session_(session),
        deck_(deck),
        window_(window) {
    addFaces();
    addSeparator();
    addLayouts();
    addSeparator();
    addKinds();
    addSeparator();
    panels_ = addMenu(tr("&Panels"));
    QAction* outlines = addSwitch(tr("&Outlines"), QKeySequence("Ctrl+L"), settings_.outlines);
    Faces::setOnly(outlines, Face::study);
    connect(outlines, &QAction::toggled, this, [this](bool on) {
      settings_.outlines = on;
      deck_->setOutlines(on);
    });
    addZones();
    addAction(tr("Da&ys of the record"), QKeySequence(Qt::Key_F3), this, &ViewMenu::daysWanted);
    Faces::setOnly(addAction(tr("Fit the &picture"), QKeySequence("Ctrl+0"), deck_, &ViewDeck::fit),
                   Face::study);
    addFullScreen();
    addThemes();
    addLanguages();
    deck_->setLayoutKind(settings_.layout);
    deck_->showKind(settings_.kind);
    deck_->setKinds(settings_.views);
    deck_->setOpacity(settings_.opacity);
    deck_->setOutlines(settings_.outlines);
  }

  /// A panel of the window, of one face or of both. Its action shows it and goes there; where it
  /// has the focus, closes it.
  QDockWidget* addPanel(const QString& name, const QString& title, QWidget* content,
                        Qt::DockWidgetArea area, std::optional<Face> only = std::nullopt) {
    auto* dock = new QDockWidget(title);
    dock->setObjectName(name);
    dock->setWidget(area == Qt::BottomDockWidgetArea ? new PanelArea(content) : content);
    window_->addDockWidget(area, dock);
    QAction* show = panels_->addAction(title);
    show->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+%1").arg(panels_->actions().size())));
    for (QObject* object : {static_cast<QObject*>(dock), static_cast<QObject*>(show)})
      if (only) Faces::setOnly(object, *only);
    connect(show, &QAction::triggered, dock, [dock, content] {
      const QWidget* focus = QApplication::focusWidget();
      const bool leaves = dock->isVisible() && (focus == content || content->isAncestorOf(focus));
      dock->setVisible(!leaves);
      if (leaves) return;
      dock->raise();
      focusIn(content);
    });
    return dock;
  }

  /// Instead of the views, while there are several cameras: at once where there are more than
  /// before, and at the start unless the views are remembered.
  void addWall(Wall* wall) {
    wall_ = addSwitch(tr("&Wall of cameras"), QKeySequence("Ctrl+5"));
    connect(wall_, &QAction::toggled, this, [this, wall](bool on) {
      if (on) zones_->setChecked(false);
      if (sources_ > 1) settings_.onWall = on;
      wall->setVisible(on);
      deck_->setVisible(!on);
      if (!on) return deck_->takeFocus();
      // Behind whoever fills the wall.
      QMetaObject::invokeMethod(wall, &Wall::takeFocus, Qt::QueuedConnection);
    });
    wall->hide();
    wall_->setEnabled(false);
    connect(full_, &QAction::toggled, wall, [wall](bool on) { wall->setRemovable(!on); });
    connect(&session_.live(), &Live::opened, this, [this] {
      const auto sources = session_.live().engine()->sources();
      const bool isFirst = sources_ == 0, isOther = sources_ != sources;
      sources_ = sources;
      wall_->setEnabled(sources > 1);
      if (isOther) wall_->setChecked(sources > 1 && (!isFirst || settings_.onWall));
    });
  }

  QAction* fullScreen() const { return full_; }
  QAction* wall() const { return wall_; }
  QAction* zones() const { return zones_; }
  void showFace(Face face) { faces_->actions()[static_cast<int>(face)]->setChecked(true); }
  /// Rules and zones of the source that is shown.
  void editRules() {
    const auto engine = session_.live().engine();
    if (!engine)
      return emit session_.said(tr("There is no source yet for rules to look at."), true);
    if (const QString why = session_.whyRulesStay(); !why.isEmpty())
      return emit session_.said(why, true);
    const std::size_t source = session_.live().shown();
    RulesDialog dialog(session_.book(), engine->metrics(source).names(), window_);
    dialog.setRecorded(!session_.live().options().record.isEmpty());
    dialog.setValues([weak = std::weak_ptr(engine), source](const std::string& metric) {
      const auto living = weak.lock();
      const auto newest = living ? living->latest(source) : nullptr;
      const auto place = newest ? living->metrics(source).find(metric) : std::nullopt;
      return place ? std::optional(newest->known.values[*place]) : std::nullopt;
    });
    readPast(&dialog, engine, source, session_.live().options().record,
             [&dialog, engine, source](RulePast past) {
               const std::int64_t silentMs = silenceNow(past, *engine, source).value_or(0);
               dialog.setPast(std::move(past), silentMs);
             });
    if (dialog.exec() == QDialog::Accepted) session_.setBook(dialog.book());
  }

  /// A panel by its name; others stay as they are.
  void showPanel(const QString& name) {
    auto* dock = window_->findChild<QDockWidget*>(name);
    if (dock == nullptr) return;
    dock->show();
    dock->raise();
  }

  /// The slider of opacity.
  void addTo(QToolBar* bar) {
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
    bar->addWidget(label);
    bar->addWidget(opacity);
  }

 signals:
  void daysWanted();
  void faceWanted(mpm::gui::Face face);

 private:
  // To the first of a panel's widgets that takes the focus.
  static void focusIn(QWidget* panel) {
    QList<QWidget*> widgets = panel->findChildren<QWidget*>();
    widgets.prepend(panel);
    for (QWidget* widget : widgets) {
      if ((widget->focusPolicy() & Qt::TabFocus) == 0 || !widget->isEnabled()) continue;
      return widget->setFocus(Qt::ShortcutFocusReason);
    }
  }

  QAction* addSwitch(const QString& title, const QKeySequence& key, bool on = false) {
    QAction* action = addAction(title);
    action->setCheckable(true);
    action->setChecked(on);
    action->setShortcut(key);
    return action;
  }

  void addFaces() {
    faces_ = new QActionGroup(this);
    for (int i = 0; i < kFaces; ++i) {
      const auto face = static_cast<Face>(i);
      QAction* action = addSwitch(Faces::titleOf(face), QKeySequence(Qt::Key_F5 + i));
      action->setStatusTip(Faces::descriptionOf(face));
      faces_->addAction(action);
      connect(action, &QAction::triggered, this, [this, face] { emit faceWanted(face); });
    }
  }

  void addLayouts() {
    auto* layouts = new QActionGroup(this);
    const QStringList names{tr("&Four views"), tr("&Side by side"), tr("&Tabs"), tr("&Split line")};
    for (int i = 0; i < kDeckLayouts; ++i) {
      QAction* action = addSwitch(names[i], QKeySequence(QStringLiteral("Ctrl+%1").arg(i + 1)),
                                  i == static_cast<int>(settings_.layout));
      Faces::setOnly(action, Face::study);
      layouts->addAction(action);
      connect(action, &QAction::triggered, deck_,
              [this, i] { deck_->setLayoutKind(static_cast<DeckLayout>(i)); });
    }
  }

  void addKinds() {
    auto* kinds = new QActionGroup(this);
    for (int i = 0; i < kViewKinds; ++i) {
      const auto own = static_cast<ViewKind>(i);
      QAction* action = addSwitch(titleOf(own), QKeySequence(QStringLiteral("Alt+%1").arg(i + 1)),
                                  own == settings_.kind);
      Faces::setOnly(action, Face::study);
      kinds->addAction(action);
      connect(action, &QAction::triggered, deck_, [this, own] { deck_->showKind(own); });
      connect(deck_, &ViewDeck::kindChanged, action, [action, own](ViewKind kind) {
        if (kind == own) action->setChecked(true);
      });
    }
  }

  void addZones() {
    zones_ = addSwitch(tr("Draw &zones"), QKeySequence("Ctrl+D"));
    connect(zones_, &QAction::toggled, this, [this](bool on) {
      if (on) wall_->setChecked(false);  // they are drawn on the views of the camera that is chosen
      emit session_.said(
          on ? tr("A click adds a corner, Enter closes the zone, Delete removes it.") : QString(),
          false);
      deck_->setZoneEditing(on);
    });
    connect(deck_, &ViewDeck::zoneEditingLeft, zones_, [this] { zones_->setChecked(false); });
    connect(deck_, &ViewDeck::draftDropped, this, [this] {
      emit session_.said(tr("The unfinished zone was discarded: it had fewer than three corners."),
                         true);
    });
    addAction(tr("&Rules and zones ..."), QKeySequence("Ctrl+Shift+D"), this, &ViewMenu::editRules);
  }

  // Without menus, bars and panels, for a screen that hangs on a wall.
  void addFullScreen() {
    full_ = addSwitch(tr("F&ull screen"), QKeySequence("F11"));
    window_->addAction(full_);  // whose menu is gone then
    connect(full_, &QAction::toggled, this, [this](bool on) {
      if (on) before_ = window_->saveState();
      window_->setWindowState(window_->windowState().setFlag(Qt::WindowFullScreen, on));
      window_->show();  // the one that was maximised is again afterwards
      for (QWidget* chrome :
           {static_cast<QWidget*>(window_->menuBar()), static_cast<QWidget*>(window_->statusBar())})
        chrome->setVisible(!on);
      if (!on) {
        window_->restoreState(before_);
        return;
      }
      for (QToolBar* bar : window_->findChildren<QToolBar*>()) bar->hide();
      for (QDockWidget* dock : window_->findChildren<QDockWidget*>()) dock->hide();
    });
  }

  void addThemes() {
    QMenu* menu = addMenu(tr("&Theme"));
    auto* group = new QActionGroup(menu);
    const QStringList names{tr("&Dark"), tr("&Light"), tr("As the &system")};
    for (int i = 0; i < kThemes; ++i) {
      QAction* action = menu->addAction(names[i]);
      action->setCheckable(true);
      action->setChecked(i == static_cast<int>(settings_.theme));
      group->addAction(action);
      connect(action, &QAction::triggered, this, [this, i] {
        settings_.theme = static_cast<Theme>(i);
        applyTheme(settings_.theme);
      });
    }
  }

  // Each named in itself, and the system's.
  void addLanguages() {
    QMenu* menu = addMenu(tr("&Language"));
    auto* group = new QActionGroup(menu);
    const auto add = [&](const QString& title, const QString& code) {
      QAction* action = menu->addAction(title);
      action->setCheckable(true);
      action->setChecked(code == settings_.language);
      group->addAction(action);
      connect(action, &QAction::triggered, this, [this, code] {
        settings_.language = code;
        emit session_.said(tr("The language changes at the next start."), false);
      });
    };
    add(tr("As the &system"), {});
    menu->addSeparator();
    for (const QString& code : languages()) add(languageName(code), code);
  }

  Settings& settings_;
  Session& session_;
  ViewDeck* deck_;
  QMainWindow* window_;
  QMenu* panels_;
  QActionGroup* faces_ = nullptr;
  QAction *full_ = nullptr, *wall_ = nullptr, *zones_ = nullptr;
  std::size_t sources_ = 0;  // of the engine; 0: none yet
  QByteArray before_;        // the window's state, before full screen
};

}  // namespace mpm::gui
