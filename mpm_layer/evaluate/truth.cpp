// SPDX-License-Identifier: Apache-2.0
#include "evaluate/truth.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "class_lists.h"
#include "files/text.h"

namespace mpm::evaluate {

namespace {

// Cityscapes' numbers of its 19 classes, in order.
constexpr std::array<int, 19> kCityscapesIds = {7,  8,  11, 12, 13, 17, 19, 20, 21, 22,
                                                23, 24, 25, 26, 27, 28, 31, 32, 33};
constexpr int kLastCityscapesId = 33;
constexpr int kUnlabelled = 255;

}  // namespace

// Ignores numbers that a picture cannot have.
void LabelRule::set(int number, std::uint16_t meaning) {
  if (number < 0 || number >= static_cast<int>(meanings_.size())) return;
  meanings_[static_cast<std::size_t>(number)] = meaning;
}

LabelRule LabelRule::plain(std::size_t classes, int ignored) {
  LabelRule rule;
  for (std::size_t k = 0; k < classes; ++k)
    rule.set(static_cast<int>(k), static_cast<std::uint16_t>(k));
  rule.set(ignored, kIgnored);
  return rule;
}

LabelRule LabelRule::reducedZero(std::size_t classes, int ignored) {
  LabelRule rule;
  rule.set(0, kIgnored);
  for (std::size_t k = 0; k < classes; ++k)
    rule.set(static_cast<int>(k) + 1, static_cast<std::uint16_t>(k));
  rule.set(ignored, kIgnored);
  return rule;
}

LabelRule LabelRule::cityscapesIds() {
  LabelRule rule;
  for (int number = 0; number <= kLastCityscapesId; ++number) rule.set(number, kIgnored);
  rule.set(kUnlabelled, kIgnored);
  for (std::size_t k = 0; k < kCityscapesIds.size(); ++k)
    rule.set(kCityscapesIds[k], static_cast<std::uint16_t>(k));
  return rule;
}

Truth LabelRule::truthOf(const cv::Mat& numbers) const {
  Truth truth;
  truth.classes.create(numbers.size(), CV_16U);
  for (int y = 0; y < numbers.rows; ++y) {
    const auto* from = numbers.ptr<std::uint16_t>(y);
    auto* to = truth.classes.ptr<std::uint16_t>(y);
    for (int x = 0; x < numbers.cols; ++x) {
      to[x] = meanings_[from[x]];
      if (to[x] == kOutside && !truth.outside) truth.outside = from[x];
    }
  }
  return truth;
}

namespace {

bool isEdge(std::uint16_t a, std::uint16_t b) {
  return a != b && a != LabelRule::kIgnored && b != LabelRule::kIgnored;
}

}  // namespace

cv::Mat nearEdges(const cv::Mat& truth, int distance) {
  cv::Mat near = cv::Mat::zeros(truth.size(), CV_8U);
  for (int y = 0; y < truth.rows; ++y) {
    const auto* here = truth.ptr<std::uint16_t>(y);
    const auto* below = y + 1 < truth.rows ? truth.ptr<std::uint16_t>(y + 1) : nullptr;
    for (int x = 0; x < truth.cols; ++x) {
      if (x + 1 < truth.cols && isEdge(here[x], here[x + 1]))
        near.at<uchar>(y, x) = near.at<uchar>(y, x + 1) = 255;
      if (below != nullptr && isEdge(here[x], below[x]))
        near.at<uchar>(y, x) = near.at<uchar>(y + 1, x) = 255;
    }
  }
  const int side = 2 * (distance - 1) + 1;
  if (side > 1) cv::dilate(near, near, cv::Mat::ones(side, side, CV_8U));
  return near;
}

namespace {

std::vector<std::string> linesOf(std::string_view list) {
  std::vector<std::string> names;
  std::istringstream stream{std::string(list)};
  for (std::string name; std::getline(stream, name);) names.push_back(name);
  return names;
}

}  // namespace

std::vector<std::string> ade20kClasses() { return linesOf(kAde20k); }

std::vector<std::string> cityscapesClasses() { return linesOf(kCityscapes); }

std::vector<std::string> pascalContextClasses() { return linesOf(kPascalContext); }

namespace {

namespace fs = std::filesystem;

// Limits matrices of counts, which have an entry for each pair of classes.
constexpr std::size_t kMostClasses = 4096;

struct FormatFacts {
  Format format;
  const char* name;
  Protocol protocol;
};

constexpr std::array<FormatFacts, 4> kFormats = {{
    {Format::ade20k, "ade20k", {true, 512, 512}},
    {Format::cityscapes, "cityscapes", {true, 1024, 768}},
    {Format::pascalContext, "pascal-context", {true, 520, 480}},
    {Format::folder, "folder", {false, 0, 0}},
}};

const FormatFacts& factsOf(Format format) { return kFormats[static_cast<std::size_t>(format)]; }

void checkNames(const std::string& what, const std::vector<std::string>& names,
                const std::vector<std::string>& modelNames) {
  if (names.size() != modelNames.size()) {
    throw std::runtime_error("the model has " + std::to_string(modelNames.size()) +
                             " classes and " + what + " has " + std::to_string(names.size()) +
                             "; the numbers must match");
  }
  checkOrder(what, names, modelNames);
}

Classes pascalClasses(int wanted, const std::vector<std::string>& modelNames) {
  if (wanted != 0 && wanted != 59 && wanted != 60)
    throw std::invalid_argument("classes " + std::to_string(wanted) +
                                ": Pascal Context has 59, or 60 with the background");
  const bool hasBackground = wanted == 60 || (wanted == 0 && modelNames.size() == 60);
  std::vector<std::string> names = pascalContextClasses();
  if (!hasBackground) names.erase(names.begin());
  checkNames(hasBackground ? "Pascal Context with its background" : "Pascal Context", names,
             modelNames);
  const std::size_t count = names.size();
  return {std::move(names), hasBackground ? LabelRule::plain(count, kUnlabelled)
                                          : LabelRule::reducedZero(count, kUnlabelled)};
}

// Reads names up to a tab, without spaces at their ends.
std::vector<std::string> readNames(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    line = line.substr(0, line.find('\t'));
    line.erase(line.find_last_not_of(" \r") + 1);
    line.erase(0, line.find_first_not_of(' '));
    if (!line.empty()) names.push_back(line);
  }
  if (names.empty())
    throw std::runtime_error(path.string() + ": it has no names; write one in each line");
  return names;
}

Classes folderClasses(const std::string& root, const ClassOptions& options,
                      const std::vector<std::string>& modelNames) {
  const fs::path list = fs::path(root) / "classes.txt";
  std::error_code ignored;
  std::vector<std::string> names = modelNames;
  if (fs::exists(list, ignored)) {
    names = readNames(list);
    checkNames(list.string(), names, modelNames);
  }
  if (names.size() > kMostClasses)
    throw std::runtime_error("the model has " + std::to_string(names.size()) + " classes; " +
                             std::to_string(kMostClasses) + " is the most that can be counted");
  const std::size_t count = names.size();
  return {std::move(names), options.reduceZero ? LabelRule::reducedZero(count, options.ignored)
                                               : LabelRule::plain(count, options.ignored)};
}

}  // namespace

void checkOrder(const std::string& what, const std::vector<std::string>& names,
                const std::vector<std::string>& modelNames) {
  if (!std::is_permutation(names.begin(), names.end(), modelNames.begin(), modelNames.end()))
    return;
  const auto placeOf = [](auto place, const std::vector<std::string>& list) {
    return std::to_string(place - list.begin());
  };
  const auto other = std::mismatch(names.begin(), names.end(), modelNames.begin()).first;
  if (other == names.end()) return;
  throw std::runtime_error(
      *other + " is class " + placeOf(other, names) + " in " + what + " and class " +
      placeOf(std::find(modelNames.begin(), modelNames.end(), *other), modelNames) +
      " of the model; both must have the same order");
}

std::string nameOf(Format format) { return factsOf(format).name; }

Format formatNamed(const std::string& name) {
  std::vector<std::string> known;
  for (const FormatFacts& facts : kFormats) {
    if (name == facts.name) return facts.format;
    known.emplace_back(facts.name);
  }
  throw std::invalid_argument("format " + name + " is not known; use " +
                              files::listed(known, "or"));
}

Protocol protocolOf(Format format) { return factsOf(format).protocol; }

Classes classesOf(Format format, const std::string& root, bool hasTrainIds,
                  const ClassOptions& options, const std::vector<std::string>& modelNames) {
  const std::size_t model = modelNames.size();
  switch (format) {
    case Format::ade20k: {
      std::vector<std::string> names = ade20kClasses();
      checkNames("ADE20K", names, modelNames);
      return {std::move(names), LabelRule::reducedZero(model, kUnlabelled)};
    }
    case Format::cityscapes: {
      std::vector<std::string> names = cityscapesClasses();
      checkNames("Cityscapes", names, modelNames);
      return {std::move(names),
              hasTrainIds ? LabelRule::plain(model, kUnlabelled) : LabelRule::cityscapesIds()};
    }
    case Format::pascalContext:
      return pascalClasses(options.classes, modelNames);
    case Format::folder:
      break;
  }
  return folderClasses(root, options, modelNames);
}

}  // namespace mpm::evaluate
