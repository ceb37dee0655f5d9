// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/file_hash.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace mpm::test {
namespace {

TEST(FileHash, IsWhatSha256sumSays) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("mpm-hash-" + std::to_string(getpid()));
  std::ofstream(path) << "abc";
  EXPECT_EQ(monitor::sha256Of(path.string()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::ofstream(path, std::ios::trunc).close();
  EXPECT_EQ(monitor::sha256Of(path.string()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  std::filesystem::remove(path);
  EXPECT_THROW(monitor::sha256Of(path.string()), std::runtime_error);
}

}  // namespace
}  // namespace mpm::test
