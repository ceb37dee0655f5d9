// SPDX-License-Identifier: Apache-2.0
#include <system_error>
#include <utility>

#include "monitor/source/capture_impl.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFarewell{300};  // for a reader to end by itself when the capture does
// What gave frames for so long, as a reader that was killed did, is most likely there still.
constexpr milliseconds kHeldLong{1000};
constexpr milliseconds kAfterInterrupt{100};  // for its thread to notice that it was ended

}  // namespace

void Capture::Impl::start() {
  noticeProcessEnd();
  watcher_ = std::thread([this] { watch(); });
}

void Capture::Impl::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    status_.state = CaptureState::ended;
    changed_.notify_all();
  }
  box_.close();
  watcher_.join();
}

void Capture::Impl::watch() {
  Lock lock(mutex_);
  while (waitForRoom(lock)) {
    status_.state = CaptureState::opening;
    runAttempt(lock);
    isOpen_ = false;
    rate_.clear();
    if (stopping_) break;
    if (!attempt_->fault.empty()) status_.fault = attempt_->fault;
    if (options_.everyFrame) {  // a second try would give the first frames twice
      status_.state = CaptureState::ended;
      status_.isCutShort = true;
      changed_.notify_all();
      break;
    }
    waitForNextTry(lock);
  }
  endThread(lock);
}

// Until there are not too many threads that hang. Returns false where the capture ends.
bool Capture::Impl::waitForRoom(Lock& lock) {
  if (stillOut_ >= options_.mostAbandoned && !stopping_) {
    status_.fault = shown_ + " did not return from " + std::to_string(stillOut_) +
                    " tries; it will be tried again when one of them returns";
  }
  changed_.wait(lock, [&] { return stillOut_ < options_.mostAbandoned || stopping_; });
  return !stopping_;
}

// False, with the attempt's fault: it cannot.
bool Capture::Impl::startThread() {
  reading_ = std::make_shared<ReadingThread>();
  try {
    thread_ =
        std::thread([self = shared_from_this(), asked = reading_] { self->readAttempts(*asked); });
  } catch (const std::system_error& failure) {
    reading_.reset();
    attempt_->fault = std::string("no thread can be started for ") + shown_ + ": " + failure.what();
  }
  return reading_ != nullptr;
}

void Capture::Impl::runAttempt(Lock& lock) {
  attempt_ = std::make_shared<Attempt>();
  if (!reading_ && !startThread()) return;
  reading_->next = attempt_;
  changed_.notify_all();
  waitForAttempt(lock);
  const auto isFinished = [&] { return attempt_->finished; };
  if (stopping_) {
    changed_.wait_for(lock, kFarewell, isFinished);
  } else if (!attempt_->finished) {
    noteHung(*attempt_);
  }
  if (!attempt_->finished && attempt_->interrupt) {
    attempt_->interrupt();
    changed_.wait_for(lock, kAfterInterrupt, isFinished);
  }
  if (attempt_->finished) return;
  leave(*attempt_);
  thread_.detach();
  reading_.reset();
}

void Capture::Impl::endThread(Lock& lock) {
  if (!reading_) return;
  reading_->isOver = true;
  changed_.notify_all();
  lock.unlock();
  thread_.join();
  lock.lock();
}

// Until it is finished, in one call for too long, or not wanted any more.
void Capture::Impl::waitForAttempt(Lock& lock) {
  const Attempt& attempt = *attempt_;
  const milliseconds patience(options_.abandonAfterMs);
  while (!attempt.finished && !stopping_) {
    const SteadyTime now = steady_clock::now();
    const SteadyTime until = attempt.callSince.value_or(now) + patience;
    if (until <= now) return;
    changed_.wait_until(lock, until);
  }
}

void Capture::Impl::leave(Attempt& attempt) {
  attempt.left = true;
  ++stillOut_;
  noteThreadLeft();
}

void Capture::Impl::noteHung(Attempt& attempt) {
  ++status_.abandoned;
  if (attempt.fault.empty()) {
    const std::string decoded = attempt.decoding ? attempt.decoding() : "";
    attempt.fault = cv::format("%s did not return from %s within %.1f s", shown_.c_str(),
                               attempt.call, static_cast<double>(options_.abandonAfterMs) / 1000);
    if (!decoded.empty()) attempt.fault += " while it decoded " + decoded;
  }
  status_.fault = attempt.fault;  // with the count, so that no status has the one without the other
}

void Capture::Impl::waitForNextTry(Lock& lock) {
  // What held for longer than it was waited for is not likely to fail again at once.
  const Attempt& attempt = *attempt_;
  const auto held = attempt.firstFrame ? *attempt.lastFrame - *attempt.firstFrame
                                       : steady_clock::duration::zero();
  const bool isWell = attempt.firstFrame && held >= milliseconds(backoff_.lastMs());
  if (isWell) backoff_.reset();
  nextTry_ = steady_clock::now() +
             milliseconds(isWell && held >= kHeldLong ? options_.atOnceMs : backoff_.nextMs());
  status_.state = CaptureState::waiting;
  changed_.wait_until(lock, nextTry_, [&] { return stopping_; });
}

}  // namespace mpm::monitor
