// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output_file.h"
#include "cli/picture_file.h"
#include "cli/progress.h"
#include "cli/scene_output.h"
#include "models/scenes/classes.h"
#include "models/scenes/light.h"
#include "models/scenes/scene_address.h"
#include "segment/pictures.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string classesText() {
  std::string text;
  for (const scenes::ClassFacts& one : scenes::kClassFacts) {
    text += one.name;
    text += cv::format("\t#%02x%02x%02x\n", one.colour[2], one.colour[1], one.colour[0]);
  }
  return text;
}

std::vector<cv::Vec3b> palette() {
  std::vector<cv::Vec3b> colours;
  for (const scenes::ClassFacts& one : scenes::kClassFacts) colours.push_back(one.colour);
  return colours;
}

double rounded(double value) { return std::round(value * 1e4) / 1e4; }

Json frameFacts(const SceneFrame& frame, scenes::WeatherKind kind) {
  const double time = frame.second;
  const scenes::Weather weather = scenes::weatherAt(frame.seed, time, kind);
  const scenes::Light light = scenes::lightAt(frame.seed, time, weather);
  return {{"seed", frame.seed},
          {"hour", rounded(time / 3600)},
          {"weather", scenes::nameOf(weather.kind())},
          {"level", rounded(light.level)},
          {"lamps", rounded(light.lamps)}};
}

}  // namespace

void writeSceneFolder(ScenePlan& plan, SceneShots& shots, const SceneFolder& folder) {
  const fs::path root = folder.path;
  for (const char* name : {"images", "labels", "overlays"}) {
    if (folder.overlay || name != std::string_view("overlays")) makeFolder(root / name);
  }
  writeFile((root / "classes.txt").string(), classesText());
  const std::vector<cv::Vec3b> colours = palette();
  // Labels compress well anyhow, and noise does not.
  const std::vector<int> how = {cv::IMWRITE_JPEG_QUALITY, 92, cv::IMWRITE_PNG_COMPRESSION, 1};
  const std::string ending = folder.jpeg ? ".jpg" : ".png";
  int count = 0;
  {
    Progress progress("drawing");
    cv::Mat picture, labels;
    for (SceneFrame frame; plan.next(frame); ++count, progress.show(plan.share())) {
      shots.shoot(frame.seed, frame.second, picture, labels);
      const std::string name = nameOf(frame);
      Json line = {{"image", "images/" + name + ending}, {"labels", "labels/" + name + ".png"}};
      writePicture(root / line["image"], picture, how);
      writePicture(root / line["labels"], labels, how);
      if (folder.overlay) {
        line["overlay"] = "overlays/" + name + ".jpg";
        writePicture(root / line["overlay"], drawOverlay(picture, labels, colours), how);
      }
      line.update(frameFacts(frame, shots.options().weather));
      if (folder.json) std::cout << line.dump() << '\n';
    }
  }
  if (folder.json) return;
  std::cout << "wrote " << count << (count == 1 ? " frame" : " frames") << " and their labels to "
            << folder.path << '\n';
}

}  // namespace mpm::cli
