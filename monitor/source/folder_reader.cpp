// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/readers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <optional>
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
    const double index =
        std::floor(std::max(0.0, static_cast<double>(positionMs)) / paceMs_ + 1e-6);
    const std::size_t last = paths_.empty() ? 0 : paths_.size() - 1;
    index_ = static_cast<std::size_t>(std::min(index, static_cast<double>(last)));
    return true;
  }

 private:
  std::int64_t positionOf(std::size_t index) const {
    return std::llround(static_cast<double>(index) * paceMs_);
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
    fs::directory_iterator entry(address().text, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      std::error_code gone;
      if (isPictureName(entry->path().string()) && entry->is_regular_file(gone)) {
        paths_.push_back(entry->path());
      }
    }
    if (error) {
      return refuse("the folder " + address().shown + " cannot be listed: " + error.message());
    }
    std::sort(paths_.begin(), paths_.end());
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
  std::size_t index_ = 0;                   // of the next one
  std::size_t given_ = 0;                   // since it was opened or began again
  std::map<std::size_t, bool> unreadable_;  // places in paths_; whether it is too large
};

}  // namespace

std::unique_ptr<Reader> makeFolderReader(const SourceAddress& address,
                                         const ReaderOptions& options) {
  return std::make_unique<FolderReader>(address, options);
}

}  // namespace mpm::monitor
