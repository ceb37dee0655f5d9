// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QKeySequence>
#include <QMenu>
#include <QObject>
#include <QStandardPaths>
#include <QString>
#include <cstddef>
#include <functional>
#include <optional>

#include "gui/app/clips.h"
#include "gui/app/session.h"
#include "gui/app/settings.h"
#include "gui/app/shelf.h"

class QAction;
class QActionGroup;
class QComboBox;
class QDockWidget;
class QLineEdit;
class QMainWindow;
class QToolBar;

namespace mpm::gui {

class ViewDeck;
class Wall;

/// The window's menus and tool bars: what is watched, kept and shown, how tokens merge, and help.
/// Entries begin with the remembered settings and keep them up to date. Some belong to one face.
class Menus : public QObject {
  Q_OBJECT

 public:
  Menus(Session& session, ViewDeck* deck, Wall* wall, QMainWindow* window);

  QAction* fullScreen() const { return full_; }
  QAction* wall() const { return onWall_; }
  QAction* compare() const { return compare_; }
  void showFace(Face face);  ///< as the one that is chosen, with its bar
  void chooseModel();

  /// Adds a panel of one face or of both. Its action shows and focuses it; if it has the focus, the
  /// action closes it.
  QDockWidget* addPanel(const QString& name, const QString& title, QWidget* content,
                        Qt::DockWidgetArea area, std::optional<Face> only = std::nullopt);

 signals:
  void faceWanted(mpm::gui::Face face);
  void daysWanted();
  void mergingWanted();
  void correctionWanted();

 private:
  QAction* add(QMenu* menu, const QString& text, const QKeySequence& key,
               std::function<void()> act);
  QAction* addSwitch(QMenu* menu, const QString& text, const QKeySequence& key, bool on,
                     std::function<void(bool)> toggled);
  QAction* addChoice(QMenu* menu, QActionGroup* group, const QString& text, bool chosen,
                     std::function<void()> act, const QKeySequence& key = {});
  void addFileMenu();
  void addRecent(QMenu* menu);
  void addViewMenu();
  void addViews(QMenu* menu);
  void addWall(QMenu* menu);
  void addLook(QMenu* menu);
  void addMergeMenu();
  QMenu* precisionMenu();
  void addHelpMenu();
  QToolBar* addBar(const QString& title, const QString& name);
  void addWatchBar();
  void addMergingBar();

  void chooseSource();
  void chooseBeside();
  void askSource(const QString& offered, const QString& title,
                 void (Session::*open)(const QString& address, bool replay));
  QString askPath(const QString& title, QStandardPaths::StandardLocation folder,
                  const QString& beginning, const QString& ending, const QString& kinds);
  void takeSnapshot();
  void recordClip();
  void exportView();
  void drawZones(bool on);
  void fillScreen(bool on);
  void setCompare();
  void showSchedule();
  void showPrecision();
  void showKeys();
  void showAbout();
  void say(const QString& sentence, bool bad = false) { emit session_.said(sentence, bad); }

  Session& session_;
  Settings& settings_;
  ViewDeck* deck_;
  Wall* wall_;
  QMainWindow* window_;
  Shelf shelf_{session_};
  ClipRecorder clips_{session_};
  QMenu* panels_ = nullptr;
  QActionGroup *faces_, *precisions_;
  QAction *clip_ = nullptr, *pause_ = nullptr, *full_ = nullptr, *onWall_ = nullptr,
          *zones_ = nullptr, *wrong_ = nullptr, *compare_ = nullptr, *memory_ = nullptr;
  QLineEdit* schedule_;
  QComboBox* stage_;
  QToolBar *watchBar_ = nullptr, *mergingBar_ = nullptr;
  std::size_t sources_ = 0;  // of the engine; 0: none yet
  QByteArray before_;        // the window's state, before full screen
};

}  // namespace mpm::gui
