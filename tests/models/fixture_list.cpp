// SPDX-License-Identifier: Apache-2.0
#include "fixture_list.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "cli/npy.h"
#include "in_project.h"

namespace mpm::test {
namespace {

std::string pathOf(const std::string& file) { return inProject("tests/models/") + file; }

cv::Mat matOf(const std::string& file) {
  const cli::Array array = cli::readNpy(pathOf(file));
  cv::Mat mat(array.shape, CV_32F);
  std::memcpy(mat.ptr<float>(), array.values.data(), array.values.size() * sizeof(float));
  return mat;
}

Fixture fixtureOf(const nlohmann::json& entry) {
  Fixture fixture;
  entry.at("name").get_to(fixture.name);
  entry.at("family").get_to(fixture.family);
  entry.at("tool").get_to(fixture.tool);
  entry.at("input").get_to(fixture.input);
  entry.at("input_name").get_to(fixture.inputName);
  entry.at("outputs").get_to(fixture.outputs);
  const std::string variant = entry.at("variant");
  fixture.hasOpenSize = variant.find("height and width open") != std::string::npos;
  fixture.hasOpenBatch = entry.at("batch") == "dynamic";
  entry.at("mergeable").get_to(fixture.isMergeable);
  if (!fixture.isMergeable) {
    entry.at("also").get_to(fixture.reasons);
    fixture.reasons.push_back(entry.at("reason").get<std::string>());
    return fixture;
  }
  entry.at("blocks").get_to(fixture.blocks);
  entry.at("dim").get_to(fixture.dim);
  entry.at("heads").get_to(fixture.heads);
  entry.at("special").get_to(fixture.special);
  entry.at("patch").get_to(fixture.patch);
  fixture.grid = {entry.at("grid").at(1).get<int>(), entry.at("grid").at(0).get<int>()};
  entry.at("gelu").get_to(fixture.gelu);
  fixture.otherInput = entry.value("other_input", "");
  fixture.keepsSize = entry.value("keeps_size", false);
  fixture.adapts = entry.value("adapts", fixture.hasOpenSize);
  return fixture;
}

template <class Holds>
std::vector<Fixture> fixturesWhere(Holds holds) {
  std::vector<Fixture> some;
  std::copy_if(fixtures().begin(), fixtures().end(), std::back_inserter(some), holds);
  return some;
}

}  // namespace

std::string Fixture::path() const { return pathOf(name + ".onnx"); }

bool Fixture::isQuantised() const { return std::string_view(tool).substr(0, 9) == "quantised"; }

bool Fixture::isHalf() const { return std::string_view(tool).substr(0, 7) == "float16"; }

// Of the two whose size is open, transformers' was made for a square.
bool Fixture::tellsSize() const { return !hasOpenSize || family == "transformers"; }

cv::Mat Fixture::images() const {
  const cv::Mat all = matOf(input);
  return hasOpenBatch ? all : imageOf(all, 0);
}

cv::Size Fixture::imageSize() const {
  const cv::Mat all = images();
  return {all.size[3], all.size[2]};
}

cv::Mat Fixture::stored(const std::string& output) const {
  return matOf(name + "." + output + ".npy");
}

cv::Mat Fixture::otherImages() const {
  const cv::Mat all = matOf(otherInput);
  return hasOpenBatch ? all : imageOf(all, 0);
}

cv::Mat Fixture::storedOfOther(const std::string& output) const {
  const cv::Mat images = otherImages();
  const std::string size = std::to_string(images.size[2]) + "x" + std::to_string(images.size[3]);
  return matOf(name + "." + output + "." + size + ".npy");
}

std::ostream& operator<<(std::ostream& stream, const Fixture& fixture) {
  return stream << fixture.name;
}

const std::vector<Fixture>& fixtures() {
  static const std::vector<Fixture> all = [] {
    std::ifstream file(pathOf("models.json"));
    std::vector<Fixture> list;
    for (const nlohmann::json& entry : nlohmann::json::parse(file))
      list.push_back(fixtureOf(entry));
    return list;
  }();
  return all;
}

std::vector<Fixture> mergeableFixtures() {
  return fixturesWhere([](const Fixture& fixture) { return fixture.isMergeable; });
}

std::vector<Fixture> refusedFixtures() {
  return fixturesWhere([](const Fixture& fixture) { return !fixture.isMergeable; });
}

std::vector<Fixture> openBatchFixtures() {
  return fixturesWhere(
      [](const Fixture& fixture) { return fixture.isMergeable && fixture.hasOpenBatch; });
}

std::vector<Fixture> sizedFixtures() {
  return fixturesWhere(
      [](const Fixture& fixture) { return fixture.isMergeable && fixture.tellsSize(); });
}

std::vector<Fixture> shareOf(std::vector<Fixture> list, std::size_t number) {
#if defined(MPM_SANITIZE_ADDRESS) || defined(MPM_SANITIZE_THREAD)
  std::vector<Fixture> share;
  for (std::size_t i = number; i < list.size(); i += 6) share.push_back(std::move(list[i]));
  return share;
#else
  static_cast<void>(number);
  return list;
#endif
}

Fixture fixtureNamed(const std::string& name) {
  const auto found = std::find_if(fixtures().begin(), fixtures().end(),
                                  [&](const Fixture& fixture) { return fixture.name == name; });
  if (found == fixtures().end()) throw std::runtime_error("there is no fixture called " + name);
  return *found;
}

Fixture unlistedFixture(const std::string& name, const std::vector<std::string>& outputs) {
  Fixture fixture;
  fixture.name = name;
  fixture.input = "images_48x64.npy";
  fixture.outputs = outputs;
  fixture.hasOpenBatch = true;
  return fixture;
}

std::vector<Schedule> schedulesOf(const Fixture& fixture) {
  std::vector<Schedule> schedules;
  for (std::vector<int> blocks :
       {std::vector<int>{2, 5}, {0}, {1}, {2}, {5}, {0, 1}, {1, 3, 5, 7}}) {
    std::erase_if(blocks, [&](int block) { return block >= fixture.blocks; });
    const Schedule schedule = blocks;
    const bool isKnown = std::find(schedules.begin(), schedules.end(), schedule) != schedules.end();
    if (!schedule.empty() && !isKnown) schedules.push_back(schedule);
  }
  return schedules;
}

cv::Mat imageOf(const cv::Mat& blob, int b) {
  std::vector<cv::Range> ranges(static_cast<std::size_t>(blob.dims), cv::Range::all());
  ranges[0] = {b, b + 1};
  return blob(ranges).clone();
}

}  // namespace mpm::test
