// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QTimer>
#include <deque>
#include <functional>

#include "gui/app/day_night_panel.h"
#include "gui/app/event_list.h"
#include "gui/app/live.h"
#include "gui/app/performance_panel.h"
#include "gui/app/settings.h"
#include "gui/app/tune_panel.h"
#include "gui/app/view_deck.h"
#include "gui/canvas/class_legend.h"

namespace mpm::monitor {
class ClipWriter;
}

namespace mpm::gui {

/// The app's window: the engine on one side, views and panels on the other.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(const Settings& settings);
  ~MainWindow() override;

  Live& live() { return live_; }
  ViewDeck* deck() const { return deck_; }
  DayNightPanel* dayNight() const { return dayNight_; }
  PerformancePanel* performance() const { return performance_; }
  TunePanel* tune() const { return tune_; }
  EventList* events() { return &events_; }

  void openSource(const QString& address);
  void openModel(const QString& path);
  void setSchedule(const QString& blocks);  ///< acts on the living net
  /// Rules and zones from now on, written to their file. Where zones stay, nothing begins anew.
  void setBook(const monitor::RuleBook& book);

 protected:
  bool event(QEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void makeMenus();
  void makeFileMenu();
  void addRecent(QMenu* menu, const QStringList& entries,
                 const std::function<void(const QString&)>& open);
  void makeViewMenu();
  void makeMergeMenu();
  void makeHelpMenu();
  void makeToolBar();
  void makeDocks();
  QDockWidget* addDock(const QString& name, const QString& title, QWidget* content,
                       Qt::DockWidgetArea area);
  void connectLive();

  void reopen();
  void opened();
  void failed(const QString& sentence);
  void showNewest();
  void lookAround();  ///< several times a second: what is not tied to a frame
  void showState(const monitor::Engine& engine);
  void showAgreement(const monitor::FrameResult& result);
  void beginTuning();
  void say(const QString& sentence, bool bad = false);

  void editRules();
  void changeZones(const std::vector<monitor::Zone>& zones);
  void bringBook();  ///< of the source that is opened next
  void chooseSource();
  void chooseModel();
  void exportView();
  void exportSeries();
  void takeSnapshot();
  void recordClip(bool on);
  void copyReport();
  void showKeys();
  void showAbout();
  void saveSettings();

  Settings settings_;
  Live live_;
  ClassSettings classes_;
  ViewDeck* deck_;
  ClassLegend* legend_;
  DayNightPanel* dayNight_;
  PerformancePanel* performance_;
  TunePanel* tune_;
  EventList events_;
  QLineEdit* schedule_ = nullptr;
  QComboBox* stage_ = nullptr;
  QLabel *fault_ = nullptr, *underCursor_ = nullptr, *stateText_ = nullptr, *agreement_ = nullptr;
  QAction *compare_ = nullptr, *pause_ = nullptr, *clip_ = nullptr;
  QMenu *fileMenu_ = nullptr, *panelMenu_ = nullptr;
  QTimer around_;
  QElapsedTimer showing_;  // since the newest frame was taken
  double guiMs_ = 0;
  bool windowShown_ = false, frameShown_ = false;  // once at least
  std::deque<cv::Mat> lastPictures_;               // for tuning
  qint64 keptMs_ = 0;
  monitor::ClipWriter* clipWriter_ = nullptr;
};

}  // namespace mpm::gui
