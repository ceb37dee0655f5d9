// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/event_clips.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "monitor/record/record.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLeastFree = 100 << 20;  // on the disk: the last of it is for figures

// Every picture as wide as the rest of the clip; a mean over areas would cost more than all else.
cv::Mat small(const cv::Mat& picture) {
  if (picture.cols <= EventClips::kWidest) return picture;
  const double scale = static_cast<double>(EventClips::kWidest) / picture.cols;
  cv::Mat reduced;
  cv::resize(picture, reduced, {}, scale, scale, cv::INTER_LINEAR);
  return reduced;
}

// In the thread that writes it: a disk that does not answer holds nobody else up.
void prepare(const fs::path& folder) {
  fs::create_directories(folder);
  if (fs::space(folder).available < kLeastFree) {
    throw std::runtime_error("less than 100 MB is free on the disk");
  }
}

std::size_t bytesOf(const cv::Mat& picture) { return picture.total() * picture.elemSize(); }

}  // namespace

EventClips::EventClips(Record& record) : record_(record) {}

EventClips::Source& EventClips::of(std::size_t source) {
  if (sources_.size() <= source) sources_.resize(source + 1);
  return sources_[source];
}

void EventClips::want(std::size_t source, bool wanted) {
  Source& found = of(source);
  found.isWanted = wanted;
  if (!wanted) forget(found);
}

void EventClips::forget(Source& source) {
  source.kept.clear();
  source.bytes = 0;
}

void EventClips::frame(std::size_t source, const Frame& frame) {
  Source& found = of(source);
  if (!found.isWanted && !found.clip) return;
  const std::int64_t nowMs = frame.taken.steadyMs;
  if (found.clip && nowMs > found.clip->untilMs) finish(found);
  if (!found.kept.empty() && nowMs < found.kept.back().steadyMs) {  // a file that begins again
    forget(found);
    if (found.clip) finish(found);
  }
  constexpr double kEveryMs = 1000 / kMostFps;
  // Frames come a little late or early: of ten a second each is kept.
  if (!found.kept.empty() &&
      static_cast<double>(nowMs - found.kept.back().steadyMs) < kEveryMs * 0.75) {
    return;
  }
  keep(found, {nowMs, frame.taken.utcMs, small(frame.picture)});
  if (!found.clip) return;
  found.clip->writer->add(found.kept.back().picture);
  found.clip->toUtcMs = frame.taken.utcMs;
  if (nowMs >= found.clip->untilMs) finish(found);
}

void EventClips::look(std::size_t source, const Moment& now) {
  Source& found = of(source);
  if (found.clip && now.steadyMs >= found.clip->untilMs) finish(found);
}

void EventClips::keep(Source& source, Kept kept) {
  source.bytes += bytesOf(kept.picture);
  source.kept.push_back(std::move(kept));
  const std::int64_t oldestMs = source.kept.back().steadyMs - kBeforeMs;
  while (source.kept.size() > 1 &&
         (source.kept.front().steadyMs < oldestMs || source.bytes > kMostBytes)) {
    source.bytes -= bytesOf(source.kept.front().picture);
    source.kept.pop_front();
  }
}

void EventClips::begin(std::size_t source, std::int64_t run, const std::string& reason,
                       const Moment& at, bool isLast) {
  ending_.erase(std::remove_if(ending_.begin(), ending_.end(),
                               [](const auto& writer) { return writer->isDone(); }),
                ending_.end());
  Source& found = of(source);
  if (!found.clip) {
    if (found.kept.empty()) return;
    if (ending_.size() >= kMostEnding * sources_.size()) {
      return tell(run, at, "No clip could be made: the disk has not yet taken those before it");
    }
    start(found, run, at);
  }
  Clip& clip = *found.clip;
  clip.untilMs = std::min(at.steadyMs + kAfterMs, clip.longestMs);
  if (std::find(clip.reasons.begin(), clip.reasons.end(), reason) == clip.reasons.end()) {
    clip.reasons.push_back(reason);
  }
  if (isLast) finish(found);
}

void EventClips::start(Source& source, std::int64_t run, const Moment& at) {
  const fs::path& folder = record_.snapshotFolder();
  const std::int64_t forMs = source.kept.back().steadyMs - source.kept.front().steadyMs;
  const double fps =
      forMs > 0 ? 1000.0 * static_cast<double>(source.kept.size() - 1) / static_cast<double>(forMs)
                : kMostFps;
  const std::size_t mostWaiting = kMostBytes / bytesOf(source.kept.back().picture);
  Clip clip;
  clip.run = run;
  clip.at = at;
  clip.longestMs = at.steadyMs + kLongestMs - kBeforeMs;
  clip.fromUtcMs = source.kept.front().utcMs;
  clip.toUtcMs = source.kept.back().utcMs;
  // OpenCV asks for the ending; one that stays is removed when the record is opened again.
  clip.path = folder / (std::string(kGrowingClip) + std::to_string(++made_) + ".clip.avi");
  clip.writer =
      std::make_unique<ClipWriter>(clip.path.string(), std::clamp(fps, 1.0, 2 * kMostFps),
                                   source.kept.size() + mostWaiting, [folder] { prepare(folder); });
  for (const Kept& kept : source.kept) clip.writer->add(kept.picture);
  source.clip = std::move(clip);
}

void EventClips::finish(Source& source) {
  Clip clip = std::move(*source.clip);
  source.clip.reset();
  if (!source.isWanted) forget(source);
  Snapshot snapshot;
  snapshot.taken = clip.at;
  for (const std::string& reason : clip.reasons) {
    snapshot.reason += (snapshot.reason.empty() ? "" : ", ") + reason;
  }
  snapshot.facts =
      nlohmann::json{{"from_utc_ms", clip.fromUtcMs}, {"to_utc_ms", clip.toUtcMs}}.dump(
          -1, ' ', false, nlohmann::json::error_handler_t::replace);
  snapshot.clip = clip.path;
  clip.writer->finish([this, run = clip.run, snapshot](const ClipWriter::Status& is) {
    if (is.written == 0) {
      return tell(run, snapshot.taken,
                  "No clip could be made: " +
                      (is.fault.empty() ? "its pictures could not be written" : is.fault));
    }
    if (!is.isWhole) {
      tell(run, snapshot.taken,
           "A clip is not whole, and may not play: the disk was full, or failed");
    }
    record_.write(run, snapshot);
  });
  ending_.push_back(std::move(clip.writer));
}

void EventClips::tell(std::int64_t run, const Moment& at, const std::string& text) {
  record_.tell(run, Event{at, "record", "clip", text, {}});
}

void EventClips::end() {
  for (Source& source : sources_) {
    if (source.clip) finish(source);
  }
  ending_.clear();
}

}  // namespace mpm::monitor
