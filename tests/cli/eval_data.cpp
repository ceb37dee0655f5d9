// SPDX-License-Identifier: Apache-2.0
#include "cli/eval_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "cli/made_models.h"
#include "evaluate/label_pictures.h"

namespace mpm::test {
namespace {

namespace fs = std::filesystem;

std::string pathOf(std::string pattern, const std::string& name) {
  for (std::size_t at = 0; (at = pattern.find('*', at)) != std::string::npos;)
    pattern.replace(at, 1, name);
  return pattern;
}

void putPicture(const std::string& path, const cv::Mat& picture) {
  fs::create_directories(fs::path(path).parent_path());
  cv::imwrite(path, picture);
}

cv::Mat randomBoxes(const cv::Size& size, std::uint64_t seed) {
  cv::Mat boxes((size.height + 7) / 8, (size.width + 7) / 8, CV_8UC3), photo;
  cv::RNG(seed).fill(boxes, cv::RNG::UNIFORM, 0, 256);
  cv::resize(boxes, photo, size, 0, 0, cv::INTER_NEAREST);
  return photo;
}

}  // namespace

std::vector<cv::Mat> putEvalData(const Folder& folder, const EvalData& data,
                                 const std::vector<std::string>& names, const cv::Size& size) {
  std::vector<cv::Mat> truths;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const cv::Mat numbers = drawnNumbers(size, data.numbers, 40 + i);
    const cv::Mat wrong = drawnNumbers(size, data.numbers, 80 + i);
    cv::Mat truth(size, CV_16U), photo(size, CV_8UC3);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        const int k = data.meaning(numbers.at<uchar>(y, x));
        const int shown =
            data.meaning(x < size.width / 4 ? wrong.at<uchar>(y, x) : numbers.at<uchar>(y, x));
        truth.at<std::uint16_t>(y, x) = static_cast<std::uint16_t>(k < 0 ? 65535 : k);
        photo.at<cv::Vec3b>(y, x) = classColour(std::max(shown, 0));
      }
    }
    if (data.random) photo = randomBoxes(size, i);
    putPicture(folder.at(pathOf(data.labels, names[i])), numbers);
    putPicture(folder.at(pathOf(data.photos, names[i])), photo);
    truths.push_back(truth);
  }
  return truths;
}

std::vector<Labelled> segmented(const Folder& folder, const EvalData& data,
                                const std::vector<std::string>& names,
                                const std::vector<cv::Mat>& truths, const std::string& model,
                                const std::vector<std::string>& options) {
  const Folder out;
  std::vector<std::string> words = {"segment", model, "--out", out.at("")};
  for (const std::string& name : names) words.push_back(folder.at(pathOf(data.photos, name)));
  words.insert(words.end(), options.begin(), options.end());
  const Ended ended = mpmProgram(words);
  if (ended.status != 0) throw std::runtime_error(ended.err);
  std::vector<Labelled> labelled;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string stem = fs::path(pathOf(data.photos, names[i])).stem().string();
    labelled.push_back({truths[i], cv::imread(out.at(stem + "_labels.png"), cv::IMREAD_UNCHANGED)});
  }
  return labelled;
}

EvalData fiveClasses() {
  return {"images/*.png",
          "labels/*.png",
          {0, 1, 2, 3, 4, 255},
          [](int number) { return number == 255 ? -1 : number; },
          5,
          true};
}

std::vector<std::string> eightNames() { return {"a", "b", "c", "d", "e", "f", "g", "h"}; }

nlohmann::json evalSummary(const Ended& ended, int status) {
  EXPECT_EQ(ended.status, status) << ended.err;
  return nlohmann::json::parse(ended.out);
}

nlohmann::json withoutTimes(nlohmann::json summary) {
  for (nlohmann::json& schedule : summary.at("schedules")) {
    for (const char* key : {"ms", "network_ms", "ratio"}) schedule.erase(key);
  }
  return summary;
}

}  // namespace mpm::test
