// SPDX-License-Identifier: Apache-2.0
// mpm teach: a taught model from folders, what it refuses, and a check.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/mpm.h"

namespace mpm::test {
namespace {

using Words = std::vector<std::string>;

class TeachCommand : public testing::Test {
 protected:
  TeachCommand() {
    std::filesystem::create_directory(folder_.at("frames"));
    std::filesystem::create_directory(folder_.at("labels"));
    for (const char* name : {"a", "b", "c"}) put(name, true);
    put("d", false);
  }

  // Two colours, side by side.
  void put(const std::string& name, bool painted) const {
    cv::Mat frame(48, 64, CV_8UC3, cv::Scalar(200, 90, 20)), labels(48, 64, CV_8U, cv::Scalar(0));
    const int from = 24 + name[0] % 3 * 8;
    frame.colRange(from, 64).setTo(cv::Scalar(30, 160, 220));
    labels.colRange(from, 64).setTo(1);
    cv::imwrite(folder_.at("frames/" + name + ".png"), frame);
    if (painted) cv::imwrite(folder_.at("labels/" + name + ".png"), labels);
  }

  Ended teach(const Words& more, const std::string& backbone = "segmenter_mask.onnx") const {
    Words words = {"teach",
                   "--backbone",
                   modelFile(backbone),
                   "--frames",
                   folder_.at("frames"),
                   "--labels",
                   folder_.at("labels"),
                   "-o",
                   out_};
    words.insert(words.end(), more.begin(), more.end());
    return mpmProgram(words);
  }
  void expectRefused(const Ended& ended, int status, const std::string& part) const {
    expectRefusal(ended, status, "mpm", part);
    EXPECT_FALSE(folder_.content().contains("yard.onnx"));
  }

  Folder folder_;
  const std::string out_ = folder_.at("yard.onnx");
};

TEST_F(TeachCommand, TeachesAndChecks) {
  const Ended taught = teach({"--classes", "water, bank"});
  ASSERT_EQ(taught.status, 0) << taught.err;
  EXPECT_NE(taught.out.find("class  frames"), std::string::npos) << taught.out;
  EXPECT_NE(taught.out.find("bank        3"), std::string::npos) << taught.out;
  EXPECT_NE(taught.out.find("frames/d.png ("), std::string::npos) << taught.out;
  const Ended info = mpmProgram({"info", out_});
  EXPECT_NE(info.out.find("2: water, bank"), std::string::npos) << info.out;
  const Ended checked = mpmProgram({"teach", "--check", out_, "--frames", folder_.at("frames"),
                                    "--labels", folder_.at("labels")});
  ASSERT_EQ(checked.status, 0) << checked.err;
  EXPECT_NE(checked.out.find("unmerged   2,5"), std::string::npos) << checked.out;
  EXPECT_NE(checked.out.find("bank"), std::string::npos) << checked.out;
}

TEST_F(TeachCommand, TakesTokensOfAsManyDepthsAsItIsTold) {
  for (const std::string depths : {"auto", "1", "4"}) {
    const Ended taught = teach({"--classes", "water,bank", "--depths", depths});
    ASSERT_EQ(taught.status, 0) << taught.err;
    const bool isOfFour = taught.out.find("the tokens of 4 depths") != std::string::npos;
    EXPECT_TRUE(depths == "auto" || isOfFour == (depths == "4")) << taught.out;
    EXPECT_EQ(mpmProgram({"info", out_}).status, 0);
  }
}

// Where a class is on none of the paintings nothing is known of it, even if it is found somewhere.
TEST_F(TeachCommand, ACheckSaysWhatItHasNotSeen) {
  ASSERT_EQ(teach({"--classes", "water,bank,snow"}).status, 0);
  const Folder seen;
  for (const char* kind : {"frames", "labels"}) std::filesystem::create_directory(seen.at(kind));
  cv::Mat labels = cv::imread(folder_.at("labels/a.png"), cv::IMREAD_GRAYSCALE);
  labels.setTo(255, labels == 1);  // nothing says what the bank is
  cv::imwrite(seen.at("labels/a.png"), labels);
  std::filesystem::copy(folder_.at("frames/c.png"),
                        seen.at("frames/a.png"));  // where it begins earlier
  const Ended checked = mpmProgram(
      {"teach", "--check", out_, "--frames", seen.at("frames"), "--labels", seen.at("labels")});
  ASSERT_EQ(checked.status, 0) << checked.err;
  const auto valueOf = [&](const std::string& row) {
    const std::size_t begin = checked.out.find('\n' + row) + 1 + row.size();
    const std::string line = checked.out.substr(begin, checked.out.find('\n', begin) - begin);
    return line.substr(line.find_first_not_of(' '));
  };
  EXPECT_EQ(valueOf("bank").substr(0, 8), "not seen") << checked.out;
  EXPECT_EQ(valueOf("snow").substr(0, 8), "not seen") << checked.out;
  EXPECT_EQ(valueOf("mean"), valueOf("water")) << checked.out;
}

// A number would mean another class than it does to the model.
TEST_F(TeachCommand, ACheckRefusesClassesInAnotherOrder) {
  ASSERT_EQ(teach({"--classes", "water,bank"}).status, 0);
  const Words check = {"teach",    "--check",           out_, "--frames", folder_.at("frames"),
                       "--labels", folder_.at("labels")};
  folder_.write("classes.txt", "water\t#0000ff\nbank\t#808000\nsnow\t#ffffff\n");
  EXPECT_EQ(mpmProgram(check).status, 0) << "one more, and nothing is painted with it";
  const std::string list = folder_.write("labels/classes.txt", "bank\nwater\n");
  expectMpmRefuses(check, 1, "bank is class 0 in " + list + " and class 1 of the model");
}

// What one run computed is beside the paintings for the next one, which writes the same.
TEST_F(TeachCommand, LooksAtAFrameOnce) {
  const Words classes = {"--classes", "water,bank"};
  const std::set<std::string> before = folder_.content();
  const Ended alone = teach({"--classes", "water,bank", "--restart"});
  ASSERT_EQ(alone.status, 0) << alone.err;
  std::set<std::string> after = folder_.content();
  after.erase("yard.onnx");
  EXPECT_EQ(after, before);
  const std::string model = bytesOf(out_);
  ASSERT_EQ(teach(classes).status, 0);
  EXPECT_TRUE(folder_.content().contains("labels/.features"));
  EXPECT_TRUE(bytesOf(out_) == model);
  const Ended again = teach(classes);
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.out.find("; 3 of 3 frames had been looked at before"), std::string::npos)
      << again.out;
  EXPECT_TRUE(bytesOf(out_) == model);
  EXPECT_EQ(alone.out.find("looked at before"), std::string::npos) << alone.out;
}

TEST_F(TeachCommand, TakesNamesAndColoursFromAFile) {
  folder_.write("classes.txt", "water\t#0000ff\nbank\t#808000\n");
  ASSERT_EQ(teach({}).status, 0);
  EXPECT_NE(mpmProgram({"info", out_}).out.find("#0000ff, #808000"), std::string::npos);
}

TEST_F(TeachCommand, RefusesWordsThatMakeNoSense) {
  expectRefused(teach({}), 2, "what are the classes called?");
  expectRefused(teach({"--classes", "water,bank", "--check", out_}), 2, "--check");
  expectRefused(
      mpmProgram({"teach", "--frames", "a", "--labels", "b", "--check", "c", "--restart"}), 2,
      "--restart and --depths do not go with --check");
  expectRefused(teach({"--classes", "water,bank", "--depths", "3"}), 2, "--depths");
  expectRefused(teach({"--classes", "water,water"}), 2, "two classes are called water");
  expectRefused(mpmProgram({"teach", "--frames", "a", "--labels", "b"}), 2, "give --backbone");
  expectRefused(mpmProgram({"teach", "--frames", "a", "--labels", "b", "--backbone", "c"}), 2,
                "needs -o");
}

TEST_F(TeachCommand, RefusesFoldersAndFilesThatDoNotFit) {
  const Words classes = {"--classes", "water,bank"};
  cv::imwrite(folder_.at("labels/b.png"), cv::Mat(48, 64, CV_8U, cv::Scalar(2)));
  expectRefused(teach(classes), 1, "labels/b.png: the painting has number 2");
  cv::imwrite(folder_.at("labels/b.png"), cv::Mat(40, 64, CV_8U, cv::Scalar(1)));
  expectRefused(teach(classes), 1, "labels/b.png: the painting is 64 x 40");
  folder_.write("labels/b.png", "no picture");
  expectRefused(teach(classes), 1, "labels/b.png");
  put("b", true);
  expectRefused(teach(classes, "refused_cnn.onnx"), 1, "no patch tokens");
  std::filesystem::remove_all(folder_.at("labels"));
  std::filesystem::create_directory(folder_.at("labels"));
  expectRefused(teach(classes), 1, "no frame in ");
}

// A disk that is full half-way through the model.
TEST_F(TeachCommand, KeepsTheOldModelWhereTheDiskIsFull) {
  const Words classes = {"--classes", "water,bank"};
  ASSERT_EQ(teach(classes).status, 0);
  const std::string before = bytesOf(out_);
  const std::set<std::string> files = folder_.content();
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit narrow{before.size() / 2, limit.rlim_max};
  const auto caught = std::signal(SIGXFSZ, SIG_IGN);  // which a program inherits
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &narrow), 0);
  const Ended ended = teach(classes);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, caught);
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.err.find("cannot be written"), std::string::npos) << ended.err;
  EXPECT_EQ(bytesOf(out_), before);
  EXPECT_EQ(folder_.content(), files) << "half of a file is left";
}

TEST_F(TeachCommand, KeepsTheOldModelWhereTheNewOneCannotBeWritten) {
  std::filesystem::create_directory(out_);
  const Ended ended = teach({"--classes", "water,bank"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_TRUE(std::filesystem::is_directory(out_));
}

}  // namespace
}  // namespace mpm::test
