// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "evaluate/record.h"

namespace mpm::evaluate {

/// Every `count`-th picture of a data set, from the `number`-th on; numbers begin with 1.
struct Shard {
  int number = 1, count = 1;

  bool has(std::size_t index) const {
    return index % static_cast<std::size_t>(count) == static_cast<std::size_t>(number - 1);
  }
  bool operator==(const Shard&) const = default;
};

/// What a journal is about: everything that a summary needs beside the records.
struct Header {
  std::size_t pictures = 0;  ///< of the data set, all shards together
  std::vector<std::string> classes;
  std::vector<std::size_t> small;  ///< classes that are told apart
  std::vector<Schedule> schedules;
  int special = 0;  ///< rows that never merge
  cv::Size grid;    ///< of the patches; empty where the model cannot merge
  Shard shard;
  /// Whatever else decides the results, in words: "stride" is "480". Results of different options
  /// are never put together.
  std::map<std::string, std::string> options;
  /// What decides nothing, but should be known: the machine, paths.
  std::map<std::string, std::string> notes;
};

/// As one line of JSON without its end, and back. std::runtime_error, one sentence, where the line
/// is no header.
std::string lineOf(const Header& header);
Header headerOf(const std::string& line);

/// What keeps the results of two headers from being put together, in words: "stride 480 and 512";
/// empty where nothing does. Shards and notes may differ.
std::string differenceOf(const Header& a, const Header& b);

std::string nameOf(const Shard& shard);        ///< "shard 2 of 4"
std::string nameOf(const Schedule& schedule);  ///< "2,5", or "none"
std::string fileNameOf(const Shard& shard);    ///< "shard_2_of_4.jsonl"; of all "journal.jsonl"

}  // namespace mpm::evaluate
