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
  for (const std::string command :
       {"info", "convert", "run", "segment", "bench", "tune", "eval", "teach"}) {
    const Ended help = mpmProgram({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("Example: mpm " + command), std::string::npos) << help.out;
  }
  EXPECT_EQ(mpmProgram({"--help"}).status, 0);
}

TEST(Usage, TheHelpOfOtherPrograms) {
  for (const std::string name : {"mpm-scene", "mpm-demo"}) {
    const Ended help = runProgram({besideMpm(name), "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.out.find("Example: " + name + " "), std::string::npos) << help.out;
  }
}

// For one release.
TEST(Usage, OldNamesAnswerWithTheNewOnes) {
  expectMpmRefuses({"monitor", "gate=/dev/video0"}, 2, "mpm: mpm monitor is mpm watch now\n");
  expectMpmRefuses({"export", "--help"}, 2, "mpm export is mpm record export now");
  expectMpmRefuses({"restore"}, 2, "mpm restore is mpm record restore now");
  expectMpmRefuses({"scene", "--raw", "-"}, 2, "mpm scene is mpm-scene now");
  expectMpmRefuses({"demo"}, 2, "mpm demo is mpm-demo now");
  expectMpmRefuses({"convert", "a.onnx", "--output", "b"}, 2, "--output is --out now");
  expectMpmRefuses({"run", "a.onnx", "--output-dir", "b"}, 2, "--output-dir is --out now");
  expectMpmRefuses({"bench", "a.onnx", "--runs", "3"}, 2, "--runs is --count now");
  expectMpmRefuses({"tune", "a.onnx", "b.png", "--frames", "3"}, 2, "--frames is --count now");
  expectMpmRefuses({"tune", "a.onnx", "b.png", "--plot", "c.png"}, 2, "--plot is --out DIR, ");
  expectMpmRefuses({"tune", "a.onnx", "b.png", "--json", "c.json"}, 2, "--json is a flag now");
  expectMpmRefuses({"eval", "a.onnx", "b", "--limit", "3"}, 2, "--limit is --count now");
  expectMpmRefuses({"teach", "--anew"}, 2, "--anew is --restart now");
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
  expectMpmRefuses({"convert", "a.onnx"}, 2, "--out is required");
  expectMpmRefuses({"run", "a.onnx", "--input", "x.npy"}, 2, "--out is required");
  expectMpmRefuses({"run", "a.onnx", "--out", "out"}, 2, "--input is required");
  expectMpmRefuses({"bench"}, 2, "MODEL is required");
  expectMpmRefuses({"tune", "a.onnx"}, 2, "INPUT is required");
  expectMpmRefuses({"bench", "a.onnx", "--merge-before"}, 2, "--merge-before");
}

TEST(Usage, WhatIsNoModelIsNamedAndNothingIsWritten) {
  const Folder folder;
  const std::string older = folder.write("older.onnx", "older");
  for (const BadModel& model : badModels(folder)) {
    const auto before = folder.content();
    for (const Words& words :
         {Words{"info", model.path},
          {"info", "--json", model.path},
          {"bench", model.path},
          {"convert", model.path, "-o", older},
          {"run", model.path, "--input", modelFile("images_48x64.npy"), "--out", folder.at("o")}}) {
      SCOPED_TRACE(words[0] + " of " + model.why);
      expectMpmRefuses(words, model.status, model.path);
    }
    EXPECT_EQ(folder.content(), before) << model.why;
  }
  EXPECT_EQ(bytesOf(older), "older");
}

// Options are read before files are, so no model is needed.
void expectOptionRefused(const Words& option, const std::string& part) {
  const Folder folder;
  Words convert = {"convert", folder.at("a.onnx"), "-o", folder.at("b.onnx")};
  convert.insert(convert.end(), option.begin(), option.end());
  expectMpmRefuses(convert, 2, part);
  Words run = {"run",   folder.at("a.onnx"), "--input", folder.at("x.npy"),
               "--out", folder.at("out")};
  run.insert(run.end(), option.begin(), option.end());
  expectMpmRefuses(run, 2, part);
  EXPECT_TRUE(folder.content().empty());
}

TEST(Usage, ASchedule) {
  const std::string right =
      "is not a block; give numbers from 0 with commas between them, as 2,5, or none for "
      "unmerged\n";
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
  const std::string folder = "cannot write a folder to the standard output; name one";
  expectMpmRefuses({"run", model, "--input", modelFile("images_48x64.npy"), "--out", "-"}, 2,
                   folder);
  expectRefusal(runProgram({besideMpm("mpm-scene"), "--size", "96x72", "--out", "-"}), 2,
                "mpm-scene", folder);
}

TEST(Usage, ARestore) {
  expectOptionRefused({"--restore", "never"},
                      "mpm: --restore never is not known; use early or late\n");
}

TEST(Usage, APrecisionAndADevice) {
  const auto expectRefused = [](const Words& option, const std::string& part) {
    const Folder folder;
    Words run = {"run",   folder.at("a.onnx"), "--input", folder.at("x.npy"),
                 "--out", folder.at("out")};
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

// What bash offers where these words are typed and the last one is to be completed.
std::string completed(const std::string& program, const std::string& words) {
  const Folder folder;
  const std::string script =
      folder.write("completion", runProgram({besideMpm(program), "--page=bash"}).out);
  const std::string type = "source " + script + "; COMP_WORDS=(" + words +
                           "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _" + program +
                           "_words; echo ${COMPREPLY[@]}";
  const Ended ended = runProgram({"/bin/bash", "-c", type});
  EXPECT_EQ(ended.err, "");
  return ended.out;
}

TEST(Pages, BashCompletesCommandsOptionsAndChoices) {
  EXPECT_EQ(completed("mpm", "mpm se"), "segment\n");
  EXPECT_EQ(completed("mpm", "mpm segment model.onnx --me"), "--memory --merge-before\n");
  EXPECT_EQ(completed("mpm", "mpm segment model.onnx --memory o"), "on off\n");
  EXPECT_EQ(completed("mpm", "mpm segment --fit ''"), "stretch slide\n");
  EXPECT_EQ(completed("mpm", "mpm segment --out ''"), "\n");  // then bash offers files
  EXPECT_EQ(completed("mpm", "mpm mon"), "\n") << "an old name is offered";
  EXPECT_EQ(completed("mpm-scene", "mpm-scene --weather r"), "rain\n");
}

TEST(Pages, AManPageHasEveryCommandAndOption) {
  const std::string page = mpmProgram({"--page=man"}).out;
  EXPECT_EQ(page.rfind(".TH MPM 1 ", 0), 0U) << page;
  for (const char* part : {"\n.SH \"mpm segment\"\n", "\n.B \\-o, \\-\\-out \\fIDIR\\fR\n",
                           "\nAdvanced:\n", "\n.B MODEL\n"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("\\-\\-anew"), std::string::npos) << "an old name is explained";
}

// zsh itself need not be here.
TEST(Pages, ZshHasAFunctionForEachCommand) {
  const std::string script = mpmProgram({"--page=zsh"}).out;
  EXPECT_EQ(script.rfind("#compdef mpm\n", 0), 0U) << script;
  for (const char* part : {"\n_mpm_segment() {", "'--fit[how a frame is fitted to the model'\\''s",
                           ":value:(stretch slide)'", "        segment) _mpm_segment ;;\n"})
    EXPECT_NE(script.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace mpm::test
