// SPDX-License-Identifier: Apache-2.0
#include "evaluate/journal.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "evaluate/journal_case.h"

namespace mpm::test {
namespace {

using evaluate::readJournal;
using evaluate::Shard;

using Join = JournalCase;

TEST_F(Join, ShardsTogetherAreTheWhole) {
  go(folder_.at("journal.jsonl"));
  const std::vector<std::string> whole = linesOf(readJournal(folder_.at("journal.jsonl")).records);
  const Folder one, two;
  EXPECT_EQ(go(one.at("shard_1_of_3.jsonl"), {1, 3}), 3);
  EXPECT_EQ(go(two.at("shard_3_of_3.jsonl"), {3, 3}), 1);
  EXPECT_EQ(go(two.at("shard_2_of_3.jsonl"), {2, 3}), 2);
  const evaluate::Joined joined =
      evaluate::joinJournals({two.at(""), one.at("shard_1_of_3.jsonl")});
  EXPECT_EQ(linesOf(joined.records), whole);
  EXPECT_EQ(joined.header.shard, Shard{});
  EXPECT_EQ(joined.machines, std::vector<std::string>{"a machine"});
}

void expectNotJoined(const std::vector<std::string>& places, const std::string& part) {
  try {
    evaluate::joinJournals(places);
    ADD_FAILURE() << "not refused: " << part;
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST_F(Join, ShardsThatCannotBeJoined) {
  const Folder out;
  const std::string first = out.at("shard_1_of_2.jsonl"), second = out.at("shard_2_of_2.jsonl");
  expectNotJoined({out.at("")}, "there is no journal in " + out.at(""));
  expectNotJoined({out.at("none.jsonl")}, "none.jsonl: it is not a file");
  go(first, {1, 2});
  expectNotJoined({out.at("")}, "of 2 shards these are missing: 2");
  expectNotJoined({out.at(""), first}, "shard 1 of 2 appears twice");
  go(second, {2, 2});
  EXPECT_EQ(evaluate::joinJournals({out.at("")}).records.size(),
            static_cast<std::size_t>(kPictures));
  const std::string bytes = bytesOf(second);
  std::filesystem::resize_file(second, bytes.size() - 3);
  expectNotJoined({out.at("")}, second + ": it is not finished, 1 of 3 pictures are missing");
  std::filesystem::resize_file(second, 4);
  expectNotJoined({out.at("")}, second + ": it is empty");
  std::filesystem::remove(second);
  header_.options["stride"] = "9";
  go(second, {2, 2});
  expectNotJoined({out.at("")}, "do not belong together: stride 480 and 9");
  std::filesystem::remove(second);
  header_.options["stride"] = "480";
  go(out.at("shard_2_of_3.jsonl"), {2, 3});
  expectNotJoined({out.at("")}, "shards of 2 and of 3");
}

// Seen by the fuzzer: it went through all of them, for days.
TEST_F(Join, MorePicturesOrShardsThanCanBeAreCountedAtOnce) {
  const Folder out;
  const std::string path = out.at("journal.jsonl");
  const auto write = [&] { std::ofstream(path) << evaluate::lineOf(header_) << '\n'; };
  header_.pictures = std::numeric_limits<std::size_t>::max();
  header_.shard = {2, 2};
  write();
  expectNotJoined({path}, "9223372036854775807 of 9223372036854775807 pictures are missing");
  header_.pictures = 0;
  header_.shard = {2, std::numeric_limits<int>::max()};
  write();
  expectNotJoined({path}, "missing: 1, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2147483636 more");
}

TEST_F(Join, AShardKnowsHowManyPicturesItHas) {
  for (const Shard shard : {Shard{1, 1}, Shard{1, 3}, Shard{2, 3}, Shard{3, 3}, Shard{5, 5}}) {
    std::size_t count = 0;
    for (std::size_t pictures = 0; pictures < 20; ++pictures) {
      EXPECT_EQ(shard.sizeOf(pictures), count);
      count += shard.has(pictures);
    }
  }
}

}  // namespace
}  // namespace mpm::test
