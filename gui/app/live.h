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
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gui/app/settings.h"
#include "monitor/record/record_reader.h"
#include "monitor/service/session.h"

namespace mpm::gui {

/// Device and precision that compute a net's layers. If the requested device is missing, the
/// processor computes them, in a precision that it has.
struct Computing {
  QString device, precision;                 ///< as in LiveOptions
  QString name;                              ///< "NVIDIA H200", "cpu"
  QString fault;                             ///< why it is not what was asked for; empty: it is
  std::vector<TunedPrecision> precisions{};  ///< where one was chosen from them
  std::string chosenFor{};                   ///< as SessionOptions has it
};

/// Returns what computes for a request, "" included. May take seconds the first time.
Computing computingOf(const QString& device, const QString& precision);

/// The session behind the app. Models load, sources open and engines end in their own threads, so
/// no function here makes the GUI wait. Newest frame, snapshots and rules are those of the source
/// that is shown, at first the first. There is one session at a time. It stays until the next is
/// there, and for good if that fails.
class Live : public QObject {
  Q_OBJECT

 public:
  explicit Live(QObject* parent = nullptr, monitor::Clock& clock = monitor::systemClock());
  ~Live() override;  ///< waits for the engine's end, two seconds at most

  /// Opens a session; `opened` or `failed` follows. Of several requests the last one counts. What
  /// the functions below set meanwhile holds for it, too.
  void open(const LiveOptions& options);
  bool isOpening() const { return opening_; }
  /// Shows one of the engine's sources. A new engine keeps showing it if it is watched there, else
  /// its replacement, or the first.
  void show(std::size_t source);
  std::size_t shown() const { return shown_; }
  QString shownAddress() const;  ///< as in LiveOptions
  /// Returns the newest frames of those sources that are watched now, at most four. A precision is
  /// chosen with them, since an open camera cannot be opened again.
  std::vector<cv::Mat> picturesOf(const LiveOptions& options) const;
  const LiveOptions& options() const { return options_; }  ///< of the engine that runs
  const Computing& computing() const { return computing_; }
  /// Tells whether pictures may be kept; no record, or one without pictures, forbids it.
  bool keepsPictures() const { return !options_.record.isEmpty() && options_.picturesPerHour > 0; }
  /// Returns the least mean confidence on nearly all frames of the model's own data (mpm.confidence
  /// in its file); std::nullopt if the file lacks it.
  std::optional<double> usualConfidence() const;
  /// Returns each source's current rules and zones for the engine that runs, including rules that
  /// cannot act with this model.
  const std::vector<monitor::RuleBook>& books() const { return books_; }
  /// Returns why the shown source's rules file could not be read; empty if it could. It then has no
  /// rules or zones, and the file must not be written.
  QString bookFault() const { return faults_.value(static_cast<qsizetype>(shown_)); }
  /// Returns what is unusable in the rules files of all sources, a sentence each.
  QStringList ruleFaults() const;

  /// Sets the rules of the shown source while its engine goes on; zones stay. Throws as
  /// monitor::checkRules does, except for rules that could not act before. Does nothing without an
  /// engine.
  void setRules(const std::vector<monitor::Rule>& rules);
  /// Takes effect with the next frame. Throws if the model has no such blocks.
  void setSchedule(const Schedule& blocks);
  /// Returns once why the net refused the last schedule; the running one then counts again.
  QString takeScheduleFault();
  /// Takes effect with the next frame.
  void setMemory(bool memory);
  /// Sets 0 to monitor::DayPictures::kMost pictures for the record, from the next frame on.
  void setPicturesPerHour(int perHour);

  /// Null before the first. Keeping it for longer than one event keeps its camera open.
  std::shared_ptr<monitor::Engine> engine() const { return engine_; }
  monitor::FrameResultPtr newest() const { return newest(shown_); }
  monitor::FrameResultPtr newest(std::size_t source) const;  ///< null: none yet
  /// Returns the newest frame that also ran unmerged; null if none yet.
  monitor::FrameResultPtr compared(std::size_t source) const;

  /// Writes PNG and JSON next to the record; returns false without a record or a frame.
  bool snapshot(const QString& reason);
  QString recordFault() const;
  QString backupFault() const;  ///< why the last backup of the record could not be made
  /// Returns when the running session was about to begin: its run in the record is no older.
  std::int64_t begunUtcMs() const;
  /// Returns what a source's run is called in the record, or would be without one.
  monitor::PastRun run(std::size_t source) const;
  /// Returns the hash as sha256sum prints it; "?" until it is known.
  QString modelHash() const;

 signals:
  void opened();
  /// The running engine ends now: holders must release it, since a camera opens only once.
  void closing();
  /// The previous session goes on, or is reopened if it had ended for the one that failed.
  void failed(const QString& sentence);
  /// Some source has a newer result. It is sent once until `newest` is called, so a slow GUI skips
  /// results.
  void resultReady();
  void happened(int source, const mpm::monitor::Event& event);

 private:
  struct Running;  // a session with what it was made of and who listens to it
  struct Loaded;   // a model on its way to its session
  using Parcel = std::shared_ptr<Loaded>;

  void start();
  /// Returns what computes now if its choice of precision holds for these options, too.
  Computing chosenBefore(const LiveOptions& options) const;
  void replace(Parcel parcel);
  void replaced(std::shared_ptr<Running> next);
  void giveUp(const QString& sentence);
  void catchUp();
  /// Runs `work` in the thread, then `next` here; calls giveUp if `work` throws.
  void inThread(std::function<void()> work, std::function<void()> next);

  monitor::Clock& clock_;
  LiveOptions options_;
  Computing computing_;
  LiveOptions wanted_;  // what was asked for last, with what was set since
  bool opening_ = false;
  bool startsAgain_ = false;  // it was asked for while another one was being opened
  bool began_ = false;        // an engine, once at least
  bool comesBack_ = false;    // since another one failed: once, not again and again
  std::shared_ptr<Running> running_;
  std::shared_ptr<monitor::Engine> engine_;
  std::vector<monitor::RuleBook> books_;
  QStringList faults_;   // of each source's rules file
  QStringList leftOut_;  // why, for each rule that cannot act
  std::size_t shown_ = 0;
  mutable std::atomic<bool> told_{false};
  std::thread thread_;
  QTimer settled_;  // behind `opened`
};

}  // namespace mpm::gui
