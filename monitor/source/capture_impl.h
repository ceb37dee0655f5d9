// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "monitor/source/backoff.h"
#include "monitor/source/capture.h"
#include "monitor/source/frame_rate.h"
#include "monitor/source/mailbox.h"

namespace mpm::monitor {

/// From its first call on, the end of the process (exit, or a return from main) is noticed. Where a
/// thread is then in a call that nobody waits for, the process ends at once, with its status and
/// with its streams flushed: what the call uses (libsrt's tables, a device) would be destroyed
/// under it.
void noticeProcessEnd();

/// Where the process is ending, this thread stops here for good: what it would use next may have
/// been destroyed already. For threads that nobody waits for.
void stopAtProcessEnd();

/// Of such threads: one was left behind in a call, one came back.
void noteThreadLeft();
void noteThreadBack();

using SteadyTime = std::chrono::steady_clock::time_point;

/// One reader from its making to its end. All of it is behind Capture::Impl's mutex.
struct Attempt {
  bool left = false;      ///< nobody waits for it any more: what it brings is thrown away
  bool finished = false;  ///< the last thing that is done for it
  std::optional<SteadyTime> callSince;    ///< the reader is in a call
  const char* call = "";                  ///< which one
  std::string fault;                      ///< why it finished
  std::function<void()> interrupt;        ///< ends the call, where something can
  std::function<std::string()> decoding;  ///< which picture is in it
  std::optional<SteadyTime> firstFrame, lastFrame;
  std::optional<std::int64_t> revivedMs;  // steady: when the first frame came behind a silence, and
                                          // it is not yet believed that more will
};

/// What a thread that reads is asked for, behind the same mutex.
struct ReadingThread {
  std::shared_ptr<Attempt> next;  ///< to be begun
  bool isOver = false;            ///< nothing comes any more
};

/// Three parties: who takes frames (capture.cpp), a thread that watches (capture_watch.cpp), and
/// one that reads (capture_reading.cpp). The watching one never calls a reader, so it can be waited
/// for. The reading one makes one attempt after another, since whatever libraries keep for each
/// thread adds up; it keeps this object alive, and one that is left behind in an attempt ends with
/// it.
class Capture::Impl : public std::enable_shared_from_this<Capture::Impl> {
 public:
  Impl(const std::string& shown, MakeReader makeReader, const CaptureOptions& options,
       Clock& clock);

  void start();
  void stop();

  std::optional<Frame> next(std::chrono::milliseconds patience);
  CaptureStatus status() const;
  const std::string& shown() const { return shown_; }
  void pause(bool paused);
  void seek(std::int64_t positionMs);
  void step();

 private:
  // capture.cpp
  bool waitWhilePaused(SteadyTime until);
  void noteTaken();  // a frame, by whoever asked for the next one
  bool isEnded() const;

  // capture_watch.cpp
  using Lock = std::unique_lock<std::mutex>;
  void watch();
  bool waitForRoom(Lock& lock);
  bool startThread();
  void runAttempt(Lock& lock);
  void endThread(Lock& lock);
  void waitForAttempt(Lock& lock);
  void noteHung(Attempt& attempt);
  void leave(Attempt& attempt);
  void waitForNextTry(Lock& lock);

  // capture_reading.cpp
  struct Reading;
  void readAttempts(ReadingThread& asked);
  void readAll(Attempt& attempt);
  std::string readOn(Attempt& attempt, std::unique_ptr<Reader>& reader);
  template <typename Call>
  std::optional<Moment> call(Attempt& attempt, const char* name, const Call& doIt);
  void noteOpen(const Moment& at, bool isLive);
  bool waitForTurn(const Attempt& attempt, Reading& reading);
  bool waitAtEnd(const Attempt& attempt, const std::string& fault);
  bool give(Attempt& attempt, Reading& reading, Shot shot, const Moment& taken);
  void noteRevival(Attempt& attempt, std::int64_t nowMs);
  static Moment momentOf(Reading& reading, const Shot& shot);

  const std::string shown_;
  const MakeReader makeReader_;
  const CaptureOptions options_;
  Clock& clock_;  // not to be touched once `stopping_`, or by an attempt that was left
  Mailbox<Frame> box_;
  std::thread watcher_;

  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  bool stopping_ = false;
  std::shared_ptr<Attempt> attempt_;        // the newest
  std::shared_ptr<ReadingThread> reading_;  // empty: there is no thread that reads
  std::thread thread_;                      // that one
  std::size_t stillOut_ = 0;                // abandoned ones that have not returned
  Backoff backoff_;
  CaptureStatus status_;  // what of it does not follow from the time
  FrameRate rate_;
  SteadyTime nextTry_;
  bool wasOpen_ = false;  // ever
  bool isOpen_ = false, isLive_ = false;
  std::int64_t openedMs_ = 0, readMs_ = -1;  // Moment::steadyMs; -1: no frame yet
  bool paused_ = false;
  int steps_ = 0;
  std::optional<std::int64_t> seekMs_;
};

}  // namespace mpm::monitor
