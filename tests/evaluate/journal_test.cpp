// SPDX-License-Identifier: Apache-2.0
#include "evaluate/journal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "evaluate/fake_model.h"
#include "evaluate/picture.h"
#include "evaluate/test_data.h"

namespace mpm::test {
namespace {

using evaluate::Journal;
using evaluate::readJournal;

// A folder of pictures, one of them without its label, and journals of them.
class JournalTest : public testing::Test {
 protected:
  static constexpr int kPictures = 7, kClasses = 4;

  JournalTest() {
    putFolder(folder_, kPictures, kClasses);
    std::filesystem::remove(folder_.at("labels/p02.png"));
    measure_ = measureOf(folder_, kClasses);
    measure_.compareEvery = 3, measure_.input = {30, 20};
    pairs_ = evaluate::listPairs(evaluate::Format::folder, folder_.at(""), "").pairs;
    header_ = headerOf(measure_, kPictures);
  }

  // What `mpm eval` does: goes on with what is there. Gives how many pictures it ran.
  int go(const std::string& path) {
    evaluate::Journal journal(path, header_, false);
    std::set<std::size_t> done;
    for (const evaluate::PictureRecord& record : journal.records()) {
      if (!record.fault) done.insert(record.index);
    }
    int ran = 0;
    evaluate::measurePictures(
        pairs_, measure_, FakeModel{kClasses}, done,
        [&](const evaluate::PictureRecord& record) {
          journal.append(record);
          ran += !record.fault;
        },
        [](double) {});
    return ran;
  }

  void expectRefused(const std::string& path, const std::string& part, bool restart = false) const {
    try {
      evaluate::Journal(path, header_, restart);
      ADD_FAILURE() << "not refused: " << part;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }

  static std::vector<std::string> linesOf(const std::vector<evaluate::PictureRecord>& records) {
    std::vector<std::string> lines;
    for (const evaluate::PictureRecord& record : records) lines.push_back(lineOf(record));
    return lines;
  }

  Folder folder_;
  evaluate::Measure measure_;
  std::vector<evaluate::Pair> pairs_;
  evaluate::Header header_;
};

TEST_F(JournalTest, ALineForEachPictureAndBack) {
  const std::string path = folder_.at("journal.jsonl");
  EXPECT_EQ(go(path), kPictures - 1);
  const evaluate::JournalContent content = readJournal(path);
  ASSERT_TRUE(content.header);
  EXPECT_EQ(lineOf(*content.header), lineOf(header_));
  ASSERT_EQ(content.records.size(), static_cast<std::size_t>(kPictures));
  EXPECT_TRUE(content.records[2].fault);
  const std::string bytes = bytesOf(path);
  EXPECT_EQ(content.size, bytes.size());
  std::string again = lineOf(header_) + "\n";
  for (const std::string& line : linesOf(content.records)) again += line + "\n";
  EXPECT_EQ(again, bytes);
}

// A power cut may leave any beginning of the file.
TEST_F(JournalTest, GoesOnFromAnyByteToTheSameEnd) {
  const std::string path = folder_.at("journal.jsonl");
  go(path);
  const std::string whole = bytesOf(path);
  const std::vector<std::string> lines = linesOf(readJournal(path).records);
  const std::size_t header = whole.find('\n') + 1;
  std::set<std::size_t> sizes = {
      0, 1, 5, header - 1, header, header + 1, whole.size() - 1, whole.size()};
  for (std::size_t size = header; size < whole.size(); size += 1 + whole.size() / 37)
    sizes.insert(size);
  for (const std::size_t size : sizes) {
    SCOPED_TRACE("cut at " + std::to_string(size));
    folder_.write("journal.jsonl", whole.substr(0, size));
    const int finished =
        static_cast<int>(
            std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size), '\n')) -
        1;
    const int ran = go(path);
    EXPECT_EQ(ran, kPictures - 1 - std::max(0, finished - (finished >= 3)));
    EXPECT_EQ(linesOf(readJournal(path).records), lines);
  }
}

// A list of names may be in Latin-1, and JSON holds UTF-8 alone.
TEST_F(JournalTest, NamesThatAreNoUtf8AreStillTheSame) {
  header_.classes[0] = "B\xe4ume";
  EXPECT_EQ(go(folder_.at("journal.jsonl")), kPictures - 1);
  EXPECT_EQ(go(folder_.at("journal.jsonl")), 0);
}

TEST_F(JournalTest, ZerosAtTheEndAreDropped) {
  const std::string path = folder_.at("journal.jsonl");
  go(path);
  const std::string whole = bytesOf(path);
  folder_.write("journal.jsonl", whole + std::string(100, '\0'));
  EXPECT_EQ(go(path), 0);
  EXPECT_EQ(linesOf(readJournal(path).records).size(), static_cast<std::size_t>(kPictures));
}

TEST_F(JournalTest, WhatIsNoJournalIsLeftAlone) {
  const std::string text = folder_.write("text", "Dear diary");
  expectRefused(text, "it is not a journal of mpm eval");
  const std::string line = folder_.write("line", "Dear diary\n");
  expectRefused(line, "it is not a journal of mpm eval");
  const std::string other = folder_.write("other", "{\"mpm_eval\":99}\n");
  expectRefused(other, "it is the journal of another version");
  EXPECT_EQ(bytesOf(text) + bytesOf(line), "Dear diaryDear diary\n");
  expectRefused(folder_.at(""), "cannot write");
  expectRefused(folder_.at("missing/journal.jsonl"), "cannot write");
}

TEST_F(JournalTest, DamageInTheMiddleIsNamed) {
  const std::string path = folder_.at("journal.jsonl");
  go(path);
  const std::string whole = bytesOf(path);
  const std::size_t second = whole.find('\n') + 1, third = whole.find('\n', second) + 1;
  const std::string line = whole.substr(second, third - second);
  folder_.write("journal.jsonl", whole + line);
  expectRefused(path, "line 9 is damaged: it has the picture p00 twice");
  folder_.write("journal.jsonl", whole.substr(0, second) + "{}\n" + whole.substr(second));
  expectRefused(path, "line 2 is damaged: it is not a record");
  std::string beyond = line;
  beyond.replace(beyond.find("\"counts\":["), 11, "\"counts\":[9");
  folder_.write("journal.jsonl", whole.substr(0, second) + beyond);
  expectRefused(path, "line 2 is damaged: it has a class beyond the last one");
  std::string elsewhere = line;
  elsewhere.replace(elsewhere.find("\"index\":0"), 9, "\"index\":7");
  folder_.write("journal.jsonl", whole.substr(0, second) + elsewhere);
  expectRefused(path, "line 2 is damaged: it has a picture that the data set does not have");
  for (const char* index : {"-1.5", "1e300"}) {
    elsewhere = line;
    elsewhere.replace(elsewhere.find("\"index\":0"), 9, std::string("\"index\":") + index);
    folder_.write("journal.jsonl", whole.substr(0, second) + elsewhere);
    expectRefused(path, "line 2 is damaged: it has a number that cannot be a time");
  }
}

TEST_F(JournalTest, OneProcessWritesIt) {
  const std::string path = folder_.at("journal.jsonl");
  const Journal journal(path, header_, false);
  expectRefused(path, "another process is writing it");
  expectRefused(path, "another process is writing it", true);
}

}  // namespace
}  // namespace mpm::test
