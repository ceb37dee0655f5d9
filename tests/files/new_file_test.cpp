// SPDX-License-Identifier: Apache-2.0
#include "files/new_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <system_error>

#include "cli/folder.h"

namespace mpm::test {
namespace {

namespace fs = std::filesystem;
using files::NewFile;
using Names = std::set<std::string>;

int faultOf(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::system_error& error) {
    return error.code().value();
  }
  return 0;
}

TEST(NewFile, ComesToItsPlaceWhole) {
  const Folder folder;
  for (const std::string& bytes :
       {std::string("first"), std::string(3000000, 'x'), std::string()}) {
    NewFile file(folder.at(".on-its-way-"), ".part");
    EXPECT_TRUE(file.path().string().ends_with(".part")) << file.path();
    file.write(bytes);
    files::toDisk(file.path());
    file.moveTo(folder.at("a"));
    EXPECT_TRUE(file.path().empty());
    EXPECT_EQ(bytesOf(folder.at("a")), bytes);
  }
  EXPECT_EQ(folder.content(), Names{"a"});
}

TEST(NewFile, OfOneThatIsNotMovedNothingIsLeft) {
  const Folder folder;
  NewFile(folder.at("a")).write("half");
  EXPECT_EQ(folder.content(), Names());
}

TEST(NewFile, NothingIsLeftOfOneThatIsUnfinishedWhereASignalAsks) {
  const Folder folder;
  const NewFile half(folder.at("half"));
  NewFile whole(folder.at("whole"));
  whole.moveTo(folder.at("moved"));
  files::removeUnfinished();
  EXPECT_EQ(folder.content(), Names{"moved"});
}

// Whoever is killed removes nothing.
TEST(NewFile, LeftoversAreThoseThatNobodyHasWrittenToForAMinute) {
  const Folder folder;
  const auto anHourAgo = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const char* name : {"a.part123", "a.part", "a.part12x", "b.part123", "a.part77"}) {
    folder.write(name, "half");
    if (std::string(name) != "a.part77") fs::last_write_time(folder.at(name), anHourAgo);
  }
  files::removeLeftovers(folder.at("a.part"));
  EXPECT_EQ(folder.content(), (Names{"a.part", "a.part12x", "b.part123", "a.part77"}));
}

TEST(NewFile, TwoAtOnceHaveNamesOfTheirOwn) {
  const Folder folder;
  const NewFile one(folder.at("a")), other(folder.at("a"));
  EXPECT_EQ(folder.content().size(), 2U);
}

TEST(NewFile, SaysWhyItCannot) {
  const Folder folder;
  EXPECT_EQ(faultOf([&] { NewFile(folder.at("none/a")); }), ENOENT);
  EXPECT_EQ(faultOf([&] { files::toDisk(folder.at("none")); }), ENOENT);
  fs::create_directory(folder.at("taken"));
  EXPECT_EQ(faultOf([&] { NewFile(folder.at("a")).moveTo(folder.at("taken")); }), EISDIR);
  EXPECT_EQ(folder.content(), Names{"taken"});
}

TEST(NewFile, AFullDiskIsNoticed) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const Folder folder;
  const NewFile file(folder.at("a"));
  fs::remove(file.path());
  fs::create_symlink("/dev/full", file.path());
  for (const std::size_t bytes : {10U, 100000U})
    EXPECT_EQ(faultOf([&] { file.write(std::string(bytes, 'x')); }), ENOSPC) << bytes;
}

}  // namespace
}  // namespace mpm::test
