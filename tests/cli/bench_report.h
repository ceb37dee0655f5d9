// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/mpm.h"

namespace mpm::test {

using nlohmann::json;
using Words = std::vector<std::string>;

/// The JSON of a run of two rounds.
inline json bench(const std::string& model, const Words& more = {}) {
  const Folder folder;
  Words words = {"bench", modelFile(model),       "--count", "2", "--threads", "1",
                 "--out", folder.at("bench.json")};
  words.insert(words.end(), more.begin(), more.end());
  const Ended ended = mpmProgram(words);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  return json::parse(bytesOf(folder.at("bench.json")));
}

}  // namespace mpm::test
