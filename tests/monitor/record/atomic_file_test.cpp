// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/atomic_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "monitor/record/sample_record.h"

namespace mpm::monitor {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(AtomicFile, ReplacesAWholeFileAndLeavesNothingBeside) {
  const Folder folder;
  const std::string large(3000000, 'x');
  writeAtomically(folder / "a", "first");
  writeAtomically(folder / "a", large);
  EXPECT_EQ(contents(folder / "a"), large);
  writeAtomically(folder / "a", "");
  EXPECT_EQ(contents(folder / "a"), "");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(AtomicFile, SaysWhyItCannot) {
  const Folder folder;
  std::string text = refusal([&] { writeAtomically(folder / "none/a", "x"); });
  EXPECT_NE(text.find("cannot be written (No such file or directory)"), std::string::npos) << text;
  std::filesystem::create_directory(folder / "taken");
  text = refusal([&] { writeAtomically(folder / "taken", "x"); });
  EXPECT_NE(text.find("cannot be written (Is a directory)"), std::string::npos) << text;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace mpm::monitor
