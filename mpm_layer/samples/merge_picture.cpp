// SPDX-License-Identifier: Apache-2.0
// Merges the tokens of a picture with the layers of this library, and shows what merged.
// The tokens are the patches' colours and places, so no model is needed. Without a picture it draws
// a street and follows it from noon to night.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <opencv2/dnn.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "models/scenes/camera.h"
#include "mpm/layers.h"
#include "window.h"

namespace {

constexpr int kPatch = 16;

const char* kUsage =
    "usage: mpm-merge-picture [PICTURE] [--out DIR] [--no-window]\n"
    "Merges the patches of PICTURE, or of a drawn street from noon to night, twice, and shows\n"
    "which became one token. Writes DIR/merge_map.png and DIR/tokens.csv (DIR: mpm-demo).\n"
    "example: mpm-merge-picture photo.jpg --out maps\n";

constexpr int kColours = 48, kPlaces = 16, kFeatures = kColours + kPlaces;

// Waves over the picture, as a position embedding: near patches get similar values.
void writePlace(cv::Point2f at, float* features) {
  constexpr float kStrength = 30;
  for (int octave = 0; octave < kPlaces / 4; ++octave) {
    const auto turn = static_cast<float>(CV_PI * (1 << octave));
    *features++ = kStrength * std::sin(at.x * turn);
    *features++ = kStrength * std::cos(at.x * turn);
    *features++ = kStrength * std::sin(at.y * turn);
    *features++ = kStrength * std::cos(at.y * turn);
  }
}

// Tokens [1, N, 64]: each patch as 4 x 4 colours, less the picture's mean colour, and its place.
cv::Mat patchTokens(const cv::Mat& picture) {
  const cv::Size grid(picture.cols / kPatch, picture.rows / kPatch);
  cv::Mat small;
  cv::resize(picture, small, grid * 4, 0, 0, cv::INTER_AREA);
  small.convertTo(small, CV_32FC3);
  small -= cv::mean(small);
  cv::Mat tokens(std::vector<int>{1, grid.area(), kFeatures}, CV_32F);
  for (int token = 0; token < grid.area(); ++token) {
    const cv::Rect patch(token % grid.width * 4, token / grid.width * 4, 4, 4);
    const cv::Mat values = small(patch).clone().reshape(1, 1);
    float* features = tokens.ptr<float>(0, token);
    values.copyTo(cv::Mat(1, kColours, CV_32F, features));
    const cv::Point2f at(static_cast<float>(patch.x), static_cast<float>(patch.y));
    writePlace(at / static_cast<float>(4 * std::max(grid.width, grid.height)), features + kColours);
  }
  return tokens;
}

// tokens -> merge1 -> merge2 -> restore
cv::dnn::Net mergingNet() {
  cv::dnn::LayerParams none;
  cv::dnn::Net net;
  const int first = net.addLayer("merge1", "mpm.MutualPairMerge", none);
  const int second = net.addLayer("merge2", "mpm.MutualPairMerge", none);
  const int restore = net.addLayer("restore", "mpm.MergeRestore", none);
  net.connect(0, 0, first, 0);
  for (int output = 0; output < 3; ++output) net.connect(first, output, second, output);
  net.connect(second, 0, restore, 0);
  net.connect(second, 2, restore, 1);
  return net;
}

struct Stage {
  int rows = 0;
  cv::Mat map;
};

struct Merged {
  int tokens = 0;
  std::vector<Stage> stages;
};

Merged merge(cv::dnn::Net& net, const cv::Mat& picture) {
  const cv::Mat tokens = patchTokens(picture);
  net.setInput(tokens);
  std::vector<std::vector<cv::Mat>> outputs;  // of each layer: tokens, rows, map
  net.forward(outputs, std::vector<cv::String>{"merge1", "merge2", "restore"});
  Merged merged{tokens.size[1], {}};
  for (int stage = 0; stage < 2; ++stage) {
    merged.stages.push_back(
        {static_cast<int>(outputs[stage][1].ptr<float>()[0]), outputs[stage][2].clone()});
  }
  return merged;
}

// The picture as the merged tokens see it: each patch in the mean colour of its group, with a
// line wherever two neighbouring patches belong to different groups.
// `map`: 1 x N floats, N = (height / patch) * (width / patch) of the picture.
cv::Mat drawMergeMap(const cv::Mat& picture, const cv::Mat& map, int patch) {
  const int height = picture.rows / patch, width = picture.cols / patch;
  cv::Mat colours;  // one pixel for each patch
  cv::resize(picture, colours, {width, height}, 0, 0, cv::INTER_AREA);
  const auto group = [&](int y, int x) {
    return static_cast<int>(map.ptr<float>()[y * width + x]);
  };

  std::vector<cv::Vec3d> sum(map.total());
  std::vector<int> size(map.total(), 0);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      sum[group(y, x)] += cv::Vec3d(colours.at<cv::Vec3b>(y, x));
      ++size[group(y, x)];
    }
  }
  cv::Mat drawn(height * patch, width * patch, CV_8UC3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int own = group(y, x);
      const cv::Vec3d mean = sum[own] / size[own];
      const bool dark = mean[0] + mean[1] + mean[2] < 3 * 60;  // a darker line would not show
      const cv::Scalar line =
          dark ? cv::Scalar(mean) + cv::Scalar::all(45) : cv::Scalar(mean) * 0.55;
      const cv::Rect cell(x * patch, y * patch, patch, patch);
      drawn(cell).setTo(cv::Scalar(mean));
      if (x > 0 && group(y, x - 1) != own) drawn(cell).col(0).setTo(line);
      if (y > 0 && group(y - 1, x) != own) drawn(cell).row(0).setTo(line);
    }
  }
  return drawn;
}

void label(cv::Mat& picture, const std::string& text) {
  for (const auto& [width, colour] :
       {std::pair{4, cv::Scalar::all(0)}, {1, cv::Scalar::all(255)}}) {
    cv::putText(picture, text, {12, 28}, cv::FONT_HERSHEY_SIMPLEX, 0.7, colour, width, cv::LINE_AA);
  }
}

// Picture, map after the first merge, map after the second, side by side.
cv::Mat drawRow(const cv::Mat& picture, const Merged& merged, const std::string& name) {
  std::vector<cv::Mat> panels = {picture.clone()};
  label(panels[0], name + ": " + std::to_string(merged.tokens) + " tokens");
  for (const Stage& stage : merged.stages) {
    panels.push_back(drawMergeMap(picture, stage.map, kPatch));
    label(panels.back(), std::to_string(stage.rows) + " tokens");
  }
  for (cv::Mat& panel : panels) {
    cv::copyMakeBorder(panel, panel, 4, 4, 4, 4, cv::BORDER_CONSTANT, cv::Scalar::all(255));
  }
  cv::Mat row;
  cv::hconcat(panels, row);
  return row;
}

cv::Mat readPicture(const std::string& path) {
  const cv::Mat picture = cv::imread(path, cv::IMREAD_COLOR);
  if (picture.empty()) throw std::runtime_error("cannot read a picture from '" + path + "'");
  if (picture.rows < 2 * kPatch || picture.cols < 2 * kPatch) {
    throw std::runtime_error("'" + path + "' is smaller than 32 x 32 pixels");
  }
  const cv::Rect whole(0, 0, picture.cols / kPatch * kPatch, picture.rows / kPatch * kPatch);
  return picture(whole).clone();
}

int run(const std::string& path, const std::filesystem::path& folder, bool window) {
  std::vector<std::pair<std::string, cv::Mat>> pictures;
  if (path.empty()) {
    const std::pair<const char*, double> times[] = {
        {"12:00", 12}, {"17:45", 17.75}, {"18:15", 18.25}, {"23:00", 23}};
    mpm::scenes::Camera camera({});
    cv::Mat picture, labels;
    for (const auto& [name, hour] : times) {
      camera.shoot(hour * 3600, picture, labels);
      pictures.emplace_back(name, picture.clone());
    }
  } else {
    pictures.emplace_back(std::filesystem::path(path).filename().string(), readPicture(path));
  }

  mpm::registerLayers();
  cv::dnn::Net net = mergingNet();
  std::filesystem::create_directories(folder);
  std::ofstream table(folder / "tokens.csv");
  table << "picture,tokens,after_merge_1,after_merge_2,share_merged\n";
  std::printf("%-20s %8s %8s %8s %8s\n", "picture", "tokens", "merge 1", "merge 2", "merged");
  std::vector<cv::Mat> rows;
  for (const auto& [name, picture] : pictures) {
    const Merged merged = merge(net, picture);
    const int first = merged.stages[0].rows, second = merged.stages[1].rows;
    const double share = 1 - static_cast<double>(second) / merged.tokens;
    std::printf("%-20s %8d %8d %8d %7.1f%%\n", name.c_str(), merged.tokens, first, second,
                100 * share);
    table << name << ',' << merged.tokens << ',' << first << ',' << second << ',' << share << '\n';
    rows.push_back(drawRow(picture, merged, name));
  }
  cv::Mat all;
  cv::vconcat(rows, all);
  const std::string file = (folder / "merge_map.png").string();
  if (!table.flush() || !cv::imwrite(file, all)) {
    throw std::runtime_error("cannot write into '" + folder.string() + "'");
  }
  std::printf("\npicture, merge 1, merge 2: %s\n", file.c_str());
  try {
    if (window && demo::hasDisplay()) demo::showWindow(all);
  } catch (const cv::Exception&) {  // a display that is named but does not answer
    std::cout << "No window could be opened; the pictures are in the file above.\n";
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string picture, folder = "mpm-demo";
  bool window = true;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help") {
      std::cout << kUsage;
      return 0;
    }
    if (word == "--out" && i + 1 < argc) {
      folder = argv[++i];
    } else if (word == "--no-window") {
      window = false;
    } else if (word[0] != '-' && picture.empty()) {
      picture = word;
    } else {
      std::cerr << "mpm-merge-picture: '" << word << "' was not expected\n" << kUsage;
      return 2;
    }
  }
  try {
    return run(picture, folder, window);
  } catch (const std::exception& error) {
    std::cerr << "mpm-merge-picture: " << error.what() << '\n';
    return 1;
  }
}
