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

/// What is watched: source, model, schedule, and the rules and zones of each source; with what the
/// settings remember of them. It hands each new frame to whoever shows it, and says several times a
/// second how the source stands. Knows no widget; panels know it, and not each other.
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
  /// The newest frame that was shown of it; null: none.
  monitor::FrameResultPtr frame() const;
  /// The one whose figures are told: changed once a second at most, since what changes more often
  /// cannot be read. All of a window tell the same.
  const monitor::FrameResultPtr& told() const { return told_; }
  /// What a run of the record is called, with what was heard of it so far: of that source.
  const monitor::PastRun& run() const { return runs_[live_.shown()]; }

  /// What the settings say.
  void open();
  /// In place of the source that is shown, with the rules and zones that are kept for it; refused
  /// where it is watched beside that one already. `replay`: LiveOptions::replay.
  void openSource(const QString& address, bool replay = false);
  /// Watched as well, beside the others; refused where it is already.
  void openBeside(const QString& address, bool replay = false);
  /// `source`: of the engine's. Nothing where it was asked for already, and the last one stays.
  void closeSource(int source);
  /// With the schedule that is usual, where it is not the one that runs.
  void openModel(const QString& path);
  /// Which of the engine's sources strip, plots, views, zones and rules are of from now on.
  void show(int source);

  /// The address of the source whose picture is shown, or will be the first.
  QString shownSource() const;
  /// What that source is called in the record.
  QString recordedAs() const;
  /// What a source is called where people read it.
  QString nameOf(const QString& address) const {
    return spokenName(address, settings_.sourceNames);
  }
  /// Now; in a replay the time of the newest frame.
  std::int64_t nowUtcMs() const;
  QStringList names() const;  ///< of each source of the engine
  /// Empty: by its address again.
  void nameSource(const QString& address, const QString& name);

  bool isPaused() const { return paused_; }
  void setPaused(bool paused);
  void step();  ///< one frame, while it is paused
  /// Whether schedules are being timed beside the picture, which slows its frames.
  bool isMeasuring() const { return measuring_; }
  void setMeasuring(bool measuring) { measuring_ = measuring; }

  /// Rules and zones of the source that is shown, as they are, or are to be when it is opened anew.
  monitor::RuleBook book() const;
  /// Why they cannot be changed now; empty: they can.
  QString whyRulesStay() const;
  /// Rules and zones from now on, written to their file. Where zones stay, nothing begins anew.
  void setBook(const monitor::RuleBook& book);
  /// The same for zones alone; refused where a rule looks at one that would be gone.
  void changeZones(const std::vector<monitor::Zone>& zones);

  /// Acts on the loaded net, and holds where the same model is opened anew.
  void setSchedule(const QString& blocks);
  /// As LiveOptions has it; the model is read anew in it.
  void setPrecision(const QString& precision);
  /// Acts on the engine that runs, and on those that follow.
  void setMemory(bool memory);
  void setPicturesPerHour(int perHour);  ///< the same of the pictures that the record keeps

 signals:
  void opening();  ///< the engine is to end: whoever keeps it busy stops
  void began(const mpm::monitor::Engine& engine);
  void ended(const QString& why);  ///< nothing is watched any more
  void shownChanged();  ///< another engine, or another source of it: what was told is of no other
  void named();         ///< a source
  /// A newer frame of a source than before, and its newest with full tokens, or null.
  void came(const mpm::monitor::FrameResultPtr& newest,
            const mpm::monitor::FrameResultPtr& compared, std::size_t source);
  void frameShown(const mpm::monitor::FrameResultPtr& newest);  ///< of the source that is shown
  void frameTold(const mpm::monitor::FrameResultPtr& told);
  /// It is painted, and the window took so long for it.
  void painted(const mpm::monitor::FrameResultPtr& frame, double ms);
  void looked(const mpm::gui::Liveness& stands);  ///< several times a second
  void happened(std::size_t source, const mpm::monitor::Event& event);
  void pausedChanged(bool paused);
  void scheduleSet();
  void zonesSet(const std::vector<mpm::monitor::Zone>& zones);  ///< or back to what they were
  /// Also by menus and panels; empty: nothing any more.
  void said(const QString& sentence, bool bad);

  // Panels to each other.
  void nightsKnown(const mpm::gui::KnownNights& known);
  void savingKnown(const QString& words);  ///< what merging saves; empty: not known yet
  void momentWanted(qint64 utcMs, const QString& words);
  void panelWanted(const QString& name);
  void teachWanted();
  void modelWanted();

 protected:
  void customEvent(QEvent* event) override;

 private:
  void opened();
  void failed(const QString& sentence);
  void takeNewest();
  void showFrame();
  void tellFrame();
  void tellAnew();
  void look();
  void hear(int source, const monitor::Event& event);
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
  // What each source of the engine that runs is to be in the next one; null: no longer watched.
  QStringList coming_;
  std::shared_ptr<const monitor::RuleBook> placed_;  // where zones follow a moved camera
  std::vector<monitor::FrameResultPtr> newest_;      // that was shown of each source
  std::vector<monitor::PastRun> runs_;               // of each source
  monitor::FrameResultPtr told_;
  QElapsedTimer showing_, telling_;  // since the newest frame was taken, and told
  QTimer around_;
  Live live_;
};

}  // namespace mpm::gui
