// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "evaluate/journal.h"
#include "evaluate/label_pictures.h"
#include "evaluate/pairs.h"
#include "evaluate/picture.h"
#include "evaluate/summary.h"

namespace mpm::test {

/// Writes a picture, and the folders that it lies in.
inline void putPicture(const std::string& path, const cv::Mat& picture) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  // As little as possible is lost where the layout wants a JPEG.
  cv::imwrite(path, picture, {cv::IMWRITE_JPEG_QUALITY, 100});
}

/// A grey photo whose brightness is the label picture's number, but for some boxes.
inline cv::Mat photoOf(const cv::Mat& numbers, int end, std::uint64_t seed) {
  cv::RNG random(seed);
  cv::Mat grey = numbers.clone(), photo;
  for (int i = 0; i < 6; ++i) {
    const cv::Point corner(random.uniform(0, grey.cols - 3), random.uniform(0, grey.rows - 3));
    grey(cv::Rect(corner, cv::Size(3, 3))).setTo(cv::Scalar(random.uniform(0, end)));
  }
  cv::merge(std::vector<cv::Mat>(3, grey), photo);
  return photo;
}

/// A folder of `count` pictures with labels of `classes` classes, and some pixels that are ignored.
inline void putFolder(const Folder& folder, int count, int classes) {
  std::vector<int> numbers = numbersTo(classes);
  numbers.push_back(255);
  for (int i = 0; i < count; ++i) {
    const cv::Mat labels = drawnNumbers({30 + i, 20}, numbers, static_cast<std::uint64_t>(100 + i));
    const std::string name = cv::format("p%02d.png", i);
    putPicture(folder.at("labels/" + name), labels);
    putPicture(folder.at("images/" + name),
               photoOf(labels, classes, static_cast<std::uint64_t>(i)));
  }
}

inline std::vector<std::string> lettersTo(int count) {
  std::vector<std::string> names;
  for (int k = 0; k < count; ++k) names.emplace_back(1, static_cast<char>('a' + k));
  return names;
}

/// An unmerged run and two schedules on a folder's classes.
inline evaluate::Measure measureOf(const Folder& folder, int classes) {
  evaluate::Measure measure;
  measure.classes =
      evaluate::classesOf(evaluate::Format::folder, folder.at(""), false, {}, lettersTo(classes));
  measure.schedules = {{}, {2, 5}, {4}};
  return measure;
}

inline evaluate::Header headerOf(const evaluate::Measure& measure, std::size_t pictures) {
  evaluate::Header header;
  header.pictures = pictures;
  header.classes = measure.classes.names;
  header.schedules = measure.schedules;
  header.special = 1;
  header.options = {{"stride", "480"}, {"model", "0123"}};
  header.notes = {{"machine", "a machine"}};
  return header;
}

}  // namespace mpm::test
