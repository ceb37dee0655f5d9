// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "evaluate/fake_model.h"
#include "evaluate/journal.h"
#include "evaluate/picture.h"
#include "evaluate/test_data.h"

namespace mpm::test {

/// A folder of pictures, one of them without its label, and journals of them.
class JournalCase : public testing::Test {
 protected:
  static constexpr int kPictures = 7, kClasses = 4;

  JournalCase() {
    putFolder(folder_, kPictures, kClasses);
    std::filesystem::remove(folder_.at("labels/p02.png"));
    measure_ = measureOf(folder_, kClasses);
    pairs_ = evaluate::listPairs(evaluate::Format::folder, folder_.at(""), "").pairs;
    header_ = headerOf(measure_, kPictures);
  }

  // What `mpm eval` does: goes on with what is there. Gives how many pictures it ran.
  int go(const std::string& path, evaluate::Shard shard = {}) {
    evaluate::Header header = header_;
    header.shard = shard;
    evaluate::Journal journal(path, header, false);
    std::set<std::size_t> done;
    for (const evaluate::PictureRecord& record : journal.records()) {
      if (!record.fault) done.insert(record.index);
    }
    int ran = 0;
    evaluate::measureShard(
        pairs_, shard, measure_, FakeModel{kClasses}, done,
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

}  // namespace mpm::test
