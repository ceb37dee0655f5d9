// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/readers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <regex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "monitor/source/guarded_reader.h"
#include "monitor/source/picture_size.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr double kLeastFps = 0.001, kMostFps = 1000;

// Empty where it cannot be read, whatever the reason is.
cv::Mat pictureAt(const fs::path& path) {
  try {
    return bgrOf(cv::imread(path.string(), cv::IMREAD_COLOR));
  } catch (const cv::Exception&) {
    return {};
  }
}

// In milliseconds of UTC; nothing where a name has no date and time.
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

// Pictures of a folder in their order; `error` where it cannot be listed.
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
  FolderReader(const SourceAddress& address, const ReaderOptions& options)
      : GuardedReader(address, options),
        paceMs_(1000 / std::clamp(options.folderFps, kLeastFps, kMostFps)) {}

  bool isLive() const override { return false; }
  double paceMs() const override { return paceMs_; }
  void askFirst(std::function<bool(const PictureFile&)> mayDecode) override {
    mayDecode_ = std::move(mayDecode);
  }

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
      // What does not say its size is none of the formats that are read here.
      const std::optional<cv::Size> size = pictureSize(paths_[index]);
      const bool tooLarge = size && isTooLarge(*size);
      if (size && !tooLarge && mayDecode(index)) shot.picture = pictureAt(paths_[index]);
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
    return times_.empty() ? std::llround(static_cast<double>(index) * paceMs_) : times_[index];
  }

  bool mayDecode(std::size_t index) const {
    if (!mayDecode_) return true;
    std::error_code gone;
    const auto written = fs::last_write_time(paths_[index], gone).time_since_epoch().count();
    return mayDecode_({paths_[index].filename().string(), written, positionOf(index)});
  }

  bool listPicture() {
    std::error_code error;
    if (!fs::exists(address().text, error)) return refuse("there is no picture " + address().shown);
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

  double paceMs_;
  std::function<bool(const PictureFile&)> mayDecode_;
  std::vector<fs::path> paths_;
  std::vector<std::int64_t> times_;         // of each, in their names; or empty
  std::size_t index_ = 0;                   // of the next one
  std::size_t given_ = 0;                   // since it was opened or began again
  std::map<std::size_t, bool> unreadable_;  // places in paths_; whether it is too large
};

}  // namespace

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
