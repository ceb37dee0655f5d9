// SPDX-License-Identifier: Apache-2.0
#include "teach/kept.h"

#include <algorithm>
#include <fstream>
#include <ios>
#include <system_error>
#include <utility>
#include <vector>

#include "digest/sha256.h"
#include "files/new_file.h"

namespace mpm::teach {
namespace {

namespace fs = std::filesystem;

// Raise it if the same frames give other features or heads in one version of the library.
constexpr std::string_view kVersion = MPM_VERSION "/2";
constexpr std::size_t kDigits = 64;
constexpr std::string_view kEnding = ".kept";

void removeFile(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

// Tells whether put() gives such a name to files, or to the parts of one while it writes them.
bool isOwn(const std::string& name) {
  constexpr std::string_view kPart = ".part";
  if (name.find_first_not_of("0123456789abcdef") != kDigits ||
      name.compare(kDigits, kEnding.size(), kEnding) != 0)
    return false;
  const std::string_view rest = std::string_view(name).substr(kDigits + kEnding.size());
  return rest.empty() || (rest.starts_with(kPart) &&
                          rest.find_first_not_of("0123456789", kPart.size()) == rest.npos);
}

std::string bytesOf(const fs::path& path, std::uintmax_t most) {
  std::error_code fault;
  const std::uintmax_t size = fs::file_size(path, fault);
  if (fault || size > most) return {};
  std::string bytes(size, '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(bytes.data(), static_cast<std::streamsize>(size)) ? bytes : std::string();
}

}  // namespace

std::string keyOf(std::initializer_list<std::string_view> parts) {
  std::string all(kVersion);
  for (const std::string_view part : parts)
    all += '\n' + std::to_string(part.size()) + ' ' + std::string(part);
  return digest::sha256Of(all);
}

Kept::Kept(std::string folder, std::uintmax_t most)
    : folder_(std::move(folder)), most_(most), begin_(fs::file_time_type::clock::now()) {}

fs::path Kept::fileOf(const std::string& key) const {
  return folder_ / (key + std::string(kEnding));
}

std::optional<std::string> Kept::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path file = fileOf(key);
  std::string bytes = bytesOf(file, most_);
  if (bytes.size() < kDigits) return std::nullopt;
  const std::string seal = bytes.substr(bytes.size() - kDigits);
  bytes.resize(bytes.size() - kDigits);
  if (seal != digest::sha256Of(key + bytes)) {
    removeFile(file);
    return std::nullopt;
  }
  std::error_code ignored;
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
  return bytes;
}

void Kept::put(const std::string& key, std::string_view value) const {
  if (folder_.empty()) return;
  std::error_code fault;
  fs::create_directory(folder_, fault);
  if (fault || !makeRoom(value.size() + kDigits)) return;
  try {
    const fs::path file = fileOf(key);
    files::NewFile whole(file.string() + ".part");
    std::ofstream stream(whole.path(), std::ios::binary);
    stream << value << digest::sha256Of(key + std::string(value));
    stream.close();
    if (stream) whole.moveTo(file);
  } catch (const std::system_error&) {
    // A value that cannot be written is not kept.
  }
}

// Makes room for more bytes; false if it cannot. Parts left by a crash count as old files.
bool Kept::makeRoom(std::uintmax_t bytes) const {
  struct File {
    fs::file_time_type used;
    fs::path path;
    std::uintmax_t bytes = 0;
  };
  std::vector<File> files;
  std::uintmax_t all = bytes;
  std::error_code fault;
  for (fs::directory_iterator each(folder_, fault), end; !fault && each != end;
       each.increment(fault)) {
    if (!isOwn(each->path().filename().string())) continue;
    std::error_code gone;  // another program may make room as well
    File file{each->last_write_time(gone), each->path(), 0};
    if (!gone && each->is_regular_file(gone)) file.bytes = each->file_size(gone);
    if (gone || file.bytes == 0) continue;
    all += file.bytes;
    files.push_back(std::move(file));
  }
  if (fault) return false;
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (all <= most_ || file.used >= begin_) break;
    removeFile(file.path);
    all -= file.bytes;
  }
  return all <= most_;
}

}  // namespace mpm::teach
