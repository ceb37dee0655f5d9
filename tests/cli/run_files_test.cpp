// SPDX-License-Identifier: Apache-2.0
// mpm run: every file or none.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "cli/made_models.h"
#include "cli/mpm.h"
#include "cli/npy.h"
#include "cli/npy_files.h"

namespace mpm::test {
namespace {

using Names = std::set<std::string>;

class RunFiles : public testing::Test {
 protected:
  RunFiles() {
    const std::vector<float> values(6, 1);
    writeNpyFile(inputs_.at("x.npy"), {1, 2, 3}, values.data());
  }

  Ended run(const std::vector<std::string>& outputs, const std::string& folder) const {
    const std::string model = inputs_.write("tiny.onnx", tinyModel({{"x"}, outputs, {}}));
    return mpmProgram({"run", model, "--input", inputs_.at("x.npy"), "--out", folder});
  }

  Folder inputs_, out_;
};

TEST_F(RunFiles, NamesAreMadeSafe) {
  const Ended ended = run({"a/b", "../c", "d e:1", ".."}, out_.at("new/folder"));
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(out_.content(), (Names{"new", "new/folder", "new/folder/a_b.npy", "new/folder/.._c.npy",
                                   "new/folder/d_e_1.npy", "new/folder/...npy"}));
}

TEST_F(RunFiles, TwoNamesForOneFile) {
  const std::string folder = out_.at("out");
  expectRefusal(run({"a/b", "a_b"}, folder), 1, "mpm",
                "mpm: outputs a/b and a_b would both be " + folder + "/a_b.npy\n");
  EXPECT_EQ(out_.content(), Names{});
}

TEST_F(RunFiles, OlderFilesAreReplaced) {
  out_.write("y.npy", "older");
  out_.write("other.npy", "other");
  ASSERT_EQ(run({"y"}, out_.at("")).status, 0);
  EXPECT_EQ(out_.content(), (Names{"y.npy", "other.npy"}));
  EXPECT_EQ(cli::readNpy(out_.at("y.npy")).values.size(), 6U);
  EXPECT_EQ(bytesOf(out_.at("other.npy")), "other");
}

TEST_F(RunFiles, NoFolder) {
  const std::string file = out_.write("file", "older");
  expectRefusal(run({"y"}, file), 1, "mpm",
                "cannot write into " + file + ", which is not a folder\n");
  expectRefusal(run({"y"}, file + "/below"), 1, "mpm", "cannot make the folder " + file + "/below");
  EXPECT_EQ(out_.content(), Names{"file"});
  EXPECT_EQ(bytesOf(file), "older");
}

TEST_F(RunFiles, AllOrNone) {
  std::filesystem::create_directory(out_.at("b.npy"));
  expectRefusal(run({"a", "b"}, out_.at("")), 1, "mpm", "b.npy, which is a folder\n");
  EXPECT_EQ(out_.content(), Names{"b.npy"});
}

TEST_F(RunFiles, WhatIsNoModel) {
  for (const BadModel& model : badModels(inputs_)) {
    SCOPED_TRACE(model.why);
    expectMpmRefuses({"run", model.path, "--input", inputs_.at("x.npy"), "--out", out_.at("out")},
                     1, model.path);
    EXPECT_EQ(out_.content(), Names{});
  }
}

}  // namespace
}  // namespace mpm::test
