// SPDX-License-Identifier: Apache-2.0
#include "gui/teach/input_size.h"

#include <cmath>
#include <exception>

#include "mpm/teach.h"

namespace mpm::gui {

cv::Size sizeInPatches(int patches, int patch, cv::Size frame) {
  const double shape = static_cast<double>(frame.width) / frame.height;
  cv::Size most;
  for (int rows = 2; rows * patch <= frame.height; ++rows) {
    const int columns = static_cast<int>(std::lround(rows * shape));
    if (columns * rows > patches || columns * patch > frame.width) break;
    if (columns >= 2) most = {columns * patch, rows * patch};
  }
  return most;
}

InputSize inputSizeOf(const std::string& backbone, const ReadOptions& read, int wanted,
                      cv::Size frame) {
  constexpr int kUsual = 1000;
  const Description own = describe(backbone);
  InputSize input{own.input, own.grid.area(), true, true};
  if (wanted == kDeclaredPatches || own.patch < 1) return input;
  const cv::Size size =
      sizeInPatches(wanted == kSuitingPatches ? kUsual : wanted, own.patch, frame);
  const bool isLarger = size.area() > own.input.area();
  if (size.empty() || size == own.input || (wanted == kSuitingPatches && !isLarger)) return input;
  TeachOptions tried;
  tried.read = read;
  tried.read.inputSize = size;
  tried.classes = {"some", "others"};
  try {
    Teacher(backbone, tried);
  } catch (const std::exception&) {
    input.adapts = false;
    return input;
  }
  return {size, size.area() / (own.patch * own.patch), false, true};
}

}  // namespace mpm::gui
