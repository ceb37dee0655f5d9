// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMainWindow>
#include <QVariantMap>

#include "gui/app/session.h"
#include "gui/app/settings.h"

namespace mpm::gui {

class ClassLegend;
class EventsPanel;
class ExhibitionView;
class Menus;
class StatusLine;
class Strip;
class ViewDeck;
class Wall;
class WindowsBeside;

/// The app's window. It connects the panels, which know the session and not each other. Each Face
/// is a selection of panels with its own remembered arrangement.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(const Settings& settings);
  ~MainWindow() override;

  Session& session() { return session_; }
  Live& live() { return session_.live(); }
  ViewDeck* deck() const { return deck_; }
  Wall* wall() const { return wall_; }
  ExhibitionView* exhibition() const { return exhibition_; }
  EventsPanel* events() const { return events_; }
  WindowsBeside& beside() { return *beside_; }

  Face face() const { return session_.face(); }
  void setFace(Face face);  ///< Exhibition fills the screen; Escape leads back from there
  void askForFace();        ///< with the first page
  void goFullScreen();

 protected:
  bool event(QEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void makePanels();
  void connectSession();
  void showCentre();  ///< views, wall or exhibition
  void arrange();     ///< panels and bars as the face has them
  void arrangeWatch();
  void arrangeStudy();
  void keepArrangement();
  void showPanel(const QString& name);
  void showMoment();
  void showTitle();
  void lookAround(const Liveness& stands);
  void keepSettings();

  Settings settings_;
  QVariantMap kept_;  // of them, as they were written last
  Session session_{settings_};
  ViewDeck* deck_;
  Wall* wall_;
  Strip *glance_, *headline_;
  QWidget* banner_;
  ExhibitionView* exhibition_;
  ClassLegend* legend_;
  EventsPanel* events_;
  StatusLine* status_;
  Menus* menus_;
  WindowsBeside* beside_;
  QWidget* page_ = nullptr;    // that asks for the face
  Face before_ = Face::watch;  // an exhibition
  QTimer keeping_;
  bool windowShown_ = false, frameShown_ = false;  // once at least
  bool saidUnkept_ = false;
};

}  // namespace mpm::gui
