// SPDX-License-Identifier: Apache-2.0
// Every way of using the program wrongly: one sentence, exit status 2, nothing written.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/mpm.h"

namespace mpm::test {
namespace {

using Words = std::vector<std::string>;

TEST(Usage, HelpHasAnExample) {
  for (const std::string command : {"info", "convert", "run", "bench", "tune", "scene", "demo"}) {
    const Ended help = mpmProgram({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("Example: mpm " + command), std::string::npos) << help.out;
  }
  EXPECT_EQ(mpmProgram({"--help"}).status, 0);
}

TEST(Usage, VersionIsOneLine) {
  const Ended version = mpmProgram({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out.find("mpm "), 0U);
  EXPECT_EQ(version.out.find('\n') + 1, version.out.size());
}

TEST(Usage, WithoutArgumentsItHelps) {
  const Ended help = mpmProgram({});
  EXPECT_EQ(help.status, 2);
  EXPECT_EQ(help.out, mpmProgram({"--help"}).out);
}

TEST(Usage, UnknownWords) {
  expectMpmRefuses({"frob"}, 2, "there is no command frob; mpm --help");
  expectMpmRefuses({"segmet", "a.onnx"}, 2, "there is no command segmet");
  expectMpmRefuses({"--frob"}, 2, "mpm --help");
  expectMpmRefuses({"info"}, 2, "MODEL is required");
  expectMpmRefuses({"info", "a.onnx", "--frob"}, 2, "--frob");
  expectMpmRefuses({"info", "a.onnx", "b.onnx"}, 2, "b.onnx");
  expectMpmRefuses({"convert", "a.onnx"}, 2, "--output is required");
  expectMpmRefuses({"run", "a.onnx", "--input", "x.npy"}, 2, "--output-dir is required");
  expectMpmRefuses({"run", "a.onnx", "--output-dir", "out"}, 2, "--input is required");
  expectMpmRefuses({"bench"}, 2, "MODEL is required");
  expectMpmRefuses({"tune", "a.onnx"}, 2, "INPUT is required");
  expectMpmRefuses({"bench", "a.onnx", "--merge-before"}, 2, "--merge-before");
}

// Options are read before files are, so no model is needed.
void expectOptionRefused(const Words& option, const std::string& part) {
  const Folder folder;
  Words convert = {"convert", folder.at("a.onnx"), "-o", folder.at("b.onnx")};
  convert.insert(convert.end(), option.begin(), option.end());
  expectMpmRefuses(convert, 2, part);
  Words run = {"run",          folder.at("a.onnx"), "--input", folder.at("x.npy"),
               "--output-dir", folder.at("out")};
  run.insert(run.end(), option.begin(), option.end());
  expectMpmRefuses(run, 2, part);
  EXPECT_TRUE(folder.content().empty());
}

TEST(Usage, ASchedule) {
  const std::string right =
      "is not a block; give numbers from 0 with commas between them, as 2,5, or none for full "
      "tokens\n";
  expectOptionRefused({"--merge-before", "2,x"}, "mpm: --merge-before 2,x: 'x' " + right);
  expectOptionRefused({"--merge-before", "2,"}, "--merge-before 2,: '' " + right);
  expectOptionRefused({"--merge-before", "-1"}, "--merge-before -1: '-1' " + right);
  expectOptionRefused({"--merge-before", "2;x"}, "'x' " + right);
  expectOptionRefused({"--merge-before", "99999999999"}, "'99999999999' " + right);
  expectOptionRefused({"--merge-before", "None"}, "'None' " + right);
  expectOptionRefused({"--merge-before", ""}, "'' " + right);
}

TEST(Usage, AnInputSize) {
  for (const std::string size : {"5", "5x", "x5", "0x5", "5x-5", "5x5x5", "axb", "512,384", ""}) {
    expectOptionRefused({"--input-size", size},
                        "mpm: --input-size " + size +
                            " is not a size; give width x height in pixels, "
                            "such as 512x384\n");
  }
}

// Seen: files and folders named "-".
TEST(Usage, TheStandardOutputIsForTextAlone) {
  const std::string model = modelFile("segmenter_mask.onnx");
  expectMpmRefuses({"convert", model, "-o", "-"}, 2,
                   "mpm: cannot write this to the standard output; name a file, such as ./-\n");
  for (const Words& words :
       {Words{"scene", "--seed", "7", "--size", "96x72", "--out", "-"},
        Words{"run", model, "--input", modelFile("images_48x64.npy"), "--output-dir", "-"}}) {
    expectMpmRefuses(words, 2, "cannot write a folder to the standard output; name one");
  }
}

TEST(Usage, ARestore) {
  expectOptionRefused({"--restore", "never"},
                      "mpm: --restore never is not known; use early or late\n");
}

TEST(Usage, APrecisionAndADevice) {
  const auto expectRefused = [](const Words& option, const std::string& part) {
    const Folder folder;
    Words run = {"run",          folder.at("a.onnx"), "--input", folder.at("x.npy"),
                 "--output-dir", folder.at("out")};
    run.insert(run.end(), option.begin(), option.end());
    expectMpmRefuses(run, 2, part);
  };
  expectRefused({"--precision", "int4"},
                "mpm: --precision int4 is not known; use fp32, tf32, bf16, fp16 or int8\n");
#if !defined(__aarch64__)
  expectRefused(
      {"--precision", "fp16"},
      "mpm: --precision fp16: this processor cannot multiply in float16, as Arm's can from "
      "Armv8.2 on; use int8 or fp32\n");
#endif
  expectRefused({"--precision", "tf32"},
                "mpm: --precision tf32: the processor does not compute in it, --device cuda does; "
                "use fp32\n");
  expectRefused({"--device", "tpu"}, "mpm: --device tpu is not known; use cpu or cuda\n");
}

}  // namespace
}  // namespace mpm::test
