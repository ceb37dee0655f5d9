// SPDX-License-Identifier: Apache-2.0
// An output is written beside its place and renamed.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>

#include "cli/folder.h"
#include "cli/output.h"
#include "in_project.h"
#include "mpm/net.h"

namespace mpm::test {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

TEST(OutputFile, TakesNobodysFileOnTheWay) {
  const Folder folder;
  folder.write("good.csv.part", "somebody's");
  cli::writeFile(folder.at("good.csv"), "new");
  EXPECT_EQ(bytesOf(folder.at("good.csv")), "new");
  EXPECT_EQ(bytesOf(folder.at("good.csv.part")), "somebody's");
  EXPECT_EQ(folder.content(), (Names{"good.csv", "good.csv.part"}));
}

TEST(OutputFile, LeavesWhatWasThereUntilItIsWhole) {
  const Folder folder;
  const std::string path = folder.write("a.json", "old");
  fs::create_hard_link(path, folder.at("twin.json"));
  EXPECT_THROW(cli::writeFile(path,
                              [&](std::ostream& file) {
                                file << "half";
                                throw std::runtime_error("no more");
                              }),
               std::runtime_error);
  EXPECT_EQ(folder.content(), (Names{"a.json", "twin.json"}));
  EXPECT_EQ(bytesOf(path), "old");
  cli::writeFile(path, "new");
  EXPECT_EQ(bytesOf(path), "new");
  EXPECT_EQ(bytesOf(folder.at("twin.json")), "old");  // another file, which nobody named
}

// Ctrl-C in the middle of a long video.
TEST(OutputFileDeathTest, NothingIsLeftWhereASignalEndsTheProgram) {
  const Folder folder;
  const std::string path = folder.write("day.mp4", "old");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto interrupt = [&] {
      cli::endWithoutLeftovers();
      const cli::OutputFile file(path, ".mp4");
      const cli::OutputFile other(folder.at("frames.jsonl"));
      raise(signal);
    };
    EXPECT_EXIT(interrupt(), testing::KilledBySignal(signal), "");
    EXPECT_EQ(folder.content(), (Names{"day.mp4"}));
    EXPECT_EQ(bytesOf(path), "old");
  }
}

// Seen: half a model stayed until the next run that wrote the same one.
TEST(OutputFileDeathTest, NorWhereTheLibraryWrites) {
  const Folder folder;
  const auto interrupt = [&] {
    cli::endWithoutLeftovers();
    std::signal(SIGXFSZ, [](int) { raise(SIGINT); });  // in the middle
    const rlimit few{10000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &few);
    convert(inProject("tests/models/segmenter_mask.onnx"), folder.at("merged.onnx"));
  };
  EXPECT_EXIT(interrupt(), testing::KilledBySignal(SIGINT), "");
  EXPECT_EQ(folder.content(), Names());
}

// Under nohup, say.
TEST(OutputFileDeathTest, ASignalThatIsIgnoredStaysSo) {
  const Folder folder;
  const auto finish = [&] {
    std::signal(SIGHUP, SIG_IGN);
    cli::endWithoutLeftovers();
    cli::OutputFile file(folder.at("a.json"));
    raise(SIGHUP);
    file.write([](std::ostream& out) { out << "all of it"; });
    file.finish();
    std::exit(0);
  };
  EXPECT_EXIT(finish(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(folder.content(), (Names{"a.json"}));
}

TEST(OutputFile, FollowsALinkAndKeepsPermissions) {
  const Folder folder;
  const std::string path = folder.write("a.json", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("a.json", folder.at("link"));
  fs::create_symlink("later.json", folder.at("ahead"));
  cli::writeFile(folder.at("link"), "new");
  cli::writeFile(folder.at("ahead"), "later");
  EXPECT_TRUE(fs::is_symlink(folder.at("link")));
  EXPECT_EQ(bytesOf(path), "new");
  EXPECT_EQ(bytesOf(folder.at("later.json")), "later");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(fs::status(folder.at("later.json")).permissions(), fs::perms(0666 & ~mask));
}

}  // namespace
}  // namespace mpm::test
