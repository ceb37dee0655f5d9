// SPDX-License-Identifier: Apache-2.0
#include "onnx/write.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>

namespace mpm::onnx {
namespace {

namespace fs = std::filesystem;

void checkSize(const Model& model) {
  if (model.proto().ByteSizeLong() > INT_MAX) {
    throw ModelError("the model would have more than 2 GB, which one ONNX file cannot hold");
  }
}

// A new, empty file beside `path`, removed again unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& path) {
    std::random_device random;
    for (int attempt = 0; attempt < 100; ++attempt) {
      file_ = path;
      file_ += ".part" + std::to_string(random());
      if (std::FILE* made = std::fopen(file_.string().c_str(), "wbx")) {
        std::fclose(made);
        return;
      }
      if (errno != EEXIST) break;
    }
    const int fault = errno;
    file_.clear();
    throw ModelError("cannot be written: " + std::generic_category().message(fault));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    if (!file_.empty()) fs::remove(file_, ignored);
  }

  const fs::path& path() const { return file_; }

  void renameTo(const fs::path& path) {
    std::error_code fault;
    fs::rename(file_, path, fault);
    if (fault) throw ModelError("cannot be written: " + fault.message());
    file_.clear();
  }

 private:
  fs::path file_;
};

void writeFile(const Model& model, const fs::path& path) {
  checkSize(model);
  TemporaryFile temporary(path);
  std::ofstream file(temporary.path(), std::ios::binary);
  const bool written = file && model.proto().SerializeToOstream(&file) && file.flush();
  file.close();
  if (!written || !file) throw ModelError("cannot be written: is the disk full?");
  temporary.renameTo(path);
}

}  // namespace

std::string writeModel(const Model& model) {
  checkSize(model);
  return model.proto().SerializeAsString();
}

void writeModel(const Model& model, const std::string& path) {
  try {
    writeFile(model, fs::path(path));
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

}  // namespace mpm::onnx
