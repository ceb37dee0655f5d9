// SPDX-License-Identifier: Apache-2.0
#include "digest/sha256.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "cli/mpm.h"

namespace mpm::test {
namespace {

using digest::sha256Of;

// The examples of FIPS 180-4 and of NIST's validation vectors.
TEST(Sha256, KnownDigests) {
  for (const bool plainly : {false, true}) {
    EXPECT_EQ(sha256Of("", plainly),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256Of("abc", plainly),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256Of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", plainly),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256Of("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnop"
                       "jklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                       plainly),
              "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    EXPECT_EQ(sha256Of(std::string(1000000, 'a'), plainly),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    EXPECT_EQ(sha256Of("\xbd", plainly),
              "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
  }
}

// Around the ends of blocks, where the length has to go into another one.
TEST(Sha256, InstructionsAndPlainCodeAgreeAtEveryLength) {
  std::string bytes;
  for (int length = 0; length < 300; ++length) {
    EXPECT_EQ(sha256Of(bytes), sha256Of(bytes, true)) << length;
    bytes += static_cast<char>(length * 37 + length / 7);
  }
}

// Long enough for several reads, and of no round length.
TEST(Sha256, OfAFileIsWhatSha256sumSays) {
  const Folder folder;
  std::string bytes;
  for (int i = 0; bytes.size() < 700001; ++i) bytes += std::to_string(i * 7919);
  for (const std::size_t size : {std::size_t{0}, std::size_t{64}, std::size_t{1} << 18,
                                 std::size_t{1} << 19, bytes.size()}) {
    const std::string part = bytes.substr(0, size);
    const std::string path = folder.write("file", part);
    EXPECT_EQ(digest::fileSha256(path), sha256Of(part)) << size;
    const Ended ended = runProgram({"/usr/bin/sha256sum", path});
    if (ended.status == 0) {
      EXPECT_EQ(ended.out.substr(0, 64), digest::fileSha256(path)) << size;
    }
  }
}

TEST(Sha256, OfAFileThatCannotBeReadSaysWhy) {
  const Folder folder;
  const auto faultOf = [](const std::string& path) -> std::string {
    try {
      return digest::fileSha256(path);
    } catch (const std::runtime_error& fault) {
      return fault.what();
    }
  };
  const std::string missing = folder.at("missing");
  EXPECT_EQ(faultOf(missing), "cannot read " + missing + ": No such file or directory");
  EXPECT_EQ(faultOf(folder.at("")), "cannot read " + folder.at("") + ": Is a directory");
}

TEST(ModelSha256, ChangesWithWhatBelongsToTheModel) {
  const Folder folder;
  const std::string model = folder.write("vit.onnx", "weights");
  std::vector<std::string> files = {model, folder.at("vit.toml"), folder.at("vit.onnx.data"),
                                    folder.at("vit.onnx_data"), folder.at("parts/0.bin")};
  std::set<std::map<std::string, std::string>> found;
  const auto look = [&] { found.insert(digest::modelSha256(model, files)); };
  look();
  EXPECT_EQ(digest::modelSha256(model, files),
            (std::map<std::string, std::string>{{"", sha256Of("weights")}}));
  folder.write("vit.onnx.data", "more weights");
  look();
  folder.write("vit.onnx.data", "more weighty");
  look();
  folder.write("vit.onnx_data", "others");
  look();
  std::filesystem::create_directory(folder.at("parts"));
  folder.write("parts/0.bin", "yet others");
  look();
  folder.write("vit.toml", "mean = [0.5, 0.5, 0.5]");
  look();
  folder.write("vit.onnx", "weightz");
  look();
  EXPECT_EQ(found.size(), 7U);
  folder.write("other.onnx", "of no concern");
  folder.write("vit.onnx.bak", "of no concern");
  EXPECT_EQ(digest::modelSha256(model, files),
            (std::map<std::string, std::string>{{"", sha256Of("weightz")},
                                                {".data", sha256Of("more weighty")},
                                                {"_data", sha256Of("others")},
                                                {" parts/0.bin", sha256Of("yet others")},
                                                {".toml", sha256Of("mean = [0.5, 0.5, 0.5]")}}));
  EXPECT_THROW(digest::modelSha256(folder.at("missing.onnx"), {}), std::runtime_error);
}

}  // namespace
}  // namespace mpm::test
