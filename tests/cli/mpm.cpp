// SPDX-License-Identifier: Apache-2.0
#include "cli/mpm.h"

#include <filesystem>

#include "in_project.h"

namespace mpm::test {

std::string mpmPath() { return MPM_PROGRAM; }

std::string besideMpm(const std::string& name) {
  return std::filesystem::path(MPM_PROGRAM).replace_filename(name);
}

Ended mpmProgram(const std::vector<std::string>& words,
                 const std::map<std::string, std::string>& environment) {
  std::vector<std::string> all = {mpmPath()};
  all.insert(all.end(), words.begin(), words.end());
  return runProgram(all, environment);
}

void expectMpmRefuses(const std::vector<std::string>& words, int status, const std::string& part) {
  expectRefusal(mpmProgram(words), status, "mpm", part);
}

std::string modelFile(const std::string& name) { return inProject("tests/models/") + name; }

std::vector<BadModel> badModels(const Folder& folder) {
  const std::string model = bytesOf(modelFile("segmenter_mask.onnx"));
  std::filesystem::create_directory(folder.at("folder.onnx"));
  return {{folder.at("missing.onnx"), "a missing file"},
          {folder.write("empty.onnx", ""), "an empty file"},
          {folder.write("half.onnx", model.substr(0, model.size() / 2)), "half a model"},
          {folder.write("start.onnx", model.substr(0, 40)), "the start of a model"},
          {folder.write("text.onnx", "This is a text, and no model.\n"), "a text"},
          {folder.at("folder.onnx"), "a folder", 2}};
}

}  // namespace mpm::test
