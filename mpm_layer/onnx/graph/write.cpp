// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/read_write.h"

#include <climits>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "files/new_file.h"

namespace mpm::onnx {
namespace {

void checkSize(const Model& model) {
  if (model.proto().ByteSizeLong() > INT_MAX) {
    throw ModelError("the model would have more than 2 GB, which one ONNX file cannot hold");
  }
}

void writeFile(const Model& model, const std::string& path) {
  checkSize(model);
  // Another file would take the place of /dev/null for everybody.
  const auto there = std::filesystem::status(path);
  if (std::filesystem::is_other(there))
    throw ModelError("cannot be written: it is a device or a pipe; give the name of a file");
  files::NewFile whole(path + ".part");
  std::ofstream file(whole.path(), std::ios::binary);
  const bool written = file && model.proto().SerializeToOstream(&file) && file.flush();
  file.close();
  if (!written || !file) throw ModelError("cannot be written: is the disk full?");
  whole.moveTo(path);
}

}  // namespace

std::string writeModel(const Model& model) {
  checkSize(model);
  return model.proto().SerializeAsString();
}

void writeModel(const Model& model, const std::string& path) {
  try {
    writeFile(model, path);
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  } catch (const std::system_error& error) {
    throw ModelError(path + ": cannot be written: " + error.code().message());
  }
}

}  // namespace mpm::onnx
