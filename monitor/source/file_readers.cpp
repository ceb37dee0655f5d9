// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>
#include <opencv2/videoio/registry.hpp>
#include <optional>
#include <regex>
#include <system_error>
#include <vector>

#include "monitor/source/readers.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr double kUsualFps = 25, kMostFps = 1000, kFolderPaceMs = 100;
constexpr double kWholeShare = 0.9;  // of the frames that a file promises

constexpr const char* kForbidden = "permission is missing to read ";

// Tells whether an existing file may be read.
bool mayBeRead(const fs::path& file) {
  return !fs::is_regular_file(file) || std::ifstream(file).is_open();
}

std::string seconds(double ms) { return cv::format("%.1f s", ms / 1000); }

class VideoReader : public GuardedReader {
 public:
  using GuardedReader::GuardedReader;

  bool isLive() const override { return false; }
  double paceMs() const override { return paceMs_; }

 protected:
  bool openSource() override {
    given_ = 0;
    positionMs_ = -1;
    return checkFile() && openVideo();
  }

  ReadStatus readSource(Shot& shot) override {
    for (;;) {
      const double before = video_.get(cv::CAP_PROP_POS_MSEC);
      if (!video_.grab()) {
        if (given_ == 0)
          return fail("no picture can be read from " + address().shown +
                      ": it is broken or not a video");
        if (!options().loop) return ended();
        if (!openSource()) return ReadStatus::failed;
        continue;
      }
      cv::Mat picture = shot.room;              // OpenCV writes into one that has the size
      if (!video_.retrieve(picture)) continue;  // a broken one between good ones
      shot.picture = bgrOf(picture);
      if (shot.picture.empty()) continue;
      ++given_;
      shot.positionMs = notePosition(before);
      return ReadStatus::frame;
    }
  }

  bool seekSource(std::int64_t positionMs) override {
    double target = std::max(0.0, static_cast<double>(positionMs));
    if (const int frames = promised(); frames > 0) {
      target = std::min(target, (frames - 1) * paceMs_);
    }
    if (!video_.set(cv::CAP_PROP_POS_MSEC, target)) return false;
    positionMs_ = -1;
    return true;
  }

 private:
  bool checkFile() {
    std::error_code error;
    const fs::file_status status = fs::status(address().text, error);
    if (!fs::exists(status)) return refuse("there is no file " + address().shown);
    if (fs::is_directory(status)) {
      return refuse(address().shown + " is a folder; a video is one file");
    }
    if (fs::is_regular_file(status) && fs::file_size(address().text, error) == 0 && !error) {
      return refuse("the file " + address().shown + " is empty");
    }
    return mayBeRead(address().text) || refuse(kForbidden + address().shown);
  }

  bool openVideo() {
    // Gives FFmpeg the whole path, since it takes text before a colon for a protocol. By default
    // OpenCV would pass the name to every camera driver that it knows.
    const std::string path = fs::absolute(address().text).string();
    // Avoids GStreamer: it can wait for ever on a broken file, and reads no more than FFmpeg.
    const int main =
        cv::videoio_registry::hasBackend(cv::CAP_FFMPEG) ? cv::CAP_FFMPEG : cv::CAP_GSTREAMER;
    for (const int backend : {main, static_cast<int>(cv::CAP_OPENCV_MJPEG)}) {
      if (!video_.open(path, backend)) continue;
      const cv::Size size(static_cast<int>(video_.get(cv::CAP_PROP_FRAME_WIDTH)),
                          static_cast<int>(video_.get(cv::CAP_PROP_FRAME_HEIGHT)));
      if (!fits(size)) return false;
      tellsNext_ = backend == cv::CAP_OPENCV_MJPEG;
      const double fps = video_.get(cv::CAP_PROP_FPS);
      paceMs_ = 1000 / (fps > 0 && fps <= kMostFps ? fps : kUsualFps);
      return true;
    }
    return refuse("the file " + address().shown + " is not a video that can be read");
  }

  // Notes the position of the last picture. Files without increasing times get a steady pace.
  std::int64_t notePosition(double before) {
    const double told = tellsNext_ ? before : video_.get(cv::CAP_PROP_POS_MSEC);
    const bool sound = std::isfinite(told) && told >= 0 && told > positionMs_;
    positionMs_ = sound ? told : std::max(0.0, positionMs_ + paceMs_);
    return std::llround(positionMs_);
  }

  int promised() const { return promisedFrames(video_.get(cv::CAP_PROP_FRAME_COUNT)); }

  ReadStatus ended() {
    const double promisedMs = promised() * paceMs_;
    if (positionMs_ + paceMs_ < promisedMs * kWholeShare) {
      tell("the file " + address().shown + " ends after " + seconds(positionMs_ + paceMs_) +
           ", although it should be " + seconds(promisedMs) + " long: it is broken or cut off");
    }
    return ReadStatus::ended;
  }

  cv::VideoCapture video_;
  double paceMs_ = 1000 / kUsualFps;
  bool tellsNext_ = false;   // the position is that of the next picture
  std::uint64_t given_ = 0;  // since it was opened or began again
  double positionMs_ = -1;   // of the newest picture; -1: none yet
};

// Returns milliseconds of UTC; std::nullopt if a name has no date and time.
std::optional<std::int64_t> timeInName(const std::string& name) {
  static const std::regex pattern(
      "(\\d{4})[-_.]?(\\d\\d)[-_.]?(\\d\\d)[-_.T ]?(\\d\\d)[-_.:]?(\\d\\d)[-_.:]?(\\d\\d)(\\D|$)");
  std::smatch found;
  if (!std::regex_search(name, found, pattern)) return std::nullopt;
  const auto number = [&](std::size_t i) { return std::stoi(found[i].str()); };
  const std::chrono::year_month_day day{std::chrono::year(number(1)),
                                        std::chrono::month(static_cast<unsigned>(number(2))),
                                        std::chrono::day(static_cast<unsigned>(number(3)))};
  if (!day.ok() || number(4) > 23 || number(5) > 59 || number(6) > 60) return std::nullopt;
  const auto time = std::chrono::sys_days(day).time_since_epoch() + std::chrono::hours(number(4)) +
                    std::chrono::minutes(number(5)) + std::chrono::seconds(number(6));
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

std::vector<std::int64_t> timesOf(const std::vector<fs::path>& pictures) {
  std::vector<std::int64_t> times;
  for (const fs::path& picture : pictures) {
    const auto time = timeInName(picture.stem().string());
    if (!time || (!times.empty() && *time <= times.back())) return {};
    times.push_back(*time);
  }
  return times;
}

// Lists a folder's pictures in order; sets `error` if it cannot be listed.
std::vector<fs::path> picturesIn(const std::string& folder, std::error_code& error) {
  std::vector<fs::path> pictures;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (isPictureName(entry->path().string()) && entry->is_regular_file(gone))
      pictures.push_back(entry->path());
  }
  std::sort(pictures.begin(), pictures.end());
  return pictures;
}

class FolderReader : public GuardedReader {
 public:
  using GuardedReader::GuardedReader;

  bool isLive() const override { return false; }
  double paceMs() const override { return kFolderPaceMs; }

 protected:
  bool openSource() override {
    index_ = 0;
    given_ = 0;
    unreadable_.clear();
    paths_.clear();
    return address().kind == SourceKind::folder ? listFolder() : listPicture();
  }

  ReadStatus readSource(Shot& shot) override {
    for (;;) {
      if (index_ >= paths_.size()) {
        if (given_ == 0) return fail(unreadableSentence());
        if (!options().loop) return ended();
        if (!openSource()) return ReadStatus::failed;
      }
      const std::size_t index = index_++;
      const bool tooLarge = !decode(paths_[index], shot.picture);
      if (!shot.picture.empty()) {
        shot.positionMs = positionOf(index);
        ++given_;
        return ReadStatus::frame;
      }
      unreadable_[index] = tooLarge;
    }
  }

  bool seekSource(std::int64_t positionMs) override {
    index_ = 0;
    while (index_ + 1 < paths_.size() && positionOf(index_ + 1) <= positionMs) ++index_;
    return true;
  }

 private:
  std::int64_t positionOf(std::size_t index) const {
    return times_.empty() ? std::llround(static_cast<double>(index) * kFolderPaceMs)
                          : times_[index];
  }

  // Returns false if it is too large, which OpenCV notices in mpm-reader before it takes memory.
  // The picture is empty if it cannot be read for any reason.
  bool decode(const fs::path& path, cv::Mat& picture) const {
    try {
      picture = bgrOf(cv::imread(path.string(), cv::IMREAD_COLOR));
    } catch (const cv::Exception& failure) {
      return failure.err.find("MAX_IMAGE_PIXELS") == std::string::npos;
    }
    if (!isTooLarge(picture.size())) return true;
    picture.release();
    return false;
  }

  bool listPicture() {
    std::error_code error;
    if (!fs::exists(address().text, error)) return refuse("there is no picture " + address().shown);
    if (!mayBeRead(address().text)) return refuse(kForbidden + address().shown);
    paths_.emplace_back(address().text);
    return true;
  }

  bool listFolder() {
    std::error_code error;
    if (!fs::exists(address().text, error)) return refuse("there is no folder " + address().shown);
    paths_ = picturesIn(address().text, error);
    if (error) {
      return refuse("the folder " + address().shown + " cannot be listed: " + error.message());
    }
    if (options().timesInNames) times_ = timesOf(paths_);
    return !paths_.empty() ||
           refuse("the folder " + address().shown +
                  " holds no picture; .jpg, .png, .bmp, .tif, .webp and .ppm are read");
  }

  ReadStatus ended() {
    if (!unreadable_.empty()) tell(unreadableSentence());
    return ReadStatus::ended;
  }

  std::string unreadableSentence() const {
    const auto tooLarge = std::count_if(unreadable_.begin(), unreadable_.end(),
                                        [](const auto& place) { return place.second; });
    const std::string more = cv::format("more than %g megapixels (--max-megapixels allows more)",
                                        options().mostMegapixels);
    if (address().kind == SourceKind::picture) {
      return "the picture " + address().shown +
             (tooLarge > 0 ? " is not read: it has " + more
                           : " cannot be read: its file is broken or not a picture");
    }
    return std::to_string(unreadable_.size()) + " of the " + std::to_string(paths_.size()) +
           " pictures in " + address().shown + " cannot be read; the first is " +
           paths_[unreadable_.begin()->first].filename().string() +
           (tooLarge > 0 ? "; " + std::to_string(tooLarge) + " of them have " + more : "");
  }

  std::vector<fs::path> paths_;
  std::vector<std::int64_t> times_;         // of each, in their names; or empty
  std::size_t index_ = 0;                   // of the next one
  std::size_t given_ = 0;                   // since it was opened or began again
  std::map<std::size_t, bool> unreadable_;  // places in paths_; whether it is too large
};

}  // namespace

std::unique_ptr<Reader> makeVideoReader(const SourceAddress& address,
                                        const ReaderOptions& options) {
  return std::make_unique<VideoReader>(address, options);
}

std::vector<std::int64_t> namedTimes(const std::string& folder) {
  std::error_code error;
  const std::vector<fs::path> pictures = picturesIn(folder, error);
  return error ? std::vector<std::int64_t>() : timesOf(pictures);
}

std::unique_ptr<Reader> makeFolderReader(const SourceAddress& address,
                                         const ReaderOptions& options) {
  return std::make_unique<FolderReader>(address, options);
}

}  // namespace mpm::monitor
