// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <utility>

#include "monitor/source/capture_impl.h"
#include "secrets/secrets.h"

namespace mpm::monitor {
namespace {

using std::chrono::steady_clock;

constexpr int kMostUnusable = 10;  // pictures in a row
constexpr std::int64_t kRevivedMs = 1000;
// A live source hands over at once what it kept before it was opened.
constexpr std::chrono::milliseconds kBurst{1000};

bool isSame(const cv::Mat& one, const cv::Mat& other) {
  if (one.size() != other.size() || one.type() != other.type()) return false;
  const std::size_t bytes = static_cast<std::size_t>(one.cols) * one.elemSize();
  for (int row = 0; row < one.rows; ++row) {
    if (std::memcmp(one.ptr(row), other.ptr(row), bytes) != 0) return false;
  }
  return true;
}

}  // namespace

/// What an attempt's thread has for itself.
struct Capture::Impl::Reading {
  double paceMs = 0;
  SteadyTime due = steady_clock::now();  // of the next frame of what is not live
  std::optional<std::int64_t> seekMs;    // before that
  cv::Mat previous;
  int unusable = 0;        // in a row
  double expectedMs = 0;   // of a replay: the next frame's time, if it does not tell
  double replayedMs = -1;  // and the newest one's; -1: none yet
};

// Runs one call of the reader under the watcher's eyes. When it returned; or nothing: nobody waits
// for it any more.
template <typename Call>
std::optional<Moment> Capture::Impl::call(Attempt& attempt, const char* name, const Call& doIt) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || attempt.left) return {};
    attempt.callSince = steady_clock::now();
    attempt.call = name;
  }
  doIt();
  stopAtProcessEnd();
  const std::lock_guard lock(mutex_);
  attempt.callSince.reset();
  if (stopping_ || attempt.left) return {};
  return clock_.now();
}

void Capture::Impl::readAttempts(ReadingThread& asked) {
  for (std::shared_ptr<Attempt> attempt;;) {
    {
      Lock lock(mutex_);
      if (attempt && attempt->left) return;
      changed_.wait(lock, [&] { return asked.next || asked.isOver; });
      attempt = std::exchange(asked.next, nullptr);
    }
    if (!attempt) return;
    readAll(*attempt);
  }
}

void Capture::Impl::readAll(Attempt& attempt) {
  std::unique_ptr<Reader> reader;
  std::string fault;
  try {
    fault = readOn(attempt, reader);
  } catch (const std::exception& failure) {
    fault = shown_ + " failed: " + failure.what();
  } catch (...) {
    fault = shown_ + " failed without giving a reason";
  }
  stopAtProcessEnd();
  {
    const std::lock_guard lock(mutex_);
    if (attempt.fault.empty()) attempt.fault = secrets::withoutSecrets(fault);
    attempt.callSince = steady_clock::now();
    attempt.call = "closing";
  }
  reader.reset();
  stopAtProcessEnd();
  const std::lock_guard lock(mutex_);
  if (attempt.left) {
    --stillOut_;
    noteThreadBack();
  }
  attempt.callSince.reset();
  attempt.finished = true;
  changed_.notify_all();
}

// Until it fails: returns why.
std::string Capture::Impl::readOn(Attempt& attempt, std::unique_ptr<Reader>& reader) {
  bool isOpen = false;
  std::optional<Moment> at = call(attempt, "opening", [&] {
    reader = makeReader_();
    if (!reader) return;
    {
      const std::lock_guard lock(mutex_);
      attempt.interrupt = reader->interruption();
      attempt.decoding = reader->decoding();
    }
    isOpen = reader->open();
  });
  if (!at) return {};
  const auto faultOr = [&](const char* sentence) {
    return reader && !reader->fault().empty() ? reader->fault() : shown_ + sentence;
  };
  if (!isOpen) return faultOr(" cannot be opened");
  const bool isLive = reader->isLive();
  if (options_.everyFrame && isLive) return shown_ + " is live and cannot be replayed";
  noteOpen(*at, isLive);

  Reading reading;
  while (waitForTurn(attempt, reading)) {
    if (reading.seekMs) {
      if (!call(attempt, "seeking", [&] { reader->seek(*reading.seekMs); })) return {};
      reading.expectedMs = static_cast<double>(*reading.seekMs);
      reading.replayedMs = -1;
      reading.seekMs.reset();
    }
    Shot shot;
    ReadStatus got = ReadStatus::failed;
    at = call(attempt, "reading", [&] { got = reader->read(shot); });
    if (!at) return {};
    if (got == ReadStatus::failed) return faultOr(" gave no frame");
    if (got == ReadStatus::ended) {
      if (!waitAtEnd(attempt, reader->fault())) return {};
      continue;
    }
    const double paceMs = reader->paceMs();
    reading.paceMs = std::isfinite(paceMs) ? std::clamp(paceMs, 0.0, 3.6e6) : 0;
    if (!give(attempt, reading, std::move(shot), *at)) return shown_ + " gives no usable pictures";
  }
  return {};
}

void Capture::Impl::noteOpen(const Moment& at, bool isLive) {
  const std::lock_guard lock(mutex_);
  if (wasOpen_) ++status_.reconnects;
  wasOpen_ = true;
  isOpen_ = true;
  isLive_ = isLive;
  openedMs_ = at.steadyMs;
  changed_.notify_all();
}

// Until the next frame is to be read. Returns false where the attempt is over.
bool Capture::Impl::waitForTurn(const Attempt& attempt, Reading& reading) {
  Lock lock(mutex_);
  const bool isLive = isLive_;
  for (;;) {
    if (stopping_ || attempt.left) return false;
    if (isLive) return true;
    const SteadyTime now = steady_clock::now();
    const bool hasRoom = !options_.everyFrame || !box_.full();
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

// Until somebody wants to see another part of it. Returns false where the attempt is over.
bool Capture::Impl::waitAtEnd(const Attempt& attempt, const std::string& fault) {
  Lock lock(mutex_);
  status_.state = CaptureState::ended;
  status_.fault = secrets::withoutSecrets(fault);
  changed_.notify_all();
  changed_.wait(lock, [&] { return stopping_ || attempt.left || (seekMs_ && !isLive_); });
  return !stopping_ && !attempt.left;
}

// Hands a frame over. Returns false where there were too many that are no pictures.
bool Capture::Impl::give(Attempt& attempt, Reading& reading, Shot shot, const Moment& taken) {
  const auto pace = std::chrono::duration_cast<steady_clock::duration>(
      std::chrono::duration<double, std::milli>(reading.paceMs));
  const SteadyTime now = steady_clock::now();
  // Late by more than a frame: what is lost is not made up for.
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
  if (stopping_ || attempt.left) return true;
  noteRevival(attempt, taken.steadyMs);
  frame.number = ++status_.frames;
  status_.frozen = isFrozen ? status_.frozen + 1 : 0;
  status_.size = frame.picture.size();
  status_.state = CaptureState::live;
  status_.fault.clear();
  readMs_ = taken.steadyMs;
  if (!attempt.firstFrame) attempt.firstFrame = now;
  if (!isLive_ || now - *attempt.firstFrame >= kBurst) rate_.note(now);
  attempt.lastFrame = now;
  box_.put(std::move(frame));
  return true;
}

// When a stream is lost its decoder gives what it still holds: that is no frame of the source,
// which is back once frames have come for a second.
void Capture::Impl::noteRevival(Attempt& attempt, std::int64_t nowMs) {
  if (!isLive_) return;
  if (attempt.lastFrame && nowMs - readMs_ > options_.staleMs) {
    attempt.revivedMs = nowMs;
  } else if (attempt.revivedMs && nowMs - *attempt.revivedMs >= kRevivedMs) {
    attempt.revivedMs.reset();
  }
}

// In a replay the time is the place in the file, and without that one frame after another.
Moment Capture::Impl::momentOf(Reading& reading, const Shot& shot) {
  double ms = shot.positionMs ? static_cast<double>(*shot.positionMs) : reading.expectedMs;
  const double step = std::max(1.0, reading.paceMs);
  if (reading.replayedMs >= 0 && ms <= reading.replayedMs) ms = reading.replayedMs + step;
  reading.replayedMs = ms;
  reading.expectedMs = ms + step;
  Moment moment;
  moment.steadyMs = moment.utcMs = std::llround(ms);
  return moment;
}

}  // namespace mpm::monitor
