// SPDX-License-Identifier: Apache-2.0
#include "evaluate/journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "evaluate/journal_case.h"

namespace mpm::test {
namespace {

using evaluate::Journal;
using evaluate::readJournal;

using JournalTest = JournalCase;

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

TEST_F(JournalTest, AFaultIsTriedAgain) {
  const std::string path = folder_.at("journal.jsonl");
  go(path);
  putPicture(folder_.at("labels/p02.png"), cv::Mat(20, 32, CV_8U, cv::Scalar(1)));
  EXPECT_EQ(go(path), 1);
  EXPECT_EQ(go(path), 0);
  const evaluate::JournalContent content = readJournal(path);
  EXPECT_EQ(content.records.size(), static_cast<std::size_t>(kPictures));
  EXPECT_FALSE(content.records[2].fault);
}

TEST_F(JournalTest, OtherOptionsAreRefused) {
  const std::string path = folder_.at("journal.jsonl");
  go(path);
  header_.options["stride"] = "512";
  expectRefused(path, "it was begun differently, stride 480 and 512; --restart drops it");
  header_.options = headerOf(measure_, kPictures).options;
  header_.options["night"] = "the paper's";
  expectRefused(path, "night nothing and the paper's");
  header_ = headerOf(measure_, kPictures);
  header_.schedules[2] = {3};
  expectRefused(path, "schedules none; 2,5; 4 and none; 2,5; 3");
  header_ = headerOf(measure_, kPictures + 1);
  expectRefused(path, "number of pictures 7 and 8");
  header_ = headerOf(measure_, kPictures);
  header_.shard = {1, 2};
  expectRefused(path, "it belongs to shard 1 of 1");
  header_ = headerOf(measure_, kPictures);
  header_.notes["machine"] = "another one";
  EXPECT_EQ(Journal(path, header_, false).records().size(), static_cast<std::size_t>(kPictures));
  header_.options["stride"] = "512";
  EXPECT_TRUE(Journal(path, header_, true).records().empty());
  EXPECT_EQ(bytesOf(path), lineOf(header_) + "\n");
}

// Before the model's identity was its SHA-256, journals had 64 bits of another sum there.
TEST_F(JournalTest, OneOfAnotherIdentityOfTheModelIsRefused) {
  const std::string path = folder_.at("journal.jsonl");
  header_.options["model"] = "0123456789abcdef";
  go(path);
  header_.options["model"] = std::string(64, 'a');
  expectRefused(path, "it was begun differently, model 0123456789abcdef and aaaa");
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
  expectRefused(path, "line 2 is damaged: it has a picture that is not in shard 1 of 1");
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

// The largest size of a file stands for a disk that is full.
TEST_F(JournalTest, ADiskThatIsFullLeavesWhatIsFinished) {
  const std::string path = folder_.at("journal.jsonl");
  go(path);
  const std::string whole = bytesOf(path);
  const std::vector<std::string> lines = linesOf(readJournal(path).records);
  std::filesystem::remove(path);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small = {whole.size() / 2, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  std::string sentence;
  try {
    go(path);
  } catch (const std::runtime_error& error) {
    sentence = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(sentence.find("cannot write " + path), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("the same command continues from there"), std::string::npos) << sentence;
  const std::string left = bytesOf(path);
  EXPECT_EQ(left.back(), '\n');
  EXPECT_EQ(whole.find(left), 0U);
  const std::size_t finished = readJournal(path).records.size();
  EXPECT_GT(finished, 0U);
  EXPECT_LT(finished, lines.size());
  go(path);
  EXPECT_EQ(linesOf(readJournal(path).records), lines);
}

}  // namespace
}  // namespace mpm::test
