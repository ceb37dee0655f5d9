// SPDX-License-Identifier: Apache-2.0
#include "torch/net_oracle_program.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

#include "cli/mpm.h"
#include "cli/npy.h"
#include "cli/npy_files.h"
#include "in_project.h"
#include "onnx/graph/file.h"

namespace mpm::test {
namespace {

namespace fs = std::filesystem;

// tests/models, or a folder like it: see tests/zoo/try_zoo.py.
fs::path modelsFolder() {
  const char* other = std::getenv("MPM_ORACLE_MODELS");
  return other != nullptr ? other : inProject("tests/models");
}

const fs::path kModels = modelsFolder();

at::Tensor readArray(const fs::path& path) {
  cli::Array array = cli::readNpy(path);
  const std::vector<std::int64_t> shape(array.shape.begin(), array.shape.end());
  return at::from_blob(array.values.data(), shape, at::kFloat).to(at::kDouble);
}

}  // namespace

void PrintTo(const Fixture& fixture, std::ostream* out) { *out << fixture.name; }

std::vector<Fixture> mergeableFixtures() {
  std::ifstream list(kModels / "models.json");
  std::vector<Fixture> fixtures;
  for (const auto& entry : nlohmann::json::parse(list)) {
    if (!entry.at("mergeable").get<bool>()) continue;
    // The oracle computes what stands in a file, these with what it stands for.
    if (entry.at("tool").get<std::string>().rfind("quantised", 0) == 0) continue;
    fixtures.push_back({entry.at("name"), entry.at("input"), entry.at("input_name"),
                        entry.at("outputs"), entry.at("blocks")});
  }
  return fixtures;
}

std::vector<Schedule> schedulesOf(const Fixture& fixture) {
  std::vector<Schedule> schedules;
  for (const std::vector<int>& wanted : {std::vector<int>{2, 5}, {0}, {2}, {5}, {1, 3, 5, 7}}) {
    std::vector<int> blocks;  // those that the encoder has
    std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(blocks),
                 [&](int block) { return block < fixture.blocks; });
    const Schedule schedule = blocks;
    if (schedule.empty()) continue;
    if (std::find(schedules.begin(), schedules.end(), schedule) == schedules.end())
      schedules.push_back(schedule);
  }
  return schedules;
}

NetProgram::NetProgram(const Fixture& fixture, const std::vector<Schedule>& schedules)
    : fixture_(fixture), images_(readArray(kModels / fixture.images)) {
  const std::string file = (kModels / (fixture.name + ".onnx")).string();
  const std::vector<onnx::Dim> dims = onnx::readModel(file).inputs().at(0).dims;
  if (dims.at(0).isKnown()) images_ = images_.slice(0, 0, dims[0].size);
  const at::Tensor values = images_.to(at::kFloat).contiguous();
  writeNpyFile(folder_.at("images.npy"), {values.sizes().begin(), values.sizes().end()},
               values.data_ptr<float>());

  std::vector<std::string> words{MPM_COMMANDS_PROGRAM};
  const auto add = [&](std::vector<std::string> command, const Schedule& schedule) {
    words.insert(words.end(), command.begin(), command.end());
    words.insert(words.end(), {"--merge-before", schedule.text()});
    if (!dims.at(2).isKnown()) {
      words.insert(words.end(), {"--input-size", std::to_string(images_.size(3)) + "x" +
                                                     std::to_string(images_.size(2))});
    }
    words.emplace_back("--then");
  };
  for (const Schedule& schedule : schedules) {
    add({"convert", file, "-o", convertedFile(schedule)}, schedule);
    for (const char* restore : {"late", "early"}) {
      add({"run", file, "--input", fixture.input + "=" + folder_.at("images.npy"), "--output-dir",
           outputFolder(schedule, restore), "--restore", restore},
          schedule);
    }
  }
  // Threads cost such small models more than they gain.
  const Ended ended = runProgram(words, {{"OMP_NUM_THREADS", "1"}});
  if (ended.status != 0) throw std::runtime_error(fixture.name + ": " + ended.err);
}

std::string NetProgram::convertedFile(const Schedule& schedule) const {
  return folder_.at("converted-" + schedule.text() + ".onnx");
}

std::string NetProgram::outputFolder(const Schedule& schedule, const std::string& restore) const {
  return folder_.at(restore + "-" + schedule.text());
}

onnx::Model NetProgram::converted(const Schedule& schedule) const {
  return onnx::readModel(convertedFile(schedule));
}

NetValues NetProgram::ran(const Schedule& schedule, const std::string& restore) const {
  NetValues values;
  for (const auto& file : fs::directory_iterator(outputFolder(schedule, restore))) {
    values[file.path().stem().string()] = readArray(file.path());
  }
  return values;
}

at::Tensor NetProgram::recorded(const std::string& output) const {
  return readArray(kModels / (fixture_.name + "." + output + ".npy"));
}

}  // namespace mpm::test
