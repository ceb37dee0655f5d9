// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <cstddef>
#include <exception>
#include <memory>
#include <vector>

#include "gui/app/live.h"
#include "gui/app/liveness.h"
#include "gui/app/settings.h"
#include "gui/canvas/class_settings.h"
#include "gui/explain/merge_heat.h"
#include "monitor/rules/rules.h"
#include "monitor/statistics/comparison.h"

namespace mpm::gui {

struct KnownNights;

/// Manages what is watched: source, model, schedule, each source's rules and zones, and what the
/// settings remember of them. It passes each new frame to the views and reports each source's state
/// several times a second. It knows no widget; panels know it, and not each other.
class Session : public QObject {
  Q_OBJECT

 public:
  explicit Session(Settings& settings, monitor::Clock& clock = monitor::systemClock());

  Live& live() { return live_; }
  const Live& live() const { return live_; }
  Settings& settings() { return settings_; }
  const Settings& settings() const { return settings_; }
  Face face() const { return settings_.face.value_or(Face::watch); }
  ClassSettings& classes() { return classes_; }
  const MergeHeat& heat() const { return heat_; }          ///< of the source that is shown
  const SceneWatch& sceneWatch() const { return scene_; }  ///< the same
  /// Returns the newest frame that was shown; null if none.
  monitor::FrameResultPtr frame() const;
  /// Returns the frame whose figures are shown. It changes at most once a second, to be readable,
  /// and is the same in the whole window.
  const monitor::FrameResultPtr& told() const { return told_; }
  /// Returns that source's run as the record names it, with the events so far.
  const monitor::PastRun& run() const { return live_.run(live_.shown()); }

  /// Opens what the settings say.
  void open();
  /// Replaces the shown source, with the new one's kept rules and zones. Refused if it is watched
  /// as another source already. `replay`: LiveOptions::replay.
  void openSource(const QString& address, bool replay = false);
  /// Watches one more source; refused if it is watched already.
  void openBeside(const QString& address, bool replay = false);
  /// Closes one of the cameras unless it is closing already; the last one stays.
  void closeSource(int source);
  /// Which cameras a model is for.
  enum class For { shown, all };
  /// Opens a model with its usual schedule, unless it is the one that runs.
  void openModel(const QString& path, For cameras = For::shown);
  /// Opens a model that was made for this camera, and leaves others theirs.
  void openOwnModel(const QString& address, const QString& path);
  /// Chooses the camera that strip, plots, views, zones and rules follow.
  void show(int source);

  /// Returns the address of the source whose frame is shown, or will be first.
  QString shownSource() const;
  /// Returns that source's name in the record.
  QString recordedAs() const;
  /// Returns a source's name for people.
  QString nameOf(const QString& address) const {
    return spokenName(address, settings_.sourceNames);
  }
  /// Returns the current time; in a replay the time of the newest frame.
  std::int64_t nowUtcMs() const;
  QStringList names() const;  ///< of each camera
  /// Names a source; an empty name restores its address.
  void nameSource(const QString& address, const QString& name);

  bool isPaused() const { return paused_; }
  void setPaused(bool paused);
  void step();  ///< one frame, while it is paused
  /// Tells whether schedules are being timed meanwhile, which slows the frames.
  bool isMeasuring() const { return measuring_; }
  void setMeasuring(bool measuring) { measuring_ = measuring; }
  QString stateOfAll() const;  ///< of all cameras: see Liveness::ofAll

  /// Returns the shown source's rules and zones as they are, or will be when it is reopened.
  monitor::RuleBook book() const;
  /// Returns why they cannot be changed now; empty if they can.
  QString whyRulesStay() const;
  /// Sets and saves rules and zones. If zones stay, nothing restarts.
  void setBook(const monitor::RuleBook& book);
  /// Changes zones alone; refused if a rule looks at a zone that would be gone.
  void changeZones(const std::vector<monitor::Zone>& zones);

  /// Sets the schedule of the loaded net; it holds if the same model is reopened.
  void setSchedule(const QString& blocks);
  /// Sets LiveOptions' precision and reloads the model.
  void setPrecision(const QString& precision);
  /// Acts on the running engine and on later ones.
  void setMemory(bool memory);
  void setPicturesPerHour(int perHour);  ///< the same of the pictures that the record keeps

 signals:
  void opening();  ///< an engine may end: whoever keeps one busy stops
  /// Cameras came or went, or were replaced.
  void began(const mpm::monitor::Engines& engines);
  void ended(const QString& why);  ///< nothing is watched any more
  void shownChanged();             ///< another camera, or engine: what was told is of no other
  void named();                    ///< a source
  /// A source has a newer frame; also passes its newest that also ran unmerged, or null.
  void came(const mpm::monitor::FrameResultPtr& newest,
            const mpm::monitor::FrameResultPtr& compared, std::size_t source);
  void frameShown(const mpm::monitor::FrameResultPtr& newest);  ///< of the source that is shown
  void frameTold(const mpm::monitor::FrameResultPtr& told);
  /// The frame was painted, which took the window this long.
  void painted(const mpm::monitor::FrameResultPtr& frame, double ms);
  void looked(const mpm::gui::Liveness& stands);  ///< several times a second
  void happened(std::size_t source, const mpm::monitor::Event& event);
  void pausedChanged(bool paused);
  void scheduleSet();
  void zonesSet(const std::vector<mpm::monitor::Zone>& zones);  ///< or back to what they were
  /// A sentence for the status line, also from menus and panels; empty clears it.
  void said(const QString& sentence, bool bad);

  // Signals from one panel to others.
  void nightsKnown(const mpm::gui::KnownNights& known);
  void savingKnown(const QString& words);  ///< what merging saves; empty: not known yet
  void momentWanted(qint64 utcMs, const QString& words);
  void panelWanted(const QString& name);
  void teachWanted();
  void modelWanted();
  void sourceWanted();

 protected:
  void customEvent(QEvent* event) override;

 private:
  void open(const QStringList& anew);
  void opened();
  void readClasses();
  void keepSchedule();
  void failed(const QString& sentence);
  void takeNewest();
  void showFrame();
  void tellFrame();
  void tellAnew();
  void look();
  void hold();
  void tellOpened();
  void goOnAsItRuns();
  void showZonesOf(const monitor::FrameResult& result);
  void tellRefusedSchedule();
  void refuseWatched(const QString& address, qsizetype place) const;
  bool isLeaving() const;
  bool rulesStay();
  std::vector<monitor::Zone> shownZones() const { return placed_ ? placed_->zones : book().zones; }
  void complain(const std::exception& fault) { emit said(QString::fromUtf8(fault.what()), true); }

  Settings& settings_;
  ClassSettings classes_;
  MergeHeat heat_;
  SceneWatch scene_;
  bool began_ = false;  // with an engine
  bool paused_ = false, measuring_ = false;
  // Addresses of the cameras that will take the places of those that run; null: none will.
  QStringList coming_;
  std::shared_ptr<const monitor::RuleBook> placed_;  // where zones follow a moved camera
  std::vector<monitor::FrameResultPtr> newest_;      // that was shown of each source
  monitor::FrameResultPtr told_;
  std::weak_ptr<monitor::Engine> shownEngine_;
  QElapsedTimer showing_, telling_;  // since the newest frame was taken, and told
  QTimer around_;
  Live live_;
};

}  // namespace mpm::gui
