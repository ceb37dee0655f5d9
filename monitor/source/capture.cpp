// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/capture.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "monitor/source/readers.h"
#include "secrets/secrets.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using SteadyTime = steady_clock::time_point;

constexpr milliseconds kLongestPatience{3600 * 1000};
constexpr int kMostSteps = 1000;
constexpr int kMostUnusable = 10;  // pictures in a row
constexpr std::int64_t kRevivedMs = 1000;
// Time in which a live source may deliver at once what it kept from before it was opened.
constexpr milliseconds kBurst{1000};
// A source that delivered frames this long, until its reader was killed, most likely still exists.
constexpr milliseconds kHeldLong{1000};
// Time for a reader to end by itself when the capture ends, and then for its thread.
constexpr milliseconds kFarewell{300}, kAfterInterrupt{200};

Capture::MakeReader makerOf(const SourceAddress& address, const CaptureOptions& options) {
  const bool isFile = address.kind == SourceKind::scene || address.kind == SourceKind::video ||
                      address.kind == SourceKind::folder || address.kind == SourceKind::picture;
  if (options.everyFrame && !isFile) {
    throw std::invalid_argument(address.shown +
                                " cannot be replayed; a video, a folder of pictures "
                                "and a scene can");
  }
  makeReader(address, options.reader);  // refuses now what it would refuse later
  if (!isReadSeparately(address.kind))
    return [address, reader = options.reader] { return makeReader(address, reader); };
  return [program = readerProgram(), address, reader = options.reader] {
    return makeSeparateReader(program, address, reader);
  };
}

bool isSame(const cv::Mat& one, const cv::Mat& other) {
  if (one.size() != other.size() || one.type() != other.type()) return false;
  const std::size_t bytes = static_cast<std::size_t>(one.cols) * one.elemSize();
  for (int row = 0; row < one.rows; ++row) {
    if (std::memcmp(one.ptr(row), other.ptr(row), bytes) != 0) return false;
  }
  return true;
}

/// Measures frames per second over the last seconds.
class FrameRate {
 public:
  void note(SteadyTime time) {
    times_.push_back(time);
    while (times_.size() > kMost || times_.back() - times_.front() > kWindow) times_.pop_front();
  }
  double at(SteadyTime now) const {
    if (times_.size() < 2 || now - times_.back() > kWindow) return 0;
    // The rate falls once the next frame is late; until then the newest counts as now.
    const auto apart = (times_.back() - times_.front()) / static_cast<long>(times_.size() - 1);
    const SteadyTime end = now - times_.back() > 2 * apart ? now : times_.back();
    const double seconds = std::chrono::duration<double>(end - times_.front()).count();
    return seconds > 0 ? static_cast<double>(times_.size() - 1) / seconds : 0;
  }
  void clear() { times_.clear(); }

 private:
  static constexpr std::chrono::seconds kWindow{5};
  static constexpr std::size_t kMost = 1024;
  std::deque<SteadyTime> times_;
};

}  // namespace

/// State that a capture shares with its thread. The thread runs all readers one after another,
/// since data that libraries keep for each thread would add up. It keeps this alive if it is
/// abandoned in a call.
class Capture::Impl {
 public:
  Impl(const std::string& shown, MakeReader makeReader, const CaptureOptions& options, Clock& clock)
      : shown_(secrets::withoutSecrets(shown)),
        makeReader_(std::move(makeReader)),
        options_(options),
        clock_(clock) {}

  void run() {
    for (Lock lock(mutex_); !stopping_; waitForNextTry(lock)) {
      status_.state = CaptureState::opening;
      lock.unlock();
      tryOnce();
      lock.lock();
      isOpen_ = false;
      rate_.clear();
      if (stopping_ || !options_.everyFrame) continue;
      status_.state = CaptureState::ended;  // a second try would give the first frames twice
      status_.isCutShort = true;
      changed_.notify_all();
      break;
    }
    const std::lock_guard lock(mutex_);
    isOver_ = true;
    changed_.notify_all();
  }

  /// Returns false if the thread is left behind.
  bool stop() {
    Lock lock(mutex_);
    stopping_ = true;
    status_.state = CaptureState::ended;
    changed_.notify_all();
    if (changed_.wait_for(lock, kFarewell, [&] { return isOver_; })) return true;
    if (interrupt_) interrupt_();
    return changed_.wait_for(lock, kAfterInterrupt, [&] { return isOver_; });
  }

  bool waitForFrame(milliseconds patience) const {
    Lock lock(mutex_);
    return waitForFrame(lock, patience);
  }

  std::optional<Frame> next(milliseconds patience) {
    Lock lock(mutex_);
    if (!waitForFrame(lock, patience)) return {};
    if (isLive_ && steps_ > 0) --steps_;
    changed_.notify_all();  // the thread may wait for room
    return std::exchange(newest_, std::nullopt);
  }

  CaptureStatus status() const {
    const std::lock_guard lock(mutex_);
    CaptureStatus status = status_;
    const SteadyTime now = steady_clock::now();
    status.fps = rate_.at(now);
    if (stopping_) return status;
    const std::int64_t nowMs = clock_.now().steadyMs;
    if (readMs_ >= 0) status.msSinceFrame = std::max<std::int64_t>(0, nowMs - readMs_);
    if (status.state == CaptureState::waiting) {
      const auto left = std::chrono::ceil<milliseconds>(nextTry_ - now);
      status.msToNextTry = std::max<std::int64_t>(0, left.count());
    }
    // A file that is paused, or whose frames nobody takes, is not stale.
    const bool expects = isOpen_ && (isLive_ || isInCall_);
    const std::int64_t silentMs = nowMs - std::max(openedMs_, readMs_);
    if (status.state == CaptureState::ended || !expects) return status;
    if (silentMs > options_.staleMs) {
      status.state = CaptureState::stale;
      status.fault = cv::format("it is open, but no frame came for %.1f s",
                                static_cast<double>(silentMs) / 1000);
    } else if (revivedMs_ && status.state == CaptureState::live) {
      status.state = CaptureState::stale;
      status.fault = "it is open, and a frame came after a silence";
    }
    return status;
  }
  const std::string& shown() const { return shown_; }

  void pause(bool paused) {
    const std::lock_guard lock(mutex_);
    paused_ = paused;
    if (!paused) steps_ = 0;
    changed_.notify_all();
  }

  void seek(std::int64_t positionMs) {
    const std::lock_guard lock(mutex_);
    seekMs_ = std::max<std::int64_t>(0, positionMs);
    changed_.notify_all();
  }

  void step() {
    const std::lock_guard lock(mutex_);
    if (paused_) steps_ = std::min(steps_ + 1, kMostSteps);
    changed_.notify_all();
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  // A paused live source continues, but only requested single frames are taken.
  bool hasFrame() const { return newest_ && !(paused_ && isLive_ && steps_ == 0); }

  bool waitForFrame(Lock& lock, milliseconds patience) const {
    const SteadyTime until =
        steady_clock::now() + std::clamp(patience, milliseconds(0), kLongestPatience);
    changed_.wait_until(lock, until,
                        [&] { return hasFrame() || status_.state == CaptureState::ended; });
    return hasFrame();
  }

  /// State of one reader from frame to frame.
  struct Reading {
    double paceMs = 0;
    SteadyTime due = steady_clock::now();  // of the next frame of what is not live
    std::optional<std::int64_t> seekMs;    // before that
    cv::Mat previous;
    int unusable = 0;        // in a row
    double expectedMs = 0;   // of a replay: the next frame's time, if it does not tell
    double replayedMs = -1;  // and the newest one's; -1: none yet
  };

  /// Runs one reader from its creation to its end.
  void tryOnce() {
    std::unique_ptr<Reader> reader;
    std::string fault;
    try {
      reader = makeReader_();
      if (!reader) throw std::runtime_error("there is no reader");
      Lock lock(mutex_);
      firstFrame_ = lastFrame_ = std::nullopt;
      revivedMs_.reset();
      interrupt_ = reader->interruption();
      lock.unlock();
      fault = readOn(*reader);
    } catch (const std::exception& failure) {
      fault = shown_ + " failed: " + failure.what();
    }
    const bool wasGivenUp = reader && reader->wasGivenUp();
    reader.reset();
    const std::lock_guard lock(mutex_);
    isInCall_ = false;
    interrupt_ = nullptr;
    if (stopping_) return;
    // Sets both together, so that no status has only one of them.
    if (!fault.empty()) status_.fault = secrets::withoutSecrets(fault);
    if (wasGivenUp) ++status_.abandoned;
  }

  /// Reads until it fails, and returns why.
  std::string readOn(Reader& reader) {
    const auto faultOr = [&](const char* sentence) {
      return !reader.fault().empty() ? reader.fault() : shown_ + sentence;
    };
    bool isOpen = false;
    std::optional<Moment> at = call([&] { isOpen = reader.open(); });
    if (!at) return {};
    if (!isOpen) return faultOr(" cannot be opened");
    const bool isLive = reader.isLive();
    if (options_.everyFrame && isLive) return shown_ + " is live and cannot be replayed";
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(wasOpen_, true)) ++status_.reconnects;
      isOpen_ = true;
      isLive_ = isLive;
      openedMs_ = at->steadyMs;
      changed_.notify_all();
    }
    Reading reading;
    while (waitForTurn(reading)) {
      if (reading.seekMs) {
        if (!call([&] { reader.seek(*reading.seekMs); })) return {};
        if (reader.wasGivenUp()) return faultOr(" did not return from seeking");
        reading.expectedMs = static_cast<double>(*reading.seekMs);
        reading.replayedMs = -1;
        reading.seekMs.reset();
      }
      Shot shot;
      ReadStatus got = ReadStatus::failed;
      at = call([&] { got = reader.read(shot); });
      if (!at) return {};
      if (got == ReadStatus::failed) return faultOr(" gave no frame");
      if (got == ReadStatus::ended) {
        if (!waitAtEnd(reader.fault())) return {};
        continue;
      }
      const double paceMs = reader.paceMs();
      reading.paceMs = std::isfinite(paceMs) ? std::clamp(paceMs, 0.0, 3.6e6) : 0;
      if (!give(reading, shot, *at)) return shown_ + " gives no usable pictures";
    }
    return {};
  }

  /// Returns when the call returned; std::nullopt if the capture ends.
  template <typename Call>
  std::optional<Moment> call(const Call& doIt) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return {};
      isInCall_ = true;
    }
    doIt();
    const std::lock_guard lock(mutex_);
    isInCall_ = false;
    if (stopping_) return {};
    return clock_.now();
  }

  /// Waits for the next frame's turn. Returns false if the capture ends.
  bool waitForTurn(Reading& reading) {
    Lock lock(mutex_);
    for (;;) {
      if (stopping_) return false;
      if (isLive_) return true;
      const SteadyTime now = steady_clock::now();
      const bool hasRoom = !options_.everyFrame || !newest_;
      if (hasRoom && seekMs_) {
        reading.seekMs = std::exchange(seekMs_, std::nullopt);
        reading.due = now;
        return true;  // while it is paused, too: the frame there is shown
      }
      if (paused_) {
        if (hasRoom && steps_ > 0) {
          --steps_;
          return true;
        }
        reading.due = now;
        changed_.wait(lock);
      } else if (options_.everyFrame) {
        if (hasRoom) return true;
        changed_.wait(lock);
      } else if (now >= reading.due) {
        return true;
      } else {
        changed_.wait_until(lock, reading.due);
      }
    }
  }

  /// Waits until somebody wants another part of the source. Returns false if the capture ends.
  bool waitAtEnd(const std::string& fault) {
    Lock lock(mutex_);
    status_.state = CaptureState::ended;
    status_.fault = secrets::withoutSecrets(fault);
    changed_.notify_all();
    changed_.wait(lock, [&] { return stopping_ || (seekMs_ && !isLive_); });
    return !stopping_;
  }

  void waitForNextTry(Lock& lock) {
    if (stopping_) return;
    const auto held = firstFrame_ ? *lastFrame_ - *firstFrame_ : steady_clock::duration::zero();
    // A source that held longer than the wait is not likely to fail again at once.
    if (firstFrame_ && held >= milliseconds(waitMs_)) waitMs_ = 0;
    const bool isAtOnce = waitMs_ == 0 && held >= kHeldLong;
    if (!isAtOnce)
      waitMs_ = waitMs_ == 0 ? options_.firstWaitMs : std::min(2 * waitMs_, options_.longestWaitMs);
    nextTry_ = steady_clock::now() + milliseconds(isAtOnce ? options_.atOnceMs : waitMs_);
    status_.state = CaptureState::waiting;
    changed_.wait_until(lock, nextTry_, [&] { return stopping_; });
  }

  /// Delivers a frame. Returns false if too many were no pictures.
  bool give(Reading& reading, const Shot& shot, const Moment& taken) {
    const auto pace = std::chrono::duration_cast<steady_clock::duration>(
        std::chrono::duration<double, std::milli>(reading.paceMs));
    const SteadyTime now = steady_clock::now();
    // A delay of more than a frame is not made up for.
    reading.due = reading.due + 2 * pace < now ? now : reading.due + pace;

    Frame frame;
    frame.picture = bgrOf(shot.picture);
    if (frame.picture.empty()) return ++reading.unusable < kMostUnusable;
    reading.unusable = 0;
    frame.taken = options_.everyFrame ? momentOf(reading, shot) : taken;
    frame.positionMs = shot.positionMs;
    const bool isFrozen = isSame(frame.picture, reading.previous);
    reading.previous = frame.picture;

    const std::lock_guard lock(mutex_);
    if (stopping_) return true;
    noteRevival(taken.steadyMs);
    frame.number = ++status_.frames;
    status_.frozen = isFrozen ? status_.frozen + 1 : 0;
    status_.size = frame.picture.size();
    status_.state = CaptureState::live;
    status_.fault.clear();
    readMs_ = taken.steadyMs;
    if (!firstFrame_) firstFrame_ = now;
    if (!isLive_ || now - *firstFrame_ >= kBurst) rate_.note(now);
    lastFrame_ = now;
    if (newest_) ++status_.drops;
    newest_ = std::move(frame);
    changed_.notify_all();
    return true;
  }

  /// Handles frames that a decoder still holds when a stream is lost. They do not count: the source
  /// is back after a second of frames.
  void noteRevival(std::int64_t nowMs) {
    if (!isLive_) return;
    if (lastFrame_ && nowMs - readMs_ > options_.staleMs) {
      revivedMs_ = nowMs;
    } else if (revivedMs_ && nowMs - *revivedMs_ >= kRevivedMs) {
      revivedMs_.reset();
    }
  }

  /// Uses the position in the file as a replay's time, or a steady pace without one.
  static Moment momentOf(Reading& reading, const Shot& shot) {
    double ms = shot.positionMs ? static_cast<double>(*shot.positionMs) : reading.expectedMs;
    const double step = std::max(1.0, reading.paceMs);
    if (reading.replayedMs >= 0 && ms <= reading.replayedMs) ms = reading.replayedMs + step;
    reading.replayedMs = ms;
    reading.expectedMs = ms + step;
    Moment moment;
    moment.steadyMs = moment.utcMs = std::llround(ms);
    return moment;
  }

  const std::string shown_;
  const MakeReader makeReader_;
  const CaptureOptions options_;
  Clock& clock_;  // not to be touched once `stopping_`

  mutable std::mutex mutex_;  // of all below
  mutable std::condition_variable changed_;
  bool stopping_ = false, isOver_ = false;
  std::function<void()> interrupt_;  // ends the reader's call, where something can
  bool isInCall_ = false;
  std::optional<Frame> newest_;  // that nobody took
  CaptureStatus status_;         // what of it does not follow from the time
  FrameRate rate_;
  SteadyTime nextTry_;
  std::int64_t waitMs_ = 0;  // the newest one between two tries
  bool wasOpen_ = false;     // ever
  bool isOpen_ = false, isLive_ = false;
  std::int64_t openedMs_ = 0, readMs_ = -1;           // Moment::steadyMs; -1: no frame yet
  std::optional<SteadyTime> firstFrame_, lastFrame_;  // of this reader
  std::optional<std::int64_t> revivedMs_;  // when the first frame came behind a silence, and it is
                                           // not yet believed that more will
  bool paused_ = false;
  int steps_ = 0;
  std::optional<std::int64_t> seekMs_;
};

Capture::Capture(const SourceAddress& address, const CaptureOptions& options, Clock& clock)
    : Capture(address.shown, makerOf(address, options), options, clock) {}

Capture::Capture(const std::string& shown, MakeReader makeReader, const CaptureOptions& options,
                 Clock& clock)
    : impl_(std::make_shared<Impl>(shown, std::move(makeReader), options, clock)),
      thread_([impl = impl_] { impl->run(); }) {}

Capture::~Capture() {
  if (impl_->stop()) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

bool Capture::waitForFrame(milliseconds patience) const { return impl_->waitForFrame(patience); }
std::optional<Frame> Capture::next(milliseconds patience) { return impl_->next(patience); }
CaptureStatus Capture::status() const { return impl_->status(); }
const std::string& Capture::shown() const { return impl_->shown(); }
void Capture::pause(bool paused) { impl_->pause(paused); }
void Capture::seek(std::int64_t positionMs) { impl_->seek(positionMs); }
void Capture::step() { impl_->step(); }

}  // namespace mpm::monitor
