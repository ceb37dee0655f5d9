// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <cerrno>
#include <csignal>
#include <fstream>
#include <ios>
#include <iostream>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/wording.h"
#include "dnn/model_files.h"

namespace mpm::cli {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const std::error_code& why) {
  throw std::runtime_error("cannot write " + path.string() + ": " + why.message());
}

std::error_code lastError() { return {errno != 0 ? errno : EIO, std::generic_category()}; }

// Tells whether another file may take this name. A file that the shell opened as standard output
// has one too, which /dev/stdout leads to.
bool canBeReplaced(const fs::path& given, const fs::path& target) {
  const std::string name = given.string();
  if (name.starts_with("/dev/") || name.starts_with("/proc/")) return false;
  std::error_code ignored;
  return !fs::exists(target, ignored) || fs::is_regular_file(target, ignored);
}

void removeAll(int signal) {
  files::removeUnfinished();
  files::removeUnfinishedOfLibrary();
  raise(signal);  // which now does what it would have done; see SA_RESETHAND
}

}  // namespace

OutputFile::OutputFile(const fs::path& path, const std::string& ending) : target_(followed(path)) {
  std::error_code ignored;
  if (fs::is_directory(target_, ignored))
    throw std::runtime_error("cannot write " + path.string() + ", which is a folder");
  if (!canBeReplaced(path, target_)) {
    target_ = path;
    return;
  }
  // A protected file stays, though its folder would let another one take its place.
  if (fs::exists(target_, ignored) && access(target_.c_str(), W_OK) != 0) failToWrite(path);
  try {
    part_.emplace(target_.parent_path() / ".mpm-", ending);
  } catch (const std::system_error& error) {
    fail(path, error.code());
  }
}

void OutputFile::write(const std::function<void(std::ostream&)>& give) const {
  // Standard output may be a file that this program has written into already.
  std::cout.flush();
  errno = 0;
  std::ofstream file(part(), isFile() ? std::ios::binary : std::ios::binary | std::ios::app);
  if (file) give(file);
  if (!file.flush()) failToWrite(target_);
}

void OutputFile::finish() {
  if (!isFile()) return;
  std::error_code ignored;
  const fs::file_status before = fs::status(target_, ignored);
  if (fs::exists(before)) fs::permissions(part(), before.permissions(), ignored);
  try {
    part_->moveTo(target_);
  } catch (const std::system_error& error) {
    fail(target_, error.code());
  }
}

void failToWrite(const fs::path& path) { fail(path, lastError()); }

void writeFile(const fs::path& path, std::string_view bytes) {
  writeFile(path, [&](std::ostream& file) {
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  });
}

void writeFile(const fs::path& path, const std::function<void(std::ostream&)>& give) {
  OutputFile file(path);
  file.write(give);
  file.finish();
}

void printReport(const std::string& table, const std::string& json, bool asJson,
                 const std::string& out) {
  std::cout << (asJson ? json : table);
  if (!out.empty()) writeFile(out, json);
}

bool makeFolder(const fs::path& folder) {
  if (!folder.empty() && *folder.begin() == kStandardOutput)
    throw UsageError("cannot write a folder to the standard output; name one, such as ./-");
  std::error_code failed;
  const bool isNew = fs::create_directories(folder, failed);
  if (!failed) return isNew;
  throw std::runtime_error("cannot make the folder " + folder.string() + ": " + failed.message());
}

void writePicture(const fs::path& path, const cv::Mat& picture,
                  const std::vector<int>& parameters) {
  std::vector<unsigned char> bytes;
  std::string why;
  try {
    if (!cv::imencode(path.extension().string(), picture, bytes, parameters)) why = "no encoder";
  } catch (const cv::Exception& error) {  // it has more pixels than the format holds
    why = withoutFrame(error.err);
  }
  if (!why.empty()) {
    throw std::runtime_error("cannot write " + path.string() + " of " + sizeText(picture.size()) +
                             " pixels: " + why);
  }
  writeFile(path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

fs::path followed(fs::path path) {
  std::error_code ignored;
  for (int links = 0; links < 40 && fs::is_symlink(path, ignored); ++links) {
    path = path.parent_path() / fs::read_symlink(path, ignored);
  }
  return fs::weakly_canonical(fs::absolute(path), ignored);
}

void endWithoutLeftovers() {
  struct sigaction action {};
  action.sa_handler = removeAll;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction present {};
    if (sigaction(signal, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    sigaction(signal, &action, nullptr);
  }
}

void removeLeftovers(const std::filesystem::path& model) {
  files::removeLeftovers(followed(model).string() + ".part");
}

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
