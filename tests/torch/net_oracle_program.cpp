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

#include "cli/npy.h"
#include "cli/npy_file.h"
#include "cli/process.h"
#include "onnx/read.h"

namespace mpm::test {
namespace {

namespace fs = std::filesystem;

// tests/models, or a folder like it: see tests/zoo/try_zoo.py.
fs::path modelsFolder() {
  const char* other = std::getenv("MPM_ORACLE_MODELS");
  return other != nullptr ? other : MPM_MODELS;
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

NetProgram::NetProgram(const Fixture& fixture)
    : fixture_(fixture), images_(readArray(kModels / fixture.images)) {
  const onnx::Model model = onnx::readModel((kModels / (fixture.name + ".onnx")).string());
  const std::vector<onnx::Dim> dims = model.inputs().at(0).dims;
  if (dims.at(0).isKnown()) images_ = images_.slice(0, 0, dims[0].size);
  if (!dims.at(2).isKnown())
    size_ = std::to_string(images_.size(3)) + "x" + std::to_string(images_.size(2));
  const at::Tensor values = images_.to(at::kFloat).contiguous();
  writeNpyFile(folder_.at("images.npy"), {values.sizes().begin(), values.sizes().end()},
               values.data_ptr<float>());
}

void NetProgram::call(std::vector<std::string> words, const Schedule& schedule) const {
  words.insert(words.begin(), MPM_PROGRAM);
  words.insert(words.end(), {"--merge-before", schedule.text()});
  if (!size_.empty()) words.insert(words.end(), {"--input-size", size_});
  // Threads cost such small models more than they gain.
  const Ended ended = runProgram(words, {{"OMP_NUM_THREADS", "1"}});
  if (ended.status != 0)
    throw std::runtime_error(words[1] + " " + schedule.text() + ": " + ended.err);
}

onnx::Model NetProgram::convert(const Schedule& schedule) const {
  const std::string file = folder_.at("converted.onnx");
  call({"convert", (kModels / (fixture_.name + ".onnx")).string(), "-o", file}, schedule);
  return onnx::readModel(file);
}

NetValues NetProgram::run(const Schedule& schedule, const std::string& restore) const {
  const fs::path folder = folder_.at(restore);
  call({"run", (kModels / (fixture_.name + ".onnx")).string(), "--input",
        fixture_.input + "=" + folder_.at("images.npy"), "--output-dir", folder.string(),
        "--restore", restore},
       schedule);
  NetValues values;
  for (const auto& file : fs::directory_iterator(folder)) {
    values[file.path().stem().string()] = readArray(file.path());
  }
  fs::remove_all(folder);
  return values;
}

at::Tensor NetProgram::recorded(const std::string& output) const {
  return readArray(kModels / (fixture_.name + "." + output + ".npy"));
}

}  // namespace mpm::test
