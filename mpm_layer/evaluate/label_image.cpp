// SPDX-License-Identifier: Apache-2.0
#include "evaluate/label_image.h"

#include <cstdint>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>

#include "evaluate/png_header.h"

namespace mpm::evaluate {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + ": " + why);
}

// Where a colour stands in the palette; of one that stands twice, -1 minus its first place.
std::map<std::uint32_t, int> placesOf(const std::vector<std::uint32_t>& palette) {
  std::map<std::uint32_t, int> places;
  for (std::size_t i = 0; i < palette.size(); ++i) {
    const auto [place, isNew] = places.emplace(palette[i], static_cast<int>(i));
    if (!isNew && place->second >= 0) place->second = -1 - place->second;
  }
  return places;
}

// `colours`: CV_8UC3 or CV_8UC4, BGR first.
cv::Mat indicesOf(const cv::Mat& colours, const PngHeader& header, const std::string& path) {
  const std::map<std::uint32_t, int> places = placesOf(header.palette);
  const int channels = colours.channels();
  cv::Mat indices(colours.size(), CV_16U);
  for (int y = 0; y < colours.rows; ++y) {
    const auto* pixel = colours.ptr<std::uint8_t>(y);
    for (int x = 0; x < colours.cols; ++x, pixel += channels) {
      const std::uint32_t colour = pixel[2] << 16 | pixel[1] << 8 | pixel[0];
      const auto place = places.find(colour);
      if (place == places.end()) refuse(path, "it has a colour that its palette lacks");
      if (place->second < 0) {
        refuse(path, cv::format("its palette has #%06x at %d and once more, so that numbers "
                                "cannot be told apart; a palette of different colours, or grey, "
                                "is right",
                                colour, -1 - place->second));
      }
      indices.at<std::uint16_t>(y, x) = static_cast<std::uint16_t>(place->second);
    }
  }
  return indices;
}

}  // namespace

cv::Mat readLabelNumbers(const std::string& path) {
  const PngHeader header = readPngHeader(path);
  cv::Mat picture;
  try {
    picture = cv::imread(path, cv::IMREAD_UNCHANGED);
  } catch (const cv::Exception&) {  // of a header that asks for the impossible
  }
  if (picture.empty()) refuse(path, "it cannot be read as a picture");
  if (header.isPng && header.colourType == PngHeader::kPalette && picture.depth() == CV_8U &&
      picture.channels() >= 3) {
    return indicesOf(picture, header, path);
  }
  if (picture.channels() != 1 || (picture.depth() != CV_8U && picture.depth() != CV_16U)) {
    refuse(path, "it is a picture of type " + cv::typeToString(picture.type()) +
                     "; one channel of class numbers, in 8 or 16 bits, is right");
  }
  cv::Mat numbers;
  // OpenCV spreads grey of fewer than 8 bits over 0 to 255.
  const bool isSpread = header.isPng && header.colourType == PngHeader::kGrey && header.bits < 8;
  const double step = isSpread ? 255.0 / ((1 << header.bits) - 1) : 1;
  picture.convertTo(numbers, CV_16U, 1 / step);
  return numbers;
}

}  // namespace mpm::evaluate
