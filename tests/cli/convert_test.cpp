// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>

#include "cli/made_models.h"
#include "cli/mpm.h"
#include "cli/npy.h"

namespace mpm::test {
namespace {

using Names = std::set<std::string>;

TEST(Convert, TheFileRunsLikeTheModel) {
  const Folder folder;
  const std::string model = modelFile("segmenter_mask.onnx"), merged = folder.at("merged.onnx");
  const Ended convert = mpmProgram({"convert", model, "-o", merged, "--merge-before", "1,3"});
  ASSERT_EQ(convert.status, 0) << convert.err;
  EXPECT_EQ(convert.out, "wrote " + merged + ", merges before blocks 1 and 3\n");
  EXPECT_EQ(folder.content(), Names{"merged.onnx"});

  const std::string images = modelFile("images_48x64.npy");
  const Ended own = mpmProgram(
      {"run", model, "--input", images, "--out", folder.at("own"), "--merge-before", "1,3"});
  EXPECT_EQ(own.status, 0) << own.err;
  const Ended converted =
      mpmProgram({"run", merged, "--input", images, "--out", folder.at("converted")});
  EXPECT_EQ(converted.status, 0) << converted.err;
  for (const std::string name : {"masks", "mpm_map", "mpm_rows"}) {
    EXPECT_EQ(cli::readNpy(folder.at("own/" + name + ".npy")).values,
              cli::readNpy(folder.at("converted/" + name + ".npy")).values)
        << name;
  }
}

// As Ctrl-C leaves them.
TEST(Convert, RemovesWhatAnEarlierRunLeftInTheMiddle) {
  const Folder folder;
  const std::string merged = folder.at("merged.onnx");
  const auto anHourAgo = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (const char* name : {".part123", ".part", ".part12x", ".part77"}) {
    folder.write("merged.onnx" + std::string(name), "half");
    if (std::string(name) == ".part77") continue;  // somebody else's, on its way
    std::filesystem::last_write_time(merged + name, anHourAgo);
  }
  EXPECT_EQ(mpmProgram({"convert", modelFile("segmenter_mask.onnx"), "-o", merged}).status, 0);
  EXPECT_EQ(folder.content(), (Names{"merged.onnx", "merged.onnx.part", "merged.onnx.part12x",
                                     "merged.onnx.part77"}));
}

TEST(Convert, CalibratesOnFramesAndLeavesThemAlone) {
  const Folder folder;
  const std::string model = modelFile("segmenter_mask.onnx"), merged = folder.at("merged.onnx");
  ASSERT_EQ(runProgram({besideMpm("mpm-scene"), "--seeds", "7..7", "--size", "96x72", "--out",
                        folder.at("drawn")})
                .status,
            0);
  const std::string pictures = folder.at("drawn/images");
  const std::string plain = folder.at("plain.onnx");
  EXPECT_EQ(mpmProgram({"convert", model, "-o", plain}).status, 0);
  EXPECT_EQ(mpmProgram({"convert", model, "-o", merged, "--calibrate", pictures}).status, 0);
  EXPECT_GT(std::filesystem::file_size(merged), std::filesystem::file_size(plain));
  const std::string picture = std::filesystem::directory_iterator(pictures)->path().string();
  expectMpmRefuses({"convert", model, "-o", picture, "--calibrate", pictures}, 2,
                   ", which this command reads; name another place\n");
  expectMpmRefuses({"convert", model, "-o", merged, "--calibrate", folder.at("none")}, 1,
                   folder.at("none"));
  const std::string other = modelFile("refused_swin.onnx");
  expectMpmRefuses({"convert", other, "-o", merged, "--calibrate", pictures}, 1, other);
}

TEST(Convert, ABlockThatIsNotThere) {
  const Folder folder;
  expectMpmRefuses({"convert", modelFile("segmenter_mask.onnx"), "-o", folder.at("b.onnx"),
                    "--merge-before", "8"},
                   2, "mpm: --merge-before 8: the encoder has 8 blocks, 0 to 7\n");
  EXPECT_EQ(folder.content(), Names{});
}

TEST(Convert, AModelThatCannotMerge) {
  const Folder folder;
  const std::string model = folder.write("tiny.onnx", tinyModel());
  expectMpmRefuses({"convert", model, "-o", folder.at("b.onnx")}, 1, "tiny.onnx");
  EXPECT_EQ(folder.content(), Names{"tiny.onnx"});
}

TEST(Convert, WhereNothingCanBeWritten) {
  const Folder folder;
  const std::string model = modelFile("segmenter_mask.onnx");
  std::filesystem::create_directory(folder.at("folder"));
  for (const std::string name : {"missing/b.onnx", "folder"}) {
    expectMpmRefuses({"convert", model, "-o", folder.at(name)}, 1, folder.at(name));
  }
  EXPECT_EQ(folder.content(), Names{"folder"});
}

}  // namespace
}  // namespace mpm::test
