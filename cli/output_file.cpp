// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <cerrno>
#include <fstream>
#include <ios>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <system_error>

namespace mpm::cli {

namespace fs = std::filesystem;

void checkOutputFile(const std::string& path) {
  if (path.empty()) return;
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw std::runtime_error("cannot write " + path + ", which is a folder");
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    throw std::runtime_error("cannot write " + path + ": there is no folder " + folder.string());
}

void writeFile(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void replaceFile(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  const fs::path part = path.string() + ".part";
  std::error_code failed;
  try {
    std::ofstream file(part, std::ios::binary);
    if (file) write(file);
    if (!file.flush()) failed = {errno != 0 ? errno : EIO, std::generic_category()};
    file.close();
    std::error_code ignored;
    const fs::file_status before = fs::status(path, ignored);
    if (fs::exists(before)) fs::permissions(part, before.permissions(), ignored);
    if (!failed) fs::rename(part, path, failed);
    if (failed) throw std::runtime_error("cannot write " + path.string() + ": " + failed.message());
  } catch (...) {
    fs::remove(part, failed);
    throw;
  }
}

bool makeFolder(const fs::path& folder) {
  std::error_code failed;
  const bool isNew = fs::create_directories(folder, failed);
  if (!failed) return isNew;
  throw std::runtime_error("cannot make the folder " + folder.string() + ": " + failed.message());
}

void writePicture(const std::filesystem::path& path, const cv::Mat& picture,
                  const std::vector<int>& parameters) {
  std::vector<unsigned char> bytes;
  if (!cv::imencode(path.extension().string(), picture, bytes, parameters))
    throw std::runtime_error("cannot write " + path.string());
  writeFile(path.string(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace mpm::cli
