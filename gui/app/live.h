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

/// What computes a net's layers. Where a device that was asked for is not there, the processor
/// does, in a precision that it has.
struct Computing {
  QString device, precision;                 ///< as in LiveOptions
  QString name;                              ///< "NVIDIA H200", "cpu"
  QString fault;                             ///< why it is not what was asked for; empty: it is
  std::vector<TunedPrecision> precisions{};  ///< where one was chosen from them
  std::string chosenFor{};                   ///< as SessionOptions has it
};

/// For what was asked for, "" included. May take seconds the first time.
Computing computingOf(const QString& device, const QString& precision);

/// The session behind the app. Models are loaded, sources opened and engines ended in threads of
/// their own: no function here makes the GUI wait. What is newest, snapshots and rules are those of
/// the source that is shown, the first until another is chosen. One session at a time; what it was
/// stays until the next is there, and where that fails it stays altogether.
class Live : public QObject {
  Q_OBJECT

 public:
  explicit Live(QObject* parent = nullptr, monitor::Clock& clock = monitor::systemClock());
  ~Live() override;  ///< waits for the engine's end, two seconds at most

  /// `opened` or `failed` follows; asked again before that, the last one counts. What the functions
  /// below set meanwhile holds for it, too.
  void open(const LiveOptions& options);
  bool isOpening() const { return opening_; }
  /// One of the engine's, from now on. With another engine it stays the one where it is watched,
  /// else what came in its place is, or the first.
  void show(std::size_t source);
  std::size_t shown() const { return shown_; }
  QString shownAddress() const;  ///< as in LiveOptions
  /// The newest of each of these sources that is watched now, of four at most: to choose a
  /// precision with, since a camera that is open cannot be opened once more.
  std::vector<cv::Mat> picturesOf(const LiveOptions& options) const;
  const LiveOptions& options() const { return options_; }  ///< of the engine that runs
  const Computing& computing() const { return computing_; }
  /// Whether somebody who must not keep pictures has said so: by no record, or one without any.
  bool keepsPictures() const { return !options_.record.isEmpty() && options_.picturesPerHour > 0; }
  /// The least mean confidence that nearly all frames of the model's own data gave, as its file has
  /// it (mpm.confidence); nothing: it does not say.
  std::optional<double> usualConfidence() const;
  /// Of each source of the engine that runs: its rules as they are now, those that cannot act with
  /// this model among them, and its zones.
  const std::vector<monitor::RuleBook>& books() const { return books_; }
  /// Why the rules file of the source that is shown could not be read; empty: it could. Without
  /// rules and zones then, and the file is not to be written.
  QString bookFault() const { return faults_.value(static_cast<qsizetype>(shown_)); }
  /// What of the rules files of all sources cannot be used, a sentence each.
  QStringList ruleFaults() const;

  /// Other rules for the source that is shown, whose engine goes on; its zones stay. Throws as
  /// monitor::checkRules does, but for those that could not act before. Nothing without an engine.
  void setRules(const std::vector<monitor::Rule>& rules);
  /// For the engine that runs, from the next frame on. Throws where the model has no such blocks.
  void setSchedule(const Schedule& blocks);
  /// Where its net refused the last one: why, told once; from then on it is the one that runs.
  QString takeScheduleFault();
  /// For the engine that runs, from the next frame on.
  void setMemory(bool memory);
  /// For the record that is written, from the next frame on: 0 to monitor::DayPictures::kMost.
  void setPicturesPerHour(int perHour);

  /// Null: none yet. Whoever keeps it for longer than one event keeps its camera open.
  std::shared_ptr<monitor::Engine> engine() const { return engine_; }
  monitor::FrameResultPtr newest() const { return newest(shown_); }
  monitor::FrameResultPtr newest(std::size_t source) const;  ///< null: none yet
  /// The newest with full tokens; null: none yet.
  monitor::FrameResultPtr compared(std::size_t source) const;

  /// As PNG and JSON beside the record; false without one or without a picture.
  bool snapshot(const QString& reason);
  QString recordFault() const;
  QString backupFault() const;  ///< why the last backup of the record could not be made
  /// When the session that runs was about to begin: its run of the record began then or later.
  std::int64_t begunUtcMs() const;
  /// What a source's run of the record is called, or would be without one; of the engine that runs.
  monitor::PastRun run(std::size_t source) const;
  /// As sha256sum says it; "?" until it is known.
  QString modelHash() const;

 signals:
  void opened();
  /// The engine that runs ends now: whoever keeps it lets go, since a camera opens once.
  void closing();
  /// What was running goes on, or is opened again where it had ended for the one that failed.
  void failed(const QString& sentence);
  /// A newer result of any source than the last time is there. Sent once until `newest` was asked
  /// for: a GUI that is slow skips results.
  void resultReady();
  void happened(int source, const mpm::monitor::Event& event);

 private:
  struct Running;  // a session with what it was made of and who listens to it
  struct Loaded;   // a model on its way to its session
  using Parcel = std::shared_ptr<Loaded>;

  void start();
  /// What computes now, where a choice of precision made for it holds for these as well.
  Computing chosenBefore(const LiveOptions& options) const;
  void replace(Parcel parcel);
  void replaced(std::shared_ptr<Running> next);
  void giveUp(const QString& sentence);
  void catchUp();
  /// `work` in the thread, then `next` here; where `work` throws, giveUp.
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
