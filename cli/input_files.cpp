// SPDX-License-Identifier: Apache-2.0
#include "cli/input_files.h"

#include <stdexcept>
#include <sys/stat.h>
#include <system_error>

#include "cli/output_file.h"
#include "cli/usage_error.h"
#include "dnn/model_files.h"

namespace mpm::cli {

namespace fs = std::filesystem;

std::optional<InputFiles::Id> InputFiles::idOf(const fs::path& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return Id(facts.st_dev, facts.st_ino);
}

void InputFiles::add(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    if (const auto id = idOf(path)) files_.insert(*id);
    return;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored)) {
    if (const auto id = idOf(entry.path())) files_.insert(*id);
  }
}

bool InputFiles::has(const fs::path& path) const {
  const auto id = idOf(path);
  if (!id) return false;
  if (!modelFiles_) {
    modelFiles_.emplace();
    if (!model_.empty()) {
      for (const std::string& file : dnn::filesOfModel(model_)) {
        if (const auto known = idOf(file)) modelFiles_->insert(*known);
      }
    }
  }
  return files_.contains(*id) || modelFiles_->contains(*id);
}

void InputFiles::refuse(const fs::path& path) const {
  if (!has(path)) return;
  throw UsageError("cannot write " + path.string() +
                   ", which this command reads; name another place");
}

void InputFiles::checkOutput(const fs::path& path) const {
  if (path.empty()) return;
  if (path == kStandardOutput)
    throw UsageError("cannot write this to the standard output; name a file, such as ./-");
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw std::runtime_error("cannot write " + path.string() + ", which is a folder");
  const fs::path folder = path.parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    throw std::runtime_error("cannot write " + path.string() + ": there is no folder " +
                             folder.string());
  refuse(path);
}

}  // namespace mpm::cli
