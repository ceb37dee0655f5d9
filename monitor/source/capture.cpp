// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/capture.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "monitor/source/capture_impl.h"
#include "monitor/source/reader_process.h"
#include "monitor/source/separate_reader.h"
#include "secrets/secrets.h"

namespace mpm::monitor {
namespace {

constexpr std::chrono::milliseconds kLongestPatience{3600 * 1000};
constexpr std::chrono::milliseconds kSlice{50};  // an end is noticed within it
constexpr int kMostSteps = 1000;

CaptureOptions checked(const CaptureOptions& options) {
  if (options.staleMs <= 0 || options.abandonAfterMs <= 0) {
    throw std::invalid_argument(
        "the times after which a source is stale and a reader abandoned must be more than 0 ms");
  }
  if (options.mostAbandoned == 0) {
    throw std::invalid_argument("the limit of abandoned readers must be at least 1");
  }
  if (options.everyFrame && options.reader.loop) {
    throw std::invalid_argument(
        "a replay of a source that loops would never end; leave out the loop");
  }
  return options;
}

Capture::MakeReader makerOf(const SourceAddress& address, const CaptureOptions& options) {
  const bool isFile = address.kind == SourceKind::scene || address.kind == SourceKind::video ||
                      address.kind == SourceKind::folder || address.kind == SourceKind::picture;
  if (options.everyFrame && !isFile) {
    throw std::invalid_argument(address.shown +
                                " cannot be replayed; a video, a folder of pictures "
                                "and a scene can");
  }
  makeReader(address, options.reader);  // refuses now what it would refuse later
  if (options.separate && isReadSeparately(address.kind)) {
    return [program = readerProgram(), address, reader = options.reader,
            deadly = std::make_shared<DeadlyPictures>()] {
      return makeSeparateReader(program, address, reader, deadly);
    };
  }
  return [address, reader = options.reader] { return makeReader(address, reader); };
}

}  // namespace

Capture::Impl::Impl(const std::string& shown, MakeReader makeReader, const CaptureOptions& options,
                    Clock& clock)
    : shown_(secrets::withoutSecrets(shown)),
      makeReader_(std::move(makeReader)),
      options_(checked(options)),
      clock_(clock),
      backoff_(options.firstWaitMs, options.longestWaitMs,
               options.seed != 0 ? options.seed : seedOfName(shown_)) {}

std::optional<Frame> Capture::Impl::next(std::chrono::milliseconds patience) {
  using std::chrono::milliseconds;
  const SteadyTime until =
      std::chrono::steady_clock::now() + std::clamp(patience, milliseconds(0), kLongestPatience);
  if (waitWhilePaused(until)) return {};
  for (;;) {
    const bool ended = isEnded();  // asked first: its last frame is there by then
    const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
    std::optional<Frame> frame =
        box_.take(ended ? milliseconds(0) : std::clamp(left, milliseconds(0), kSlice));
    if (frame) noteTaken();
    if (frame || ended || left <= kSlice) return frame;
  }
}

void Capture::Impl::noteTaken() {
  // The reader's thread waits for room: it has to be seen asleep or not yet looking.
  const std::lock_guard lock(mutex_);
  if (options_.everyFrame) changed_.notify_all();
  if (isLive_ && steps_ > 0) --steps_;
}

// Of a live source: its frames go on, untaken but for those that are asked for one by one. Returns
// whether it still is.
bool Capture::Impl::waitWhilePaused(SteadyTime until) {
  Lock lock(mutex_);
  const auto goesOn = [&] { return !paused_ || !isLive_ || steps_ > 0 || stopping_; };
  return !changed_.wait_until(lock, until, goesOn);
}

bool Capture::Impl::isEnded() const {
  const std::lock_guard lock(mutex_);
  return status_.state == CaptureState::ended;
}

CaptureStatus Capture::Impl::status() const {
  const std::lock_guard lock(mutex_);
  CaptureStatus status = status_;
  status.drops = box_.drops();
  const SteadyTime now = std::chrono::steady_clock::now();
  status.fps = rate_.at(now);
  if (stopping_) return status;
  const std::int64_t nowMs = clock_.now().steadyMs;
  if (readMs_ >= 0) status.msSinceFrame = std::max<std::int64_t>(0, nowMs - readMs_);
  if (status.state == CaptureState::waiting) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(nextTry_ - now);
    status.msToNextTry = std::max<std::int64_t>(0, left.count());
  }
  // A file that stands still, or whose frames nobody takes, is not stale.
  const bool expects = isOpen_ && (isLive_ || (attempt_ && attempt_->callSince));
  const std::int64_t silentMs = nowMs - std::max(openedMs_, readMs_);
  if (status.state == CaptureState::ended || !expects) return status;
  if (silentMs > options_.staleMs) {
    status.state = CaptureState::stale;
    status.fault = cv::format("it is open, but no frame came for %.1f s",
                              static_cast<double>(silentMs) / 1000);
  } else if (attempt_ && attempt_->revivedMs && status.state == CaptureState::live) {
    status.state = CaptureState::stale;
    status.fault = "it is open, and a frame came after a silence";
  }
  return status;
}

void Capture::Impl::pause(bool paused) {
  const std::lock_guard lock(mutex_);
  paused_ = paused;
  if (!paused) steps_ = 0;
  changed_.notify_all();
}

void Capture::Impl::seek(std::int64_t positionMs) {
  const std::lock_guard lock(mutex_);
  seekMs_ = std::max<std::int64_t>(0, positionMs);
  changed_.notify_all();
}

void Capture::Impl::step() {
  const std::lock_guard lock(mutex_);
  if (paused_) steps_ = std::min(steps_ + 1, kMostSteps);
  changed_.notify_all();
}

Capture::Capture(const SourceAddress& address, const CaptureOptions& options, Clock& clock)
    : Capture(address.shown, makerOf(address, checked(options)), options, clock) {}

Capture::Capture(const std::string& shown, MakeReader makeReader, const CaptureOptions& options,
                 Clock& clock)
    : impl_(std::make_shared<Impl>(shown, std::move(makeReader), options, clock)) {
  impl_->start();
}

Capture::~Capture() { impl_->stop(); }

std::optional<Frame> Capture::next(std::chrono::milliseconds patience) {
  return impl_->next(patience);
}
CaptureStatus Capture::status() const { return impl_->status(); }
const std::string& Capture::shown() const { return impl_->shown(); }
void Capture::pause(bool paused) { impl_->pause(paused); }
void Capture::seek(std::int64_t positionMs) { impl_->seek(positionMs); }
void Capture::step() { impl_->step(); }

}  // namespace mpm::monitor
