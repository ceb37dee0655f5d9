// SPDX-License-Identifier: Apache-2.0
#include "evaluate/photo_file.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <opencv2/imgcodecs.hpp>

namespace mpm::evaluate {
namespace {

constexpr std::uint8_t kMark = 0xFF, kBegin = 0xD8, kEnd = 0xD9, kScan = 0xDA;

// Where the first scan's data begin: behind segments that tell their length, which may hold whole
// pictures of their own, as previews are. npos where there is none.
std::size_t scanOf(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  std::size_t place = 2;
  while (place + 4 <= bytes.size() && at(place) == kMark) {
    const std::uint8_t kind = at(place + 1);
    if (kind == kMark) {  // padding
      ++place;
      continue;
    }
    const std::size_t size = static_cast<std::size_t>(at(place + 2)) << 8 | at(place + 3);
    place += 2 + size;
    if (kind == kScan) return place;
  }
  return std::string_view::npos;
}

}  // namespace

bool isCutJpeg(std::string_view bytes) {
  const char begin[] = {static_cast<char>(kMark), static_cast<char>(kBegin)};
  const char end[] = {static_cast<char>(kMark), static_cast<char>(kEnd)};
  if (!bytes.starts_with(std::string_view(begin, 2))) return false;
  const std::size_t scan = scanOf(bytes);
  // A scan's data have no marks but those that count.
  return scan >= bytes.size() || bytes.find(std::string_view(end, 2), scan) == bytes.npos;
}

cv::Mat readPhotoFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.empty() || isCutJpeg(bytes)) return {};
  try {
    const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8U,
                          const_cast<char*>(bytes.data()));
    return cv::imdecode(encoded, cv::IMREAD_COLOR);
  } catch (const cv::Exception&) {  // of a header that asks for the impossible
    return {};
  }
}

}  // namespace mpm::evaluate
