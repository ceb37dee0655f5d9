// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/picture_size.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace mpm::monitor {
namespace {

using std::uint64_t;

class File {
 public:
  explicit File(const std::filesystem::path& path) : file_(path, std::ios::binary) {}

  /// As many of them as there are.
  std::string bytes(uint64_t offset, std::size_t count) {
    std::string bytes(count, '\0');
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    file_.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file_.gcount(), 0)));
    return bytes;
  }
  uint64_t big(uint64_t offset, std::size_t count) { return numberOf(bytes(offset, count), count); }
  uint64_t little(uint64_t offset, std::size_t count) {
    std::string found = bytes(offset, count);
    std::reverse(found.begin(), found.end());
    return numberOf(found, count);
  }

  bool isCutOff() const { return isCutOff_; }  ///< a number lay behind its end

 private:
  uint64_t numberOf(const std::string& bytes, std::size_t count) {
    if (bytes.size() < count) isCutOff_ = true;
    if (isCutOff_) return 0;
    uint64_t number = 0;
    for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
    return number;
  }

  std::ifstream file_;
  bool isCutOff_ = false;
};

std::optional<cv::Size> sizeOf(uint64_t width, uint64_t height) {
  constexpr uint64_t kMost = std::numeric_limits<int>::max();
  if (width == 0 || height == 0 || width > kMost || height > kMost) return {};
  return cv::Size(static_cast<int>(width), static_cast<int>(height));
}

// Segments until one begins a frame: SOF0 to SOF15, between which three others stand.
std::optional<cv::Size> jpegSize(File& file) {
  constexpr int kMostSegments = 10000;
  uint64_t at = 2;
  for (int segments = 0; segments < kMostSegments; ++segments) {
    if (file.big(at, 1) != 0xFF) return {};
    const uint64_t marker = file.big(at + 1, 1);
    if (marker == 0xFF) {  // filling
      ++at;
      continue;
    }
    const bool begins =
        marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (begins) return sizeOf(file.big(at + 7, 2), file.big(at + 5, 2));
    if (marker == 0xDA || marker == 0xD9) return {};  // its data, its end
    const bool isAlone = marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8);
    const uint64_t length = isAlone ? 0 : file.big(at + 2, 2);
    if (!isAlone && length < 2) return {};
    at += 2 + length;
  }
  return {};
}

std::optional<cv::Size> bmpSize(File& file) {
  if (file.little(14, 4) == 12) return sizeOf(file.little(18, 2), file.little(20, 2));
  // Signed: rows from the top have a negative height.
  const auto side = [&](uint64_t offset) {
    const auto told = static_cast<std::int32_t>(file.little(offset, 4));
    return static_cast<uint64_t>(std::abs(static_cast<std::int64_t>(told)));
  };
  return sizeOf(side(18), side(22));
}

std::optional<cv::Size> webpSize(File& file) {
  const std::string kind = file.bytes(12, 4);
  if (kind == "VP8 ") return sizeOf(file.little(26, 2) & 0x3FFF, file.little(28, 2) & 0x3FFF);
  if (kind == "VP8X") return sizeOf(file.little(24, 3) + 1, file.little(27, 3) + 1);
  if (kind != "VP8L") return {};
  const uint64_t bits = file.little(21, 4);
  return sizeOf((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1);
}

// Two numbers behind "P6", with blanks and comments between them.
std::optional<cv::Size> pnmSize(File& file) {
  const std::string head = file.bytes(0, 4096);
  std::size_t at = 2;
  const auto next = [&]() -> uint64_t {
    const auto isBlank = [&] { return std::isspace(static_cast<unsigned char>(head[at])) != 0; };
    while (at < head.size() && (isBlank() || head[at] == '#')) {
      if (head[at] == '#') at = std::min(head.find('\n', at), head.size() - 1);
      ++at;
    }
    uint64_t number = 0;
    for (; at < head.size() && head[at] >= '0' && head[at] <= '9'; ++at) {
      number = std::min<uint64_t>(number * 10 + static_cast<uint64_t>(head[at] - '0'), 1 << 31);
    }
    return number;
  };
  const uint64_t width = next();
  return sizeOf(width, next());
}

// The first directory's tags 256 and 257, of 2, 4 or 8 bytes; BigTIFF has wider offsets.
std::optional<cv::Size> tiffSize(File& file, bool isLittle, bool isWide) {
  const auto number = [&](uint64_t offset, std::size_t count) {
    return isLittle ? file.little(offset, count) : file.big(offset, count);
  };
  const uint64_t directory = isWide ? number(8, 8) : number(4, 4);
  const std::size_t wide = isWide ? 8 : 2, entry = isWide ? 20 : 12;
  const uint64_t entries = std::min<uint64_t>(number(directory, wide), 4096);
  uint64_t width = 0, height = 0;
  for (uint64_t i = 0; i < entries; ++i) {
    const uint64_t at = directory + wide + i * entry, tag = number(at, 2), type = number(at + 2, 2);
    if (tag != 256 && tag != 257) continue;
    const std::size_t bytes = type == 3 ? 2 : type == 16 ? 8 : 4;
    (tag == 256 ? width : height) = number(at + (isWide ? 12 : 8), bytes);
  }
  return sizeOf(width, height);
}

// Of the code, and not of the boxes around it, which might say anything.
std::optional<cv::Size> jpeg2000Size(File& file) {
  constexpr std::size_t kFarthest = 1 << 16;
  const std::size_t at = file.bytes(0, kFarthest).find("\xFF\x4F\xFF\x51");
  if (at == std::string::npos) return {};
  const auto side = [&](uint64_t offset) {
    const uint64_t end = file.big(at + offset, 4), begin = file.big(at + offset + 8, 4);
    return end > begin ? end - begin : 0;
  };
  return sizeOf(side(8), side(12));
}

std::optional<cv::Size> sizeIn(File& file) {
  const std::string head = file.bytes(0, 12);
  const auto begins = [&](std::string_view with) {
    return head.compare(0, with.size(), with) == 0;
  };
  using std::string_view;
  if (begins("\xFF\xD8\xFF")) return jpegSize(file);
  if (begins("\x89PNG\r\n\x1A\n")) return sizeOf(file.big(16, 4), file.big(20, 4));
  if (begins("BM")) return bmpSize(file);
  if (begins("RIFF") && file.bytes(8, 4) == "WEBP") return webpSize(file);
  if (head.size() > 2 && head[0] == 'P' && head[1] >= '1' && head[1] <= '6') return pnmSize(file);
  if (begins(string_view("II*\0", 4))) return tiffSize(file, true, false);
  if (begins(string_view("MM\0*", 4))) return tiffSize(file, false, false);
  if (begins(string_view("II+\0", 4))) return tiffSize(file, true, true);
  if (begins(string_view("MM\0+", 4))) return tiffSize(file, false, true);
  if (begins("\xFF\x4F\xFF\x51") || begins(string_view("\0\0\0\x0CjP  ", 8))) {
    return jpeg2000Size(file);
  }
  return {};
}

}  // namespace

std::optional<cv::Size> pictureSize(const std::filesystem::path& path) {
  File file(path);
  const std::optional<cv::Size> size = sizeIn(file);
  return file.isCutOff() ? std::nullopt : size;
}

}  // namespace mpm::monitor
