// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gui/app/camera_plan.h"
#include "gui/app/settings.h"
#include "monitor/record/record_reader.h"
#include "monitor/service/session.h"

namespace mpm::gui {

/// The cameras behind the app, each with its engine. Models load, sources open and engines end in a
/// thread of their own, so no function here makes the GUI wait. A camera stays until its successor
/// is there, and for good if that fails; cameras whose options stay go on meanwhile. Newest frame,
/// snapshots and rules are those of the camera that is shown, at first the first.
class Live : public QObject {
  Q_OBJECT

 public:
  explicit Live(QObject* parent = nullptr, monitor::Clock& clock = monitor::systemClock());
  ~Live() override;  ///< waits for the engines' ends, two seconds at most

  /// Opens what differs from what runs; `opened` or `failed` follows. Of several requests the last
  /// one counts. What the functions below set meanwhile holds for it, too. Sources in `anew` begin
  /// again in any case.
  void open(const LiveOptions& options, const QStringList& anew = {});
  bool isOpening() const { return opening_; }
  /// Shows one of the cameras. It stays shown if it is among the next ones, else its replacement
  /// is, or the first.
  void show(std::size_t source);
  std::size_t shown() const { return shown_; }
  QString shownAddress() const;                            ///< as in LiveOptions
  const LiveOptions& options() const { return options_; }  ///< of the cameras that run
  std::size_t sources() const { return cameras_.size(); }  ///< that run
  /// Returns the file of the shown camera's model; empty if none is loaded.
  QString model() const;
  const Computing& computing() const;
  /// Tells whether pictures may be kept; no record, or one without pictures, forbids it.
  bool keepsPictures() const { return !options_.record.isEmpty() && options_.picturesPerHour > 0; }
  /// Returns the least mean confidence on nearly all frames of the model's own data (mpm.confidence
  /// in its file); std::nullopt if the file lacks it.
  std::optional<double> usualConfidence() const;
  /// Returns a camera's current rules and zones, including rules that cannot act with its model.
  const monitor::RuleBook& book(std::size_t source) const;
  /// Returns why the shown source's rules file could not be read; empty if it could. It then has no
  /// rules or zones, and the file must not be written.
  QString bookFault() const;
  /// Returns what is unusable in the rules files of all sources, a sentence each.
  QStringList ruleFaults() const;

  /// Sets the rules of the shown camera while its engine goes on; zones stay. Throws as
  /// monitor::checkRules does, except for rules that could not act before. Does nothing without an
  /// engine.
  void setRules(const std::vector<monitor::Rule>& rules);
  /// Sets the schedule of the cameras that have the shown one's model. Takes effect with the next
  /// frame. Throws if the model has no such blocks.
  void setSchedule(const Schedule& blocks);
  /// Returns once why the net refused the last schedule; the running one then counts again.
  QString takeScheduleFault();
  /// Takes effect with the next frame.
  void setMemory(bool memory);
  /// Sets 0 to monitor::DayPictures::kMost pictures for the record, from the next frame on.
  void setPicturesPerHour(int perHour);
  void pause(bool paused);  ///< all cameras; sources that are files stand still

  /// Returns the shown camera's engine, or a camera's; null before the first, and while it is
  /// replaced. Keeping it for longer than one event keeps its camera open.
  std::shared_ptr<monitor::Engine> engine() const { return engine(shown_); }
  std::shared_ptr<monitor::Engine> engine(std::size_t source) const;
  monitor::Engines engines() const;
  monitor::FrameResultPtr newest() const { return newest(shown_); }
  monitor::FrameResultPtr newest(std::size_t source) const;  ///< null: none yet
  /// Returns the newest frame that also ran unmerged; null if none yet.
  monitor::FrameResultPtr compared(std::size_t source) const;

  /// Writes PNG and JSON next to the record; returns false without a record or a frame.
  bool snapshot(const QString& reason);
  QString recordFault() const;
  QString backupFault() const;  ///< why the last backup of the record could not be made
  /// Returns when the running session was about to begin: its runs in the record are no older.
  std::int64_t begunUtcMs() const { return begunUtcMs_; }
  /// Returns what a camera's run is called in the record, or would be without one, with the events
  /// so far.
  const monitor::PastRun& run(std::size_t source) const;
  /// Returns the hash as sha256sum prints it; "?" until it is known.
  QString modelHash() const;

 signals:
  void opened();
  /// The shown camera's engine ends now: holders must release it, since a camera opens only once.
  void closing();
  /// What ran before goes on, or is reopened if it had ended for the one that failed.
  void failed(const QString& sentence);
  /// Some source has a newer result. It is sent once until `newest` is called, so a slow GUI skips
  /// results.
  void resultReady();
  void happened(int source, const mpm::monitor::Event& event);

 private:
  class Ear;       // listens to engines
  struct Camera;   // one that runs
  struct Opening;  // cameras on their way

  void start();
  void replace(const std::shared_ptr<Opening>& next);
  void replaced(Opening& next);
  void giveUp(const QString& sentence);
  void catchUp();
  void hear(const std::string& source, const monitor::Event& event);
  /// Runs `work` in the thread, then `next` here, or `failed` with the sentence if it throws.
  void inThread(std::function<void()> work, std::function<void()> next,
                std::function<void(const QString& sentence)> failed);

  monitor::Clock& clock_;
  LiveOptions options_;
  LiveOptions wanted_;  // what was asked for last, with what was set since
  QStringList anew_;    // the same
  bool opening_ = false;
  bool startsAgain_ = false;  // it was asked for while another one was being opened
  bool comesBack_ = false;    // since another one failed: once, not again and again
  std::unique_ptr<Ear> ear_;
  std::unique_ptr<monitor::Session> session_;  // null while cameras are replaced
  std::vector<std::unique_ptr<Camera>> cameras_;
  std::vector<std::pair<std::string, monitor::Event>> early_;  // of cameras that are not here yet
  std::int64_t begunUtcMs_ = 0;
  std::size_t shown_ = 0;
  std::thread thread_;
  QTimer settled_;  // after `opened`
};

}  // namespace mpm::gui
