// SPDX-License-Identifier: Apache-2.0
#include "teach/kept.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "cli/folder.h"

namespace mpm::test {
namespace {

namespace fs = std::filesystem;
using teach::Kept;

fs::path fileOf(const Folder& folder, const std::string& key) {
  return folder.at("kept/" + key + ".kept");
}

TEST(Kept, FindsWhatWasKept) {
  const Folder folder;
  const std::string key = teach::keyOf({"a", "b"}), value("one\0two\n", 8);
  Kept(folder.at("kept")).put(key, value);
  EXPECT_EQ(Kept(folder.at("kept")).find(key), value);
  EXPECT_EQ(Kept(folder.at("kept")).find(teach::keyOf({"a", "c"})), std::nullopt);
  EXPECT_EQ(Kept("").find(key), std::nullopt);
}

TEST(Kept, KeysTellPartsApart) {
  const std::set<std::string> keys = {teach::keyOf({"ab", "c"}), teach::keyOf({"a", "bc"}),
                                      teach::keyOf({"abc"}), teach::keyOf({"abc", ""}),
                                      teach::keyOf({})};
  EXPECT_EQ(keys.size(), 5U);
}

TEST(Kept, TakesNothingThatIsDamagedOrAnothers) {
  const Folder folder;
  const Kept kept(folder.at("kept"));
  const std::string key = teach::keyOf({"a"}), other = teach::keyOf({"b"});
  kept.put(key, "a value");
  const std::string whole = bytesOf(fileOf(folder, key).string());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    folder.write("kept/" + key + ".kept", damaged);
    EXPECT_EQ(kept.find(key), std::nullopt) << "byte " << i;
    EXPECT_FALSE(fs::exists(fileOf(folder, key))) << "byte " << i;
    folder.write("kept/" + key + ".kept", std::string_view(whole).substr(0, i));
    EXPECT_EQ(kept.find(key), std::nullopt) << "cut after " << i;
  }
  folder.write("kept/" + other + ".kept", whole);
  EXPECT_EQ(kept.find(other), std::nullopt);
  folder.write("kept/" + key + ".kept", whole);
  EXPECT_EQ(kept.find(key), "a value");
}

TEST(Kept, MakesRoomForWhatIsNew) {
  const Folder folder;
  const std::string value(1000, 'x');
  const std::string keys[] = {teach::keyOf({"0"}), teach::keyOf({"1"}), teach::keyOf({"2"}),
                              teach::keyOf({"3"})};
  const auto age = [&](int i, int hours) {
    fs::last_write_time(fileOf(folder, keys[i]),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  const auto put = [&](int i) { Kept(folder.at("kept"), 2200).put(keys[i], value); };
  put(0), put(1);
  age(0, 3), age(1, 4);
  put(2);
  EXPECT_TRUE(fs::exists(fileOf(folder, keys[0])));
  EXPECT_FALSE(fs::exists(fileOf(folder, keys[1]))) << "used longest ago";
  const Kept session(folder.at("kept"), 2200);
  age(0, -1), age(2, -1);  // both used since it began
  session.put(keys[3], value);
  EXPECT_FALSE(fs::exists(fileOf(folder, keys[3])));
  EXPECT_EQ(folder.content().size(), 3U) << "the folder and two files";
  session.put(keys[3], std::string(3000, 'x'));
  EXPECT_FALSE(fs::exists(fileOf(folder, keys[3]))) << "more than there may be";
}

// A folder may be shared, as by mistake the one of the paintings.
TEST(Kept, LeavesOthersFilesAlone) {
  const Folder folder;
  const std::string value(1000, 'x'), key = teach::keyOf({"0"}), other = teach::keyOf({"1"});
  std::filesystem::create_directory(folder.at("kept"));
  const std::set<std::string> others = {
      "a.png",           "notes.kept", key + ".png",        key + ".keep",
      key + ".kept.bak", key,          "a" + key + ".kept", std::string(64, 'g') + ".kept"};
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(9);
  for (const std::string& name : others)
    fs::last_write_time(folder.write("kept/" + name, std::string(5000, 'y')), old);
  fs::last_write_time(folder.write("kept/" + key + ".kept.part17", value), old);
  Kept(folder.at("kept"), 2200).put(key, value);
  EXPECT_EQ(Kept(folder.at("kept"), 2200).find(key), value) << "others' files count nothing";
  fs::last_write_time(fileOf(folder, key), old);
  Kept(folder.at("kept"), 1200).put(other, value);
  std::set<std::string> expected = {"kept", "kept/" + other + ".kept"};
  for (const std::string& name : others) expected.insert("kept/" + name);
  EXPECT_EQ(folder.content(), expected);
}

TEST(Kept, KeepsNothingWhereItCannotWrite) {
  const Folder folder;
  const std::string key = teach::keyOf({"a"});
  Kept(folder.at("none/kept")).put(key, "a value");
  folder.write("file", "no folder");
  Kept(folder.at("file")).put(key, "a value");
  EXPECT_EQ(Kept(folder.at("file")).find(key), std::nullopt);
  EXPECT_EQ(folder.content(), std::set<std::string>{"file"});
}

// A disk that is full in the middle of a file.
TEST(Kept, LeavesNoHalfOfAFile) {
  const Folder folder;
  const Kept kept(folder.at("kept"));
  const std::string key = teach::keyOf({"a"}), value(100000, 'x');
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit narrow{value.size() / 2, limit.rlim_max};
  const auto caught = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &narrow), 0);
  kept.put(key, value);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, caught);
  EXPECT_EQ(folder.content(), std::set<std::string>{"kept"});
  kept.put(key, value);
  EXPECT_EQ(kept.find(key), value);
}

}  // namespace
}  // namespace mpm::test
