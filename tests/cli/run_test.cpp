// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
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

using cli::Array;
using cli::readNpy;
using Words = std::vector<std::string>;

Ended run(const std::string& model, const Words& inputs, const std::string& folder,
          const Words& more = {}) {
  Words words = {"run", model, "--out", folder};
  for (const std::string& input : inputs) words.insert(words.end(), {"--input", input});
  words.insert(words.end(), more.begin(), more.end());
  return mpmProgram(words);
}

void expectRunRefused(const std::string& model, const Words& inputs, int status,
                      const std::string& sentence) {
  const Folder folder;
  expectRefusal(run(model, inputs, folder.at("out")), status, "mpm", sentence);
  EXPECT_TRUE(folder.content().empty());
}

TEST(Run, FullTokensAreTheModel) {
  const Folder folder;
  const Ended ended =
      run(modelFile("segmenter_mask.onnx"), {"image=" + modelFile("images_48x64.npy")},
          folder.at("out"), {"--merge-before", "none"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(folder.content(),
            (std::set<std::string>{"out", "out/masks.npy", "out/mpm_map.npy", "out/mpm_rows.npy"}));
  const Array masks = readNpy(folder.at("out/masks.npy"));
  const Array expected = readNpy(modelFile("segmenter_mask.masks.npy"));
  EXPECT_EQ(masks.shape, expected.shape);
  ASSERT_EQ(masks.values.size(), expected.values.size());
  for (std::size_t i = 0; i < masks.values.size(); ++i) {
    ASSERT_NEAR(masks.values[i], expected.values[i], 1e-3) << i;
  }
  const Array map = readNpy(folder.at("out/mpm_map.npy"));
  EXPECT_EQ(map.shape, (std::vector<int>{2, 48}));
  for (int i = 0; i < 96; ++i) EXPECT_EQ(map.values[i], static_cast<float>(i % 48));
  EXPECT_EQ(readNpy(folder.at("out/mpm_rows.npy")).values, (std::vector<float>{49, 49}));
}

TEST(Run, ItMergesByItself) {
  const Folder folder;
  const Ended ended =
      run(modelFile("segmenter_mask.onnx"), {modelFile("images_48x64.npy")}, folder.at("out"));
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Array rows = readNpy(folder.at("out/mpm_rows.npy")),
              map = readNpy(folder.at("out/mpm_map.npy"));
  for (int b = 0; b < 2; ++b) {
    EXPECT_LE(rows.values[b], 47);
    EXPECT_GE(rows.values[b], 1 + 12);
    const auto first = map.values.begin() + 48 * b;
    EXPECT_EQ(*std::max_element(first, first + 48) + 2, rows.values[b]);
  }
}

// Right to what bfloat16 can hold where the processor has it, else refused in one sentence.
TEST(Run, Bfloat16) {
  const Folder folder;
  const Ended ended = run(modelFile("segmenter_mask.onnx"), {modelFile("images_48x64.npy")},
                          folder.at("out"), {"--merge-before", "none", "--precision", "bf16"});
  if (ended.status == 2) {
    expectRefusal(ended, 2, "mpm",
                  "mpm: --precision bf16: this processor cannot multiply in bfloat16; use fp32\n");
    EXPECT_TRUE(folder.content().empty());
    GTEST_SKIP() << "this processor has no bfloat16 products";
  }
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Array masks = readNpy(folder.at("out/masks.npy")),
              expected = readNpy(modelFile("segmenter_mask.masks.npy"));
  ASSERT_EQ(masks.values.size(), expected.values.size());
  float largest = 0, difference = 0;
  for (std::size_t i = 0; i < masks.values.size(); ++i) {
    largest = std::max(largest, std::abs(expected.values[i]));
    difference = std::max(difference, std::abs(masks.values[i] - expected.values[i]));
  }
  EXPECT_LE(difference, 0.05F * largest);
  EXPECT_GT(difference, 0);  // it was not float32
}

TEST(Run, AnotherInputSize) {
  const Folder folder;
  const std::string model = modelFile("segmenter_mask.onnx"),
                    images = modelFile("images_64x64.npy");
  expectRunRefused(model, {images}, 2,
                   "mpm: input image is [2 x 3 x 64 x 64]; the model takes [any x 3 x 48 x 64]\n");
  const Ended wrong = run(model, {images}, folder.at("out"), {"--input-size", "80x64"});
  expectRefusal(wrong, 2, "mpm", "the model takes [any x 3 x 64 x 80]");
  EXPECT_TRUE(folder.content().empty());
}

// Positions of 8 x 8 patches, in a file that names no size: a tensor of 8 x 6 is right as well.
TEST(Run, AnOpenSizeIsThatOfTheTensor) {
  const Folder folder;
  const Ended ended = run(modelFile("hf_vit_open_size.onnx"), {modelFile("images_48x64.npy")},
                          folder.at("out"), {"--merge-before", "none"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(readNpy(folder.at("out/mpm_map.npy")).shape, (std::vector<int>{2, 48}));
}

TEST(Run, ABlockThatIsNotThere) {
  const Folder folder;
  const Ended ended = run(modelFile("segmenter_mask.onnx"), {modelFile("images_48x64.npy")},
                          folder.at("out"), {"--merge-before", "12"});
  expectRefusal(ended, 2, "mpm", "mpm: --merge-before 12: the encoder has 8 blocks, 0 to 7\n");
  EXPECT_TRUE(folder.content().empty());
}

TEST(Run, AModelThatCannotMergeRunsWithoutASchedule) {
  const Folder folder, out;
  const std::string model = folder.write("tiny.onnx", tinyModel());
  const std::vector<float> values = {-1, 2, -3, 4, -5, 6};
  writeNpyFile(folder.at("x.npy"), {1, 2, 3}, values.data());
  for (const Words& more : {Words{}, Words{"--merge-before", "none"}}) {
    const Ended ended = run(model, {folder.at("x.npy")}, out.at("out"), more);
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.out, "wrote " + out.at("out/y.npy") + " [1 x 2 x 3]\n");
    EXPECT_EQ(readNpy(out.at("out/y.npy")).values, (std::vector<float>{0, 2, 0, 4, 0, 6}));
  }
  const Ended ended = run(model, {folder.at("x.npy")}, folder.at("out"), {"--merge-before", "2"});
  expectRefusal(ended, 1, "mpm", "tiny.onnx: it cannot merge: ");
}

TEST(Run, InputsByName) {
  const Folder folder, out;
  const std::string model = folder.write("two.onnx", tinyModel({{"a", "b/c=d"}, {"y"}, {}}));
  const std::vector<float> ones(6, 1), twos(6, 2);
  const std::string a = folder.at("ones.npy"), b = folder.at("tw=os.npy");
  writeNpyFile(a, {1, 2, 3}, ones.data());
  writeNpyFile(b, {1, 2, 3}, twos.data());
  const Ended ended = run(model, {"b/c=d=" + b, "a=" + a}, out.at("out"));
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(readNpy(out.at("out/y.npy")).values, std::vector<float>(6, 3));

  expectRunRefused(model, {a}, 2, " has no name; the model's inputs are a, b/c=d\n");
  expectRunRefused(model, {"z=" + a}, 2, "names no input of the model; its inputs are a, b/c=d\n");
  expectRunRefused(model, {"a=" + a}, 2,
                   "mpm: input b/c=d is missing; give it with --input b/c=d=x.npy\n");
  expectRunRefused(model, {"a=" + a, "a=" + b}, 2, "input a is given twice\n");
}

TEST(Run, TensorsThatDoNotFit) {
  const Folder folder;
  const std::string model = folder.write("tiny.onnx", tinyModel()), x = folder.at("x.npy");
  const auto expectShapeRefused = [&](const std::vector<int>& shape, const std::string& part) {
    const std::vector<float> values(64, 0);
    writeNpyFile(x, shape, values.data());
    expectRunRefused(model, {x}, 2, part);
  };
  expectShapeRefused({1, 3, 3}, "mpm: input x is [1 x 3 x 3]; the model takes [any x 2 x 3]\n");
  expectShapeRefused({2, 3}, "input x is [2 x 3]; the model takes [any x 2 x 3]\n");
  expectShapeRefused({1, 1, 2, 3}, "input x is [1 x 1 x 2 x 3]; ");
  expectShapeRefused({}, "input x is []; ");
  expectShapeRefused({0, 2, 3}, "input x is [0 x 2 x 3], which holds no values\n");
}

TEST(Run, TensorsThatCannotBeRead) {
  const Folder folder;
  const std::string model = folder.write("tiny.onnx", tinyModel());
  const std::vector<float> values(6, 0);
  writeNpyFile(folder.at("x.npy"), {1, 2, 3}, values.data());
  const std::string good = bytesOf(folder.at("x.npy"));
  expectRunRefused(model, {folder.at("none.npy")}, 1, "none.npy: No such file or directory");
  expectRunRefused(model, {folder.at("")}, 1, ": Is a directory");
  expectRunRefused(model, {folder.write("empty.npy", "")}, 1, "empty.npy is not a .npy file");
  expectRunRefused(model, {folder.write("text.npy", "1 2 3\n")}, 1, "text.npy is not a .npy file");
  expectRunRefused(model, {folder.write("cut.npy", good.substr(0, good.size() - 4))}, 1,
                   "cut.npy holds 20 bytes of values; its shape needs 24\n");
}

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

}  // namespace
}  // namespace mpm::test
