// SPDX-License-Identifier: Apache-2.0
#include "cli/folder.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "in_memory.h"

namespace mpm::test {

namespace fs = std::filesystem;

Folder::Folder(Disk disk) {
  const fs::path parent = disk == Disk::memory ? folderInMemory() : fs::temp_directory_path();
  std::string name = (parent / "mpm_test_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Folder::write(const std::string& name, std::string_view bytes) const {
  std::ofstream file(path_ / name, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + at(name));
  return at(name);
}

std::set<std::string> Folder::content() const {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(path_)) {
    names.insert(fs::relative(entry.path(), path_).string());
  }
  return names;
}

std::string bytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace mpm::test
