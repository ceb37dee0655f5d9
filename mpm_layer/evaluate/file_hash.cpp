// SPDX-License-Identifier: Apache-2.0
#include "evaluate/file_hash.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace mpm::evaluate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRead = 1 << 20;  // a multiple of a word

// Takes words in with a product and a shift that carries high bits down. Every piece but the last
// one has to be a multiple of 8 bytes long.
class Hash {
 public:
  void add(std::string_view bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
      mix(word);
    }
    size_ += bytes.size();
  }

  std::string digits() {
    mix(size_);
    mix(0);
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(state_));
    return text;
  }

 private:
  void mix(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15ULL;
    state_ ^= state_ >> 32;
  }

  std::uint64_t state_ = 0x243F6A8885A308D3ULL, size_ = 0;
};

std::string fileHash(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes(kRead);
  Hash hash;
  while (file) {
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    hash.add({bytes.data(), static_cast<std::size_t>(file.gcount())});
  }
  if (!file.eof()) throw std::runtime_error("cannot read " + path.string());
  return hash.digits();
}

}  // namespace

std::string hashOf(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.digits();
}

std::string modelHash(const std::string& path) {
  const fs::path model = path;
  const std::string name = model.filename().string();
  std::vector<fs::path> files;
  std::error_code ignored;
  const fs::path folder = model.has_parent_path() ? model.parent_path() : fs::path(".");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string other = entry.path().filename().string();
    const bool belongs = other.size() > name.size() && other.starts_with(name) &&
                         (other[name.size()] == '.' || other[name.size()] == '_');
    if (belongs && entry.is_regular_file(ignored)) files.push_back(entry.path());
  }
  const fs::path facts = fs::path(model).replace_extension(".toml");
  if (fs::is_regular_file(facts, ignored)) files.push_back(facts);
  std::sort(files.begin(), files.end());
  std::string all = fileHash(model);
  for (const fs::path& file : files) all += fileHash(file);
  return files.empty() ? all : hashOf(all);
}

}  // namespace mpm::evaluate
