// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace mpm::monitor {

// In place, as a faulty program or disk writes: the file stays the one that is open.
inline void overwrite(const std::string& path, std::int64_t offset, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(offset);
  file << bytes;
  ASSERT_TRUE(file.flush()) << path;
}

inline void overwriteAll(const std::string& path) {
  overwrite(path, 0, std::string(std::filesystem::file_size(path), '\x5a'));
}

inline void flipBit(const std::string& path, std::int64_t offset) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(offset);
  const char byte = static_cast<char>(file.get());
  overwrite(path, offset, std::string(1, static_cast<char>(byte ^ 8)));
}

}  // namespace mpm::monitor
