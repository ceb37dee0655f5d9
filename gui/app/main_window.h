// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QMainWindow>
#include <QTimer>
#include <functional>
#include <vector>

#include "gui/app/day_night_panel.h"
#include "gui/app/days.h"
#include "gui/app/events_panel.h"
#include "gui/app/face.h"
#include "gui/app/face_page.h"
#include "gui/app/file_menu.h"
#include "gui/app/glance_strip.h"
#include "gui/app/headline.h"
#include "gui/app/merge_menu.h"
#include "gui/app/moments.h"
#include "gui/app/performance_panel.h"
#include "gui/app/shares_panel.h"
#include "gui/app/status_line.h"
#include "gui/app/teaching.h"
#include "gui/app/tune_panel.h"
#include "gui/app/view_menu.h"
#include "gui/app/wall.h"
#include "gui/canvas/class_legend.h"
#include "gui/exhibition/exhibition_view.h"
#include "gui/explain/merge_heat.h"

namespace mpm::gui {

/// The app's window: what is watched on one side, menus, views and panels on the other. It puts
/// them together, and hands each new frame to those who show it. Each Face is a choice of them,
/// with an arrangement of its own that is remembered.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(const Settings& settings);
  ~MainWindow() override;

  Session& session() { return session_; }
  Live& live() { return session_.live(); }
  ViewDeck* deck() const { return deck_; }
  Wall* wall() const { return wall_; }
  GlanceStrip* glance() const { return glance_; }
  Headline* headline() const { return headline_; }
  PlaceBanner* banner() const { return banner_; }
  SharesPanel* shares() const { return shares_; }
  ExhibitionView* exhibition() const { return exhibition_; }
  Face face() const { return face_; }
  void setFace(Face face);  ///< Exhibition fills the screen; Escape leads back from there
  void askForFace();        ///< with the first page
  DayNightPanel* dayNight() const { return dayNight_; }
  PerformancePanel* performance() const { return performance_; }
  TunePanel* tune() const { return tune_; }
  EventsPanel* events() const { return events_; }
  Teaching& teaching() { return teaching_; }
  Days& days() { return days_; }
  void goFullScreen() { viewMenu_->fullScreen()->setChecked(true); }
  const MergeHeat& heat() const { return heat_; }

 protected:
  bool event(QEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void makeMenus();
  void makeToolBars();
  void makePanels();
  void showCentre();  ///< views, wall or exhibition
  void arrange();     ///< panels and bars as the face has them
  void keepArrangement();
  void connectSession();
  void opened();
  void tellOpened();  ///< what the model cannot do, or what was chosen for it
  void showTitle();
  void forget();
  void showSource();  ///< in strip, plots and views: the one that is chosen
  void showNewest();  ///< of each source
  void showFrame(const monitor::FrameResultPtr& result);  ///< of the one that is chosen
  void lookAtPlace(const monitor::Engine& engine, const Liveness& stands);
  void lookAround();  ///< several times a second: what is not tied to a frame
  void keepSettings();
  void say(const QString& sentence, bool bad);

  Settings settings_;
  QVariantMap kept_;  // of them, as they were written last
  Session session_{settings_};
  Teaching teaching_{settings_, session_, this};
  Days days_{settings_, session_, this};
  ClassSettings classes_;
  MergeHeat heat_;
  std::vector<monitor::FrameResultPtr> newest_;  // that was shown of each
  ViewDeck* deck_;
  Wall* wall_;
  GlanceStrip* glance_;
  Headline* headline_;
  PlaceBanner* banner_;
  SharesPanel* shares_;
  ExhibitionView* exhibition_;
  ClassLegend* legend_;
  DayNightPanel* dayNight_;
  PerformancePanel* performance_;
  TunePanel* tune_;
  EventsPanel* events_;
  Moments* moments_ = nullptr;
  StatusLine* status_;
  FileMenu* fileMenu_ = nullptr;
  ViewMenu* viewMenu_ = nullptr;
  MergeMenu* mergeMenu_ = nullptr;
  QToolBar *watchBar_ = nullptr, *mergingBar_ = nullptr;
  QPointer<FacePage> page_;  // while it is asked for
  std::vector<std::function<void(const monitor::FrameResultPtr&)>> pageFeeds_;  // of its views
  SceneWatch knows_;
  Face face_, before_ = Face::watch;  // before_: an exhibition
  QTimer around_;
  QElapsedTimer showing_;                          // since the newest frame was taken
  int looks_ = 0;                                  // around
  bool windowShown_ = false, frameShown_ = false;  // once at least
  bool saidUnkept_ = false;
};

}  // namespace mpm::gui
