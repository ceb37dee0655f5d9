// SPDX-License-Identifier: Apache-2.0
// The fuzzer's corpus, in every build and with every compiler.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "in_project.h"
#include "onnx/exercise.h"

namespace mpm::test {
namespace {

TEST(OnnxCorpus, IsReadOrRefusedWithASentence) {
  int models = 0;
  int accepted = 0;
  for (const auto& entry : std::filesystem::directory_iterator(inProject("tests/onnx/corpus"))) {
    SCOPED_TRACE(entry.path().filename().string());
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    const std::string bytes = text.str();
    const bool isGood = exerciseModel(bytes.data(), bytes.size());
    if (entry.path().filename().string().rfind("refused_", 0) == 0) {
      EXPECT_FALSE(isGood);
    } else {
      EXPECT_TRUE(isGood);
    }
    ++models;
    accepted += isGood;
  }
  EXPECT_GE(models, 12);
  EXPECT_GE(accepted, 6);
}

}  // namespace
}  // namespace mpm::test
